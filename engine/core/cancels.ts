// Ways out of the book before a fill: one order, a list of ids, a market, all of an owner's, and the sweeps that closing a
// market, a ban or a silent API key cause. Called by exchange.ts and by lifecycle rules. Order of events: by order number.

import { bytesToHex } from '../protocol/bytes.ts';
import { COMMAND_HEADER_BYTES, commandLayouts, KIND_BYTES } from '../protocol/layout.ts';
import { CancelReason, CancelRefusal, ExchangeMode } from '../protocol/terms.ts';
import type { Market } from './market.ts';
import { marketOfSlot, removeOrder } from './orderBook.ts';
import { FLAG_DELAYED, FLAG_SECOND, FLAG_SELL, LOTS, NEXT, NONE, OWNER, PRICE, STRIDE } from './orderPool.ts';
import type { CoreState } from './state.ts';

const IDS = commandLayouts.CancelOrders;
const ALL = commandLayouts.CancelAll.offsets;
const MARKET = commandLayouts.CancelMarket.offsets;
const ID_BYTES = KIND_BYTES.bytes32;

/** Cancels one live order (resting or delayed), whatever it is. */
export function cancelOrder(state: CoreState, slot: number, reason: number): void {
  const number = state.pool.numberOf(slot);
  const lots = state.pool.records[slot * STRIDE + LOTS];
  removeOrder(state, slot);
  state.out.orderCanceled(number, reason, lots);
}

/** Cancels these slots in the order of their order numbers. */
function cancelSlots(state: CoreState, slots: number[], reason: number): void {
  const { pool } = state;
  slots.sort((a, b) => pool.numberOf(a) - pool.numberOf(b));
  for (const slot of slots) cancelOrder(state, slot, reason);
}

const isDelayed = (state: CoreState, slot: number): boolean =>
  (state.pool.records[slot * STRIDE + PRICE] & FLAG_DELAYED) !== 0;

/** Every live order of an owner, over all its accounts. */
function slotsOfOwner(state: CoreState, owner: number, visit: (slot: number) => void): void {
  const { accounts } = state;
  for (let a = accounts.firstAccountOf(owner); a !== NONE; a = accounts.nextAccountOf(a))
    slotsOfAccount(state, a, visit);
}

function slotsOfAccount(state: CoreState, account: number, visit: (slot: number) => void): void {
  const { ledger, pool } = state;
  for (let p = ledger.firstPositionOf(account); p !== NONE; p = ledger.nextPositionOf(p)) {
    for (let slot = ledger.firstOwn(p); slot !== NONE; slot = pool.ownNext(slot)) visit(slot);
  }
}

/** Whether the exchange's mode refuses cancels; writes the rejection. */
function refusesCancels(state: CoreState): boolean {
  if (state.mode === ExchangeMode.DISABLED) state.out.rejected('EXCHANGE_DISABLED');
  else if (state.mode === ExchangeMode.RESTARTING) state.out.rejected('EXCHANGE_RESTARTING');
  else return false;
  return true;
}

/** CancelOrders: each id in turn; an id that comes again is passed over. */
export function cancelOrders(state: CoreState, message: DataView, offset: number): void {
  if (refusesCancels(state)) return;
  const count = message.getUint16(offset + 2, true);
  const first = offset + COMMAND_HEADER_BYTES + IDS.headBytes;
  if (count === 1) {
    // Looked up before the owner: what memory has to bring comes while the owner's address is hashed.
    const slot = state.pool.find(message, first);
    cancelFound(state, message, first, slot, state.accounts.ownerAt(message, offset + IDS.offsets.owner));
    return;
  }
  const owner = state.accounts.ownerAt(message, offset + IDS.offsets.owner);
  const bytes = new Uint8Array(message.buffer, message.byteOffset, message.byteLength);
  const seen = new Set<string>();
  for (let at = first; at < first + count * ID_BYTES; at += ID_BYTES) {
    const id = bytesToHex(bytes, at, ID_BYTES);
    if (seen.has(id)) continue;
    seen.add(id);
    cancelFound(state, message, at, state.pool.find(message, at), owner);
  }
}

