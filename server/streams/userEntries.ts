// The entries of the owners' streams, kept compact: the order or trade and its state at that moment, since the views' rows go
// on changing. They are plain numbers in rings: an entry that nobody reads costs a few stores and no allocation. Written and
// read by the user feed. An entry becomes an object when it is read; wire/userEvents.ts renders it.
import type { Order, Trade } from '../views/index.ts';
import { orderStatuses } from '../views/records.ts';
import type { OrderEntry, OrderEntryKind, TradeEntry } from '../wire/userEvents.ts';

/** Numbered twice: among all entries of its owner, and among the owner's entries in that market. */
export type UserEntry = (OrderEntry | TradeEntry) & { readonly number: number; readonly marketNumber: number };

/** An owner's stream, which must forget its oldest entry when told. */
interface EntryOwner {
  dropOldest(): void;
}

const KINDS: readonly OrderEntryKind[] = ['PLACEMENT', 'UPDATE', 'CANCELLATION'];
const TRADE_KIND = 3;
/** Numbers per entry: kind, status, market, filled lots, trade count, time, and the entry's own two numbers. */
const NUMBERS_PER_ENTRY = 8;

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
    numbers[at] = KINDS.indexOf(kind);
    numbers[at + 1] = orderStatuses.indexOf(order.status);
    numbers[at + 2] = order.marketIndex;
    numbers[at + 3] = order.filledLots;
    numbers[at + 4] = order.trades.length;
    numbers[at + 5] = tMs;
    numbers[at + 6] = number;
    numbers[at + 7] = marketNumber;
    return this.count - 1;
  }

  /** Stores a step of a trade; returns the entry's place. */
  addTrade(owner: EntryOwner, trade: Trade, status: number, tMs: number, number: number, marketNumber: number): number {
    const at = this.reserve(owner, trade);
    const { numbers } = this;
    numbers[at] = TRADE_KIND;
    numbers[at + 1] = status;
    numbers[at + 2] = trade.marketIndex;
    numbers[at + 5] = tMs;
    numbers[at + 6] = number;
    numbers[at + 7] = marketNumber;
    return this.count - 1;
  }

  marketOf(place: number): number {
    return this.numbers[(place % this.entriesMax) * NUMBERS_PER_ENTRY + 2];
  }

  marketNumberOf(place: number): number {
    return this.numbers[(place % this.entriesMax) * NUMBERS_PER_ENTRY + 7];
  }

  /** The entry at a place; its owner must not have been told to forget it. */
  read(place: number): UserEntry {
    const { numbers } = this;
    const slot = place % this.entriesMax;
    const at = slot * NUMBERS_PER_ENTRY;
    const row = this.rows[slot];
    const shared = {
      marketIndex: numbers[at + 2],
      tMs: numbers[at + 5],
      number: numbers[at + 6],
      marketNumber: numbers[at + 7],
    };
    if (numbers[at] === TRADE_KIND) {
      return { ...shared, kind: 'TRADE', trade: row as Trade, status: numbers[at + 1] }; // kept by addTrade
    }
    return {
      ...shared,
      kind: KINDS[numbers[at]],
      order: row as Order, // kept by addOrder
      filledLots: numbers[at + 3],
      status: orderStatuses[numbers[at + 1]],
      tradeCount: numbers[at + 4],
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
