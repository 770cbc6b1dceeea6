// The latest changes of all markets, kept for clients that resume. They are plain numbers in one ring buffer, each entry linked
// to its market's previous one, so a change that nobody asks for costs a few stores and no allocation. Written by the market
// feed, read by market streams. When the ring is full, the oldest entry is dropped, of whichever market.
import type { MarketChange, MarketTrade } from '../wire/marketChanges.ts';

/** Average numbers per entry; an order that rests or leaves takes 13. */
const NUMBERS_PER_CHANGE = 16;
const HEAD = 11;
const LEVEL = 2;
const TRADE = 4;
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
    const length = HEAD + levelCount * LEVEL + trades.length * TRADE;
    if (length > this.ring.length) return NONE;
    const at = this.place(length);
    const { ring } = this;
    let next = at % ring.length;
    ring[next] = length;
    ring[next + 1] = previousAt;
    ring[next + 2] = change.tMs;
    ring[next + 3] = flagsOf(change);
    ring[next + 4] = change.oldTickPips;
    ring[next + 5] = after.bookChangedMs;
    ring[next + 6] = after.lastTrade?.pricePips ?? 0;
    ring[next + 7] = after.terms.tickPips;
    ring[next + 8] = after.terms.minOrderLots;
    ring[next + 9] = levelCount;
    ring[next + 10] = trades.length;
    next += HEAD;
    for (let i = 0; i < levelCount * 3; i += 3, next += LEVEL) {
      ring[next] = levels[i] * 2 + levels[i + 1];
      ring[next + 1] = levels[i + 2];
    }
    for (let i = 0; i < trades.length; i += 1, next += TRADE) {
      const { tradeNumber, outcome, side, pricePips, lots } = trades[i];
      ring[next] = tradeNumber;
      ring[next + 1] = outcome * 2 + side;
      ring[next + 2] = pricePips;
      ring[next + 3] = lots;
    }
    return at;
  }

  /** Whether the entry at a place is still kept; false for NONE. */
  has(at: number): boolean {
    return at >= this.tail;
  }

  /** The place of a kept entry's predecessor in its market, whether or not that is still kept. */
  previousAt(at: number): number {
    return this.ring[(at % this.ring.length) + 1];
  }

  /** The entry at a place; undefined if it is no longer kept. */
  read(at: number): KeptChange | undefined {
    if (!this.has(at)) return undefined;
    const { ring } = this;
    const start = at % ring.length;
    const flags = ring[start + 3];
    const levelCount = ring[start + 9];
    const tradeCount = ring[start + 10];
    const levels: number[] = [];
    const trades: MarketTrade[] = [];
    let next = start + HEAD;
    for (let i = 0; i < levelCount; i += 1, next += LEVEL) {
      levels.push(Math.floor(ring[next] / 2), ring[next] % 2, ring[next + 1]);
    }
    for (let i = 0; i < tradeCount; i += 1, next += TRADE) {
      const [outcome, side] = [Math.floor(ring[next + 1] / 2), ring[next + 1] % 2];
      trades.push({ tradeNumber: ring[next], outcome, side, pricePips: ring[next + 2], lots: ring[next + 3] });
    }
    const change: MarketChange = {
      tMs: ring[start + 2],
      levels,
      levelCount,
      trades,
      oldTickPips: ring[start + 4],
      isTop: (flags & Flag.TOP) !== 0,
      isWhole: (flags & Flag.WHOLE) !== 0,
      isResolved: (flags & Flag.RESOLVED) !== 0,
      after: {
        bookChangedMs: ring[start + 5],
        terms: { tickPips: ring[start + 7], minOrderLots: ring[start + 8] },
        negRisk: (flags & Flag.NEG_RISK) !== 0,
        lastTrade: (flags & Flag.TRADED) === 0 ? undefined : { pricePips: ring[start + 6] },
      },
    };
    return { change, previousAt: ring[start + 1] };
  }

  /** Reserves contiguous room for an entry. If the end of the ring is too short, its rest is filled with one dummy entry. */
  private place(length: number): number {
    const { ring } = this;
    const left = ring.length - (this.head % ring.length);
    if (left < length) {
      this.free(left);
      ring[this.head % ring.length] = left;
      this.head += left;
    }
    this.free(length);
    const at = this.head;
    this.head += length;
    return at;
  }

  private free(length: number): void {
    const { ring } = this;
    while (this.head + length - this.tail > ring.length) this.tail += ring[this.tail % ring.length];
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