/** Cancels the order of a slot (NONE: there is none) for its owner, or says why not; its id is at `at`. */
function cancelFound(state: CoreState, message: DataView, at: number, slot: number, owner: number): void {
  const { pool } = state;
  const isOwn = slot !== NONE && pool.records[slot * STRIDE + OWNER] === owner;
  if (isOwn && !isDelayed(state, slot)) {
    cancelOrder(state, slot, CancelReason.REQUESTED);
    return;
  }
  const bytes = new Uint8Array(message.buffer, message.byteOffset, message.byteLength);
  state.out.write({
    type: 'CancelRefused',
    orderId: bytesToHex(bytes, at, ID_BYTES),
    reason: isOwn ? CancelRefusal.DELAYED : CancelRefusal.NOT_FOUND,
  });
}

/** CancelAll: every resting order of the owner. */
export function cancelAll(state: CoreState, message: DataView, offset: number): void {
  if (refusesCancels(state)) return;
  const owner = state.accounts.ownerAt(message, offset + ALL.owner);
  const slots: number[] = [];
  if (owner !== NONE) {
    slotsOfOwner(state, owner, (slot) => {
      if (!isDelayed(state, slot)) slots.push(slot);
    });
  }
  cancelSlots(state, slots, CancelReason.REQUESTED);
}

/** CancelMarket: the owner's resting orders of one market, of one token or both. */
export function cancelMarket(state: CoreState, message: DataView, offset: number): void {
  const market = state.markets[message.getUint32(offset + MARKET.marketIndex, true)];
  if (market === undefined) {
    state.out.rejected('MARKET_UNKNOWN');
    return;
  }
  if (refusesCancels(state)) return;
  const owner = state.accounts.ownerAt(message, offset + MARKET.owner);
  const outcome = message.getUint8(offset + MARKET.outcome);
  const slots: number[] = [];
  if (owner !== NONE) {
    const { accounts, ledger, pool } = state;
    for (let a = accounts.firstAccountOf(owner); a !== NONE; a = accounts.nextAccountOf(a)) {
      const position = ledger.find(a, market.index);
      if (position === NONE) continue;
      for (let slot = ledger.firstOwn(position); slot !== NONE; slot = pool.ownNext(slot)) {
        const token = (pool.records[slot * STRIDE + PRICE] & FLAG_SECOND) >>> 1;
        if (!isDelayed(state, slot) && (outcome === 2 || token === outcome)) slots.push(slot);
      }
    }
  }
  cancelSlots(state, slots, CancelReason.REQUESTED);
}

/** Every order of a market, delayed ones too: closing and resolving. */
export function cancelEverythingIn(state: CoreState, market: Market, reason: number): void {
  const { ladder } = market;
  const { pool } = state;
  const slots: number[] = [];
  for (let level = 1; level < ladder.levelCount; level += 1) {
    for (let slot = ladder.firstOf(level); slot !== NONE; slot = pool.records[slot * STRIDE + NEXT]) slots.push(slot);
  }
  for (const slot of state.delayed.keys()) {
    if (marketOfSlot(state, slot) === market) slots.push(slot);
  }
  cancelSlots(state, slots, reason);
}

/** Every order of an owner, delayed ones too: a ban. */
export function cancelEverythingOf(state: CoreState, owner: number, reason: number): void {
  const slots: number[] = [];
  slotsOfOwner(state, owner, (slot) => slots.push(slot));
  cancelSlots(state, slots, reason);
}

/** Every order of one account, delayed ones too: its wallet moves to another owner. */
export function cancelEverythingOfAccount(state: CoreState, account: number, reason: number): void {
  const slots: number[] = [];
  slotsOfAccount(state, account, (slot) => slots.push(slot));
  cancelSlots(state, slots, reason);
}

/** An owner's resting BUYs: it may only close positions from now on. */
export function cancelRestingBuys(state: CoreState, owner: number, reason: number): void {
  const slots: number[] = [];
  slotsOfOwner(state, owner, (slot) => {
    const isSell = (state.pool.records[slot * STRIDE + PRICE] & FLAG_SELL) !== 0;
    if (!isSell && !isDelayed(state, slot)) slots.push(slot);
  });
  cancelSlots(state, slots, reason);
}

/** The resting orders posted with an API key, wherever its owner trades: its heartbeat lapsed. */
export function cancelRestingOfKey(state: CoreState, owner: number, key: number, reason: number): void {
  const slots: number[] = [];
  slotsOfOwner(state, owner, (slot) => {
    if (state.pool.keyOf(slot) === key && !isDelayed(state, slot)) slots.push(slot);
  });
  cancelSlots(state, slots, reason);
}
