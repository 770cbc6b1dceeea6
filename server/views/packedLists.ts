// Many growing lists of short rows of whole numbers, off the heap: as arrays of JavaScript, what a market or an owner gathers
// in months would fill it. A list lies in extents that double in size up to a limit, so it wastes little and never moves; the
// extents of all lists fill the same pages, which snapshots store as they lie. Used by the views of trades, builders and
// price history.
import { requireSound, type Sections } from '../../engine/index.ts';
import { countBefore } from '../lib/countBefore.ts';

const PAGE_BYTES = 2 ** 20;
/** Rows of a list's first extent; each one after it has twice as many as the one before, up to ROWS_MAX. */
const FIRST_ROWS = 4;
const DOUBLINGS = 10;
const ROWS_MAX = FIRST_ROWS * 2 ** DOUBLINGS;
/** Rows before the first extent of ROWS_MAX. */
const DOUBLING_ROWS = ROWS_MAX - FIRST_ROWS;

const rowsIn = (extent: number): number => (extent < DOUBLINGS ? FIRST_ROWS * 2 ** extent : ROWS_MAX);
const firstRowOf = (extent: number): number =>
  extent < DOUBLINGS ? FIRST_ROWS * (2 ** extent - 1) : DOUBLING_ROWS + (extent - DOUBLINGS) * ROWS_MAX;
/** The extent with this row of a list. */
const extentOf = (row: number): number =>
  row < DOUBLING_ROWS
    ? 31 - Math.clz32(row / FIRST_ROWS + 1)
    : DOUBLINGS + Math.floor((row - DOUBLING_ROWS) / ROWS_MAX);

interface List {
  /** How many rows it has. */
  length: number;
  /** Where its extents start, in bytes from the start of the first page. */
  readonly starts: number[];
}

/** Numbers that are read one by one. */
export interface NumberList {
  readonly length: number;
  /** The number at an index within the list. */
  at(index: number): number;
}

/** How many of a list's ascending numbers are at most `max`. */
export const countUpTo = (list: NumberList, max: number): number =>
  countBefore(list.length, (index) => list.at(index) <= max);

class PackedNumbers implements NumberList {
  private readonly lists: PackedLists;
  private readonly list: number;

  constructor(lists: PackedLists, list: number) {
    this.lists = lists;
    this.list = list;
  }

  get length(): number {
    return this.lists.lengthOf(this.list);
  }

  at(index: number): number {
    return this.lists.u32(this.list, index, 0);
  }
}

export class PackedLists {
  private readonly rowBytes: number;
  private lists: (List | undefined)[] = [];
  /** The list of each extent, in the order in which the extents lie. */
  private listOf: number[] = [];
  private pages: DataView<ArrayBuffer>[] = [];
  /** Where the next extent starts if it fits into the same page. */
  private end = 0;

  /** @param rowBytes the size of every row; each fills whole bytes with numbers, little-endian */
  constructor(rowBytes: number) {
    this.rowBytes = rowBytes;
  }

  /** How many rows a list has; 0 for one without any. */
  lengthOf(list: number): number {
    return this.lists[list]?.length ?? 0;
  }

  /** The u32 with which each row of a list begins; it grows with the list. */
  numbersOf(list: number): NumberList {
    return new PackedNumbers(this, list);
  }

  /** Adds a row to a list, which the first one creates. Returns its index; its numbers are to be set. */
  add(list: number): number {
    const index = this.lengthOf(list);
    if (this.isFull(list)) {
      this.place(list);
      if (this.end > this.pages.length * PAGE_BYTES) this.pages.push(new DataView(new ArrayBuffer(PAGE_BYTES)));
    }
    this.known(list).length = index + 1;
    return index;
  }

  /** Removes the last row of a list. */
  removeLast(list: number): void {
    this.known(list).length -= 1;
  }

  u32(list: number, row: number, offset: number): number {
    const at = this.placeOf(list, row) + offset;
    return this.pageAt(at).getUint32(at % PAGE_BYTES, true);
  }

  u16(list: number, row: number, offset: number): number {
    const at = this.placeOf(list, row) + offset;
    return this.pageAt(at).getUint16(at % PAGE_BYTES, true);
  }

