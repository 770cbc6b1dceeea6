// Prices in exact integer arithmetic, without BigInt on the usual path: the limit that a signed ratio stands for under a tick,
// which entry asks for, and a price in the terms of the other token. Amounts are those of the signed order, micro.
import * as units from '../protocol/units.ts';

// File-local constants, see engine/compiler.ts.
const { MICRO_MAX, PIPS_PER_UNIT } = units;
const HALF = 2 ** 26;
/** A computed product of integers is exact if it is no larger than this. */
const EXACT_MAX: number = Number.MAX_SAFE_INTEGER;

/** Converts a price between the first token's terms and a token's own, either way, pips. Branch-free, see usualOrder.ts. */
export const inToken = (pips: number, outcome: number): number => {
  return pips + outcome * (PIPS_PER_UNIT - 2 * pips);
};

// No % on a number that may be a 64-bit float: it calls the C library, a hundred times slower than a division.

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
 * The exact floor(a / b) of safe integers. As a is below 2^53, a quotient that is not whole lies more than half a unit in the
 * last place below the next whole number, and is never rounded up to it.
 */
export const floorDivide = (a: number, b: number): number => {
  return Math.floor(a / b);
};

/**
 * The price money/shares floored (BUY) or ceiled (SELL) to the tick, in pips; capped at 20,000, which is beyond every limit.
 */
export const marketPricePips = (moneyMicro: number, sharesMicro: number, tickPips: number, isBuy: boolean): number => {
  if (moneyMicro >= 2 * sharesMicro) return 2 * PIPS_PER_UNIT;
  // k = floor(money × 10^4 / (shares × tick)): estimated in floating point, then corrected exactly.
  let k = Math.floor((moneyMicro / sharesMicro) * (PIPS_PER_UNIT / tickPips)) | 0;
  while (k > 0 && compareProducts(sharesMicro, k * tickPips, moneyMicro, PIPS_PER_UNIT) > 0) k -= 1;
  while (compareProducts(sharesMicro, (k + 1) * tickPips, moneyMicro, PIPS_PER_UNIT) <= 0) k += 1;
  if (!isBuy && compareProducts(sharesMicro, k * tickPips, moneyMicro, PIPS_PER_UNIT) < 0) k += 1;
  return (k * tickPips) | 0;
};

/** The price money/shares in micro, floored and capped at 2^53 − 1: a figure of rejections, off the usual path. */
export const priceMicro = (moneyMicro: number, sharesMicro: number): number => {
  const price = (BigInt(moneyMicro) * 1_000_000n) / BigInt(sharesMicro);
  return price > BigInt(MICRO_MAX) ? MICRO_MAX : Number(price);
};
