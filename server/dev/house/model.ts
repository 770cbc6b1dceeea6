// The figures that the house trades by. Those of `recorded` are measured, by bench/houseModel.ts, on the flow of a real
// venue: flow_20260607.csv.gz of Polymarket-Tickscope (MIT), 179,050 orders on six markets in 1,200 s. The rest are choices
// of our own, with their reasons. Read by the other files of this folder; nothing here has state.
import { LOTS_PER_SHARE, PIPS_PER_UNIT } from '../../../engine/index.ts';
import type { HouseRandom } from './random.ts';

/** Points of a cumulative distribution: this share (of 1) of all values is at most `value`. Both rise. */
type Distribution = readonly (readonly [share: number, value: number])[];

export const recorded = {
  /** Orders a second in each of the six markets. */
  ordersPerSecond: [47.6, 47.5, 32, 17.9, 3.5, 1.2],
  /** Sizes of orders placed within 10 ticks of the best: log-normal, in shares. */
  addSharesMedian: 67.4,
  addSharesSigma: 1.47,
  /** Of those orders, the sizes that are chosen again and again, in shares. */
  roundSizes: [
    [0.028, 5],
    [0.037, 25],
    [0.081, 50],
    [0.164, 100],
    [0.208, 200],
    [0.214, 500],
    [0.223, 1_000],
  ] satisfies Distribution,
  wholeSharesShare: 0.94,
  /** Sizes of orders that take: log-normal, in shares. */
  takeSharesMedian: 25.8,
  takeSharesSigma: 2,
  /** How far from the mid orders are placed, in ticks; the 22 % beyond 20 ticks are left out. */
  addTicks: [
    [0, 0],
    [0.033, 0.5],
    [0.042, 1],
    [0.084, 2],
    [0.155, 3],
    [0.336, 5],
    [0.639, 10],
    [0.776, 20],
  ] satisfies Distribution,
  /** Between best bid and best ask, in ticks; the 16 % beyond 5 ticks are left out. */
  spreadTicks: [
    [0.29, 1],
    [0.542, 2],
    [0.664, 3],
    [0.74, 4],
    [0.84, 5],
  ] satisfies Distribution,
  /** Median of price levels on a side within 10 ticks of its best. */
  levelsASide: 6,
  /** Standard deviation of the mid's move in 10 s, in log odds, and the orders of an average market in that time. */
  logOddsStep: 0.149,
  ordersOfStep: 250,
} as const;

/** How often the house does what. */
export interface Pace {
  /** Mean time between two updates of the quotes of a market of average activity, and the longest. */
  readonly updateMsMean: number;
  readonly updateMsMax: number;
  /** Longest time between two visits of a taker: of a market of average activity or less. */
  readonly takeMsMax: number;
  /** What is due is done in steps of this length, so that it shares flushes. */
  readonly stepMs: number;
}

export const HOUSE_MODES = ['none', 'calm', 'busy'] as const;
export type HouseMode = (typeof HOUSE_MODES)[number];

/**
 * The recorded markets are live matches with 25 orders a second each. A laptop that runs a catalog of 150 for days wants
 * about a hundredth of that, and each market is to print all the same: so takes are far more frequent among the house's
 * orders than among the recorded ones.
 */
export const paces: Readonly<Record<Exclude<HouseMode, 'none'>, Pace>> = {
  calm: { updateMsMean: 30_000, updateMsMax: 45_000, takeMsMax: 45_000, stepMs: 100 },
  busy: { updateMsMean: 3_000, updateMsMax: 4_500, takeMsMax: 4_500, stepMs: 20 },
};

