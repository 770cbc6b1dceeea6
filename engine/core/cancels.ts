// Cancels: one order, a list of ids, an owner's orders of one market or of all, and the sweeps when a market closes, an owner
// is banned or an API key falls silent. Called by exchange.ts, entry, coverage and lifecycle. A sweep's events are in the order
// of order numbers.

import { readHex } from '../protocol/bytes.ts';
import { COMMAND_HEADER_BYTES, commandLayouts, KIND_BYTES } from '../protocol/layout.ts';
import type { Message } from '../protocol/message.ts';
import { CancelReason, CancelRefusal, ExchangeMode, Side } from '../protocol/terms.ts';
import type { Market } from './market.ts';
import * as orderBook from './orderBook.ts';
import { NONE } from './orderPool.ts';
import type { CoreState } from './state.ts';

// File-local constants, see engine/compiler.ts.
const { marketOfSlot, removeOrder } = orderBook;

const OWNER_AT = commandLayouts.CancelOrders.offsets.owner;
const ITEMS_AT = COMMAND_HEADER_BYTES + commandLayouts.CancelOrders.headBytes;
const REQUESTED = CancelReason.REQUESTED;
const NORMAL = ExchangeMode.NORMAL;
const ALL = commandLayouts.CancelAll.offsets;
const MARKET = commandLayouts.CancelMarket.offsets;
const ID_BYTES = KIND_BYTES.bytes32;

/** Cancels any live order, resting or delayed. */
export const cancelOrder = (state: CoreState, slot: number, reason: number): void => {
  state.out.orderCanceled(state.pool.numberOf(slot), reason, state.pool.lotsOf(slot));
  removeOrder(state, slot);
};

/** Cancels the orders in these slots, in the order of their numbers. */
const cancelSlots = (state: CoreState, slots: number[], reason: number): void => {
  const { pool } = state;
  slots.sort((a, b) => pool.numberOf(a) - pool.numberOf(b));
  for (const slot of slots) cancelOrder(state, slot, reason);
};

/** Visits every live order of an owner, over all its accounts. */
const slotsOfOwner = (state: CoreState, owner: number, visit: (slot: number) => void): void => {
  const { accounts } = state;
  for (let a = accounts.firstAccountOf(owner); a !== NONE; a = accounts.nextAccountOf(a))
    slotsOfAccount(state, a, visit);
};

const slotsOfAccount = (state: CoreState, account: number, visit: (slot: number) => void): void => {
  const { ledger, pool } = state;
  for (let p = ledger.firstPositionOf(account); p !== NONE; p = ledger.nextPositionOf(p)) {
    for (let slot = ledger.firstOwn(p); slot !== NONE; slot = pool.ownNext(slot)) visit(slot);
  }
};

/** Whether the exchange's mode refuses cancels; if so, writes the rejection. */
const refusesCancels = (state: CoreState): boolean => {
  if (state.mode === NORMAL) return false;
  if (state.mode === ExchangeMode.DISABLED) state.out.rejected('EXCHANGE_DISABLED');
  else if (state.mode === ExchangeMode.RESTARTING) state.out.rejected('EXCHANGE_RESTARTING');
  else return false;
  return true;
};

/** CancelOrders: each id in turn; repeated ids are skipped. */
export const cancelOrders = (state: CoreState, message: Message, offset: number): void => {
  if (refusesCancels(state)) return;
  const count = message.words[offset >> 2] >>> 16;
  const ownerAt = offset + OWNER_AT;
  const first = offset + ITEMS_AT;
  if (count === 1) {
    cancelById(state, message, first, ownerAt);
    return;
  }
  const seen = new Set<string>();
  for (let at = first; at < first + count * ID_BYTES; at += ID_BYTES) {
    const id = readHex(message.bytes, at, ID_BYTES);
    if (seen.has(id)) continue;
    seen.add(id);
    cancelById(state, message, at, ownerAt);
  }
};

