// What one record of the log did to one market, compact enough to be kept for clients that resume: levels, trades, and the
// facts of the book afterwards. Built by the feed, rendered by wire/marketEvents.ts. A change alone determines its messages, so
// they can be counted without being rendered.
import type { BookFacts } from './books.ts';

/** A trade as the market sees it: the taker's order at one price. */
export interface MarketTrade {
  readonly tradeNumber: number;
  /** The taker's token, side and price there. */
  readonly outcome: number;
  readonly side: number;
  readonly pricePips: number;
  readonly lots: number;
}

/** The numbers of a touched level: its price in the first token's terms, 1 for a bid and 0 for an ask, the change in lots. */
export const LEVEL = { pips: 0, isBid: 1, lots: 2, numbers: 3 } as const;

export interface MarketChange {
  readonly tMs: number;
  /** Price levels touched, in event order, each with the numbers of LEVEL. */
  readonly levels: readonly number[];
  /** How many levels; later entries of `levels` are meaningless. */
  readonly levelCount: number;
  readonly trades: readonly MarketTrade[];
  /** The tick before the record, pips, if the record changed it; 0 otherwise. */
  readonly oldTickPips: number;
  /** Whether the best bid or ask changed. */
  readonly isTop: boolean;
  /** Whether full books are sent: after trades, and after a change of terms on which the books' hash depends. */
  readonly isWhole: boolean;
  readonly isResolved: boolean;
  readonly after: BookFacts;
}

/**
 * Adds the change's messages to (or with −1 subtracts them from) the numbers of a market's streams. A token's stream gets the
 * messages about that token; a stream of both tokens gets ticks and books twice; custom features add tops and the resolution.
 */
export function countChange(numbers: number[], change: MarketChange, sign = 1): void {
  const whole = (change.oldTickPips === 0 ? 0 : 1) + (change.isWhole ? 1 : 0);
  const shared = change.trades.length + (change.levelCount === 0 ? 0 : 1);
  const tops = change.isTop ? 1 : 0;
  const resolved = change.isResolved ? 1 : 0;
  const one = sign * (shared + whole);
  const both = sign * (shared + 2 * whole);
  numbers[0] += one;
  numbers[1] += one;
  numbers[2] += both;
  numbers[3] += one + sign * (tops + resolved);
  numbers[4] += one + sign * (tops + resolved);
  numbers[5] += both + sign * (2 * tops + resolved);
}

/** Whether a change has no message on any stream. */
export const isSilent = (change: MarketChange): boolean =>
  change.levelCount === 0 &&
  change.trades.length === 0 &&
  change.oldTickPips === 0 &&
  !change.isTop &&
  !change.isWhole &&
  !change.isResolved;
