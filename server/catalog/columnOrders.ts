// Rows in the order of columns, one or several: walked in that of the first, rows that are equal there in that of the next, and so on
// down to their numbers. Few equal rows are sorted as they are met; of many, those that a page needs are looked for in the
// next column's own order. Used by table.ts; it must leave the sorted orders as they are.
import type { OrderPlace, SortOrder, Visit } from './sortOrder.ts';

/** So many rows that are equal in a column are put together and sorted. */
const SORTED_ROWS_MAX = 2_000;

/** Where a row stands in the order of several columns: after which a keyset page goes on. */
export interface ColumnsPlace {
  /** By column; undefined for a row without a value. */
  readonly keys: readonly (number | undefined)[];
  readonly row: number;
}

const any: Visit = () => true;

export class ColumnOrders {
  private readonly orders: readonly SortOrder[];
  private readonly states: number;
  private readonly isRising: boolean;

  /**
   * @param orders of one column at least, up to date
   * @param states bit s is set if rows of state s are wanted
   */
  constructor(orders: readonly SortOrder[], states: number, isRising: boolean) {
    this.orders = orders;
    this.states = states;
    this.isRising = isRising;
  }

  /** Visits all rows of the states, or those that come after a place. */
  visit(after: ColumnsPlace | undefined, visit: Visit): void {
    this.visitEqual(0, any, after, visit);
  }

  /** Compares two rows in the order asked for. */
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
   * Visits rows that are equal in the columns before `level`, in the order of this one and those behind it; returns false when
   * the visit ended it.
   * @param isEqual whether a row is one of them
   */
  private visitEqual(level: number, isEqual: Visit, after: ColumnsPlace | undefined, visit: Visit): boolean {
    const { orders, states, isRising } = this;
    const order = orders[level];
    const place = after && { key: after.keys[level], row: after.row };
    const isLast = level === orders.length - 1;
    if (isLast) return walk(order, states, isRising, place, (row) => !isEqual(row) || visit(row));
    // Of rows that are equal to the place here, some may come before it in what follows: all are looked at.
    let from = place && { ...place, row: isRising ? -1 : Number.POSITIVE_INFINITY };
    let left = after;
    for (;;) {
      const run = new EqualRows(order);
      const isToEnd = walk(order, states, isRising, from, (row) => {
        if (!isEqual(row)) return true;
        if (run.takes(row)) return run.rows.length <= SORTED_ROWS_MAX;
        const goesOn = this.visitSorted(level + 1, run.rows, left, visit);
        left = undefined;
        run.begin(row);
        return goesOn || run.stop();
      });
      if (run.isStopped) return false;
      const isLarge = run.rows.length > SORTED_ROWS_MAX;
      const { key } = run;
      const isOfRun: Visit = (row) => isEqual(row) && order.placedKey(row) === key;
      const goesOn = isLarge
        ? this.visitEqual(level + 1, isOfRun, left?.keys[level] === key ? left : undefined, visit)
        : this.visitSorted(level + 1, run.rows, left, visit);
      if (!goesOn) return false;
      if (isToEnd) return true;
      left = undefined;
      from = { key, row: isRising ? Number.POSITIVE_INFINITY : -1 };
    }
  }

  /** Visits few rows that are equal in the columns before `level`. */
  private visitSorted(level: number, rows: number[], after: ColumnsPlace | undefined, visit: Visit): boolean {
    if (rows.length > 1) rows.sort((one, other) => this.compareFrom(level, one, other));
    return rows.every((row) => (after !== undefined && !this.isAfter(row, after)) || visit(row));
  }
}

/** Rows that follow one another in a column and have the same key there. */
class EqualRows {
  rows: number[] = [];
  key: number | undefined;
  isStopped = false;
  private readonly order: SortOrder;

  constructor(order: SortOrder) {
    this.order = order;
  }

  /** Whether the row is one more of them, which it is from then on. */
  takes(row: number): boolean {
    const isEqual = this.rows.length === 0 || this.order.placedKey(row) === this.key;
    if (isEqual) {
      if (this.rows.length === 0) this.key = this.order.placedKey(row);
      this.rows.push(row);
    }
    return isEqual;
  }

  begin(row: number): void {
    this.rows = [];
    this.takes(row);
  }

  /** No more rows are wanted. */
  stop(): false {
    this.isStopped = true;
    return false;
  }
}

/** Visits rows of some states from the beginning, or after a place; false when the visit ended it. */
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
