// The limit price that a signed ratio means under a tick, in exact integer arithmetic without BigInt on the usual path.
// Called by entry. Sources: the engine rules' "Limit price"; amounts are those of the signed order, micro.
import { MICRO_MAX } from '../protocol/units.ts';

const PIPS_PER_UNIT = 10_000;
const HALF = 2 ** 26;
/** A product of integers that comes out no larger than this is exact. */
const EXACT_MAX: number = Number.MAX_SAFE_INTEGER;

/** A price of the first token said in a token's own terms, or the other way round, pips: without a question, see usualOrder.ts. */
export const inToken = (pips: number, outcome: number): number => {
  return pips + outcome * (PIPS_PER_UNIT - 2 * pips);
};

// No % on what may be a 64-bit float: it calls the C library, a hundred times slower than a division.

/** Whether a is a multiple of b, for safe integers. */
export const isMultiple = (a: number, b: number): boolean => {
  return Math.floor(a / b) * b === a;
};

/** Sign of a × m − b × n for safe integers a, b and multipliers up to 2^26. */
export const compareProducts = (a: number, m: number, b: number, n: number): number => {
  const first = a * m;
  const second = b * n;
  if (first <= EXACT_MAX && second <= EXACT_MAX) return first - second;
  const aHigh = Math.floor(a / HALF);
  const bHigh = Math.floor(b / HALF);
  const lowA = (a - aHigh * HALF) * m;
  const lowB = (b - bHigh * HALF) * n;
  const carryA = Math.floor(lowA / HALF);
  const carryB = Math.floor(lowB / HALF);
  const highA = aHigh * m + carryA;
  const highB = bHigh * n + carryB;
  if (highA !== highB) return highA - highB;
  return lowA - carryA * HALF - (lowB - carryB * HALF);
};

/**
 * floor(a / b) exactly, for safe integers: while a is below 2^53, a ratio that is not whole lies further below the next whole
 * number than half a unit of its last place, and is never rounded up to it.
 */
export const floorDivide = (a: number, b: number): number => {
  return Math.floor(a / b);
};

/**
 * The price money/shares floored (BUY) or ceiled (SELL) to the tick, in pips; capped at 20,000, which is beyond every limit.
 */
export const marketPricePips = (moneyMicro: number, sharesMicro: number, tickPips: number, isBuy: boolean): number => {
  if (moneyMicro >= 2 * sharesMicro) return 2 * PIPS_PER_UNIT;
  // k = floor(money × 10^4 / (shares × tick)), first by floating point, then put right exactly.
  let k = Math.floor((moneyMicro / sharesMicro) * (PIPS_PER_UNIT / tickPips)) | 0;
  while (k > 0 && compareProducts(sharesMicro, k * tickPips, moneyMicro, PIPS_PER_UNIT) > 0) k -= 1;
  while (compareProducts(sharesMicro, (k + 1) * tickPips, moneyMicro, PIPS_PER_UNIT) <= 0) k += 1;
  if (!isBuy && compareProducts(sharesMicro, k * tickPips, moneyMicro, PIPS_PER_UNIT) < 0) k += 1;
  return (k * tickPips) | 0;
};

/** The price money/shares in micro, floored, capped at 2^53 − 1: a figure of rejections, off the usual path. */
export const priceMicro = (moneyMicro: number, sharesMicro: number): number => {
  const price = (BigInt(moneyMicro) * 1_000_000n) / BigInt(sharesMicro);
  return price > BigInt(MICRO_MAX) ? MICRO_MAX : Number(price);
};