export const choices = {
  makerCount: 6,
  takerCount: 4,
  makersOfMarket: 2,
  /** First account of the development mnemonic that is the house's. */
  firstWalletIndex: 1_000,
  /** What an account is funded with, and below which balance it is funded anew: half a year of calm away. */
  depositMicro: 1_000_000_000_000,
  balanceMicroMin: 200_000_000_000,
  /** Shares of both tokens that a maker holds in each of its markets, in lots; merged down to it beyond the second. */
  setLots: 50_000,
  setLotsMax: 150_000,
  /** Net position in a market (first less second token), in lots: quotes are skewed fully at the first, end at the second. */
  skewLots: 500_000,
  makerNetLotsMax: 2_000_000,
  skewUnits: 5,
  takerNetLotsMax: 200_000,
  /** Orders at entry into a market, and most of an update, on each side. */
  quotesOfUpdate: 2,
  /** Shares that one order may have at most, and how much larger orders at the ends of the scale may be. */
  orderSharesMax: 5_000,
  cheapFactorMax: 10,
  /** A quote farther than this from the fair price is taken down. */
  quoteUnitsMax: 30,
  /** Farther than this from the fair price a taker pays nobody. */
  takeUnitsMax: 8,
  fillOrKillShare: 0.3,
  /** How often an update draws the market's spread anew. */
  spreadChangeChance: 0.2,
  /** Orders of an average update, with its share of takes: as far as this moves the recorded mid, it moves the fair price. */
  ordersOfUpdate: 5,
  /** Long-run standard deviation of the fair price around the market's first price, in log odds, and its bound. */
  logOddsSpread: 0.2,
  logOddsMax: 0.6,
  /** First quotes within this time of the start, first takes in this window after it. */
  firstQuoteMsMax: 2_000,
  firstTakeMs: [4_000, 38_000],
  /** A taker that found nothing comes again after about so long. */
  retryTakeMs: 4_000,
  /** A book without a side has one again after this time at most. */
  hurryMs: 3_000,
  /** Waits after refusals: the first, doubled each time up to the last. */
  backoffMs: 2_000,
  backoffMsMax: 60_000,
  /** How often a market is looked at that is closed, and whether an account needs money. */
  restMs: 30_000,
  /** Markets that one step may serve, so that none takes long after a pause. */
  marketsOfStepMax: 30,
} as const;

/** A value drawn from the part of a distribution that its points cover, straight between them. */
export function drawFrom(distribution: Distribution, random: HouseRandom): number {
  const [firstShare, firstValue] = distribution[0];
  const [lastShare, lastValue] = distribution[distribution.length - 1];
  const draw = random.fraction() * lastShare;
  if (draw <= firstShare) return firstValue;
  for (let index = 1; index < distribution.length; index += 1) {
    const [share, value] = distribution[index];
    if (draw > share) continue;
    const [shareBefore, valueBefore] = distribution[index - 1];
    return valueBefore + ((value - valueBefore) * (draw - shareBefore)) / (share - shareBefore);
  }
  return lastValue;
}

/** Where a share costs little, orders have more of them (of either token, so that both ends are alike). */
function cheapFactor(pips: number): number {
  const cheaper = Math.max(1, Math.min(pips, PIPS_PER_UNIT - pips));
  return Math.min(choices.cheapFactorMax, Math.max(1, 1_000 / cheaper));
}

function lotsOf(median: number, sigma: number, pips: number, random: HouseRandom): number {
  const shares = Math.min(choices.orderSharesMax, median * Math.exp(sigma * random.normal()) * cheapFactor(pips));
  const isWhole = random.chance(recorded.wholeSharesShare);
  const lots = isWhole ? Math.round(shares) * LOTS_PER_SHARE : Math.round(shares * LOTS_PER_SHARE);
  return Math.max(1, lots);
}

/** The size of an order that is to rest at a price, in lots. */
export function drawAddLots(pips: number, random: HouseRandom): number {
  const { roundSizes, addSharesMedian, addSharesSigma } = recorded;
  const draw = random.fraction();
  const round = roundSizes.find(([share]) => draw <= share);
  if (round !== undefined) return round[1] * LOTS_PER_SHARE;
  return lotsOf(addSharesMedian, addSharesSigma, pips, random);
}

/** The size of an order that takes at a price, in lots. */
export function drawTakeLots(pips: number, random: HouseRandom): number {
  return lotsOf(recorded.takeSharesMedian, recorded.takeSharesSigma, pips, random);
}

/** How active a market is: 1 on average over the recorded markets, one of which is drawn. */
export function drawActivity(random: HouseRandom): number {
  const { ordersPerSecond } = recorded;
  const mean = ordersPerSecond.reduce((sum, rate) => sum + rate, 0) / ordersPerSecond.length;
  return ordersPerSecond[random.below(ordersPerSecond.length)] / mean;
}
