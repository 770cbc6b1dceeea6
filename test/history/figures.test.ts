// The figures of positions by example: the arithmetic of figures.ts on numbers that can be checked by hand, small ones and
// those at the edge of what is exact; and against unbounded integers, for any purchases and sales.
import fc from 'fast-check';
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

/** The figures of any purchases and sales in unbounded integers, written down from the definitions. */
class Ledger {
  size = 0n;
  cost = 0n;
  bought = 0n;
  spent = 0n;
  realized = 0n;

  buy(q: bigint, c: bigint): void {
    this.size += q;
    this.cost += c;
    this.bought += q;
    this.spent += c;
  }

  sell(q: bigint, c: bigint): void {
    const removed = (this.cost * q) / this.size;
    this.size -= q;
    this.cost -= removed;
    this.realized += c - removed;
  }

  figures(pips: bigint) {
    const { size, cost, bought, spent, realized } = this;
    const percentRealizedPnl = percentIn(realized, bought);
    if (size === 0n) {
      const [initial, gain] = [Number(spent), Number(realized)];
      const values = { initialValueMicro: initial, currentValueMicro: 0, cashPnlMicro: gain };
      const avgPriceMicro = bought === 0n ? 0 : Number((spent * 1_000_000n) / bought);
      return { avgPriceMicro, ...values, percentPnl: percentRealizedPnl, percentRealizedPnl };
    }
    const value = (size * pips) / 10_000n;
    return {
      avgPriceMicro: Number((cost * 1_000_000n) / size),
      ...{ initialValueMicro: Number(cost), currentValueMicro: Number(value), cashPnlMicro: Number(value - cost) },
      percentPnl: percentIn(value - cost, cost),
      percentRealizedPnl,
    };
  }
}

/** 100 · part / whole to four decimals, halves away from zero. */
function percentIn(part: bigint, whole: bigint): number {
  if (whole === 0n) return 0;
  const size = part < 0n ? -part : part;
  const units = (size * 2_000_000n + whole) / (2n * whole);
  return Number(part < 0n ? -units : units) / 10_000;
}

/** Amounts of every magnitude, many of them whole lots; twelve of them together stay below 2^53. */
const amounts = fc.oneof(
  fc.integer({ min: 1, max: 9_999 }),
  fc.nat(35).map((bits) => 2 ** bits * 10_000),
  fc.tuple(fc.nat(35), fc.nat(9_999)).map(([bits, odd]) => 2 ** bits * 10_000 + odd),
);
const bookings = fc.array(
  fc.record({ amount: amounts, pips: fc.nat(10_000), share: fc.constantFrom(0, 0, 0.3, 0.5, 1) }),
  { maxLength: 12, size: 'max' },
);

test('the figures of any purchases and sales are exact', () => {
  fc.assert(
    fc.property(bookings, fc.nat(10_000), (steps, nowPips) => {
      const [leg, ledger] = [newLeg(), new Ledger()];
      for (const { amount, pips, share } of steps) {
        const held = leg[LEG.size];
        const part = amount % 10_000 === 0 ? Math.floor((held * share) / 10_000) * 10_000 : Math.floor(held * share);
        const q = share === 0 ? amount : share === 1 ? held : part;
        if (q === 0) continue;
        const c = Number((BigInt(q) * BigInt(pips)) / 10_000n);
        if (share === 0) {
          buy(leg, 0, q, c, T_MS);
          ledger.buy(BigInt(q), BigInt(c));
        } else {
          sell(leg, 0, q, c, T_MS);
          ledger.sell(BigInt(q), BigInt(c));
        }
        const { size, cost, bought, spent, realized } = ledger;
        const numbers = { size, cost, bought, spent, realized };
        expect(shown(leg)).toEqual(Object.fromEntries(Object.entries(numbers).map(([name, n]) => [name, Number(n)])));
        expect(figuresOf(leg, 0, nowPips)).toEqual(ledger.figures(BigInt(nowPips)));
      }
    }),
    { seed: 7, numRuns: 2_000 },
  );
});

describe('whole numbers', () => {
  test('products beyond 2^53 are divided exactly', () => {
    const large = 2 ** 53 - 1;
    expect(mulDivFloor(large, large, large)).toBe(large);
    expect(mulDivFloor(large, 9_999, 10_000)).toBe(Number((BigInt(large) * 9_999n) / 10_000n));
    expect(percentOf(large - 1, large)).toBe(100);
    expect(percentOf(2_666_668_000_001, 8_000_000_000_003)).toBe(33.3333); // just below the half that rounds up
    expect(percentOf(large, 0)).toBe(0);
  });

  test('the halves of an amount add up to it', () => {
    for (const amount of [1, 2, 3, 999_999]) expect(halfOf(amount, 0) + halfOf(amount, 1)).toBe(amount);
    expect(halfOf(3, 0)).toBe(1);
  });
});
