// How a market's makers adjust their quotes when the fair price has moved: which to cancel and which to place, all in the
// first token's terms. Called by house.ts for each update. It decides and submits nothing.
import { PIPS_PER_UNIT } from '../../../engine/index.ts';
import { clamp } from './fairPrice.ts';
import { choices, drawAddLots, drawFrom, recorded } from './model.ts';
import type { HouseRandom } from './random.ts';

/** A resting order of the house, in the first token's terms. */
export interface RestingQuote {
  readonly orderId: string;
  readonly owner: string;
  readonly isBid: boolean;
  readonly pips: number;
  readonly lots: number;
}

/** An order to place, in the first token's terms; its token is chosen together with the account. */
export interface Quote {
  readonly isBid: boolean;
  readonly pips: number;
  readonly lots: number;
}

/** One side of the book as in the views: the best level last. */
interface SideLevels {
  readonly pips: readonly number[];
  readonly lots: readonly number[];
}

export interface MarketState {
  readonly tickPips: number;
  readonly minOrderLots: number;
  /** Fair price, skewed by the makers' position; fractional. */
  readonly fairPips: number;
  readonly unitPips: number;
  /** The target spread between best bid and ask, in units. */
  readonly spreadUnits: number;
  readonly bids: SideLevels;
  readonly asks: SideLevels;
  readonly resting: readonly RestingQuote[];
}

interface QuotePlan {
  readonly cancels: readonly RestingQuote[];
  readonly quotes: readonly Quote[];
}

/** The best bid and ask to maintain, in ticks. */
interface Touch {
  readonly bid: number;
  readonly ask: number;
}

/** Best bid and ask at the target spread around the fair price. */
function touchOf({ fairPips, tickPips, unitPips, spreadUnits }: MarketState): Touch {
  const ticks = PIPS_PER_UNIT / tickPips;
  const spread = Math.max(1, Math.ceil((spreadUnits * unitPips) / tickPips));
  const wanted = Math.floor(fairPips / tickPips - (spread - 1) / 2);
  const bid = clamp(wanted, 1, ticks - 2);
  return { bid, ask: Math.min(bid + spread, ticks - 1) };
}

/** Whether a quote is on the wrong side of the fair price, closer to it than the target spread allows, or too far away. */
function isStale({ isBid, pips }: RestingQuote, touch: Touch, { fairPips, unitPips, tickPips }: MarketState): boolean {
  const distancePips = isBid ? fairPips - pips : pips - fairPips;
  const isInside = isBid ? pips > touch.bid * tickPips : pips < touch.ask * tickPips;
  return isInside || distancePips < 0 || distancePips > choices.quoteUnitsMax * unitPips;
}

/** The best price of a side without these quotes; undefined if nothing is left. */
function bestWithout({ pips, lots }: SideLevels, cancelled: readonly RestingQuote[]): number | undefined {
  for (let index = pips.length - 1; index >= 0; index -= 1) {
    const cancelledLots = cancelled.reduce((sum, quote) => (quote.pips === pips[index] ? sum + quote.lots : sum), 0);
    if (lots[index] > cancelledLots) return pips[index];
  }
  return undefined;
}

/** Divides one side's quotes into those to keep and those to cancel. A full side gives up one quote every other time. */
function splitSide(
  side: readonly RestingQuote[],
  touch: Touch,
  state: MarketState,
  random: HouseRandom,
): { readonly kept: readonly RestingQuote[]; readonly cancelled: readonly RestingQuote[] } {
  const cancelled = side.filter((quote) => isStale(quote, touch, state));
  const kept = side.filter((quote) => !isStale(quote, touch, state));
  const room = recorded.levelsASide - kept.length;
  if (room > 0 || (room === 0 && random.chance(0.5))) return { kept, cancelled };
  const [surplus] = kept.splice(random.below(kept.length), 1);
  return { kept, cancelled: [...cancelled, surplus] };
}

/** The prices of one side's new quotes, in ticks, none beyond `limit`. */
function drawTicks(
  isBid: boolean,
  touch: number,
  limit: number,
  kept: readonly RestingQuote[],
  state: MarketState,
  random: HouseRandom,
): readonly number[] {
  const { tickPips, fairPips, unitPips } = state;
  const last = PIPS_PER_UNIT / tickPips - 1;
  const withinLimit = (ticks: number): number => (isBid ? Math.min(ticks, limit) : Math.max(ticks, limit));
  const hasTouchQuote = kept.some(({ pips }) => (isBid ? pips >= touch * tickPips : pips <= touch * tickPips));
  const wanted = Math.min(choices.quotesOfUpdate, recorded.levelsASide - kept.length);
  // If no kept quote is at the best price, a quote there comes first, even on a full side.
  const prices = hasTouchQuote ? [] : [withinLimit(touch)];
  while (prices.length < wanted) {
    const distance = drawFrom(recorded.addTicks, random) * unitPips;
    const ticks = isBid ? Math.floor((fairPips - distance) / tickPips) : Math.ceil((fairPips + distance) / tickPips);
    prices.push(withinLimit(isBid ? Math.max(1, Math.min(ticks, touch)) : Math.min(last, Math.max(ticks, touch))));
  }
  return prices.filter((ticks) => ticks >= 1 && ticks <= last);
}

/** Plans which quotes to cancel and to place: best prices around the fair price, depth behind them as recorded. */
export function planQuotes(state: MarketState, random: HouseRandom): QuotePlan {
  const { tickPips, minOrderLots, resting } = state;
  const touch = touchOf(state);
  const bidQuotes = resting.filter(({ isBid }) => isBid);
  const askQuotes = resting.filter(({ isBid }) => !isBid);
  const sides = { bids: splitSide(bidQuotes, touch, state, random), asks: splitSide(askQuotes, touch, state, random) };
  const cancels = [...sides.bids.cancelled, ...sides.asks.cancelled];
  const quotes: Quote[] = [];
  const place = (isBid: boolean, ticks: readonly number[]): void => {
    for (const price of ticks) {
      const pips = price * tickPips;
      quotes.push({ isBid, pips, lots: Math.max(minOrderLots, drawAddLots(pips, random)) });
    }
  };
  const bestAsk = bestWithout(state.asks, sides.asks.cancelled) ?? PIPS_PER_UNIT;
  place(true, drawTicks(true, touch.bid, Math.ceil(bestAsk / tickPips) - 1, sides.bids.kept, state, random));
  const newBid = quotes.reduce((best, { pips }) => Math.max(best, pips), 0);
  const bestBid = Math.max(newBid, bestWithout(state.bids, sides.bids.cancelled) ?? 0);
  place(false, drawTicks(false, touch.ask, Math.floor(bestBid / tickPips) + 1, sides.asks.kept, state, random));
  return { cancels, quotes };
}
