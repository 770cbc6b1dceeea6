// The trades of orders that carry a builder code, by code. Fed by the follower of index.ts; read by the routes of builders.
// Codes are whatever clients sign into their orders; no builder has to be registered.

import type { Sections } from '../../engine/index.ts';
import type { BuilderCodes } from './builderCodes.ts';
import { countUpTo, PackedLists } from './packedLists.ts';
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

/** A fill as a packed row: u32 ordinal of its trade; u32 index of its maker, or TAKER. */
const FILL = { trade: 0, maker: 4, bytes: 8 } as const;
const TAKER = 2 ** 32 - 1;

export class BuildersView {
  private readonly codes: BuilderCodes;
  /** The fills of each code by its number, oldest first. */
  private readonly fills = new PackedLists(FILL.bytes);
  private readonly trades: TradesView;
  /** The trade decoded last: thousands of its makers may carry the code, and each is looked up separately. */
  private latest: { readonly trade: Trade; readonly makers: readonly MakerFill[] } | undefined;

  constructor(trades: TradesView) {
    this.trades = trades;
    this.codes = trades.builderCodes;
  }

  /** How many fills a code (0x and 64 lower-case hex digits) has. */
  countOf(code: string): number {
    const list = this.codes.find(code);
    return list === undefined ? 0 : this.fills.lengthOf(list);
  }

  /** How many of a code's fills belong to the trade with this ordinal or to an earlier one. */
  countUpTo(code: string, tradeOrdinal: number): number {
    const list = this.codes.find(code);
    if (list === undefined) return 0;
    return countUpTo(this.fills.numbersOf(list), tradeOrdinal);
  }

  /** A fill of the code by its ordinal. */
  fillOf(code: string, ordinal: number): BuilderFill {
    const list = this.codes.find(code);
    if (list === undefined) throw new Error(`views: the code ${code} has no fills`);
    const tradeOrdinal = this.fills.u32(list, ordinal - 1, FILL.trade);
    if (this.latest?.trade.ordinal !== tradeOrdinal) {
      const trade = this.trades.byOrdinal(tradeOrdinal);
      this.latest = { trade, makers: trade.makers };
    }
    const { trade, makers } = this.latest;
    const maker = this.fills.u32(list, ordinal - 1, FILL.maker);
    return { ordinal, trade, maker: maker === TAKER ? undefined : makers[maker] };
  }

  traded({ ordinal, taker, makers }: Trade): void {
    if (taker.builder !== '') this.add(taker.builder, ordinal, TAKER);
    for (const [index, { order }] of makers.entries())
      if (order.builder !== '') this.add(order.builder, ordinal, index);
  }

  /** This view's part of a snapshot, after that of the trades. */
  visit(sections: Sections): void {
    this.fills.visit(sections.part('fills'));
    if (sections.isLoading) this.fills.requireOrdinals(this.trades.count, this.codes.count);
  }

  private add(code: string, trade: number, maker: number): void {
    const list = this.codes.numberOf(code);
    const fill = this.fills.add(list);
    this.fills.setU32(list, fill, FILL.trade, trade);
    this.fills.setU32(list, fill, FILL.maker, maker);
  }
}
