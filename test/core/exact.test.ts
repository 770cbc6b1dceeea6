// The core's exact arithmetic without BigInt against the same in BigInt, over the whole range of its arguments: fees, limits
// from signed ratios, divisions. Results one micro or one tick off would only show in rare sums elsewhere.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { feeMicro } from '../../engine/core/fees.ts';
import { floorDivide, marketPricePips, priceMicro } from '../../engine/core/prices.ts';
import { limits, TICK_SIZES_PIPS } from '../../engine/protocol/index.ts';

const MICRO_MAX = BigInt(Number.MAX_SAFE_INTEGER);
const runs = 20_000;

/** Small numbers, large ones, and those next to multiples of round ones. */
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

test('the price of a FOK or FAK is the signed ratio brought to the tick, exactly', () => {
  const tick = fc.constantFrom(...TICK_SIZES_PIPS);
  const isExact = fc.property(amount, amount, tick, fc.boolean(), (money, shares, tickPips, isBuy) => {
    const [top, bottom] = [BigInt(money) * 10_000n, BigInt(shares) * BigInt(tickPips)];
    const ticks = isBuy ? top / bottom : (top + bottom - 1n) / bottom;
    const exact = ticks * BigInt(tickPips);
    const said = BigInt(marketPricePips(money, shares, tickPips, isBuy));
    // Far beyond the range of prices it is enough to say so.
    if (exact > 10_000n) expect(said).toBeGreaterThan(10_000n - BigInt(tickPips));
    else expect(said).toBe(exact);
  });
  fc.assert(isExact, { numRuns: runs });
});

test('ratios next to a multiple of the tick fall on its right side', () => {
  const isExact = fc.property(
    fc.integer({ min: 1, max: 9_999 }),
    fc.integer({ min: 1, max: 900_000_000_000 }),
    fc.constantFrom(-1, 0, 1),
    fc.constantFrom(...TICK_SIZES_PIPS),
    fc.boolean(),
    (pips, lots, off, tickPips, isBuy) => {
      const money = Math.max(1, pips * Math.min(lots, 900_000_000_000) + off);
      const shares = lots * 10_000;
      const [top, bottom] = [BigInt(money) * 10_000n, BigInt(shares) * BigInt(tickPips)];
      const ticks = isBuy ? top / bottom : (top + bottom - 1n) / bottom;
      expect(BigInt(marketPricePips(money, shares, tickPips, isBuy))).toBe(ticks * BigInt(tickPips));
    },
  );
  fc.assert(isExact, { numRuns: runs });
});

test('divisions and shown prices are floored exactly', () => {
  const isExact = fc.property(amount, amount, (a, b) => {
    expect(BigInt(floorDivide(a, b))).toBe(BigInt(a) / BigInt(b));
    const price = (BigInt(a) * 1_000_000n) / BigInt(b);
    expect(BigInt(priceMicro(a, b))).toBe(price > MICRO_MAX ? MICRO_MAX : price);
  });
  fc.assert(isExact, { numRuns: runs });
});
