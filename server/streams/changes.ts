// What one record of the log did to one market, small enough to be kept for those who resume: levels, trades, and the
// facts of the book after it. Made by the feed, rendered by wire/marketEvents.ts. The messages that it stands for follow
// from it alone, so that they can be counted without being rendered.
import type { LastTrade, MarketTerms } from '../views/index.ts';
import { FORM_COUNT } from './ids.ts';

/** A trade as the market sees it: the taker's order at one price. */
export interface MarketTrade {
  readonly tradeNumber: number;
  /** The taker's token, side and price there. */
  readonly outcome: number;
  readonly side: number;
  readonly pricePips: number;
  readonly lots: number;
}

/** What the hash of a book depends on besides its levels. */
export interface BookFacts {
  /** Time of the last event that changed the book, ms. */
  readonly bookChangedMs: number;
  readonly terms: MarketTerms;
  readonly negRisk: boolean;
  readonly lastTrade: LastTrade | undefined;
}

export interface MarketChange {
  readonly tMs: number;
  /** Price (pips, first token), 1 for a bid, change in lots: three numbers a level touched, in the order of the events. */
  readonly levels: readonly number[];
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

/** How many messages of a change a stream of one token and one of both get; with custom features, more. */
function counts(change: MarketChange): readonly [one: number, both: number, customOne: number, customBoth: number] {
  const ticks = change.oldTickPips === 0 ? 0 : 1;
  const books = change.isWhole ? 1 : 0;
  const tops = change.isTop ? 1 : 0;
  const shared = change.trades.length + (change.levels.length === 0 ? 0 : 1);
  const resolved = change.isResolved ? 1 : 0;
  return [shared + ticks + books, shared + 2 * (ticks + books), tops + resolved, 2 * tops + resolved];
}

/** Adds to (or with −1 takes from) the number at which each of a market's streams stands. */
export function countChange(numbers: number[], change: MarketChange, sign = 1): void {
  const [one, both, customOne, customBoth] = counts(change);
  for (let form = 0; form < FORM_COUNT; form += 1) {
    const isBoth = form % 3 === 2;
    const plain = isBoth ? both : one;
    const custom = form < 3 ? 0 : isBoth ? customBoth : customOne;
    numbers[form] += sign * (plain + custom);
  }
}

/** A change that no stream tells. */
export const isSilent = (change: MarketChange): boolean =>
  change.levels.length === 0 &&
  change.trades.length === 0 &&
  change.oldTickPips === 0 &&
  !change.isTop &&
  !change.isWhole &&
  !change.isResolved;
