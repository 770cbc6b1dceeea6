// The figures of positions: meaning, formula, rounding and source of each. Used by the indexer and the queries of this folder.
// All functions here are pure functions of integers; no intermediate result is a rounded float.

import { MICRO_PER_LOT, MICRO_PER_UNIT, PIPS_PER_UNIT } from '../../engine/index.ts';
import type { PositionFigures } from '../wire/historyQueries.ts';

/*
 * What is stored of a wallet's position in a token, in micro, exactly (catalog-and-data.md 4; none of it includes fees):
 *   size      shares held
 *   cost      cost of the shares still held
 *   bought    shares ever bought; never falls
 *   spent     total cost of the shares ever bought
 *   realized  gains less losses on the shares sold; may be negative
 * The last three are unbounded, since the same money can be traded repeatedly: past 2^53 they are the nearest doubles.
 *   buy q for c:   size += q, cost += c, bought += q, spent += c
 *   sell q for c:  removed = floor(cost · q / size), all of it when q = size; size −= q, cost −= removed,
 *                  realized += c − removed
 * Bookings as purchases and sales:
 *   trade          lots × pips of the own token, exactly, for taker and maker, however the match was settled
 *   split of n     n of the first token bought for floor(n/2), n of the second for the rest
 *   merge of n     n of each token sold for the same halves
 *   test shares    x of a token bought for its half, as in a split; HOUSE buys the other leg for the other half
 *   redemption     everything sold: the winner for 1 each, the loser for 0; in a 50/50 the first token for
 *                  floor(first/2), the second for the rest of the payout
 * Hence for each wallet, to the micro: proceeds of its shares less their cost (test shares counted at their halves)
 * = Σ realized − Σ cost of what it still holds.
 *
 * Fields of a row (PositionRow):
 *   curPrice            the price of the token in the market's record: 1, 0 or 0.5 once resolved, else the last trade's, else
 *                       the initial price of the texts, else 0.5
 *   avgPrice            open: floor(cost · 1e6 / size); closed: floor(spent · 1e6 / bought)
 *   initialValue        open: cost; closed: spent
 *   currentValue        floor(curPrice · size); closed: 0
 *   cashPnl             currentValue − initialValue; closed: realizedPnl
 *   percentPnl          100 · cashPnl / initialValue; closed: percentRealizedPnl
 *   totalBought         bought
 *   realizedPnl         realized
 *   percentRealizedPnl  100 · realized / bought
 *   redeemable          open, and the market is resolved, whether the token won or lost
 *   mergeable           open, and the wallet holds the market's other token too
 *   size                0 on closed rows
 * Ratios are rounded half away from zero to four decimals; a division by zero gives 0. A position is closed once its size
 * falls to 0; its time is that of its last change. The next share reopens it, with its past.
 *
 * Other figures: a wallet's value = Σ currentValue of its open positions; open interest of a market = its vault, the
 * collateral behind its shares; volume of a market = Σ cash of its takers' rows; traded = markets in which a wallet has a
 * row of type TRADE.
 * Rows of one record are in the order of its events: in a trade the makers' fills, then their taker's row. Lists by time show
 * the newest first, walking that order backwards; ascending lists walk it forwards. Ties in the sorted column are broken as
 * follows: positions by their markets' creation, first token first; activities by time, in the direction requested; holders by
 * the order in which their accounts were opened.
 * The transaction hash of a trade is defined in wire/ids.ts; for a split, merge or redemption it is keccak256 of 16 bytes:
 * the record's sequence and the event's place in the record (from 0), both as 64-bit big-endian numbers.
 */

/** Ratios have four decimals: they are counted in units of 1/10,000. */
const RATIO_UNITS = 10_000;

/** floor(a · b / c), exactly, for whole numbers a, b ≥ 0 and c > 0 whose result is below 2^53. */
export function mulDivFloor(a: number, b: number, c: number): number {
  const product = a * b;
  // Below 2^53 the quotient's rounding error is smaller than its distance from the next integer.
  if (product <= Number.MAX_SAFE_INTEGER) return Math.floor(product / c);
  return Number((BigInt(a) * BigInt(b)) / BigInt(c));
}

