// One sort column of a table: its rows by key, with separate lists for each state (active, closed, archived) and for rows
// without a value, so a page of any states starts at its offset without counting rows one by one. Changed rows are marked, and
// moved on the next read. Used by table.ts; it gets keys and states from two functions and knows nothing else of rows.
import { type RowWalk, SortedRows } from './sortedRows.ts';

/** The number of states; a state has the bits active 1, closed 2, archived 4. */
export const STATE_COUNT = 8;
const NONE = -1;
/** If more rows than this changed, and more than one in REBUILD_SHARE, sorting everything anew is cheaper than moving each. */
const MOVED_ROWS_MAX = 256;
const REBUILD_SHARE = 8;

/** A row's place in the order: a keyset page continues after it. */
export interface OrderPlace {
  /** Undefined for a row without a value. */
  readonly key: number | undefined;
  readonly row: number;
}

/** Visits a row; returns false to end the walk. */
export type Visit = (row: number) => boolean;

export class SortOrder {
  private readonly keyOf: (row: number) => number;
  private readonly stateOf: (row: number) => number;
  /** The keys under which rows are placed; a marked row's current key may differ. */
  private readonly keys: number[] = [];
  /** The list that contains a row; NONE before it is placed. */
  private readonly listOf: number[] = [];
  /** A list per state for rows with a value, then one per state for rows without. */
  private readonly lists: readonly SortedRows[];
  private changed: number[] = [];
  private readonly isChanged: boolean[] = [];
  private placedCount = 0;

  /** @param keyOf returns NaN for a row without a value */
  constructor(keyOf: (row: number) => number, stateOf: (row: number) => number) {
    this.keyOf = keyOf;
    this.stateOf = stateOf;
    this.lists = Array.from({ length: STATE_COUNT * 2 }, () => new SortedRows(this.keys));
  }

  /** Marks a row that is new or has changed. Rows are numbered without gaps. */
  touch(row: number): void {
    if (this.isChanged[row] === true) return;
    this.isChanged[row] = true;
    this.changed.push(row);
  }

  /** Moves every marked row to its place. */
  settle(): void {
    const { changed } = this;
    if (changed.length === 0) return;
    this.changed = [];
    for (const row of changed) this.isChanged[row] = false;
    if (changed.length > MOVED_ROWS_MAX && changed.length * REBUILD_SHARE > this.placedCount) this.rebuild(changed);
    else for (const row of changed) this.place(row);
  }

  /**
   * Visits rows of these states in order, from an offset on; rows without a value come last in both directions. Returns false
   * if the visitor ended it.
   * @param states bit s is set if rows of state s are wanted
   */
  visit(states: number, isRising: boolean, offset: number, visit: Visit): boolean {
    let toSkip = offset;
    for (const lists of [this.valued(states), this.valueless(states)]) {
      const total = lists.reduce((sum, { length }) => sum + length, 0);
      if (toSkip >= total) {
        toSkip -= total;
        continue;
      }
      if (!this.merge(lists, this.startsAt(lists, isRising, toSkip), isRising, visit)) return false;
      toSkip = 0;
    }
    return true;
  }

  /** Visits rows of these states after a place; returns false if the visitor ended it. */
  visitAfter(states: number, isRising: boolean, { key, row }: OrderPlace, visit: Visit): boolean {
    const last = this.valueless(states);
    if (key === undefined) return this.merge(last, startsAfter(last, isRising, 0, row), isRising, visit);
    const lists = this.valued(states);
    if (!this.merge(lists, startsAfter(lists, isRising, key, row), isRising, visit)) return false;
    return this.merge(last, this.startsAt(last, isRising, 0), isRising, visit);
  }

  /** The key under which a row is placed; undefined for a row without a value. */
  placedKey(row: number): number | undefined {
    return this.listOf[row] >= STATE_COUNT ? undefined : this.keys[row];
  }

  /** Compares two rows in the requested order. */
  compareRows(left: number, right: number, isRising: boolean): number {
    return this.compareKeys(left, right, isRising) || (isRising ? left - right : right - left);
  }

  /** The same by their keys alone: 0 if these are equal. */
  compareKeys(left: number, right: number, isRising: boolean): number {
    const isLast = this.listOf[left] >= STATE_COUNT;
    if (isLast !== this.listOf[right] >= STATE_COUNT) return isLast ? 1 : -1;
    const difference = this.keys[left] - this.keys[right];
    return isRising ? difference : -difference;
  }

  checkInvariants(): void {
    for (const list of this.lists) list.checkInvariants();
    const held = this.lists.reduce((sum, { length }) => sum + length, 0);
    if (held !== this.placedCount) throw new Error(`sort order 1: ${held} rows held, ${this.placedCount} placed`);
  }

