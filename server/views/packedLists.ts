// Many growing lists of short rows of whole numbers, off the heap: as arrays of JavaScript, what a market or an owner gathers
// in months would fill it. A list lies in extents that double in size up to a limit, so it wastes little and never moves; the
// extents of all lists fill the same pages, which snapshots store as they lie. Used by the views of trades, builders and
// price history.
import { requireSound, type Sections } from '../../engine/index.ts';
import { countBefore } from '../lib/countBefore.ts';
import { float64WithRoom, int32WithRoom } from '../lib/withRoom.ts';

const PAGE_BYTES = 2 ** 20;
/** Bytes of the first page to begin with: it doubles until it is as long as the others, so few rows take little memory. */
const FIRST_PAGE_BYTES = 2 ** 14;
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

/** The length of the page with this number that has room for so many bytes. */
function pageBytesFor(page: number, bytes: number): number {
  if (page > 0) return PAGE_BYTES;
  let length = FIRST_PAGE_BYTES;
  while (length < bytes) length *= 2;
  return length;
}

/** The words of a list's head: how many rows and extents it has, and where the starts of these are listed. */
const HEAD = { rows: 0, extents: 1, starts: 2, words: 3 } as const;

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
  /** How many lists there are, up to the last one that has an extent. */
  private listCount = 0;
  private heads: Int32Array<ArrayBuffer> = new Int32Array();
  /**
   * Where extents start, in bytes from the start of the first page: those of a list side by side, with room for as many as the
   * next power of two. A list that needs more room moves, and leaves as much unused as it had.
   */
  private starts: Float64Array<ArrayBuffer> = new Float64Array();
  private startsEnd = 0;
  /** The list of each extent, in the order in which the extents lie. */
  private listOf: Int32Array<ArrayBuffer> = new Int32Array();
  private extentCount = 0;
  private pages: DataView<ArrayBuffer>[] = [];
  /** Where the next extent starts if it fits into the same page. */
  private end = 0;

  /** @param rowBytes the size of every row; each fills whole bytes with numbers, little-endian */
  constructor(rowBytes: number) {
    this.rowBytes = rowBytes;
  }

  /** How many rows a list has; 0 for one without any. */
  lengthOf(list: number): number {
    return this.isKnown(list) ? this.heads[list * HEAD.words + HEAD.rows] : 0;
  }

  /** The u32 with which each row of a list begins; it grows with the list. */
  numbersOf(list: number): NumberList {
    return new PackedNumbers(this, list);
  }

  /** Adds a row to a list, which the first one creates. Returns its index; its numbers are to be set. */
  add(list: number): number {
    const index = this.lengthOf(list);
    if (index === firstRowOf(this.extentsOf(list))) {
      this.place(list);
      this.makeRoom();
    }
    this.heads[this.headOf(list) + HEAD.rows] = index + 1;
    return index;
  }

  /** Removes the last row of a list. */
  removeLast(list: number): void {
    this.heads[this.headOf(list) + HEAD.rows] -= 1;
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
    const listOf = sections.int32('extents', this.listOf.slice(0, this.extentCount));
    const rows = new Int32Array(this.listCount).map((_, list) => this.lengthOf(list));
    const lengths = sections.int32('lengths', rows);
    if (sections.isLoading) this.placeAll(listOf, lengths);
    for (let page = 0; page * PAGE_BYTES < this.end; page += 1) {
      const bytes = Math.min(this.end - page * PAGE_BYTES, PAGE_BYTES);
      const used = sections.isLoading ? new Uint8Array() : new Uint8Array(this.pages[page].buffer, 0, bytes);
      const stored = sections.uint8(`page ${page}`, used);
      if (!sections.isLoading) continue;
      requireSound(stored.length === bytes, `page ${page} of packed lists has ${stored.length} bytes`);
      const whole = new Uint8Array(pageBytesFor(page, bytes));
      whole.set(stored);
      this.pages.push(new DataView(whole.buffer));
    }
  }

  /**
   * Requires the numbers with which the rows of loaded lists begin to be ordinals up to `ordinalMax` that never fall.
   * @param listCount how many lists there must be
   * @param ordinalMin the least number that a list can begin with
   */
  requireOrdinals(ordinalMax: number, listCount = this.listCount, ordinalMin = 1): void {
    requireSound(this.listCount === listCount, `there are ${this.listCount} packed lists instead of ${listCount}`);
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
      const extents = this.extentsOf(list);
      const isSound = length >= 0 && length <= firstRowOf(extents);
      requireSound(isSound, `${extents} extents of packed list ${list} cannot have ${length} rows`);
      if (extents > 0) this.heads[this.headOf(list) + HEAD.rows] = length;
    }
  }

  private isKnown(list: number): boolean {
    return list >= 0 && list < this.listCount;
  }

  private extentsOf(list: number): number {
    return this.isKnown(list) ? this.heads[list * HEAD.words + HEAD.extents] : 0;
  }

  /** Where the head of a list with extents lies. */
  private headOf(list: number): number {
    if (this.extentsOf(list) === 0) throw new Error(`views: the packed list ${list} has no rows`);
    return list * HEAD.words;
  }

  /** Places the next extent of a list. */
  private place(list: number): void {
    this.listCount = Math.max(this.listCount, list + 1);
    this.heads = int32WithRoom(this.heads, this.listCount * HEAD.words);
    const head = list * HEAD.words;
    const extent = this.heads[head + HEAD.extents];
    if ((extent & (extent - 1)) === 0) this.moveStarts(head);
    const bytes = rowsIn(extent) * this.rowBytes;
    const pageEnd = Math.ceil(this.end / PAGE_BYTES) * PAGE_BYTES;
    const start = this.end + bytes <= pageEnd ? this.end : pageEnd;
    this.starts[this.heads[head + HEAD.starts] + extent] = start;
    this.heads[head + HEAD.extents] = extent + 1;
    this.listOf = int32WithRoom(this.listOf, this.extentCount + 1);
    this.listOf[this.extentCount] = list;
    this.extentCount += 1;
    this.end = start + bytes;
  }

  /** Makes the last page long enough for what was placed in it, or begins it. */
  private makeRoom(): void {
    const page = Math.ceil(this.end / PAGE_BYTES) - 1;
    const bytes = this.end - page * PAGE_BYTES;
    const before = this.pages.at(page);
    if (before !== undefined && bytes <= before.byteLength) return;
    const longer = new Uint8Array(pageBytesFor(page, bytes));
    if (before !== undefined) longer.set(new Uint8Array(before.buffer));
    this.pages[page] = new DataView(longer.buffer);
  }

  /** Moves the starts of a list with this head to where there is room for twice as many. */
  private moveStarts(head: number): void {
    const extents = this.heads[head + HEAD.extents];
    const from = this.heads[head + HEAD.starts];
    const to = this.startsEnd;
    this.startsEnd += Math.max(1, 2 * extents);
    this.starts = float64WithRoom(this.starts, this.startsEnd);
    this.starts.copyWithin(to, from, from + extents);
    this.heads[head + HEAD.starts] = to;
  }

  /** Where a row of a list starts. */
  private placeOf(list: number, row: number): number {
    const extent = extentOf(row);
    const start = this.starts[this.heads[this.headOf(list) + HEAD.starts] + extent];
    return start + (row - firstRowOf(extent)) * this.rowBytes;
  }

  private pageAt(at: number): DataView<ArrayBuffer> {
    return this.pages[Math.floor(at / PAGE_BYTES)];
  }
}