/** 100 · part / whole, rounded half away from zero to four decimals; 0 when whole is 0. The whole is never negative. */
export function percentOf(part: number, whole: number): number {
  if (part === 0 || whole === 0) return 0;
  const size = Math.abs(part);
  const doubled = 2 * size * 100 * RATIO_UNITS + whole;
  const units =
    doubled <= Number.MAX_SAFE_INTEGER
      ? Math.floor(doubled / (2 * whole))
      : Number((2n * BigInt(size) * 1_000_000n + BigInt(whole)) / (2n * BigInt(whole)));
  return (part < 0 ? -units : units) / RATIO_UNITS || 0;
}

/** The cost of the first or the second leg of a set of n micro: halves that add up to n. */
export function halfOf(nMicro: number, outcome: number): number {
  const first = Math.floor(nMicro / 2);
  return outcome === 0 ? first : nMicro - first;
}

/** Offsets of a leg's numbers in its array. */
export const LEG = { size: 0, cost: 1, bought: 2, spent: 3, realized: 4, tMs: 5, numbers: 6 } as const;

/** Books a purchase of q for c into the leg at `at`. */
export function buy(legs: Float64Array, at: number, q: number, c: number, tMs: number): void {
  legs[at + LEG.size] += q;
  legs[at + LEG.cost] += c;
  legs[at + LEG.bought] += q;
  legs[at + LEG.spent] += c;
  legs[at + LEG.tMs] = tMs;
}

/** Books a sale of q for c into the leg at `at`, which holds at least q. */
export function sell(legs: Float64Array, at: number, q: number, c: number, tMs: number): void {
  const size = legs[at + LEG.size];
  const cost = legs[at + LEG.cost];
  let removed = cost;
  if (q !== size) {
    // Positions that are only ever traded are whole lots, whose numbers are small enough for doubles.
    const isWholeLots = q % MICRO_PER_LOT === 0 && size % MICRO_PER_LOT === 0;
    removed = isWholeLots ? mulDivFloor(cost, q / MICRO_PER_LOT, size / MICRO_PER_LOT) : mulDivFloor(cost, q, size);
  }
  legs[at + LEG.size] = size - q;
  legs[at + LEG.cost] = cost - removed;
  legs[at + LEG.realized] += c - removed;
  legs[at + LEG.tMs] = tMs;
}

/** floor(price · size) in micro. */
export function currentValueOf(sizeMicro: number, pricePips: number): number {
  return mulDivFloor(sizeMicro, pricePips, PIPS_PER_UNIT);
}

/** The average price in micro of `sizeMicro` shares that cost `costMicro`; 0 if there are none. */
export function averageOf(costMicro: number, sizeMicro: number): number {
  return sizeMicro === 0 ? 0 : mulDivFloor(costMicro, MICRO_PER_UNIT, sizeMicro);
}

/** The figures of the leg at `at`, open or closed, at the token's current price. */
export function figuresOf(legs: Float64Array, at: number, pricePips: number): PositionFigures {
  const size = legs[at + LEG.size];
  const bought = legs[at + LEG.bought];
  const realized = legs[at + LEG.realized];
  const percentRealizedPnl = percentOf(realized, bought);
  if (size === 0) {
    const spent = legs[at + LEG.spent];
    return {
      avgPriceMicro: averageOf(spent, bought),
      initialValueMicro: spent,
      currentValueMicro: 0,
      cashPnlMicro: realized,
      percentPnl: percentRealizedPnl,
      percentRealizedPnl,
    };
  }
  const cost = legs[at + LEG.cost];
  const value = currentValueOf(size, pricePips);
  return {
    avgPriceMicro: averageOf(cost, size),
    initialValueMicro: cost,
    currentValueMicro: value,
    cashPnlMicro: value - cost,
    percentPnl: percentOf(value - cost, cost),
    percentRealizedPnl,
  };
}