  private valued(states: number): SortedRows[] {
    return this.lists.filter((list, at) => at < STATE_COUNT && ((states >> at) & 1) === 1 && list.length > 0);
  }

  private valueless(states: number): SortedRows[] {
    return this.lists.filter(
      (list, at) => at >= STATE_COUNT && ((states >> (at - STATE_COUNT)) & 1) === 1 && list.length > 0,
    );
  }

  /** The list in which a row with this key belongs. */
  private listFor(row: number, key: number): number {
    return this.stateOf(row) + (Number.isNaN(key) ? STATE_COUNT : 0);
  }

  private place(row: number): void {
    const current = this.keyOf(row);
    const key = Number.isNaN(current) ? 0 : current;
    const list = this.listFor(row, current);
    const before = this.listOf[row] ?? NONE;
    if (before === list && this.keys[row] === key) return;
    if (before === NONE) this.placedCount += 1;
    else this.lists[before].remove(row);
    this.keys[row] = key;
    this.listOf[row] = list;
    this.lists[list].insert(row);
  }

  private rebuild(changed: readonly number[]): void {
    const { keys, listOf } = this;
    for (const row of changed) {
      const current = this.keyOf(row);
      if ((listOf[row] ?? NONE) === NONE) this.placedCount += 1;
      keys[row] = Number.isNaN(current) ? 0 : current;
      listOf[row] = this.listFor(row, current);
    }
    const parts: number[][] = this.lists.map(() => []);
    for (let row = 0; row < listOf.length; row += 1) if (listOf[row] !== NONE) parts[listOf[row]].push(row);
    const isOutOfOrder = (row: number, at: number, part: readonly number[]): boolean =>
      at > 0 && keys[row] < keys[part[at - 1]];
    for (const [at, part] of parts.entries()) {
      // Rows come by number: if their keys rise with the numbers, as in a catalog that never traded, they are sorted already.
      if (part.some(isOutOfOrder)) part.sort((left, right) => keys[left] - keys[right] || left - right);
      this.lists[at].load(part);
    }
  }

  /**
   * How many rows of each list come before the row at an offset of the merged lists. Each list offers an even share of the
   * offset; the one whose last offered row comes first skips its share, until nothing is left to skip.
   */
  private startsAt(lists: readonly SortedRows[], isRising: boolean, offset: number): number[] {
    const starts = lists.map(() => 0);
    let rest = offset;
    while (rest > 0) {
      const live = lists.flatMap((list, at) => (starts[at] < list.length ? [at] : []));
      if (live.length === 0) break;
      const share = Math.max(1, Math.floor(rest / live.length));
      let chosen = NONE;
      let chosenRow = NONE;
      let taken = 0;
      for (const at of live) {
        const count = Math.min(share, lists[at].length - starts[at]);
        const row = this.rowAt(lists[at], starts[at] + count - 1, isRising);
        if (chosen !== NONE && this.compareRows(row, chosenRow, isRising) > 0) continue;
        chosen = at;
        chosenRow = row;
        taken = count;
      }
      starts[chosen] += taken;
      rest -= taken;
    }
    return starts;
  }

  /** The row at a position counted in the requested direction. */
  private rowAt(list: SortedRows, place: number, isRising: boolean): number {
    return list.at(isRising ? place : list.length - 1 - place) ?? NONE;
  }

  /** Merges the lists from their starts on and visits the rows; false if the visitor ended it. */
  private merge(lists: readonly SortedRows[], starts: readonly number[], isRising: boolean, visit: Visit): boolean {
    const walks: RowWalk[] = [];
    for (const [at, list] of lists.entries()) {
      if (starts[at] >= list.length) continue;
      walks.push(list.walk(isRising ? starts[at] : list.length - 1 - starts[at], isRising ? 1 : -1));
    }
    while (walks.length > 0) {
      let first = 0;
      for (let i = 1; i < walks.length; i += 1) {
        if (this.compareRows(walks[i].row, walks[first].row, isRising) < 0) first = i;
      }
      const walk = walks[first];
      if (!visit(walk.row)) return false;
      walk.next();
      if (walk.row === NONE) walks.splice(first, 1);
    }
    return true;
  }
}

/** For each list, how many rows come before the first one after (key, row), in the requested direction. */
function startsAfter(lists: readonly SortedRows[], isRising: boolean, key: number, row: number): number[] {
  return lists.map((list) => (isRising ? list.countBefore(key, row + 1) : list.length - list.countBefore(key, row)));
}