  setU32(list: number, row: number, offset: number, value: number): void {
    const at = this.placeOf(list, row) + offset;
    this.pageAt(at).setUint32(at % PAGE_BYTES, value, true);
  }

  setU16(list: number, row: number, offset: number, value: number): void {
    const at = this.placeOf(list, row) + offset;
    this.pageAt(at).setUint16(at % PAGE_BYTES, value, true);
  }

  /** The lists' part of a snapshot. */
  visit(sections: Sections): void {
    const listOf = sections.int32('extents', Int32Array.from(this.listOf));
    const lengths = sections.int32(
      'lengths',
      Int32Array.from({ length: this.lists.length }, (_, list) => this.lengthOf(list)),
    );
    if (sections.isLoading) this.placeAll(listOf, lengths);
    for (let page = 0; page * PAGE_BYTES < this.end; page += 1) {
      const bytes = Math.min(this.end - page * PAGE_BYTES, PAGE_BYTES);
      const used = sections.isLoading ? new Uint8Array() : new Uint8Array(this.pages[page].buffer, 0, bytes);
      const stored = sections.uint8(`page ${page}`, used);
      if (!sections.isLoading) continue;
      requireSound(stored.length === bytes, `page ${page} of packed lists has ${stored.length} bytes`);
      const whole = new Uint8Array(PAGE_BYTES);
      whole.set(stored);
      this.pages.push(new DataView(whole.buffer));
    }
  }

  /**
   * Requires the numbers with which the rows of loaded lists begin to be ordinals up to `ordinalMax` that never fall.
   * @param listCount how many lists there must be
   * @param ordinalMin the least number that a list can begin with
   */
  requireOrdinals(ordinalMax: number, listCount = this.lists.length, ordinalMin = 1): void {
    requireSound(
      this.lists.length === listCount,
      `there are ${this.lists.length} packed lists instead of ${listCount}`,
    );
    for (let list = 0; list < listCount; list += 1) {
      const ordinals = this.numbersOf(list);
      let before = ordinalMin;
      for (let index = 0; index < ordinals.length; index += 1) {
        const ordinal = ordinals.at(index);
        requireSound(ordinal >= before && ordinal <= ordinalMax, `packed list ${list} has ${ordinal} after ${before}`);
        before = ordinal;
      }
    }
  }

  /** Places the extents of a snapshot and takes its lengths. */
  private placeAll(listOf: Int32Array, lengths: Int32Array): void {
    for (const list of listOf) {
      requireSound(list >= 0 && list < lengths.length, `an extent belongs to list ${list} of ${lengths.length}`);
      this.place(list);
    }
    for (const [list, length] of lengths.entries()) {
      const extents = this.lists[list]?.starts.length ?? 0;
      const isSound = length >= 0 && length <= firstRowOf(extents);
      requireSound(isSound, `${extents} extents of packed list ${list} cannot have ${length} rows`);
      if (extents > 0) this.known(list).length = length;
    }
  }

  private known(list: number): List {
    const known = this.lists[list];
    if (known === undefined) throw new Error(`views: the packed list ${list} has no rows`);
    return known;
  }

  private isFull(list: number): boolean {
    const known = this.lists[list];
    return known === undefined || known.length === firstRowOf(known.starts.length);
  }

  /** Places the next extent of a list. */
  private place(list: number): void {
    let known = this.lists[list];
    if (known === undefined) {
      known = { length: 0, starts: [] };
      this.lists[list] = known;
    }
    const bytes = rowsIn(known.starts.length) * this.rowBytes;
    const pageEnd = Math.ceil(this.end / PAGE_BYTES) * PAGE_BYTES;
    const start = this.end + bytes <= pageEnd ? this.end : pageEnd;
    known.starts.push(start);
    this.listOf.push(list);
    this.end = start + bytes;
  }

  /** Where a row of a list starts. */
  private placeOf(list: number, row: number): number {
    const extent = extentOf(row);
    return this.known(list).starts[extent] + (row - firstRowOf(extent)) * this.rowBytes;
  }

  private pageAt(at: number): DataView<ArrayBuffer> {
    return this.pages[Math.floor(at / PAGE_BYTES)];
  }
}
