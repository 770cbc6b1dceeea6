// The trades of orders that carry a builder's code, by code. Fed by the follower of index.ts; read by the routes of
// builders. Codes are whatever clients sign into their orders: nobody has to be known for one.
import type { MakerFill, Trade } from './records.ts';

/** One order's part of a trade. */
export interface BuilderFill {
  /** Among the fills of its code, from 1. */
  readonly ordinal: number;
  readonly trade: Trade;
  /** Undefined for the taker's part. */
  readonly maker: MakerFill | undefined;
}

export class BuildersView {
  private byCode = new Map<string, BuilderFill[]>();

  /** The fills under a code (0x and 64 lower-case hex digits), oldest first. */
  fillsOf(code: string): readonly BuilderFill[] {
    return this.byCode.get(code) ?? [];
  }

  traded(trade: Trade): void {
    if (trade.taker.builder !== '') this.add(trade.taker.builder, trade, undefined);
    for (const maker of trade.makers) if (maker.order.builder !== '') this.add(maker.order.builder, trade, maker);
  }

  /** What a snapshot keeps of it, together with orders and trades. */
  get state(): Map<string, BuilderFill[]> {
    return this.byCode;
  }

  set state(state: Map<string, BuilderFill[]>) {
    this.byCode = state;
  }

  private add(code: string, trade: Trade, maker: MakerFill | undefined): void {
    const fills = this.byCode.get(code);
    if (fills === undefined) this.byCode.set(code, [{ ordinal: 1, trade, maker }]);
    else fills.push({ ordinal: fills.length + 1, trade, maker });
  }
}
