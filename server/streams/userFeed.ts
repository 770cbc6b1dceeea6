// The owner part of the streams' follower: every change of an order and every step of a trade becomes an entry of each owner it
// concerns, numbered from the log, with or without listeners. Runs after the views' follower; an entry states how things stand
// after the whole record. The newest entries are kept in memory; older ones are read from the log again.
import { type EventOf, type Sections, TradeStatus } from '../../engine/index.ts';
import type { Trade, TradeParty, Views } from '../views/index.ts';
import type { OrderEntryKind } from '../wire/userEvents.ts';
import { UserEntries, type UserEntry } from './userEntries.ts';

/** No order has this number. */
const NONE = -1;

/** One owner's streams. */
export class UserStream {
  readonly owner: string;
  /** The number of the latest entry of all; marketNumbers has it by market. */
  number = 0;
  readonly marketNumbers = new Map<number, number>();
  /** Whether the stream has new entries since the last flush, and listeners. */
  isWaiting = false;
  /** The latest number before these new entries: of the stream of everything (undefined), and of each of their markets. */
  readonly changed = new Map<number | undefined, number>();
  listenerCount = 0;
  /** See UserFeed. */
  tradeRound = 0;
  private readonly kept: UserEntries;
  /** Places of the kept entries, oldest first, from `head` on. */
  private places: number[] = [];
  private head = 0;

  constructor(owner: string, kept: UserEntries) {
    this.owner = owner;
    this.kept = kept;
  }

  /** The latest number of the stream of everything, or of one market's. */
  numberOf(marketIndex: number | undefined): number {
    return marketIndex === undefined ? this.number : (this.marketNumbers.get(marketIndex) ?? 0);
  }

  /** Counts an entry of a market; returns its number in that market. */
  count(marketIndex: number): number {
    this.number += 1;
    const marketNumber = this.numberOf(marketIndex) + 1;
    this.marketNumbers.set(marketIndex, marketNumber);
    return marketNumber;
  }

  push(place: number): void {
    this.places.push(place);
  }

  dropOldest(): void {
    this.head += 1;
    if (this.head < 64 || this.head * 2 < this.places.length) return;
    this.places = this.places.slice(this.head);
    this.head = 0;
  }

  /**
   * Up to `entriesMax` entries of the stream after `number`, oldest first; undefined if the first of them is no longer kept.
   *
   * @param searched a number among all entries of the owner, up to which the market has none after `number`: a long backlog
   *     is searched from there on, rather than from its end again at each of its parts
   */
  since(
    marketIndex: number | undefined,
    number: number,
    entriesMax: number,
    searched = 0,
  ): readonly UserEntry[] | undefined {
    const { places, head, kept } = this;
    const indexAfter = (ofAll: number): number => places.length - (this.number - ofAll);
    if (marketIndex === undefined) {
      const first = indexAfter(number);
      return first < head ? undefined : places.slice(first, first + entriesMax).map((place) => kept.read(place));
    }
    const count = this.numberOf(marketIndex) - number;
    const found: number[] = [];
    if (count > entriesMax && indexAfter(searched) >= head) {
      for (let at = indexAfter(searched); at < places.length && found.length < entriesMax; at += 1) {
        const place = places[at];
        if (kept.marketOf(place) === marketIndex && kept.marketNumberOf(place) > number) found.push(place);
      }
      return found.map((place) => kept.read(place));
    }
    for (let at = places.length - 1; at >= head && found.length < count; at -= 1) {
      if (kept.marketOf(places[at]) === marketIndex) found.push(places[at]);
    }
    if (found.length < count) return undefined;
    const first = Math.max(0, found.length - entriesMax);
    return found
      .slice(first)
      .reverse()
      .map((place) => kept.read(place));
  }
}

export class UserFeed {
  /** Owners with entries that wait to be flushed. */
  dirty: UserStream[] = [];
  /** Called with every entry; used when the log is read again. */
  onEntry: ((stream: UserStream, entry: UserEntry) => void) | undefined;
  private readonly views: Views;
  private readonly kept: UserEntries;
  private readonly streams = new Map<string, UserStream>();
  /** Cache of each account's stream: looking it up by the owner's address takes longer. */
  private readonly byAccount: (UserStream | undefined)[] = [];
  /** Orders that already have an update in this record. */
  private readonly updated = new Set<number>();
  /** How often a trade's entries were added. A stream keeps the latest of these that it was part of: each owner gets one entry. */
  private tradeRound = 0;
  /** The order that this record placed, whose entry already shows it as it is after the whole record. */
  private placed = NONE;

