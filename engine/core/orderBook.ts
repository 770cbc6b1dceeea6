// The bookkeeping of live orders: what it means that one rests, waits, or leaves (lists, reservations, heaps, ladder).
// Called by entry, matching, cancels, coverage and lifecycle, so that no way out of the book can forget a part.
import { PIPS_PER_UNIT } from '../protocol/units.ts';
import { ASK, BID } from './ladder.ts';
import type { Market } from './market.ts';
import {
  FLAG_DELAYED,
  FLAG_SECOND,
  FLAG_SELL,
  FLAG_WAS_DELAYED,
  KEY,
  LOTS,
  NONE,
  OWNER,
  POSITION,
  PRICE,
  pipsOfWord,
  priceWord,
  STRIDE,
} from './orderPool.ts';
import type { CoreState, DelayedOrder, TakerOrder } from './state.ts';

/** BUY of the first token and SELL of the second are bids on the ladder. */
export function ladderSideOf(isSell: boolean, isSecond: boolean): number {
  return isSell === isSecond ? BID : ASK;
}

/** Side on the ladder from an order's PRICE word. */
export function sideOfWord(word: number): number {
  return ladderSideOf((word & FLAG_SELL) !== 0, (word & FLAG_SECOND) !== 0);
}

/** An order's own limit in its own token (pips), from its PRICE word. */
export function ownPips(word: number): number {
  const pips = pipsOfWord(word);
  return (word & FLAG_SECOND) === 0 ? pips : PIPS_PER_UNIT - pips;
}

export function marketOfSlot(state: CoreState, slot: number): Market {
  return state.markets[state.ledger.marketOf(state.pool.records[slot * STRIDE + POSITION])];
}

/** Puts a taker's order into the pool (its id from the message) with its fixed fields, in no ladder yet. */
export function admitOrder(
  state: CoreState,
  order: TakerOrder,
  message: DataView,
  idOffset: number,
  key: number,
): void {
  const { pool } = state;
  const slot = pool.allocate(order.number);
  pool.setId(slot, message, idOffset);
  const { records } = pool;
  const base = slot * STRIDE;
  records[base + LOTS] = order.lots;
  records[base + POSITION] = order.position;
  records[base + OWNER] = order.owner;
  const flags = (order.isBuy ? 0 : FLAG_SELL) | (order.outcome === 0 ? 0 : FLAG_SECOND);
  records[base + PRICE] = priceWord(order.ladderPips, flags);
  records[base + KEY] = key;
  state.ledger.linkOwn(pool, order.position, slot);
  order.slot = slot;
}

/** Lets an admitted order rest with `lots` left: ladder, reservation, and its end when it has one. */
export function restOrder(state: CoreState, market: Market, order: TakerOrder, lots: number, endsAtMs: number): void {
  const { pool, ledger } = state;
  const { slot } = order;
  pool.records[slot * STRIDE + LOTS] = lots;
  const { ladder } = market;
  if (order.ladderPips % ladder.gridPips !== 0) ladder.regrid(commonGrid(ladder.gridPips, order.ladderPips));
  ladder.append(pool, slot, order.ladderSide);
  if (market.autoTick !== 0) state.touch(market);
  if (order.isBuy) ledger.reserveLots(order.position, lots, order.limitPips);
  else ledger.reserveShareLots(order.position, order.outcome, lots);
  if (endsAtMs !== Infinity) state.expiries.push(endsAtMs, order.number, 0, slot);
}

/** Lets an admitted order wait out the market's delay. */
export function delayOrder(state: CoreState, order: TakerOrder, delayed: DelayedOrder): void {
  const { pool, ledger } = state;
  pool.records[order.slot * STRIDE + PRICE] |= FLAG_DELAYED;
  if (order.isBuy) ledger.reserveCollateral(order.position, delayed.reservedMicro);
  else ledger.reserveShares(order.position, order.outcome, delayed.reservedMicro);
  state.delayed.set(order.slot, delayed);
  state.releases.push(delayed.releaseAtMs, order.number, 0, order.slot);
}

/** Ends an order's delay: its reservation is lifted; it stays in the pool and in its position's list. */
export function undelayOrder(state: CoreState, slot: number): DelayedOrder {
  const delayed = state.delayed.get(slot);
  if (delayed === undefined) throw new Error(`order ${state.pool.numberOf(slot)} is not delayed`);
  const { records } = state.pool;
  const base = slot * STRIDE;
  const word = records[base + PRICE];
  if ((word & FLAG_SELL) === 0) state.ledger.reserveCollateral(records[base + POSITION], -delayed.reservedMicro);
  else state.ledger.reserveShares(records[base + POSITION], (word & FLAG_SECOND) >>> 1, -delayed.reservedMicro);
  records[base + PRICE] = (word & ~FLAG_DELAYED) | FLAG_WAS_DELAYED;
  state.delayed.delete(slot);
  state.releases.withdraw(slot);
  return delayed;
}

/** Takes an order out of everything; what it still reserved is free again. */
export function removeOrder(state: CoreState, slot: number): void {
  const { pool, ledger } = state;
  const base = slot * STRIDE;
  const word = pool.records[base + PRICE];
  const position = pool.records[base + POSITION];
  if ((word & FLAG_DELAYED) !== 0) {
    undelayOrder(state, slot);
  } else {
    const lots = pool.records[base + LOTS];
    if ((word & FLAG_SELL) === 0) {
      ledger.reserveLots(position, -lots, ownPips(word));
    } else {
      ledger.reserveShareLots(position, (word & FLAG_SECOND) >>> 1, -lots);
    }
    leaveLadder(state, state.markets[ledger.marketOf(position)], slot);
  }
  forgetOrder(state, slot, position);
}

/** Takes a resting order that was filled to the last lot out of everything; its reservation is already used up. */
export function leaveFilled(state: CoreState, market: Market, slot: number, position: number): void {
  leaveLadder(state, market, slot);
  forgetOrder(state, slot, position);
}

/** Forgets an admitted order that neither rests nor waits. */
export function forgetOrder(state: CoreState, slot: number, position: number): void {
  state.ledger.unlinkOwn(state.pool, position, slot);
  state.pool.forgetId(slot);
  state.pool.release(slot);
}

function leaveLadder(state: CoreState, market: Market, slot: number): void {
  const { pool } = state;
  const { ladder } = market;
  const pips = pipsOfWord(pool.records[slot * STRIDE + PRICE]);
  ladder.remove(pool, slot);
  if (pool.heapPlace(slot) !== NONE) state.expiries.withdraw(slot);
  if (market.autoTick !== 0) state.touch(market);
  if (
    ladder.gridPips !== market.tickPips &&
    pips % market.tickPips !== 0 &&
    ladder.firstOf(ladder.levelOf(pips)) === NONE
  ) {
    market.refitGrid();
  }
}

function commonGrid(first: number, second: number): number {
  let a = first;
  let b = second;
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}
