// A list of rows with its sort columns, and the lookup of one page: rows of a narrow filter are gathered and sorted; otherwise
// rows are walked in the columns' order until the page is full. Used by index.ts for markets and for events. It knows rows by
// their numbers alone.
import { ColumnOrders, type ColumnsPlace } from './columnOrders.ts';
import { SortOrder } from './sortOrder.ts';

/** A filter that lists at most this many rows is gathered rather than walked. */
export const GATHERED_ROWS_MAX = 2_000;

/** The form of a list: states, order, page. */
export interface ListForm {
  /** Bit s is set if rows of state s are wanted. */
  readonly states: number;
  /** At least one; rows equal in one column are sorted by the next, and finally by their numbers. */
  readonly columns: readonly string[];
  readonly isRising: boolean;
  readonly limit: number;
  readonly offset: number;
  /** Continue after this place, instead of at an offset. */
  readonly after?: ColumnsPlace | undefined;
}

export interface TableQuery extends ListForm {
  /** Row numbers, each once, that include all wanted rows; if they are few, only they are examined. */
  readonly among?: readonly number[] | undefined;
  /** A condition on rows; it must hold for a row by itself, even where `among` is given. */
  readonly isWanted?: ((row: number) => boolean) | undefined;
}

export class Table {
  private readonly orders = new Map<string, SortOrder>();
  private readonly stateOf: (row: number) => number;

  /**
   * @param columns returns a row's key in each column, NaN for none
   * @param stateOf returns a row's state: bits active 1, closed 2, archived 4
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

  /** Brings a column up to date in advance of its first reader. @throws on an unknown column */
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

  /** How many rows all pages of a list have together. @throws on an unknown column */
  count({ columns: [column], ...query }: TableQuery): number {
    return this.page({ ...query, columns: [column], offset: 0, after: undefined, limit: Infinity }).length;
  }

  /** A row's place in the order of columns: the content of a keyset cursor. */
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
  // If every row counts, the order of a single column finds the row at an offset by itself.
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