  constructor(views: Views, entriesMax: number) {
    this.views = views;
    this.kept = new UserEntries(entriesMax);
  }

  /** The streams of an owner (lower-case address), made on first use. */
  stream(owner: string): UserStream {
    let stream = this.streams.get(owner);
    if (stream === undefined) {
      stream = new UserStream(owner, this.kept);
      this.streams.set(owner, stream);
    }
    return stream;
  }

  /** The streams of an owner, if they were made. */
  known(owner: string): UserStream | undefined {
    return this.streams.get(owner);
  }

  recordBegan(): void {
    if (this.updated.size > 0) this.updated.clear();
    this.placed = NONE;
  }

  placement(orderNumber: number, tMs: number): void {
    this.placed = orderNumber;
    this.addOrderEntry('PLACEMENT', orderNumber, tMs);
  }

  /** A maker's fill, or the entry of a delayed order: one update per record, since it shows the order after the whole record. */
  update(orderNumber: number, tMs: number): void {
    if (this.placed === orderNumber || this.updated.has(orderNumber)) return;
    this.updated.add(orderNumber);
    this.addOrderEntry('UPDATE', orderNumber, tMs);
  }

  cancellation(orderNumber: number, tMs: number): void {
    this.addOrderEntry('CANCELLATION', orderNumber, tMs);
  }

  traded(event: EventOf<'Trade'>, tMs: number): void {
    const trade = this.views.trades.byNumber(event.marketIndex, event.tradeNumber);
    if (trade !== undefined) this.addTradeEntries(trade, TradeStatus.MATCHED, tMs);
  }

  statusChanged(event: EventOf<'TradeStatusChanged'>, tMs: number): void {
    const trade = this.views.trades.byNumber(event.marketIndex, event.tradeNumber);
    if (trade !== undefined) this.addTradeEntries(trade, event.status, tMs);
  }

  /** The feed's part of a snapshot: the numbers of the streams. Their entries are in the log and read from there on demand. */
  visit(sections: Sections): void {
    const numbers = [...this.streams.values()].map(({ owner, number, marketNumbers }) => {
      return { owner, number, marketNumbers };
    });
    const loaded = sections.plain('numbers', numbers);
    if (!sections.isLoading) return;
    for (const { owner, number, marketNumbers } of loaded) {
      const stream = this.stream(owner);
      stream.number = number;
      for (const [market, marketNumber] of marketNumbers) stream.marketNumbers.set(market, marketNumber);
    }
  }

  private addOrderEntry(kind: OrderEntryKind, orderNumber: number, tMs: number): void {
    const order = this.views.orders.byOrderNumber(orderNumber);
    if (order === undefined) return;
    const stream = this.streamOf(order);
    const marketNumber = stream.count(order.marketIndex);
    this.append(stream, this.kept.addOrder(stream, kind, order, tMs, stream.number, marketNumber));
  }

  /** Adds an entry for the taker's owner and one for each other owner among the makers. */
  private addTradeEntries(trade: Trade, status: number, tMs: number): void {
    this.tradeRound += 1;
    this.addTradeEntry(trade.taker, trade, status, tMs);
    for (const { order } of trade.makers) this.addTradeEntry(order, trade, status, tMs);
  }

  private addTradeEntry(order: TradeParty, trade: Trade, status: number, tMs: number): void {
    const stream = this.streamOf(order);
    if (stream.tradeRound === this.tradeRound) return; // another of the owner's orders took part
    stream.tradeRound = this.tradeRound;
    const marketNumber = stream.count(trade.marketIndex);
    this.append(stream, this.kept.addTrade(stream, trade, status, tMs, stream.number, marketNumber));
  }

  private streamOf({ accountId, owner }: TradeParty): UserStream {
    let stream = this.byAccount[accountId];
    if (stream?.owner !== owner) {
      stream = this.stream(owner);
      this.byAccount[accountId] = stream;
    }
    return stream;
  }

  private append(stream: UserStream, place: number): void {
    stream.push(place);
    this.onEntry?.(stream, this.kept.read(place));
    if (stream.listenerCount === 0) return;
    for (const marketIndex of [undefined, this.kept.marketOf(place)]) {
      if (!stream.changed.has(marketIndex)) stream.changed.set(marketIndex, stream.numberOf(marketIndex) - 1);
    }
    if (stream.isWaiting) return;
    stream.isWaiting = true;
    this.dirty.push(stream);
  }
}
