// Visits rows sorted by one or several columns: rows equal in the first are sorted by the next, and so on down to their
// numbers. A short run of equal rows is collected and sorted on the spot; in a long one, the rows that a page needs are found
// through the next column's own order. Used by table.ts; the sorted orders must not change meanwhile.
import type { OrderPlace, SortOrder, Visit } from './sortOrder.ts';

/** Longest run of rows, equal in a column, that is collected and sorted. */
const SORTED_ROWS_MAX = 2_000;

/** A row's place in the order of several columns: a keyset page continues after it. */
export interface ColumnsPlace {
  /** By column; undefined if the row has no value there. */
  readonly keys: readonly (number | undefined)[];
  readonly row: number;
}

const everyRow: Visit = () => true;

export class ColumnOrders {
  private readonly orders: readonly SortOrder[];
  private readonly states: number;
  private readonly isRising: boolean;

  /**
   * @param orders of at least one column, settled
   * @param states bit s is set if rows of state s are wanted
   */
  constructor(orders: readonly SortOrder[], states: number, isRising: boolean) {
    this.orders = orders;
    this.states = states;
    this.isRising = isRising;
  }

  /** Visits all rows of the states, or those after a place. */
  visit(after: ColumnsPlace | undefined, visit: Visit): void {
    this.visitEqual(0, everyRow, after, visit);
  }

  /** Compares two rows in the requested order. */
  compareRows(left: number, right: number): number {
    return this.compareFrom(0, left, right);
  }

  /** Whether a row comes after a place. */
  isAfter(row: number, place: ColumnsPlace): boolean {
    const { orders, isRising } = this;
    for (const [level, order] of orders.entries()) {
      const [own, other] = [order.placedKey(row), place.keys[level]];
      if (own === other) continue;
      if (own === undefined || other === undefined) return own === undefined;
      return isRising ? own > other : own < other;
    }
    return isRising ? row > place.row : row < place.row;
  }

  private compareFrom(level: number, left: number, right: number): number {
    const { orders, isRising } = this;
    for (let at = level; at < orders.length; at += 1) {
      const difference = orders[at].compareKeys(left, right, isRising);
      if (difference !== 0) return difference;
    }
    return isRising ? left - right : right - left;
  }

  /**
   * Visits rows that are equal in the columns before `level`, in the order of this column and the ones after it; returns false
   * if the visitor ended it.
   * @param isEqual whether a row is one of these equal rows
   */
  private visitEqual(level: number, isEqual: Visit, after: ColumnsPlace | undefined, visit: Visit): boolean {
    const { orders, states, isRising } = this;
    const order = orders[level];
    const place = after && { key: after.keys[level], row: after.row };
    const isLast = level === orders.length - 1;
    if (isLast) return walk(order, states, isRising, place, (row) => !isEqual(row) || visit(row));
    // Rows equal to the place in this column may come before it by the next columns, so all of them are examined.
    let from = place && { ...place, row: isRising ? -1 : Number.POSITIVE_INFINITY };
    let runAfter = after; // only the first run can hold rows that come before the place
    for (;;) {
      const run = new EqualRows(order);
      let isEnded = false;
      const isToEnd = walk(order, states, isRising, from, (row) => {
        if (!isEqual(row)) return true;
        if (run.tryAdd(row)) return run.rows.length <= SORTED_ROWS_MAX;
        isEnded = !this.visitSorted(level + 1, run.rows, runAfter, visit);
        runAfter = undefined;
        run.begin(row);
        return !isEnded;
      });
      if (isEnded) return false;
      const isLarge = run.rows.length > SORTED_ROWS_MAX;
      const { key } = run;
      const isOfRun: Visit = (row) => isEqual(row) && order.placedKey(row) === key;
      const wantsMore = isLarge
        ? this.visitEqual(level + 1, isOfRun, runAfter?.keys[level] === key ? runAfter : undefined, visit)
        : this.visitSorted(level + 1, run.rows, runAfter, visit);
      if (!wantsMore) return false;
      if (isToEnd) return true;
      runAfter = undefined;
      from = { key, row: isRising ? Number.POSITIVE_INFINITY : -1 };
    }
  }

  /** Sorts and visits a short run of rows that are equal in the columns before `level`. */
  private visitSorted(level: number, rows: number[], after: ColumnsPlace | undefined, visit: Visit): boolean {
    if (rows.length > 1) rows.sort((one, other) => this.compareFrom(level, one, other));
    return rows.every((row) => (after !== undefined && !this.isAfter(row, after)) || visit(row));
  }
}

/** A run of consecutive rows with the same key in a column. */
class EqualRows {
  rows: number[] = [];
  key: number | undefined;
  private readonly order: SortOrder;

  constructor(order: SortOrder) {
    this.order = order;
  }

  /** Adds the row if it belongs to the run; returns whether it does. */
  tryAdd(row: number): boolean {
    const isEqual = this.rows.length === 0 || this.order.placedKey(row) === this.key;
    if (isEqual) {
      if (this.rows.length === 0) this.key = this.order.placedKey(row);
      this.rows.push(row);
    }
    return isEqual;
  }

  /** Begins another run with this row. */
  begin(row: number): void {
    this.rows = [];
    this.tryAdd(row);
  }
}

/** Visits rows of these states from the beginning or after a place; false if the visitor ended it. */
function walk(
  order: SortOrder,
  states: number,
  isRising: boolean,
  after: OrderPlace | undefined,
  visit: Visit,
): boolean {
  return after === undefined
    ? order.visit(states, isRising, 0, visit)
    : order.visitAfter(states, isRising, after, visit);
}
