// The plans of makers and takers, on every kind of book: prices on the grid and inside it, nothing that crosses, nothing
// left on the wrong side of the fair price; and the walk of the fair price within its bounds.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TICK_SIZES_PIPS } from '../../engine/index.ts';
import { FairPrice, unitPipsAt } from '../../server/dev/house/fairPrice.ts';
import { type MarketState, planQuotes } from '../../server/dev/house/maker.ts';
import { choices, drawAddLots, drawFrom, drawTakeLots, recorded } from '../../server/dev/house/model.ts';
import { HouseRandom } from '../../server/dev/house/random.ts';
import { planTake } from '../../server/dev/house/taker.ts';

interface Level {
  readonly pips: number;
  readonly lots: number;
  readonly isOurs: boolean;
}

/** Levels below and above a price that separates bids from asks, on any grid, some of them the house's. */
const arbitraryState: fc.Arbitrary<MarketState> = fc
  .record({
    tickPips: fc.constantFrom(...TICK_SIZES_PIPS),
    spreadUnits: fc.double({ min: 1, max: 5, noNaN: true }),
    fairShare: fc.double({ min: 0, max: 1, noNaN: true }),
    middle: fc.integer({ min: 2, max: 9_998 }),
    levels: fc.uniqueArray(
      fc.record({
        pips: fc.integer({ min: 1, max: 9_999 }),
        lots: fc.integer({ min: 1, max: 1e6 }),
        isOurs: fc.boolean(),
      }),
      { selector: ({ pips }) => pips, maxLength: 20, size: 'max' },
    ),
  })
  .map(({ tickPips, spreadUnits, fairShare, middle, levels }) => {
    const fairPips = tickPips + fairShare * (10_000 - 2 * tickPips);
    const bids = levels.filter(({ pips }) => pips < middle).sort((left, right) => left.pips - right.pips);
    const asks = levels.filter(({ pips }) => pips > middle).sort((left, right) => right.pips - left.pips);
    const side = (rows: readonly Level[]) => ({
      pips: rows.map(({ pips }) => pips),
      lots: rows.map(({ lots }) => lots),
    });
    const resting = [...bids, ...asks].flatMap(({ pips, lots, isOurs }) =>
      isOurs ? [{ orderId: String(pips), owner: 'house', isBid: pips < middle, pips, lots }] : [],
    );
    const unitPips = unitPipsAt(fairPips, tickPips);
    return {
      tickPips,
      minOrderLots: 500,
      fairPips,
      unitPips,
      spreadUnits,
      bids: side(bids),
      asks: side(asks),
      resting,
    };
  });

const seeds = fc.integer({ min: 0, max: 1e9 }).map((seed) => new HouseRandom(`test ${seed}`));

test('quotes are on the tick grid and never cross; kept orders are near the fair price, on their side', () => {
  fc.assert(
    fc.property(arbitraryState, seeds, (state, random) => {
      const { cancels, quotes } = planQuotes(state, random);
      const { tickPips, fairPips, unitPips, resting, bids, asks } = state;
      const gone = new Set(cancels.map(({ pips }) => pips));
      const kept = resting.filter(({ pips }) => !gone.has(pips));
      for (const { isBid, pips } of kept) {
        const distance = isBid ? fairPips - pips : pips - fairPips;
        expect(distance).toBeGreaterThanOrEqual(0);
        expect(distance).toBeLessThanOrEqual(choices.quoteUnitsMax * unitPips);
      }
      for (const { pips, lots } of quotes) {
        expect(pips % tickPips).toBe(0);
        expect(pips).toBeGreaterThanOrEqual(tickPips);
        expect(pips).toBeLessThanOrEqual(10_000 - tickPips);
        expect(lots).toBeGreaterThanOrEqual(500);
      }
      const bidsAfter = [
        ...bids.pips.filter((pips) => !gone.has(pips)),
        ...quotes.filter(({ isBid }) => isBid).map(({ pips }) => pips),
      ];
      const asksAfter = [
        ...asks.pips.filter((pips) => !gone.has(pips)),
        ...quotes.filter(({ isBid }) => !isBid).map(({ pips }) => pips),
      ];
      expect(Math.max(0, ...bidsAfter)).toBeLessThan(Math.min(10_000, ...asksAfter));
    }),
    { numRuns: 2_000 },
  );
});

