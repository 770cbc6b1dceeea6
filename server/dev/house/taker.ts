// What a taker does on a visit to a market: which side, how much, and the worst price it accepts, in the first token's
// terms. Called by house.ts for each visit. It decides and submits nothing.
import { PIPS_PER_UNIT } from '../../../engine/index.ts';
import { clamp } from './fairPrice.ts';
import type { MarketState } from './maker.ts';
import { choices, drawTakeLots } from './model.ts';
import type { HouseRandom } from './random.ts';

/** A taking order, in the first token's terms. */
export interface Take {
  readonly isBid: boolean;
  /** Worst price accepted. */
  readonly pips: number;
  readonly lots: number;
  readonly isFillOrKill: boolean;
}

/** How far a price is better for the taker than the fair price, in units; negative if it is worse. */
function edgeUnits(isBid: boolean, pips: number, { fairPips, unitPips }: MarketState): number {
  return (isBid ? fairPips - pips : pips - fairPips) / unitPips;
}

/**
 * Whether the taker buys. Fixed at the bounds of its position; else the better side if either beats the fair price; else by
 * chance, the likelier the shorter its position is.
 */
function wantsToBuy(netLots: number, edgeOfBuying: number, edgeOfSelling: number, random: HouseRandom): boolean {
  if (netLots >= choices.takerNetLotsMax) return false;
  if (netLots <= -choices.takerNetLotsMax) return true;
  if (edgeOfBuying > 0 || edgeOfSelling > 0) return edgeOfBuying > edgeOfSelling;
  return random.chance(0.5 - 0.4 * (netLots / choices.takerNetLotsMax));
}

/**
 * The order of one visit; undefined if nothing is offered at an acceptable price.
 * @param netLots the taker's holdings of the first token less those of the second
 */
export function planTake(state: MarketState, netLots: number, random: HouseRandom): Take | undefined {
  const { bids, asks, tickPips } = state;
  const bestBid = bids.pips.at(-1);
  const bestAsk = asks.pips.at(-1);
  const edgeOfBuying = bestAsk === undefined ? Number.NEGATIVE_INFINITY : edgeUnits(true, bestAsk, state);
  const edgeOfSelling = bestBid === undefined ? Number.NEGATIVE_INFINITY : edgeUnits(false, bestBid, state);
  const isBid = wantsToBuy(netLots, edgeOfBuying, edgeOfSelling, random);
  const best = isBid ? bestAsk : bestBid;
  if (best === undefined) return undefined;
  if ((isBid ? edgeOfBuying : edgeOfSelling) < -choices.takeUnitsMax) return undefined;
  const roomLots = choices.takerNetLotsMax - (isBid ? netLots : -netLots);
  const lots = Math.max(1, Math.min(drawTakeLots(best, random), roomLots));
  const bestLots = (isBid ? asks : bids).lots.at(-1) ?? 0;
  const isFillOrKill = lots <= bestLots && random.chance(choices.fillOrKillShare);
  // At or one tick beyond the best price; on the grid even if the best was quoted under another tick.
  const slackTicks = isFillOrKill ? 0 : random.below(2);
  const grid = isBid ? Math.ceil(best / tickPips) + slackTicks : Math.floor(best / tickPips) - slackTicks;
  const ticks = clamp(grid, 1, PIPS_PER_UNIT / tickPips - 1);
  return { isBid, pips: ticks * tickPips, lots, isFillOrKill };
}
