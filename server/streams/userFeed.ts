// The follower's part for owners: every change of an order and every step of a trade becomes an entry of the owners whom
// it concerns, numbered from the log, whether or not anybody listens. Runs after the views' own follower; an entry says
// how things stand after the whole record. The newest entries are kept; older ones are found in the log again.
import { type EventOf, type Sections, TradeStatus } from '../../engine/index.ts';
import type { Order, Trade, Views } from '../views/index.ts';
import type { OrderEntry, TradeEntry, UserEntry } from './userEntries.ts';

/** One owner's streams. */
export class UserStream {
  readonly owner: string;
  /** The number of the latest entry: of all, and by market. */
  number = 0;
  readonly marketNumbers = new Map<number, number>();
  /** Something happened since the last flush, and somebody listens. */
  isWaiting = false;
  listenerCount = 0;
  private entries: UserEntry[] = [];
  private head = 0;

  constructor(owner: string) {
    this.owner = owner;
  }

  /** The number at which the stream of everything, or of one market, stands. */
  numberOf(marketIndex: number | undefined): number {
    return marketIndex === undefined ? this.number : (this.marketNumbers.get(marketIndex) ?? 0);
  }

  push(entry: UserEntry): void {
    this.entries.push(entry);
  }

  dropOldest(): void {
    this.head += 1;
    if (this.head < 64 || this.head * 2 < this.entries.length) return;
    this.entries = this.entries.slice(this.head);
    this.head = 0;
  }

  /**
   * Up to `most` entries of the stream after `number`, oldest first; undefined when the first of them is not kept.
   */
  since(marketIndex: number | undefined, number: number, most: number): readonly UserEntry[] | undefined {
    const { entries, head } = this;
    if (marketIndex === undefined) {
      const first = entries.length - (this.number - number);
      return first < head ? undefined : entries.slice(first, first + most);
    }
    const found: UserEntry[] = [];
    for (let at = entries.length - 1; at >= head; at -= 1) {
      const entry = entries[at];
      if (entry.marketIndex !== marketIndex) continue;
      if (entry.marketNumber <= number) break;
      found.push(entry);
    }
    if (found.length < this.numberOf(marketIndex) - number) return undefined;
    return found.reverse().slice(0, most);
  }
}

export class UserFeed {
  /** Owners with entries that wait for the end of the flush. */
  dirty: UserStream[] = [];
  /** Told of every entry; for reading the log again. */
  onEntry: ((stream: UserStream, entry: UserEntry) => void) | undefined;
  private readonly views: Views;
  private readonly entriesMax: number;
  private readonly streams = new Map<string, UserStream>();
  /** Whose each kept entry is, oldest first. */
  private order: UserStream[] = [];
  private orderHead = 0;
  /** Orders that this record has already told an update of. */
  private readonly updated = new Set<number>();
  private readonly placed = new Set<number>();

  constructor(views: Views, entriesMax: number) {
    this.views = views;
    this.entriesMax = entriesMax;
  }

  /** The streams of an owner (lower-case address); made when first asked for. */
  stream(owner: string): UserStream {
    let stream = this.streams.get(owner);
    if (stream === undefined) {
      stream = new UserStream(owner);
      this.streams.set(owner, stream);
    }
    return stream;
  }

  recordStarts(): void {
    if (this.updated.size > 0) this.updated.clear();
    if (this.placed.size > 0) this.placed.clear();
  }

  placement(orderNumber: number, tMs: number): void {
    this.placed.add(orderNumber);
    this.ofOrder('PLACEMENT', orderNumber, tMs);
  }

  /** A maker's fill, or a delayed order that entered: once a record, since it shows how the order stands after it. */
  update(orderNumber: number, tMs: number): void {
    if (this.placed.has(orderNumber) || this.updated.has(orderNumber)) return;
    this.updated.add(orderNumber);
    this.ofOrder('UPDATE', orderNumber, tMs);
  }

  cancellation(orderNumber: number, tMs: number): void {
    this.ofOrder('CANCELLATION', orderNumber, tMs);
  }

  traded(event: EventOf<'Trade'>, tMs: number): void {
    const trade = this.views.trades.byNumber(event.marketIndex, event.tradeNumber);
    if (trade !== undefined) this.ofTrade(trade, TradeStatus.MATCHED, tMs);
  }

  statusChanged(event: EventOf<'TradeStatusChanged'>, tMs: number): void {
    const trade = this.views.trades.byNumber(event.marketIndex, event.tradeNumber);
    if (trade !== undefined) this.ofTrade(trade, event.status, tMs);
  }

  /** Its part of a snapshot: where the streams stand. Their entries are in the log, and read from there when asked for. */
  visit(sections: Sections): void {
    const numbers = [...this.streams.values()].map(({ owner, number, marketNumbers }) => {
      return { owner, number, marketNumbers };
    });
    const told = sections.plain('numbers', numbers);
    if (!sections.isLoading) return;
    for (const { owner, number, marketNumbers } of told) {
      const stream = this.stream(owner);
      stream.number = number;
      for (const [market, marketNumber] of marketNumbers) stream.marketNumbers.set(market, marketNumber);
    }
  }

  private ofOrder(kind: OrderEntry['kind'], orderNumber: number, tMs: number): void {
    const order = this.views.orders.byOrderNumber(orderNumber);
    if (order === undefined) return;
    const { marketIndex, filledLots, status } = order;
    this.add(order.owner, { kind, order, marketIndex, filledLots, status, tradeCount: order.trades.length, tMs });
  }

  /** To the taker's owner, and once to each owner among the makers. */
  private ofTrade(trade: Trade, status: number, tMs: number): void {
    const { marketIndex, taker, makers } = trade;
    const entry = { kind: 'TRADE', trade, marketIndex, status, tMs } as const;
    this.add(taker.owner, entry);
    for (let at = 0; at < makers.length; at += 1) {
      const { owner } = makers[at].order;
      if (owner !== taker.owner && isFirstOf(owner, makers, at)) this.add(owner, entry);
    }
  }

  private add(owner: string, what: OrderEntry | TradeEntry): void {
    const stream = this.stream(owner);
    stream.number += 1;
    const marketNumber = stream.numberOf(what.marketIndex) + 1;
    stream.marketNumbers.set(what.marketIndex, marketNumber);
    const entry: UserEntry = { ...what, number: stream.number, marketNumber };
    stream.push(entry);
    this.order.push(stream);
    if (this.order.length - this.orderHead > this.entriesMax) this.dropOldest();
    this.onEntry?.(stream, entry);
    if (stream.listenerCount === 0 || stream.isWaiting) return;
    stream.isWaiting = true;
    this.dirty.push(stream);
  }

  private dropOldest(): void {
    this.order[this.orderHead].dropOldest();
    this.orderHead += 1;
    if (this.orderHead < this.entriesMax) return;
    this.order = this.order.slice(this.orderHead);
    this.orderHead = 0;
  }
}

function isFirstOf(owner: string, makers: readonly { readonly order: Order }[], index: number): boolean {
  for (let at = 0; at < index; at += 1) {
    if (makers[at].order.owner === owner) return false;
  }
  return true;
}
