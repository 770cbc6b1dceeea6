// The latest changes of all markets, kept for clients that resume. They are plain numbers in one ring buffer, each entry linked
// to its market's previous one, so a change that nobody asks for costs a few stores and no allocation. Written by the market
// feed, read by market streams. When the ring is full, the oldest entry is dropped, of whichever market.
import { LEVEL, type MarketChange, type MarketTrade } from '../wire/marketChanges.ts';

/** Average numbers per entry; an order that rests or leaves takes 13. */
const NUMBERS_PER_CHANGE = 16;
/** Where the numbers of an entry lie; its levels and its trades follow. */
const AT = {
  length: 0,
  previousAt: 1,
  tMs: 2,
  flags: 3,
  oldTickPips: 4,
  bookChangedMs: 5,
  lastPips: 6,
  tickPips: 7,
  minOrderLots: 8,
  levelCount: 9,
  tradeCount: 10,
} as const;
const HEAD = AT.tradeCount + 1;
/** A level as it is kept: twice its price in pips, plus 1 for a bid; the change in lots. */
const KEPT_LEVEL = { priceAndSide: 0, lots: 1, numbers: 2 } as const;
/** A trade: its second number is twice the outcome, plus the side. */
const TRADE = { tradeNumber: 0, tokenAndSide: 1, pricePips: 2, lots: 3, numbers: 4 } as const;
/** No entry. */
export const NONE = -1;

const Flag = { TOP: 1, WHOLE: 2, RESOLVED: 4, NEG_RISK: 8, TRADED: 16 } as const;

/** A stored change, and the place of its market's previous one. */
interface KeptChange {
  readonly change: MarketChange;
  readonly previousAt: number;
}

export class ChangeLog {
  private readonly ring: Float64Array;
  /** Places only grow; an entry is contiguous, at its place modulo the ring's length. */
  private head = 0;
  private tail = 0;

  /** @param changesMax about how many changes are kept */
  constructor(changesMax: number) {
    this.ring = new Float64Array(changesMax * NUMBERS_PER_CHANGE);
  }

  /** Stores a change; returns its place, or NONE if it is larger than the ring. */
  push(change: MarketChange, previousAt: number): number {
    const { levels, levelCount, trades, after } = change;
    const length = HEAD + levelCount * KEPT_LEVEL.numbers + trades.length * TRADE.numbers;
    if (length > this.ring.length) return NONE;
    const at = this.place(length);
    const { ring } = this;
    let next = at % ring.length;
    ring[next + AT.length] = length;
    ring[next + AT.previousAt] = previousAt;
    ring[next + AT.tMs] = change.tMs;
    ring[next + AT.flags] = flagsOf(change);
    ring[next + AT.oldTickPips] = change.oldTickPips;
    ring[next + AT.bookChangedMs] = after.bookChangedMs;
    ring[next + AT.lastPips] = after.lastTrade?.pricePips ?? 0;
    ring[next + AT.tickPips] = after.terms.tickPips;
    ring[next + AT.minOrderLots] = after.terms.minOrderLots;
    ring[next + AT.levelCount] = levelCount;
    ring[next + AT.tradeCount] = trades.length;
    next += HEAD;
    for (let level = 0; level < levelCount; level += 1, next += KEPT_LEVEL.numbers) {
      const from = level * LEVEL.numbers;
      ring[next + KEPT_LEVEL.priceAndSide] = levels[from + LEVEL.pips] * 2 + levels[from + LEVEL.isBid];
      ring[next + KEPT_LEVEL.lots] = levels[from + LEVEL.lots];
    }
    for (let i = 0; i < trades.length; i += 1, next += TRADE.numbers) {
      const { tradeNumber, outcome, side, pricePips, lots } = trades[i];
      ring[next + TRADE.tradeNumber] = tradeNumber;
      ring[next + TRADE.tokenAndSide] = outcome * 2 + side;
      ring[next + TRADE.pricePips] = pricePips;
      ring[next + TRADE.lots] = lots;
    }
    return at;
  }

  /** Whether the entry at a place is still kept; false for NONE. */
  has(at: number): boolean {
    return at >= this.tail;
  }

  /** The place of a kept entry's predecessor in its market, whether or not that is still kept. */
  previousAt(at: number): number {
    return this.ring[(at % this.ring.length) + AT.previousAt];
  }

  /** The entry at a place; undefined if it is no longer kept. */
  read(at: number): KeptChange | undefined {
    if (!this.has(at)) return undefined;
    const { ring } = this;
    const start = at % ring.length;
    const flags = ring[start + AT.flags];
    const levelCount = ring[start + AT.levelCount];
    const tradeCount = ring[start + AT.tradeCount];
    const levels: number[] = [];
    const trades: MarketTrade[] = [];
    let next = start + HEAD;
    for (let i = 0; i < levelCount; i += 1, next += KEPT_LEVEL.numbers) {
      const priceAndSide = ring[next + KEPT_LEVEL.priceAndSide];
      levels.push(Math.floor(priceAndSide / 2), priceAndSide % 2, ring[next + KEPT_LEVEL.lots]);
    }
    for (let i = 0; i < tradeCount; i += 1, next += TRADE.numbers) {
      const tokenAndSide = ring[next + TRADE.tokenAndSide];
      trades.push({
        tradeNumber: ring[next + TRADE.tradeNumber],
        outcome: Math.floor(tokenAndSide / 2),
        side: tokenAndSide % 2,
        pricePips: ring[next + TRADE.pricePips],
        lots: ring[next + TRADE.lots],
      });
    }
    const change: MarketChange = {
      tMs: ring[start + AT.tMs],
      levels,
      levelCount,
      trades,
      oldTickPips: ring[start + AT.oldTickPips],
      isTop: (flags & Flag.TOP) !== 0,
      isWhole: (flags & Flag.WHOLE) !== 0,
      isResolved: (flags & Flag.RESOLVED) !== 0,
      after: {
        bookChangedMs: ring[start + AT.bookChangedMs],
        terms: { tickPips: ring[start + AT.tickPips], minOrderLots: ring[start + AT.minOrderLots] },
        negRisk: (flags & Flag.NEG_RISK) !== 0,
        lastTrade: (flags & Flag.TRADED) === 0 ? undefined : { pricePips: ring[start + AT.lastPips] },
      },
    };
    return { change, previousAt: ring[start + AT.previousAt] };
  }

  /** Reserves contiguous room for an entry. If the end of the ring is too short, its rest is filled with one dummy entry. */
  private place(length: number): number {
    const { ring } = this;
    const left = ring.length - (this.head % ring.length);
    if (left < length) {
      this.free(left);
      ring[(this.head % ring.length) + AT.length] = left;
      this.head += left;
    }
    this.free(length);
    const at = this.head;
    this.head += length;
    return at;
  }

  private free(length: number): void {
    const { ring } = this;
    while (this.head + length - this.tail > ring.length) this.tail += ring[(this.tail % ring.length) + AT.length];
  }
}

function flagsOf({ isTop, isWhole, isResolved, after }: MarketChange): number {
  return (
    (isTop ? Flag.TOP : 0) |
    (isWhole ? Flag.WHOLE : 0) |
    (isResolved ? Flag.RESOLVED : 0) |
    (after.negRisk ? Flag.NEG_RISK : 0) |
    (after.lastTrade === undefined ? 0 : Flag.TRADED)
  );
}
