// Every trade with its makers, by market and number and by each participating owner. Fed by the follower of index.ts; read by
// the routes of trades. Trades are never removed; only their status and its time change, up to CONFIRMED. All CONFIRMED trades
// but the newest are packed, and so are the lists, so that the heap does not grow with the log.
import { type EventOf, type FillKind, requireSound, type Sections, TradeStatus } from '../../engine/index.ts';
import { BuilderCodes } from './builderCodes.ts';
import { InternedTexts } from './internedTexts.ts';
import { type NumberList, PackedLists } from './packedLists.ts';
import { PackedTrades } from './packedTrades.ts';
import type { Draft, FreshFill, FreshTrade, Order, Trade, TradeParty } from './records.ts';
import { visitSlices } from './slices.ts';

/** How many of the newest trades stay objects: the steps that follow a trade look it up at once. */
const KEPT = 256;

/** Of each entry of a list of trades: a u32, the trade's ordinal. */
const ORDINAL_BYTES = 4;
/** The number of an owner without trades. */
const NO_OWNER = -1;

/** Trades as they are in a snapshot, which has their orders elsewhere if they are still known. */
function* rowsOf(trades: readonly Trade[]): Generator<Trade> {
  for (const trade of trades) {
    const makers = trade.makers.map((fill) => ({ ...fill, order: partyOf(fill.order) }));
    yield { ...trade, taker: partyOf(trade.taker), makers };
  }
}

const partyOf = ({ id, accountId, owner, maker, keyId, outcome, side, builder }: TradeParty): TradeParty => {
  return { id, accountId, owner, maker, keyId, outcome, side, builder };
};

export class TradesView {
  /** The builder codes of the trades' orders. */
  readonly builderCodes = new BuilderCodes();
  private readonly packed = new PackedTrades(this.builderCodes);
  /** The trades after the packed ones start at `firstRecent`; the entries before it are already packed. */
  private recent: Draft<Trade>[] = [];
  private firstRecent = 0;
  /** Ordinals by market, then by number in the market − 1. */
  private readonly byMarket = new PackedLists(ORDINAL_BYTES);
  /** Ascending ordinals by the owner's number. */
  private readonly byOwner = new PackedLists(ORDINAL_BYTES);
  private readonly owners = new InternedTexts();
  private makers: FreshFill[] = [];

  /** A trade by its market and its number in that market (from 1). */
  byNumber(marketIndex: number, tradeNumber: number): Trade | undefined {
    const ordinal = this.ordinalOf(marketIndex, tradeNumber);
    return ordinal === undefined ? undefined : this.byOrdinal(ordinal);
  }

  /** A trade by its ordinal, which must come from one of the lists below. */
  byOrdinal(ordinal: number): Trade {
    return this.draft(ordinal) ?? this.packed.byOrdinal(ordinal);
  }

  /** The ordinals of all trades of a market, oldest first. */
  ofMarket(marketIndex: number): NumberList {
    return this.byMarket.numbersOf(marketIndex);
  }

  /** The ordinals of all trades in which the owner was taker or maker, oldest first. */
  ofOwner(owner: string): NumberList {
    return this.byOwner.numbersOf(this.owners.find(owner) ?? NO_OWNER);
  }

  /** Adds one maker's part to the trade whose event follows. */
  filled(order: Order, event: EventOf<'Fill'>): void {
    const { lots, pricePips } = event;
    this.makers.push({ order, lots, pricePips, kind: event.kind as FillKind }); // bounded by the layout
  }

  traded(event: EventOf<'Trade'>, taker: Order, tMs: number): FreshTrade {
    const { marketIndex, tradeNumber, pricePips, lots, feeMicro } = event;
    const trade: Draft<FreshTrade> = {
      ordinal: this.count + 1,
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
    this.byMarket.setU32(marketIndex, this.byMarket.add(marketIndex), 0, trade.ordinal);
    this.addToOwner(taker.owner, trade.ordinal);
    for (const { order } of trade.makers) this.addToOwner(order.owner, trade.ordinal);
    this.recent.push(trade);
    this.packOld();
    return trade;
  }

  statusChanged(event: EventOf<'TradeStatusChanged'>, tMs: number): void {
    const ordinal = this.ordinalOf(event.marketIndex, event.tradeNumber);
    const trade = ordinal === undefined ? undefined : this.draft(ordinal);
    if (trade === undefined) return;
    trade.status = event.status as TradeStatus; // bounded by the layout
    trade.updatedMs = tMs;
  }

  /** This view's part of a snapshot. */
  visit(sections: Sections): void {
    this.builderCodes.visit(sections.part('builderCodes'));
    this.packed.visit(sections);
    this.byMarket.visit(sections.part('byMarket'));
    this.byOwner.visit(sections.part('byOwner'));
    this.owners.visit(sections.part('owners'));
    const recent = rowsOf(this.recent.slice(this.firstRecent));
    const loaded = [...visitSlices(sections.part('recent'), recent, ({ makers }) => 1 + makers.length)];
    if (!sections.isLoading) return;
    const first = loaded.at(0)?.ordinal ?? 1;
    requireSound(first === this.packed.count + 1, `${this.packed.count} trades are packed before trade ${first}`);
    this.recent = loaded;
    this.byMarket.requireOrdinals(this.count);
    this.byOwner.requireOrdinals(this.count, this.owners.list.length);
  }

  /** How many trades there are; their ordinals are 1 to `count`. */
  get count(): number {
    return this.packed.count + this.recent.length - this.firstRecent;
  }

  private ordinalOf(marketIndex: number, tradeNumber: number): number | undefined {
    const isKnown = tradeNumber >= 1 && tradeNumber <= this.byMarket.lengthOf(marketIndex);
    return isKnown ? this.byMarket.u32(marketIndex, tradeNumber - 1, 0) : undefined;
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
    const number = this.owners.numberOf(owner);
    const length = this.byOwner.lengthOf(number);
    if (length > 0 && this.byOwner.u32(number, length - 1, 0) === ordinal) return;
    this.byOwner.setU32(number, this.byOwner.add(number), 0, ordinal);
  }
}
