// The entries of the owners' streams, kept compact: the order or trade and its state at that moment, since the views' rows go
// on changing. They are plain numbers in rings: an entry that nobody reads costs a few stores and no allocation. Written and
// read by the user feed. An entry becomes an object when it is read; wire/userEvents.ts renders it.
import type { Order, Trade } from '../views/index.ts';
import { orderStatuses } from '../views/records.ts';
import { type OrderEntry, type OrderEntryKind, orderEntryKinds, type TradeEntry } from '../wire/userEvents.ts';

/** Numbered twice: among all entries of its owner, and among the owner's entries in that market. */
export type UserEntry = (OrderEntry | TradeEntry) & { readonly number: number; readonly marketNumber: number };

/** An owner's stream, which must forget its oldest entry when told. */
interface EntryOwner {
  dropOldest(): void;
}

/** The number of the kind of a trade, after those of orders. */
const TRADE_KIND = orderEntryKinds.length;
/** Where an entry's numbers lie; a trade has neither filled lots nor a count of trades. */
const AT = {
  kind: 0,
  status: 1,
  marketIndex: 2,
  filledLots: 3,
  tradeCount: 4,
  tMs: 5,
  number: 6,
  marketNumber: 7,
} as const;
const NUMBERS_PER_ENTRY = AT.marketNumber + 1;

export class UserEntries {
  private readonly entriesMax: number;
  private readonly numbers: Float64Array;
  private readonly rows: (Order | Trade | undefined)[] = [];
  private readonly owners: EntryOwner[] = [];
  private count = 0;

  /** @param entriesMax how many entries are kept */
  constructor(entriesMax: number) {
    this.entriesMax = entriesMax;
    this.numbers = new Float64Array(entriesMax * NUMBERS_PER_ENTRY);
  }

  /** Stores an order's current state; returns the entry's place. It evicts the oldest entry of all owners. */
  addOrder(
    owner: EntryOwner,
    kind: OrderEntryKind,
    order: Order,
    tMs: number,
    number: number,
    marketNumber: number,
  ): number {
    const at = this.reserve(owner, order);
    const { numbers } = this;
    numbers[at + AT.kind] = orderEntryKinds.indexOf(kind);
    numbers[at + AT.status] = orderStatuses.indexOf(order.status);
    numbers[at + AT.marketIndex] = order.marketIndex;
    numbers[at + AT.filledLots] = order.filledLots;
    numbers[at + AT.tradeCount] = order.trades.length;
    numbers[at + AT.tMs] = tMs;
    numbers[at + AT.number] = number;
    numbers[at + AT.marketNumber] = marketNumber;
    return this.count - 1;
  }

  /** Stores a step of a trade; returns the entry's place. */
  addTrade(owner: EntryOwner, trade: Trade, status: number, tMs: number, number: number, marketNumber: number): number {
    const at = this.reserve(owner, trade);
    const { numbers } = this;
    numbers[at + AT.kind] = TRADE_KIND;
    numbers[at + AT.status] = status;
    numbers[at + AT.marketIndex] = trade.marketIndex;
    numbers[at + AT.tMs] = tMs;
    numbers[at + AT.number] = number;
    numbers[at + AT.marketNumber] = marketNumber;
    return this.count - 1;
  }

  marketOf(place: number): number {
    return this.numbers[(place % this.entriesMax) * NUMBERS_PER_ENTRY + AT.marketIndex];
  }

  marketNumberOf(place: number): number {
    return this.numbers[(place % this.entriesMax) * NUMBERS_PER_ENTRY + AT.marketNumber];
  }

  /** The entry at a place; its owner must not have been told to forget it. */
  read(place: number): UserEntry {
    const { numbers } = this;
    const slot = place % this.entriesMax;
    const at = slot * NUMBERS_PER_ENTRY;
    const row = this.rows[slot];
    const shared = {
      marketIndex: numbers[at + AT.marketIndex],
      tMs: numbers[at + AT.tMs],
      number: numbers[at + AT.number],
      marketNumber: numbers[at + AT.marketNumber],
    };
    if (numbers[at + AT.kind] === TRADE_KIND) {
      return { ...shared, kind: 'TRADE', trade: row as Trade, status: numbers[at + AT.status] }; // kept by addTrade
    }
    return {
      ...shared,
      kind: orderEntryKinds[numbers[at + AT.kind]],
      order: row as Order, // kept by addOrder
      filledLots: numbers[at + AT.filledLots],
      status: orderStatuses[numbers[at + AT.status]],
      tradeCount: numbers[at + AT.tradeCount],
    };
  }

  private reserve(owner: EntryOwner, row: Order | Trade): number {
    const slot = this.count % this.entriesMax;
    if (this.count >= this.entriesMax) this.owners[slot].dropOldest();
    this.owners[slot] = owner;
    this.rows[slot] = row;
    this.count += 1;
    return slot * NUMBERS_PER_ENTRY;
  }
}
