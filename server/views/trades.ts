// Every trade with its makers, by market and number and by each participating owner. Fed by the follower of index.ts; read by
// the routes of trades. Trades are never removed; only their status and its time change, up to CONFIRMED. All CONFIRMED trades
// but the newest are packed off the heap, which keeps their ordinals alone: one for the market, one for each owner.
import { type EventOf, type FillKind, requireSound, type Sections, TradeStatus } from '../../engine/index.ts';
import { PackedTrades } from './packedTrades.ts';
import type { Draft, FreshFill, FreshTrade, Order, Trade } from './records.ts';

/** How many of the newest trades stay objects: the steps that follow a trade look it up at once. */
const KEPT = 256;

/** The snapshot of the trades, apart from the packed ones. */
interface TradesState {
  /** The trades after the packed ones. */
  readonly recent: Draft<Trade>[];
  readonly byMarket: number[][];
  readonly byOwner: Map<string, number[]>;
}

const NONE: readonly number[] = [];

export class TradesView {
  private readonly packed = new PackedTrades();
  /** The trades after the packed ones start at `firstRecent`; the entries before it are already packed. */
  private recent: Draft<Trade>[] = [];
  private firstRecent = 0;
  /** Ordinals by market, then by number in the market − 1. */
  private byMarket: number[][] = [];
  /** Ascending ordinals by owner. */
  private byOwner = new Map<string, number[]>();
  private makers: FreshFill[] = [];

  /** A trade by its market and its number in that market (from 1). */
  byNumber(marketIndex: number, tradeNumber: number): Trade | undefined {
    const ordinal = this.byMarket[marketIndex]?.[tradeNumber - 1];
    return ordinal === undefined ? undefined : this.byOrdinal(ordinal);
  }

  /** A trade by its ordinal, which must come from one of the lists below. */
  byOrdinal(ordinal: number): Trade {
    return this.draft(ordinal) ?? this.packed.byOrdinal(ordinal);
  }

  /** The ordinals of all trades of a market, oldest first. */
  ofMarket(marketIndex: number): readonly number[] {
    return this.byMarket[marketIndex] ?? NONE;
  }

  /** The ordinals of all trades in which the owner was taker or maker, oldest first. */
  ofOwner(owner: string): readonly number[] {
    return this.byOwner.get(owner) ?? NONE;
  }

  /** Adds one maker's part to the trade whose event follows. */
  filled(order: Order, event: EventOf<'Fill'>): void {
    const { lots, pricePips } = event;
    this.makers.push({ order, lots, pricePips, kind: event.kind as FillKind }); // bounded by the layout
  }

  traded(event: EventOf<'Trade'>, taker: Order, tMs: number): FreshTrade {
    const { marketIndex, tradeNumber, pricePips, lots, feeMicro } = event;
    const trade: Draft<FreshTrade> = {
      ordinal: this.packed.count + this.recent.length - this.firstRecent + 1,
      marketIndex,
      tradeNumber,
      taker,
      pricePips,
      lots,
      feeMicro,
      makers: this.makers,
      bucketIndex: taker.trades.length,
      status: TradeStatus.MATCHED,
      matchMs: tMs,
      updatedMs: tMs,
    };
    this.makers = [];
    let ofMarket = this.byMarket[marketIndex];
    if (ofMarket === undefined) {
      ofMarket = [];
      this.byMarket[marketIndex] = ofMarket;
    }
    ofMarket[tradeNumber - 1] = trade.ordinal;
    this.addToOwner(taker.owner, trade.ordinal);
    for (const { order } of trade.makers) this.addToOwner(order.owner, trade.ordinal);
    this.recent.push(trade);
    this.packOld();
    return trade;
  }

  statusChanged(event: EventOf<'TradeStatusChanged'>, tMs: number): void {
    const ordinal = this.byMarket[event.marketIndex]?.[event.tradeNumber - 1];
    const trade = ordinal === undefined ? undefined : this.draft(ordinal);
    if (trade === undefined) return;
    trade.status = event.status as TradeStatus; // bounded by the layout
    trade.updatedMs = tMs;
  }

  /** The packed trades' part of a snapshot. */
  visitPacked(sections: Sections): void {
    this.packed.visit(sections);
  }

  /** The other trades' part of a snapshot, stored together with orders and whatever else refers to trades. */
  get state(): TradesState {
    return { recent: this.recent.slice(this.firstRecent), byMarket: this.byMarket, byOwner: this.byOwner };
  }

  set state({ recent, byMarket, byOwner }: TradesState) {
    const first = recent.at(0)?.ordinal ?? 1;
    requireSound(first === this.packed.count + 1, `${this.packed.count} trades are packed before trade ${first}`);
    this.recent = recent;
    this.byMarket = byMarket;
    this.byOwner = byOwner;
  }

  /** The trade with this ordinal if it is not packed yet. */
  private draft(ordinal: number): Draft<Trade> | undefined {
    return ordinal > this.packed.count ? this.recent[this.firstRecent + ordinal - this.packed.count - 1] : undefined;
  }

  /** Packs the oldest trades while more than KEPT are objects. A trade that is not CONFIRMED yet holds up those behind it. */
  private packOld(): void {
    while (this.recent.length - this.firstRecent > KEPT) {
      const oldest = this.recent[this.firstRecent];
      if (oldest.status !== TradeStatus.CONFIRMED) break;
      this.packed.add(oldest);
      this.firstRecent += 1;
    }
    if (this.firstRecent <= KEPT) return;
    this.recent = this.recent.slice(this.firstRecent);
    this.firstRecent = 0;
  }

  /** Lists the trade once per owner, even if several of the owner's orders took part: its ordinal is then already the last. */
  private addToOwner(owner: string, ordinal: number): void {
    const owned = this.byOwner.get(owner);
    if (owned === undefined) this.byOwner.set(owner, [ordinal]);
    else if (owned.at(-1) !== ordinal) owned.push(ordinal);
  }
}
