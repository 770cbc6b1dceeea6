// The house's estimate of what a market's first token is worth: a bounded, mean-reverting random walk in log odds around
// the market's first price. One object a market, moved at each update of its quotes. It knows nothing about books or
// accounts.
import { PIPS_PER_UNIT } from '../../../engine/index.ts';
import { choices, recorded } from './model.ts';
import type { HouseRandom } from './random.ts';

/** The tick of the recorded markets, in pips. */
const RECORDED_TICK_PIPS = 100;

/** The move of one update, and the pull back that keeps the long-run spread at its target. */
const STEP = recorded.logOddsStep * Math.sqrt(choices.ordersOfUpdate / recorded.ordersOfStep);
const PULL = STEP ** 2 / (2 * choices.logOddsSpread ** 2);

const logOdds = (pips: number): number => Math.log(pips / (PIPS_PER_UNIT - pips));

export const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);

export class FairPrice {
  private readonly anchor: number;
  private offset: number;

  /**
   * @param anchorPips the price that it reverts to
   * @param nowPips the price that it starts from, within the bound
   */
  constructor(anchorPips: number, nowPips: number) {
    this.anchor = logOdds(clamp(anchorPips, 1, PIPS_PER_UNIT - 1));
    const now = logOdds(clamp(nowPips, 1, PIPS_PER_UNIT - 1));
    this.offset = clamp(now - this.anchor, -choices.logOddsMax, choices.logOddsMax);
  }

  /** The step of one update of the market's quotes. */
  move(random: HouseRandom): void {
    const moved = this.offset * (1 - PULL) + STEP * random.normal();
    this.offset = clamp(moved, -choices.logOddsMax, choices.logOddsMax);
  }

  /** In fractional pips, from one tick to one unit less a tick. */
  pips(tickPips: number): number {
    const price = PIPS_PER_UNIT / (1 + Math.exp(-(this.anchor + this.offset)));
    return clamp(price, tickPips, PIPS_PER_UNIT - tickPips);
  }
}

/**
 * The equivalent of a recorded tick at a price, in pips: one tick if that is 0.01; on finer grids less than 0.01 but more
 * than their tick; and less towards both ends, where prices move less.
 */
export function unitPipsAt(pips: number, tickPips: number): number {
  const evenness = (4 * pips * (PIPS_PER_UNIT - pips)) / PIPS_PER_UNIT ** 2;
  return Math.max(tickPips, Math.sqrt(tickPips * RECORDED_TICK_PIPS * evenness));
}
