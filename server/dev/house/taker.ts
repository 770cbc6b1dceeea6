// What a taker does when it visits a market: which way, how much, and the worst price it accepts, in the first token's
// terms. Called by house.ts for each visit. It decides and submits nothing.
import { PIPS_PER_UNIT } from '../../../engine/index.ts';
import type { MarketLook } from './maker.ts';
import { choices, drawTakeLots } from './model.ts';
import type { HouseRandom } from './random.ts';

/** An order that is to take, in the first token's terms. */
export interface Take {
  readonly isBid: boolean;
  /** Worst price accepted. */
  readonly pips: number;
  readonly lots: number;
  readonly isFillOrKill: boolean;
}

/** How much a price lies on the taker's good side of the fair price, in units; negative when it must pay. */
function edgeUnits(isBid: boolean, pips: number, { fairPips, unitPips }: MarketLook): number {
  return (isBid ? fairPips - pips : pips - fairPips) / unitPips;
}

/** A chance, higher the more the taker is short and the cheaper buying is; certain at the bounds of its position. */
function wantsToBuy(netLots: number, edgeOfBuying: number, edgeOfSelling: number, random: HouseRandom): boolean {
  if (netLots >= choices.takerNetLotsMax) return false;
  if (netLots <= -choices.takerNetLotsMax) return true;
  if (edgeOfBuying > 0 || edgeOfSelling > 0) return edgeOfBuying > edgeOfSelling;
  return random.chance(0.5 - 0.4 * (netLots / choices.takerNetLotsMax));
}

/**
 * The order of one visit; undefined when there is nothing to take at a price worth it.
 * @param netLots what the taker holds of the first token, less what it holds of the second
 */
export function planTake(look: MarketLook, netLots: number, random: HouseRandom): Take | undefined {
  const { bids, asks, tickPips } = look;
  const bestBid = bids.pips.at(-1);
  const bestAsk = asks.pips.at(-1);
  const edgeOfBuying = bestAsk === undefined ? Number.NEGATIVE_INFINITY : edgeUnits(true, bestAsk, look);
  const edgeOfSelling = bestBid === undefined ? Number.NEGATIVE_INFINITY : edgeUnits(false, bestBid, look);
  const isBid = wantsToBuy(netLots, edgeOfBuying, edgeOfSelling, random);
  const best = isBid ? bestAsk : bestBid;
  if (best === undefined) return undefined;
  if ((isBid ? edgeOfBuying : edgeOfSelling) < -choices.takeUnitsMax) return undefined;
  const roomLots = choices.takerNetLotsMax - (isBid ? netLots : -netLots);
  const lots = Math.max(1, Math.min(drawTakeLots(best, random), roomLots));
  const bestLots = (isBid ? asks : bids).lots.at(-1) ?? 0;
  const isFillOrKill = lots <= bestLots && random.chance(choices.fillOrKillShare);
  // A little beyond the best price, on the grid even where the best was quoted under another tick.
  const slackTicks = isFillOrKill ? 0 : random.below(2);
  const grid = isBid ? Math.ceil(best / tickPips) + slackTicks : Math.floor(best / tickPips) - slackTicks;
  const ticks = Math.min(Math.max(grid, 1), PIPS_PER_UNIT / tickPips - 1);
  return { isBid, pips: ticks * tickPips, lots, isFillOrKill };
}
