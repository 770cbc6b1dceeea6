// The trades of orders that carry a builder code, by code. Fed by the follower of index.ts; read by the routes of builders.
// Codes are whatever clients sign into their orders; no builder has to be registered.

import { countBefore } from '../lib/countBefore.ts';
import type { MakerFill, Trade } from './records.ts';
import type { TradesView } from './trades.ts';

/** One order's part of a trade. */
export interface BuilderFill {
  /** The fill's number among the fills of its code, from 1. */
  readonly ordinal: number;
  readonly trade: Trade;
  /** Undefined if the fill is the taker's part. */
  readonly maker: MakerFill | undefined;
}

/** The fills of a code as parallel arrays, oldest first: the trade's ordinal, and the maker's index or TAKER. */
interface Fills {
  readonly trades: number[];
  readonly makers: number[];
}
const TAKER = -1;

export class BuildersView {
  private byCode = new Map<string, Fills>();
  private readonly trades: TradesView;
  /** The trade decoded last: thousands of its makers may carry the code, and each is looked up separately. */
  private latest: { readonly trade: Trade; readonly makers: readonly MakerFill[] } | undefined;

  constructor(trades: TradesView) {
    this.trades = trades;
  }

  /** How many fills a code (0x and 64 lower-case hex digits) has. */
  countOf(code: string): number {
    return this.byCode.get(code)?.trades.length ?? 0;
  }

  /** How many of a code's fills belong to the trade with this ordinal or to an earlier one. */
  countUpTo(code: string, tradeOrdinal: number): number {
    const trades = this.byCode.get(code)?.trades ?? [];
    return countBefore(trades.length, (index) => trades[index] <= tradeOrdinal);
  }

  /** A fill of the code by its ordinal. */
  fillOf(code: string, ordinal: number): BuilderFill {
    const fills = this.byCode.get(code);
    if (fills === undefined) throw new Error(`views: the code ${code} has no fills`);
    const tradeOrdinal = fills.trades[ordinal - 1];
    if (this.latest?.trade.ordinal !== tradeOrdinal) {
      const trade = this.trades.byOrdinal(tradeOrdinal);
      this.latest = { trade, makers: trade.makers };
    }
    const { trade, makers } = this.latest;
    const maker = fills.makers[ordinal - 1];
    return { ordinal, trade, maker: maker === TAKER ? undefined : makers[maker] };
  }

  traded({ ordinal, taker, makers }: Trade): void {
    if (taker.builder !== '') this.add(taker.builder, ordinal, TAKER);
    for (const [index, { order }] of makers.entries())
      if (order.builder !== '') this.add(order.builder, ordinal, index);
  }

  /** This view's part of a snapshot. */
  get state(): Map<string, Fills> {
    return this.byCode;
  }

  set state(state: Map<string, Fills>) {
    this.byCode = state;
  }

  private add(code: string, trade: number, maker: number): void {
    let fills = this.byCode.get(code);
    if (fills === undefined) {
      fills = { trades: [], makers: [] };
      this.byCode.set(code, fills);
    }
    fills.trades.push(trade);
    fills.makers.push(maker);
  }
}
