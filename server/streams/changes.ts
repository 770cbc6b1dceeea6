// What one record of the log did to one market, small enough to be kept for those who resume: levels, trades, and the
// facts of the book after it. Made by the feed, rendered by wire/marketEvents.ts. The messages that it stands for follow
// from it alone, so that they can be counted without being rendered.
import type { BookFacts } from '../wire/bookText.ts';

/** A trade as the market sees it: the taker's order at one price. */
export interface MarketTrade {
  readonly tradeNumber: number;
  /** The taker's token, side and price there. */
  readonly outcome: number;
  readonly side: number;
  readonly pricePips: number;
  readonly lots: number;
}

export interface MarketChange {
  readonly tMs: number;
  /** Levels touched: price (pips, first token), 1 for a bid, change in lots, in the order of the events. */
  readonly levels: readonly number[];
  /** How many levels; what stands behind them in `levels` is of no meaning. */
  readonly levelCount: number;
  readonly trades: readonly MarketTrade[];
  /** Tick before the record, pips, when it changed it; 0 otherwise. */
  readonly oldTickPips: number;
  /** The best bid or ask changed. */
  readonly isTop: boolean;
  /** The books are told whole: after trades and after a change of terms that their hash depends on. */
  readonly isWhole: boolean;
  readonly isResolved: boolean;
  readonly after: BookFacts;
}

/**
 * Adds to (or with −1 takes from) the number at which each of a market's streams stands: one token's get what is said of
 * it, those of both tokens get ticks and books twice, and with custom features there are tops and the resolution.
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

/** A change that no stream tells. */
export const isSilent = (change: MarketChange): boolean =>
  change.levelCount === 0 &&
  change.trades.length === 0 &&
  change.oldTickPips === 0 &&
  !change.isTop &&
  !change.isWhole &&
  !change.isResolved;
