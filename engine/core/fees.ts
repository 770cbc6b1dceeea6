// The taker fee of one trade, exact to the micro for any size and exponent, without BigInt. Called by the dry run and by
// matching, once a trade (taker × level).
import { limits } from '../protocol/limits.ts';
import { PIPS_PER_UNIT } from '../protocol/units.ts';

// File-local constants, see engine/compiler.ts.
const FEE_STEP_MICRO: number = limits.feeStepMicro;
const PIPS = PIPS_PER_UNIT;
const LIMB = 10_000;
const LIMBS_MAX = 16;
const limbs = new Float64Array(LIMBS_MAX);

const multiplyLimbs = (count: number, factor: number): number => {
  let carry = 0;
  for (let i = 0; i < count; i += 1) {
    const product = limbs[i] * factor + carry;
    carry = Math.floor(product / LIMB);
    limbs[i] = product - carry * LIMB;
  }
  let length = count;
  while (carry > 0) {
    const rest = Math.floor(carry / LIMB);
    limbs[length] = carry - rest * LIMB;
    carry = rest;
    length += 1;
  }
  return length;
};

/** floor(lots × rate × product^exponent / 10^(8·exponent + 1)) by limbs of four decimal digits. */
const feeStepsByLimbs = (lots: number, rate: number, product: number, exponent: number): number => {
  let count = 0;
  for (let rest = lots; rest > 0; count += 1) {
    const higher = Math.floor(rest / LIMB);
    limbs[count] = rest - higher * LIMB;
    rest = higher;
  }
  // Three more decimal digits make the divisor 10^(8·exponent + 4), a whole number of limbs.
  count = multiplyLimbs(count, rate * 1000);
  for (let i = 0; i < exponent; i += 1) count = multiplyLimbs(count, product);
  let steps = 0;
  for (let i = count - 1; i >= 2 * exponent + 1; i -= 1) steps = steps * LIMB + limbs[i];
  return steps;
};

/**
 * shares · rate · (p(1−p))^exponent in micro, rounded down to 10 micro.
 * @param lots size of the trade
 * @param pips price in the taker's token, 1..9999
 * @param rate in 1e-4 units, 0..1000
 * @param exponent 1..4
 */
export const feeMicro = (lots: number, pips: number, rate: number, exponent: number): number => {
  if (rate === 0) return 0;
  const product = pips * (PIPS - pips);
  if (exponent === 1) {
    // In this order the first product is mostly beyond 2^31, so V8 takes none of them for a small integer.
    const exact = product * rate * lots;
    if (exact <= Number.MAX_SAFE_INTEGER) return Math.floor(exact / 1e9) * FEE_STEP_MICRO;
  }
  return feeStepsByLimbs(lots, rate, product, exponent) * FEE_STEP_MICRO;
};
