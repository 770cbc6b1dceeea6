// Every trade with its makers, by market and number, and by each owner that took part. Fed by the follower of
// index.ts; read by the routes of trades. Trades are never removed; only their status and its time change.
import type { EventOf, FillKind, TradeStatus } from '../../engine/index.ts';
import type { Draft, MakerFill, Order, Trade } from './records.ts';

/** What a snapshot keeps of the trades. */
interface TradesState {
  readonly byMarket: Draft<Trade>[][];
  readonly byOwner: Map<string, Trade[]>;
  readonly lastOrdinal: number;
}

export class TradesView {
  private byMarket: Draft<Trade>[][] = [];
  private byOwner = new Map<string, Trade[]>();
  private lastOrdinal = 0;
  private makers: MakerFill[] = [];

  /** A trade by its market and its number there (from 1). */
  byNumber(marketIndex: number, tradeNumber: number): Trade | undefined {
    return this.byMarket[marketIndex]?.[tradeNumber - 1];
  }

  /** All trades of a market, oldest first. */
  ofMarket(marketIndex: number): readonly Trade[] {
    return this.byMarket[marketIndex] ?? [];
  }

  /** The trades in which the owner was taker or maker, oldest first (read it from its end for the newest). */
  ofOwner(owner: string): readonly Trade[] {
    return this.byOwner.get(owner) ?? [];
  }

  /** One maker's part of the trade whose event follows. */
  filled(order: Order, event: EventOf<'Fill'>): void {
    const { lots, pricePips } = event;
    this.makers.push({ order, lots, pricePips, kind: event.kind as FillKind }); // bounded by the layout
  }

  traded(event: EventOf<'Trade'>, taker: Order, tMs: number): Trade {
    this.lastOrdinal += 1;
    const trade: Draft<Trade> = {
      ordinal: this.lastOrdinal,
      marketIndex: event.marketIndex,
      tradeNumber: event.tradeNumber,
      taker,
      pricePips: event.pricePips,
      lots: event.lots,
      feeMicro: event.feeMicro,
      makers: this.makers,
      bucketIndex: taker.trades.length,
      status: 0,
      matchMs: tMs,
      updatedMs: tMs,
    };
    this.makers = [];
    let ofMarket = this.byMarket[event.marketIndex];
    if (ofMarket === undefined) {
      ofMarket = [];
      this.byMarket[event.marketIndex] = ofMarket;
    }
    ofMarket[event.tradeNumber - 1] = trade;
    this.join(taker.owner, trade);
    for (const { order } of trade.makers) this.join(order.owner, trade);
    return trade;
  }

  statusChanged(event: EventOf<'TradeStatusChanged'>, tMs: number): void {
    const trade = this.byMarket[event.marketIndex]?.[event.tradeNumber - 1];
    if (trade === undefined) return;
    trade.status = event.status as TradeStatus; // bounded by the layout
    trade.updatedMs = tMs;
  }

  /** What a snapshot keeps of it, together with orders and others that hold trades. */
  get state(): TradesState {
    return { byMarket: this.byMarket, byOwner: this.byOwner, lastOrdinal: this.lastOrdinal };
  }

  set state({ byMarket, byOwner, lastOrdinal }: TradesState) {
    this.byMarket = byMarket;
    this.byOwner = byOwner;
    this.lastOrdinal = lastOrdinal;
  }

  /** Once an owner, even if several of its orders took part: its latest trade is then this one already. */
  private join(owner: string, trade: Trade): void {
    const owned = this.byOwner.get(owner);
    if (owned === undefined) this.byOwner.set(owner, [trade]);
    else if (owned.at(-1) !== trade) owned.push(trade);
  }
}
