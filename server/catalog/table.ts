// A list of rows with its sort columns, and how one page of it is found: rows of a narrow filter are gathered and sorted,
// all others are walked in the columns' order until the page is full. Used by index.ts for markets and for events. It
// knows rows by their numbers alone.
import { ColumnOrders, type ColumnsPlace } from './columnOrders.ts';
import { SortOrder } from './sortOrder.ts';

/** A filter that names fewer rows than this is gathered rather than walked. */
export const GATHERED_ROWS_MAX = 2_000;

/** How rows are listed. */
export interface ListForm {
  /** Bit s is set if rows of state s are wanted. */
  readonly states: number;
  /** One at least; rows that are equal in one stand in the order of the next, and at last in that of their numbers. */
  readonly columns: readonly string[];
  readonly isRising: boolean;
  readonly limit: number;
  readonly offset: number;
  /** Go on after this place, in place of an offset. */
  readonly after?: ColumnsPlace | undefined;
}

export interface TableQuery extends ListForm {
  /** Numbers of rows, each once, outside of which none is wanted: they are looked at alone where they are few. */
  readonly among?: readonly number[] | undefined;
  /** What a row must be; where `among` is given, it must tell those rows too. */
  readonly isWanted?: ((row: number) => boolean) | undefined;
}

export class Table {
  private readonly orders = new Map<string, SortOrder>();
  private readonly stateOf: (row: number) => number;

  /**
   * @param columns the key of a row in each column, NaN for none
   * @param stateOf bits active 1, closed 2, archived 4
   */
  constructor(columns: Readonly<Record<string, (row: number) => number>>, stateOf: (row: number) => number) {
    this.stateOf = stateOf;
    for (const [name, keyOf] of Object.entries(columns)) this.orders.set(name, new SortOrder(keyOf, stateOf));
  }

  get columns(): readonly string[] {
    return [...this.orders.keys()];
  }

  /** Marks a new or changed row. */
  touch(row: number): void {
    for (const order of this.orders.values()) order.touch(row);
  }

  /** Brings a column up to date, so that the first reader need not. @throws on an unknown column */
  settle(column: string): void {
    this.orderOf(column);
  }

  /** The rows of one page. @throws on an unknown column */
  page(query: TableQuery): readonly number[] {
    const orders = query.columns.map((column) => this.orderOf(column));
    const { among, limit } = query;
    if (limit === 0) return [];
    if (among !== undefined && among.length <= GATHERED_ROWS_MAX) return this.gathered(orders, among, query);
    return walked(orders, query);
  }

  /** Where a row stands in the order of columns: what a keyset cursor says. */
  placeOf(columns: readonly string[], row: number): ColumnsPlace {
    return { keys: columns.map((column) => this.orderOf(column).placedKey(row)), row };
  }

  checkInvariants(): void {
    for (const order of this.orders.values()) order.checkInvariants();
  }

  private orderOf(column: string): SortOrder {
    const order = this.orders.get(column);
    if (order === undefined) throw new Error(`table: no column ${column}`);
    order.settle();
    return order;
  }

  private gathered(orders: readonly SortOrder[], among: readonly number[], query: TableQuery): readonly number[] {
    const { states, isRising, offset, after, isWanted, limit } = query;
    const order = new ColumnOrders(orders, states, isRising);
    const rows = among.filter((row) => ((states >> this.stateOf(row)) & 1) === 1 && (isWanted?.(row) ?? true));
    const wanted = after === undefined ? rows : rows.filter((row) => order.isAfter(row, after));
    wanted.sort((left, right) => order.compareRows(left, right));
    const from = after === undefined ? offset : 0;
    return wanted.slice(from, from + limit);
  }
}

function walked(orders: readonly SortOrder[], query: TableQuery): readonly number[] {
  const { states, isRising, offset, after, isWanted, limit } = query;
  const page: number[] = [];
  // The order of one column finds the row at an offset by itself, where every row counts.
  const canSkip = orders.length === 1 && isWanted === undefined && after === undefined;
  let toSkip = after === undefined && !canSkip ? offset : 0;
  const visit = (row: number): boolean => {
    if (isWanted?.(row) === false) return true;
    if (toSkip > 0) {
      toSkip -= 1;
      return true;
    }
    page.push(row);
    return page.length < limit;
  };
  if (canSkip) orders[0].visit(states, isRising, offset, visit);
  else new ColumnOrders(orders, states, isRising).visit(after, visit);
  return page;
}
