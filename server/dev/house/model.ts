// The parameters of the house's trading. Those in `recorded` were measured by bench/houseModel.ts on the flow of a real
// venue: flow_20260607.csv.gz of Polymarket-Tickscope (MIT), 179,050 orders on six markets in 1,200 s. The others are our
// own choices, with their reasons. Read by the other files of this folder; nothing here has state.
import { LOTS_PER_SHARE, PIPS_PER_UNIT } from '../../../engine/index.ts';
import type { HouseMode } from '../../config/settings.ts';
import type { HouseRandom } from './random.ts';

/** Points of a cumulative distribution: the share (of 1) of values that are at most `value`. Both rise. */
type Distribution = readonly (readonly [share: number, value: number])[];

export const recorded = {
  /** Orders per second in each of the six markets. */
  ordersPerSecond: [47.6, 47.5, 32, 17.9, 3.5, 1.2],
  /** Sizes of orders placed within 10 ticks of the best: log-normal, in shares. */
  addSharesMedian: 67.4,
  addSharesSigma: 1.47,
  /** The round sizes that recur among those orders, in shares. */
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
  /** Sizes of taking orders: log-normal, in shares. */
  takeSharesMedian: 25.8,
  takeSharesSigma: 2,
  /** Distance of orders from the mid, in ticks; the 22 % beyond 20 ticks are left out. */
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
  /** Spread between best bid and best ask, in ticks; the 16 % beyond 5 ticks are left out. */
  spreadTicks: [
    [0.29, 1],
    [0.542, 2],
    [0.664, 3],
    [0.74, 4],
    [0.84, 5],
  ] satisfies Distribution,
  /** Median number of price levels on a side within 10 ticks of its best. */
  levelsASide: 6,
  /** Standard deviation of the mid's move in 10 s, in log odds, and the number of orders in an average market in that time. */
  logOddsStep: 0.149,
  ordersOfStep: 250,
} as const;

/** How often the house acts. */
export interface Pace {
  /** Mean time between two updates of a market's quotes, for a market of average activity, and the longest time. */
  readonly updateMsMean: number;
  readonly updateMsMax: number;
  /** Longest time between two visits of a taker, for markets of average activity or less. */
  readonly takeMsMax: number;
  /** Step length: things that are due are done together, so that they share flushes. */
  readonly stepMs: number;
}

/**
 * The recorded markets are live matches with 25 orders a second each. A laptop that runs a catalog of 150 markets for days
 * wants about a hundredth of that, yet each market should still print trades: so takes are far more frequent among the
 * house's orders than among the recorded ones.
 */
export const paces: Readonly<Record<Exclude<HouseMode, 'none'>, Pace>> = {
  calm: { updateMsMean: 30_000, updateMsMax: 45_000, takeMsMax: 45_000, stepMs: 100 },
  busy: { updateMsMean: 3_000, updateMsMax: 4_500, takeMsMax: 4_500, stepMs: 20 },
};

export const choices = {
  makerCount: 6,
  takerCount: 4,
  makersOfMarket: 2,
  /** The first account of the development mnemonic that belongs to the house. */
  firstWalletIndex: 1_000,
  /** The deposit of an account, and the balance below which it is topped up: about half a year of calm trading apart. */
  depositMicro: 1_000_000_000_000,
  balanceMicroMin: 200_000_000_000,
  /** Full sets that a maker holds in each of its markets, in lots; above setLotsMax they are merged down to setLots. */
  setLots: 50_000,
  setLotsMax: 150_000,
  /**
   * Net position in a market (first token less second), in lots: the first is where quotes are skewed fully, the second
   * where a maker stops adding to it.
   */
  skewLots: 500_000,
  makerNetLotsMax: 2_000_000,
  skewUnits: 5,
  takerNetLotsMax: 200_000,
  /** Orders on each side at entry into a market, and the most in an update. */
  quotesOfUpdate: 2,
  /** Most shares of one order, and the largest factor by which orders grow at the ends of the price scale. */
  orderSharesMax: 5_000,
  cheapFactorMax: 10,
  /** A quote farther than this from the fair price is cancelled. */
  quoteUnitsMax: 30,
  /** A taker pays at most this much more than the fair price. */
  takeUnitsMax: 8,
  fillOrKillShare: 0.3,
  /** The chance that an update redraws the market's spread. */
  spreadChangeChance: 0.2,
  /**
   * Orders of an average update, including its share of takes: it moves the fair price as far as this many orders move the
   * recorded mid.
   */
  ordersOfUpdate: 5,
  /** Long-run standard deviation of the fair price around the market's first price, in log odds, and its bound. */
  logOddsSpread: 0.2,
  logOddsMax: 0.6,
  /** First quotes come within this time of the start, first takes in this window after it. */
  firstQuoteMsMax: 2_000,
  firstTakeMs: [4_000, 38_000],
  /** Time after which a taker that found nothing tries again. */
  retryTakeMs: 4_000,
  /** Longest time that a book lacks a side. */
  oneSidedMsMax: 3_000,
  /** Waits after refusals: the first one, doubled each time up to the last one. */
  backoffMs: 2_000,
  backoffMsMax: 60_000,
  /** How often closed markets and the accounts' balances are checked. */
  restMs: 30_000,
  /** Most markets served in one step, so that none takes long after a pause. */
  marketsOfStepMax: 30,
} as const;

/** A value drawn from the part of a distribution that its points cover, with linear interpolation. */
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

/** The factor by which orders grow where a share of either token is cheap; both ends of the scale are treated alike. */
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

/** The size of an order to rest at a price, in lots. */
export function drawAddLots(pips: number, random: HouseRandom): number {
  const { roundSizes, addSharesMedian, addSharesSigma } = recorded;
  const draw = random.fraction();
  const round = roundSizes.find(([share]) => draw <= share);
  if (round !== undefined) return round[1] * LOTS_PER_SHARE;
  return lotsOf(addSharesMedian, addSharesSigma, pips, random);
}

/** The size of a taking order at a price, in lots. */
export function drawTakeLots(pips: number, random: HouseRandom): number {
  return lotsOf(recorded.takeSharesMedian, recorded.takeSharesSigma, pips, random);
}

/** The activity of a market, drawn from the recorded markets, whose average is 1. */
export function drawActivity(random: HouseRandom): number {
  const { ordersPerSecond } = recorded;
  const mean = ordersPerSecond.reduce((sum, rate) => sum + rate, 0) / ordersPerSecond.length;
  return ordersPerSecond[random.below(ordersPerSecond.length)] / mean;
}
