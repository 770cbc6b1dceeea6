// Walks over rows, newest first: along the chains of accounts and markets, merging several in log order, or over all rows. Used
// by the queries for trades and activity.
import { countBefore } from '../lib/countBefore.ts';
import { RowKind, type Rows } from './rows.ts';

/** An iterator over rows: `next` returns the next row's number, negated if the row is only passed, and 0 at the end. */
export interface Walk {
  next(): number;
}

/** All rows of trades, or those of takers alone. */
export class AllTrades implements Walk {
  private readonly rows: Rows;
  private readonly lastKind: RowKind;
  private row: number;

  /** @param from the newest row to visit */
  constructor(rows: Rows, takerOnly: boolean, from: number) {
    this.rows = rows;
    this.lastKind = takerOnly ? RowKind.TAKER : RowKind.MAKER;
    this.row = from + 1;
  }

  /** Rows of other kinds are returned as passed, so a long run of them can be split into slices. */
  next(): number {
    if (this.row <= 1) return 0;
    this.row -= 1;
    return this.rows.kindOf(this.row) <= this.lastKind ? this.row : -this.row;
  }
}

/** Merges the chains that begin at these rows (0 = empty), newest row first. */
export class Chains implements Walk {
  private readonly rows: Rows;
  private readonly isOfMarket: boolean;
  /** A max-heap of the chains' next rows: the newest is on top. */
  private readonly heap: number[];

  constructor(rows: Rows, heads: readonly number[], isOfMarket: boolean) {
    this.rows = rows;
    this.isOfMarket = isOfMarket;
    this.heap = heads.filter((row) => row > 0).sort((left, right) => right - left);
  }

  next(): number {
    const { heap } = this;
    if (heap.length === 0) return 0;
    const row = heap[0];
    const before = this.rows.before(row, this.isOfMarket);
    if (before > 0) {
      heap[0] = before;
      this.sink();
    } else {
      const last = heap.pop() ?? 0;
      if (heap.length > 0) {
        heap[0] = last;
        this.sink();
      }
    }
    return row;
  }

  /** Sifts the top down to its place. */
  private sink(): void {
    const { heap } = this;
    const row = heap[0];
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && heap[child + 1] > heap[child]) child += 1;
      if (heap[child] <= row) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = row;
  }
}

/** The newest row whose time is at most `tMs`, 0 for none. Binary search: times never decrease from row to row. */
export function newestUntil(rows: Rows, tMs: number): number {
  return countBefore(rows.last, (index) => {
    rows.read(index + 1); // rows count from 1
    return rows.tMs <= tMs;
  });
}
