// The dry run: the one walk over the book that computes what an order would do (fills, cost, fee, own orders met) and changes
// nothing. Entry uses it for funds, FOK feasibility and "crosses", releases do so again. Matching then executes what it found.
import { limits } from '../protocol/limits.ts';
import { RulesVersion, Side } from '../protocol/terms.ts';
import * as amounts from './amounts.ts';
import * as fees from './fees.ts';
import * as ladders from './ladder.ts';
import type { Market } from './market.ts';
import * as orderBook from './orderBook.ts';
import * as prices from './prices.ts';
import type { CoreState, DryRun, TakerOrder } from './state.ts';

// File-local constants, see engine/compiler.ts.
const { costMicro, sharesMicroOf } = amounts;
const { feeMicro } = fees;
const { ownPips } = orderBook;
const { floorDivide, inToken } = prices;
const { ASK, BID } = ladders;
const { BUY } = Side;
const LOTS_MAX: number = limits.orderLotsMax;
const FIRST_RULES = RulesVersion.FIRST;

/** Whether a ladder price is within a taker's limit. */
export const isWithin = (order: TakerOrder, pips: number): boolean => {
  return order.ladderSide === BID ? pips <= order.ladderPips : pips >= order.ladderPips;
};

/** Whether the order would cross anything, its owner's own orders included. */
export const crossesAnything = (market: Market, order: TakerOrder): boolean => {
  const { ladder } = market;
  // On an empty side the best ask is 10,000 pips and the best bid 0: no limit reaches them.
  if (order.ladderSide === BID) return order.ladderPips >= ladder.bestPips(ASK);
  return order.ladderPips <= ladder.bestPips(BID);
};

/** An empty result, for an order that crosses nothing. */
export const noDryRun = (dry: DryRun, order: TakerOrder): void => {
  dry.foundLots = 0;
  dry.costMicro = 0;
  dry.feeMicro = 0;
  dry.budgetLeftMicro = order.budgetMicro;
  dry.releasedCollateralMicro = 0;
  dry.ownCount = 0;
};

const rememberOwn = (dry: DryRun, at: number, slot: number): void => {
  if (at === dry.ownSlots.length) {
    const larger = new Int32Array(at * 2);
    larger.set(dry.ownSlots);
    dry.ownSlots = larger;
  }
  dry.ownSlots[at] = slot;
};

/**
 * Adds up the collateral that a BUY's position gets back when the own orders in the way are cancelled. A SELL gets nothing back
 * that it could use: own orders that sell the same token rest on its own side.
 */
const countReleases = (state: CoreState, order: TakerOrder): void => {
  const { dry, pool } = state;
  for (let i = 0; i < dry.ownCount; i += 1) {
    const slot = dry.ownSlots[i];
    if (pool.positionOf(slot) !== order.position) continue;
    if (pool.sideOf(slot) === BUY) dry.releasedCollateralMicro += costMicro(pool.lotsOf(slot), ownPips(pool, slot));
  }
};

/** The lots that the rest of a budget buys at a price, within the size that an order may have (not under the first rules). */
const payableLots = (state: CoreState, budgetMicro: number, pricePips: number): number => {
  const lots = floorDivide(budgetMicro, pricePips);
  if (state.rulesVersion === FIRST_RULES) return lots;
  return Math.min(lots, LOTS_MAX - state.dry.foundLots);
};

/**
 * Walks the book from the best level to the order's limit in price-time order, skipping own orders, and leaves in `state.dry`
 * what the order would take, pay and cancel. GTC, GTD and every SELL ask for lots; a FOK or FAK BUY spends its budget, on at
 * most as many lots as an order may have.
 */
export const simulate = (state: CoreState, market: Market, order: TakerOrder): void => {
  const { dry, pool, ledger } = state;
  const { ladder } = market;
  noDryRun(dry, order);
  const isBudget = order.budgetMicro > 0;
  let wanted = order.lots;
  let budget = order.budgetMicro;
  let met = 0;
  let touched = 0;
  let isDone = false;
  const side = 1 - order.ladderSide;
  let level = side === BID ? ladder.bestBid : ladder.bestAsk;
  // Beyond the last level lie 0 and 10,000 pips, which no limit reaches.
  while (!isDone && isWithin(order, ladder.pipsOf(level))) {
    const pips = ladder.pipsOf(level);
    const price = inToken(pips, order.outcome);
    if (isBudget) wanted = payableLots(state, budget, price);
    let levelLots = 0;
    for (let slot = ladder.firstOf(level); slot >= 0; slot = pool.nextOf(slot)) {
      if (wanted === 0) {
        isDone = true;
        break;
      }
      if (pool.ownerOf(slot) === order.owner) {
        rememberOwn(dry, met, slot);
        met += 1;
        continue;
      }
      // Prefetch: the maker's position and its index entry are in the cache when matching gets to it.
      touched ^= ledger.marketOf(pool.positionOf(slot)) ^ pool.peekOf(slot);
      const lots = Math.min(pool.lotsOf(slot), wanted);
      wanted -= lots;
      levelLots += lots;
      dry.ownCount = met;
    }
    if (levelLots > 0) {
      dry.foundLots += levelLots;
      const cost = costMicro(levelLots, price);
      dry.costMicro += cost;
      dry.feeMicro += feeMicro(levelLots, price, market.feeRate, market.feeExponent);
      budget -= cost;
    }
    level = ladder.nextWorse(side, level);
  }
  state.prefetched = touched;
  if (order.canRest && wanted > 0) dry.ownCount = met;
  dry.budgetLeftMicro = isBudget ? budget : 0;
  if (dry.ownCount > 0 && order.isBuy) countReleases(state, order);
};

/** Whether an order would fill completely: with a budget, if less than the price of one lot at its limit stays unspent. */
export const isWhole = (dry: DryRun, order: TakerOrder): boolean => {
  return order.budgetMicro > 0 ? dry.budgetLeftMicro < order.limitPips : dry.foundLots === order.lots;
};

/** The amount that the order needs to enter, micro: collateral for a BUY, shares of its token for a SELL. */
export const neededMicro = (dry: DryRun, order: TakerOrder): number => {
  if (order.isBuy) {
    const rests = order.canRest ? costMicro(order.lots - dry.foundLots, order.limitPips) : 0;
    return dry.costMicro + dry.feeMicro + rests;
  }
  return sharesMicroOf(order.canRest ? order.lots : dry.foundLots);
};
