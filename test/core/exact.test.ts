// The core's exact arithmetic without BigInt, compared with the same in BigInt over the whole range of its arguments: fees,
// limits from signed ratios, divisions. Results off by one micro or one tick would only show in rare sums elsewhere.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { feeMicro } from '../../engine/core/fees.ts';
import { floorDivide, marketPricePips, priceMicro } from '../../engine/core/prices.ts';
import { limits, TICK_SIZES_PIPS } from '../../engine/protocol/index.ts';

const MICRO_MAX = BigInt(Number.MAX_SAFE_INTEGER);
const runs = 20_000;

/** Small numbers, large ones, and neighbours of multiples of round ones. */
const amount = fc.oneof(
  fc.integer({ min: 1, max: 1_000 }),
  fc.maxSafeNat().map((n) => Math.max(1, n)),
  fc.tuple(fc.integer({ min: 1, max: 900_000_000 }), fc.constantFrom(-1, 0, 1)).map(([n, d]) => n * 10_000_000 + d),
);

test('the fee is exact for every size, price, rate and exponent', () => {
  const lots = fc.oneof(
    fc.integer({ min: 1, max: 200 }),
    fc.integer({ min: 1, max: limits.orderLotsMax }),
    fc.integer({ min: limits.orderLotsMax, max: 900_000_000_000 }),
  );
  const pips = fc.oneof(fc.constantFrom(1, 10, 50, 100, 5_000, 9_900, 9_999), fc.integer({ min: 1, max: 9_999 }));
  const rate = fc.oneof(fc.constantFrom(0, 1, 1_000), fc.integer({ min: 0, max: limits.feeRateMax }));
  const exponent = fc.integer({ min: limits.feeExponentMin, max: limits.feeExponentMax });
  const isExact = fc.property(lots, pips, rate, exponent, (size, price, feeRate, power) => {
    const product = (BigInt(price) * BigInt(10_000 - price)) ** BigInt(power);
    const exact = (BigInt(size) * BigInt(feeRate) * product) / 10n ** BigInt(8 * power);
    expect(BigInt(feeMicro(size, price, feeRate, power))).toBe((exact / 10n) * 10n);
  });
  fc.assert(isExact, { numRuns: runs });
});

/** The inverse of n modulo 10^9, by Euler's theorem; n must not be divisible by 2 or 5. */
function inverseModulo1e9(n: bigint): bigint {
  let [inverse, power] = [1n, n];
  for (let exponent = 400_000_000n - 1n; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) inverse = (inverse * power) % 1_000_000_000n;
    power = (power * power) % 1_000_000_000n;
  }
  return inverse;
}

test('fees next to a multiple of 10 micro are rounded down exactly, even for the largest sizes', () => {
  const [pips, exponent] = [1, 1];
  for (const rate of [1, 3, 7, 999]) {
    const factor = BigInt(rate) * 9_999n;
    const inverse = inverseModulo1e9(factor);
    expect((factor * inverse) % 1_000_000_000n).toBe(1n);
    for (const off of [-3n, -2n, -1n, 0n, 1n, 2n]) {
      const last = (((off * inverse) % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
      for (const high of [1, 150, 301, 650, 899]) {
        const lots = high * 1_000_000_000 + Number(last);
        const exact = (BigInt(lots) * factor) / 1_000_000_000n;
        expect([lots, rate, BigInt(feeMicro(lots, pips, rate, exponent))]).toEqual([lots, rate, exact * 10n]);
      }
    }
  }
});

/** The signed ratio rounded to the tick, pips: down for a BUY, up for a SELL. */
function exactPricePips(money: number, shares: number, tickPips: number, isBuy: boolean): bigint {
  const [top, bottom] = [BigInt(money) * 10_000n, BigInt(shares) * BigInt(tickPips)];
  const ticks = isBuy ? top / bottom : (top + bottom - 1n) / bottom;
  return ticks * BigInt(tickPips);
}

test('a FOK or FAK price is the signed ratio rounded to the tick, down for a BUY, up for a SELL', () => {
  const tick = fc.constantFrom(...TICK_SIZES_PIPS);
  const isExact = fc.property(amount, amount, tick, fc.boolean(), (money, shares, tickPips, isBuy) => {
    const exact = exactPricePips(money, shares, tickPips, isBuy);
    const price = BigInt(marketPricePips(money, shares, tickPips, isBuy));
    // Far beyond the range of prices it is enough that the result is out of range.
    if (exact > 10_000n) expect(price).toBeGreaterThan(10_000n - BigInt(tickPips));
    else expect(price).toBe(exact);
  });
  fc.assert(isExact, { numRuns: runs });
});

test('ratios on or one micro off a whole pip round to the correct tick', () => {
  const isExact = fc.property(
    fc.integer({ min: 1, max: 9_999 }),
    fc.integer({ min: 1, max: 900_000_000_000 }),
    fc.constantFrom(-1, 0, 1),
    fc.constantFrom(...TICK_SIZES_PIPS),
    fc.boolean(),
    (pips, lots, off, tickPips, isBuy) => {
      const money = Math.max(1, pips * lots + off);
      const shares = lots * 10_000;
      const exact = exactPricePips(money, shares, tickPips, isBuy);
      expect(BigInt(marketPricePips(money, shares, tickPips, isBuy))).toBe(exact);
    },
  );
  fc.assert(isExact, { numRuns: runs });
});

test('ratios of the largest amounts round to the correct tick, however close to one they are', () => {
  const tick = fc.constantFrom(...TICK_SIZES_PIPS);
  const parts = fc.record({
    high: fc.integer({ min: 800_000_000_000, max: 900_719_925_473 }),
    low: fc.integer({ min: -2, max: 2 }),
    ticks: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 9_999 })),
    off: fc.integer({ min: -1, max: 1 }),
  });
  const isExact = fc.property(parts, tick, fc.boolean(), ({ high, low, ticks, off }, tickPips, isBuy) => {
    const pips = (ticks * tickPips) % 10_000;
    const shares = high * 10_000 + low;
    const money = Number((BigInt(shares) * BigInt(pips)) / 10_000n) + off;
    if (money < 1) return;
    const exact = exactPricePips(money, shares, tickPips, isBuy);
    expect(BigInt(marketPricePips(money, shares, tickPips, isBuy))).toBe(exact);
  });
  fc.assert(isExact, { numRuns: runs });
});

test('a division that floating point rounds up to a whole number is floored', () => {
  const isExact = fc.property(fc.integer({ min: 2, max: 2 ** 31 - 1 }), fc.nat(1_000), fc.nat(3), (b, below, off) => {
    const quotient = Math.floor(Number.MAX_SAFE_INTEGER / b) - below;
    const a = quotient * b - off;
    expect(BigInt(floorDivide(a, b))).toBe(BigInt(a) / BigInt(b));
  });
  fc.assert(isExact, { numRuns: runs });
});

test('floorDivide and priceMicro floor exactly, and prices are capped at 2^53 - 1', () => {
  const isExact = fc.property(amount, amount, (a, b) => {
    expect(BigInt(floorDivide(a, b))).toBe(BigInt(a) / BigInt(b));
    const price = (BigInt(a) * 1_000_000n) / BigInt(b);
    expect(BigInt(priceMicro(a, b))).toBe(price > MICRO_MAX ? MICRO_MAX : price);
  });
  fc.assert(isExact, { numRuns: runs });
});
