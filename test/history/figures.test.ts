// The figures of positions by example: the arithmetic of figures.ts on numbers that can be checked by hand, small ones and
// those at the edge of what is exact.
import { describe, expect, test } from 'vitest';
import { buy, figuresOf, halfOf, LEG, mulDivFloor, percentOf, sell } from '../../server/history/figures.ts';

const T_MS = 1_750_000_000_000;
const SHARE = 1_000_000;

const newLeg = (): Float64Array => new Float64Array(LEG.numbers);
const shown = (leg: Float64Array) => ({
  size: leg[LEG.size],
  cost: leg[LEG.cost],
  bought: leg[LEG.bought],
  spent: leg[LEG.spent],
  realized: leg[LEG.realized],
});

describe('a position', () => {
  test('loses a proportional part of its cost when part of it is sold', () => {
    const leg = newLeg();
    buy(leg, 0, 10 * SHARE, 4 * SHARE, T_MS); // 10 at 0.40
    buy(leg, 0, 10 * SHARE, 6 * SHARE, T_MS); // 10 at 0.60
    sell(leg, 0, 5 * SHARE, 3 * SHARE, T_MS + 1); // 5 at 0.60, which cost 2.50
    expect(shown(leg)).toEqual({
      size: 15 * SHARE,
      cost: 7_500_000,
      bought: 20 * SHARE,
      spent: 10 * SHARE,
      realized: 500_000,
    });
    expect(leg[LEG.tMs]).toBe(T_MS + 1);
    expect(figuresOf(leg, 0, 7_000)).toEqual({
      avgPriceMicro: 500_000,
      initialValueMicro: 7_500_000,
      currentValueMicro: 10_500_000,
      cashPnlMicro: 3_000_000,
      percentPnl: 40,
      percentRealizedPnl: 2.5,
    });
  });

  test('that is sold completely has no size or cost left and shows its total purchase cost', () => {
    const leg = newLeg();
    buy(leg, 0, 3, 1, T_MS);
    sell(leg, 0, 1, 1, T_MS); // floor(1 · 1 / 3) = 0 of the cost leaves with it
    sell(leg, 0, 2, 0, T_MS);
    expect(shown(leg)).toEqual({ size: 0, cost: 0, bought: 3, spent: 1, realized: 0 });
    expect(figuresOf(leg, 0, 10_000)).toEqual({
      avgPriceMicro: 333_333,
      initialValueMicro: 1,
      currentValueMicro: 0,
      cashPnlMicro: 0,
      percentPnl: 0,
      percentRealizedPnl: 0,
    });
  });

  test('at a loss shows negative gains, with halves rounded away from zero', () => {
    const leg = newLeg();
    buy(leg, 0, 8 * SHARE, 6 * SHARE, T_MS);
    expect(figuresOf(leg, 0, 5_000)).toMatchObject({ cashPnlMicro: -2 * SHARE, percentPnl: -33.3333 });
    expect(percentOf(-1, 2_000_000)).toBe(-0.0001); // −0.00005 is half a unit
    expect(percentOf(-1, 2_000_001)).toBe(0);
    expect(Object.is(percentOf(-1, 2_000_001), 0)).toBe(true);
  });
});

describe('whole numbers', () => {
  test('products beyond 2^53 are divided exactly', () => {
    const large = 2 ** 53 - 1;
    expect(mulDivFloor(large, large, large)).toBe(large);
    expect(mulDivFloor(large, 9_999, 10_000)).toBe(Number((BigInt(large) * 9_999n) / 10_000n));
    expect(percentOf(large - 1, large)).toBe(100);
    expect(percentOf(large, 0)).toBe(0);
  });

  test('the halves of an amount add up to it', () => {
    for (const amount of [1, 2, 3, 999_999]) expect(halfOf(amount, 0) + halfOf(amount, 1)).toBe(amount);
    expect(halfOf(3, 0)).toBe(1);
  });
});