test('an empty book gets quotes on both sides at once, at any tick size and price', () => {
  fc.assert(
    fc.property(arbitraryState, seeds, (state, random) => {
      const none = { pips: [], lots: [] };
      const { quotes } = planQuotes({ ...state, bids: none, asks: none, resting: [] }, random);
      expect(quotes.filter(({ isBid }) => isBid).length).toBe(choices.quotesOfUpdate);
      expect(quotes.filter(({ isBid }) => !isBid).length).toBe(choices.quotesOfUpdate);
    }),
    { numRuns: 1_000 },
  );
});

test('a taker order reaches the best price, is on the tick grid and respects the position limit', () => {
  fc.assert(
    fc.property(arbitraryState, seeds, fc.integer({ min: -300_000, max: 300_000 }), (state, random, netLots) => {
      const take = planTake(state, netLots, random);
      if (take === undefined) return;
      const { tickPips, bids, asks, fairPips, unitPips } = state;
      const best = (take.isBid ? asks : bids).pips.at(-1) ?? Number.NaN;
      const clamped = Math.min(Math.max(best, tickPips), 10_000 - tickPips);
      expect(take.isBid ? take.pips >= clamped : take.pips <= clamped).toBe(true);
      expect(take.pips % tickPips).toBe(0);
      expect(Math.abs(take.pips - best)).toBeLessThan(2 * tickPips);
      expect((take.isBid ? best - fairPips : fairPips - best) / unitPips).toBeLessThanOrEqual(choices.takeUnitsMax);
      expect(take.lots).toBeGreaterThanOrEqual(1);
      if (Math.abs(netLots) < choices.takerNetLotsMax) {
        const after = netLots + (take.isBid ? take.lots : -take.lots);
        expect(Math.abs(after)).toBeLessThanOrEqual(choices.takerNetLotsMax);
      } else expect(take.isBid).toBe(netLots < 0);
    }),
    { numRuns: 2_000 },
  );
});

test('a taker near its position limit mostly trades to reduce the position', () => {
  const side = (pips: number) => ({ pips: [pips], lots: [100_000] });
  const state: MarketState = {
    ...{ tickPips: 100, minOrderLots: 500, fairPips: 5_000, unitPips: 100, spreadUnits: 2, resting: [] },
    ...{ bids: side(4_900), asks: side(5_100) },
  };
  const buysOf = (netLots: number): number => {
    const random = new HouseRandom('leaning');
    const takes = Array.from({ length: 1_000 }, () => planTake(state, netLots, random));
    return takes.filter((take) => take?.isBid === true).length;
  };
  expect(buysOf(0.9 * choices.takerNetLotsMax)).toBeLessThan(250);
  expect(buysOf(-0.9 * choices.takerNetLotsMax)).toBeGreaterThan(750);
});

test('the fair price stays within its bound and reverts to where it started', () => {
  const logOdds = (pips: number): number => Math.log(pips / (10_000 - pips));
  for (const anchorPips of [31, 900, 5_000, 9_990]) {
    const random = new HouseRandom(`walk ${anchorPips}`);
    const fair = new FairPrice(anchorPips, 5_000);
    let sum = 0;
    let squares = 0;
    let largest = Math.abs(logOdds(fair.pips(1)) - logOdds(anchorPips));
    for (let move = 0; move < 50_000; move += 1) {
      fair.move(random);
      const offset = logOdds(fair.pips(1)) - logOdds(anchorPips);
      largest = Math.max(largest, Math.abs(offset));
      sum += offset;
      squares += offset ** 2;
    }
    expect(largest).toBeLessThan(choices.logOddsMax + 1e-9);
    expect(Math.abs(sum / 50_000)).toBeLessThan(0.1);
    expect(Math.sqrt(squares / 50_000)).toBeGreaterThan(choices.logOddsSpread / 2);
    expect(Math.sqrt(squares / 50_000)).toBeLessThan(choices.logOddsSpread * 1.5);
  }
});

test('drawn sizes and distances match the recorded medians', () => {
  const random = new HouseRandom('medians');
  const median = (draw: () => number): number => {
    const values = Array.from({ length: 20_001 }, draw).sort((left, right) => left - right);
    return values[10_000];
  };
  expect(Math.abs(median(() => drawAddLots(5_000, random)) / 100 - 65)).toBeLessThan(30);
  expect(Math.abs(median(() => drawTakeLots(5_000, random)) / 100 - 25.8)).toBeLessThan(3);
  expect(median(() => drawFrom(recorded.spreadTicks, random))).toBeLessThan(2.2);
  expect(Math.abs(median(() => drawFrom(recorded.addTicks, random)) - 5.9)).toBeLessThan(0.5);
  expect(median(() => drawAddLots(31, random))).toBeGreaterThan(median(() => drawAddLots(5_000, random)));
});
