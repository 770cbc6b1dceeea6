// The bookkeeping of live orders (lists, reservations, heaps, ladder) when one is admitted, rests, waits or leaves.
// Entry, releases, matching and cancels all go through it: no way out of the book can forget a part.
import type { Message } from '../protocol/message.ts';
import { RulesVersion, Side } from '../protocol/terms.ts';
import type { Market } from './market.ts';
import type { OrderPool } from './orderPool.ts';
import * as prices from './prices.ts';
import type { CoreState, DelayedOrder, TakerOrder } from './state.ts';

// File-local constants, see engine/compiler.ts.
const { inToken } = prices;
const { BUY } = Side;
const LASTING_ONLY = RulesVersion.FIFTH;

/** BUY (0) of the first token (0) and SELL (1) of the second (1) are bids (0) on the ladder, the others asks (1). */
export const ladderSideOf = (side: number, outcome: number): number => {
  return side ^ outcome;
};

/** A live order's own limit in its own token, pips. */
export const ownPips = (pool: OrderPool, slot: number): number => {
  return inToken(pool.ladderPipsOf(slot), pool.outcomeOf(slot));
};

export const marketOfSlot = (state: CoreState, slot: number): Market => {
  return state.markets[state.ledger.marketOf(state.pool.positionOf(slot))];
};

/** Puts a taker's order, with its id and API key id from the message, into the pool, but not into a ladder yet. */
export const admitOrder = (
  state: CoreState,
  order: TakerOrder,
  message: Message,
  idOffset: number,
  keyOffset: number,
): void => {
  const { pool, accounts } = state;
  const key = accounts.keyOf(order.account, message, keyOffset);
  const { number, side, outcome, ladderPips, lots, position, owner } = order;
  pool.makeRoom();
  const slot = pool.allocate(number, side, outcome, ladderPips, lots, position, owner, key);
  pool.setId(slot, message, idOffset);
  state.ledger.linkOwn(pool, position, slot);
  order.slot = slot;
};

/** Rests an admitted order with `lots` left: adds it to the ladder, reserves its funds, and schedules its expiry, if any. */
export const restOrder = (
  state: CoreState,
  market: Market,
  order: TakerOrder,
  lots: number,
  endsAtMs: number,
): void => {
  const { pool, ledger } = state;
  const { slot } = order;
  const { ladder } = market;
  pool.setLots(slot, lots);
  if (!ladder.hasPrice(order.ladderPips)) ladder.regrid(commonGrid(ladder.gridPips, order.ladderPips));
  ladder.append(pool, slot, order.ladderSide);
  if (market.autoTick !== 0 && (endsAtMs > state.tMs || state.rulesVersion < LASTING_ONLY)) {
    state.touchedMarket = market.index;
  }
  if (order.isBuy) ledger.reserveLots(order.position, lots, order.limitPips);
  else ledger.reserveShareLots(order.position, order.outcome, lots);
  if (endsAtMs !== Infinity) state.expiries.push(endsAtMs, order.number, 0, slot);
};

/** Delays an admitted order: reserves its funds and schedules its release. */
export const delayOrder = (state: CoreState, order: TakerOrder, delayed: DelayedOrder): void => {
  const { pool, ledger } = state;
  pool.delay(order.slot);
  if (order.isBuy) ledger.reserveCollateral(order.position, delayed.reservedMicro);
  else ledger.reserveShares(order.position, order.outcome, delayed.reservedMicro);
  state.delayed.set(order.slot, delayed);
  state.releases.push(delayed.releaseAtMs, order.number, 0, order.slot);
};

/** Ends an order's delay and lifts its reservation. It stays in the pool and in its position's list. */
export const undelayOrder = (state: CoreState, slot: number): DelayedOrder => {
  const { pool, ledger } = state;
  const delayed = state.delayed.get(slot);
  if (delayed === undefined) throw new Error(`order ${pool.numberOf(slot)} is not delayed`);
  const position = pool.positionOf(slot);
  if (pool.sideOf(slot) === BUY) ledger.reserveCollateral(position, -delayed.reservedMicro);
  else ledger.reserveShares(position, pool.outcomeOf(slot), -delayed.reservedMicro);
  pool.endDelay(slot);
  state.delayed.delete(slot);
  state.releases.withdraw(slot);
  return delayed;
};

/** Removes a live order from all structures and lifts its reservation. */
export const removeOrder = (state: CoreState, slot: number): void => {
  const { pool, ledger } = state;
  const position = pool.positionOf(slot);
  if (pool.isDelayed(slot)) {
    undelayOrder(state, slot);
    forgetOrder(state, slot, position);
    return;
  }
  ledger.lift(position, pool.sideOf(slot), pool.outcomeOf(slot), pool.lotsOf(slot), ownPips(pool, slot));
  leaveBook(state, state.markets[ledger.marketOf(position)], slot, position);
};

/** Removes a resting order from all structures. It reserves nothing any more: it is filled, or its reservation was lifted. */
export const leaveBook = (state: CoreState, market: Market, slot: number, position: number): void => {
  const { pool, ledger } = state;
  const { ladder } = market;
  ledger.unlinkOwn(pool, position, slot);
  pool.forgetId(slot);
  ladder.remove(pool, slot);
  pool.release(slot);
  // Rare work comes last, see engine/compiler.ts. A released slot keeps its price and heap place until it is taken again.
  if (pool.heapPlace(slot) >= 0) state.expiries.withdraw(slot);
  if (ladder.gridPips !== market.tickPips) refitWithout(market, pool.ladderPipsOf(slot));
};

/** Removes an admitted order that neither rests nor waits. */
export const forgetOrder = (state: CoreState, slot: number, position: number): void => {
  const { pool } = state;
  state.ledger.unlinkOwn(pool, position, slot);
  pool.forgetId(slot);
  pool.release(slot);
};

/** Called when an order has left a price: if that was the last order at a price off the tick, the grid may become coarser. */
const refitWithout = (market: Market, pips: number): void => {
  const { ladder, tickPips } = market;
  if (pips % tickPips !== 0 && ladder.firstOf(ladder.levelOf(pips)) < 0) market.refitGrid();
};

const commonGrid = (first: number, second: number): number => {
  let a = first;
  let b = second;
  while (b !== 0) [a, b] = [b, a % b];
  return a;
};