/** Cancels the order with the id at `at` for the owner with the address at `ownerAt`, or writes why not. */
const cancelById = (state: CoreState, message: Message, at: number, ownerAt: number): void => {
  const { pool } = state;
  const slot = pool.find(message, at);
  // Prefetch: its position is in the cache by the time its owner has been compared.
  if (slot >= 0) state.prefetched = state.ledger.marketOf(pool.positionOf(slot));
  const isOwn = slot >= 0 && state.accounts.isOwner(pool.ownerOf(slot), message, ownerAt);
  if (isOwn && !pool.isDelayed(slot)) {
    cancelOrder(state, slot, REQUESTED);
    return;
  }
  state.out.cancelRefused(message.words, at >> 2, isOwn ? CancelRefusal.DELAYED : CancelRefusal.NOT_FOUND);
};

/** CancelAll: cancels every resting order of the owner. */
export const cancelAll = (state: CoreState, message: Message, offset: number): void => {
  if (refusesCancels(state)) return;
  const owner = state.accounts.ownerAt(message, offset + ALL.owner);
  const slots: number[] = [];
  if (owner !== NONE) {
    slotsOfOwner(state, owner, (slot) => {
      if (!state.pool.isDelayed(slot)) slots.push(slot);
    });
  }
  cancelSlots(state, slots, CancelReason.REQUESTED);
};

/** CancelMarket: cancels the owner's resting orders in one market, of one token or both. */
export const cancelMarket = (state: CoreState, message: Message, offset: number): void => {
  const market = state.markets[message.view.getUint32(offset + MARKET.marketIndex, true)];
  if (market === undefined) {
    state.out.rejected('MARKET_UNKNOWN');
    return;
  }
  if (refusesCancels(state)) return;
  const owner = state.accounts.ownerAt(message, offset + MARKET.owner);
  const outcome = message.view.getUint8(offset + MARKET.outcome);
  const slots: number[] = [];
  if (owner !== NONE) {
    const { accounts, ledger, pool } = state;
    for (let a = accounts.firstAccountOf(owner); a !== NONE; a = accounts.nextAccountOf(a)) {
      const position = ledger.find(a, market.index);
      if (position === NONE) continue;
      for (let slot = ledger.firstOwn(position); slot !== NONE; slot = pool.ownNext(slot)) {
        const token = pool.outcomeOf(slot);
        if (!state.pool.isDelayed(slot) && (outcome === 2 || token === outcome)) slots.push(slot);
      }
    }
  }
  cancelSlots(state, slots, CancelReason.REQUESTED);
};

/** Cancels every order of a market, delayed ones too, when it closes or resolves. */
export const cancelEverythingIn = (state: CoreState, market: Market, reason: number): void => {
  const { ladder } = market;
  const { pool } = state;
  const slots: number[] = [];
  for (let level = 1; level < ladder.levelCount; level += 1) {
    for (let slot = ladder.firstOf(level); slot !== NONE; slot = pool.nextOf(slot)) slots.push(slot);
  }
  for (const slot of state.delayed.keys()) {
    if (marketOfSlot(state, slot) === market) slots.push(slot);
  }
  cancelSlots(state, slots, reason);
};

/** Cancels every order of an owner, delayed ones too, on a ban. */
export const cancelEverythingOf = (state: CoreState, owner: number, reason: number): void => {
  const slots: number[] = [];
  slotsOfOwner(state, owner, (slot) => slots.push(slot));
  cancelSlots(state, slots, reason);
};

/** Cancels every order of one account, delayed ones too, when its wallet moves to another owner. */
export const cancelEverythingOfAccount = (state: CoreState, account: number, reason: number): void => {
  const slots: number[] = [];
  slotsOfAccount(state, account, (slot) => slots.push(slot));
  cancelSlots(state, slots, reason);
};

/** Cancels the resting BUYs of an owner that may only close positions from now on. */
export const cancelRestingBuys = (state: CoreState, owner: number, reason: number): void => {
  const slots: number[] = [];
  slotsOfOwner(state, owner, (slot) => {
    const isSell = state.pool.sideOf(slot) === Side.SELL;
    if (!isSell && !state.pool.isDelayed(slot)) slots.push(slot);
  });
  cancelSlots(state, slots, reason);
};

/** Cancels the resting orders posted with an API key, over all accounts of its owner, when its heartbeat lapses. */
export const cancelRestingOfKey = (state: CoreState, owner: number, key: number, reason: number): void => {
  const slots: number[] = [];
  slotsOfOwner(state, owner, (slot) => {
    if (state.pool.keyOf(slot) === key && !state.pool.isDelayed(slot)) slots.push(slot);
  });
  cancelSlots(state, slots, reason);
};
