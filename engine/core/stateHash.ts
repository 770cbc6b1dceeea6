// The state hash: money, orders, markets and due items, in one fixed order, so that two runs of the same log can be
// compared. Left out: sequence and time, free slots, grids and capacities, which say nothing about the exchange.
import { StateHasher } from '../protocol/stateHasher.ts';
import type { DueHeap } from './dueHeap.ts';
import type { Ladder } from './ladder.ts';
import { NONE } from './orderPool.ts';
import type { CoreState } from './state.ts';

function hashOrder(hasher: StateHasher, state: CoreState, slot: number): void {
  const { pool, ledger, accounts } = state;
  hasher.number(pool.numberOf(slot));
  hasher.u32(pool.lotsOf(slot));
  hasher.u32(pool.termsOf(slot));
  hasher.u32(ledger.accountOf(pool.positionOf(slot)));
  hasher.text(accounts.keyText(pool.keyOf(slot)));
  for (const word of pool.idWords(slot)) hasher.u32(word);
}

function hashLadder(hasher: StateHasher, state: CoreState, ladder: Ladder): void {
  const { pool } = state;
  for (let level = 1; level < ladder.levelCount; level += 1) {
    for (let slot = ladder.firstOf(level); slot !== NONE; slot = pool.nextOf(slot)) {
      hashOrder(hasher, state, slot);
    }
  }
}

function hashMarkets(hasher: StateHasher, state: CoreState): void {
  hasher.u32(state.markets.length);
  for (const market of state.markets) {
    for (const value of Object.values(market.terms())) hasher.number(value);
    hasher.number(market.vaultMicro);
    hasher.number(market.tradeCount);
    hasher.number(market.resolution);
    hasher.number(market.unredeemedFirstMicro);
    hasher.number(market.unredeemedSecondMicro);
    hashLadder(hasher, state, market.ladder);
  }
}

function hashMoney(hasher: StateHasher, state: CoreState): void {
  const { accounts, ledger } = state;
  hasher.u32(accounts.accountCount);
  for (let account = 0; account < accounts.accountCount; account += 1) {
    hasher.text(accounts.walletText(account));
    hasher.u32(accounts.owners[account]);
    hasher.number(ledger.collateral[account]);
  }
  hasher.u32(accounts.ownerCount);
  for (let owner = 0; owner < accounts.ownerCount; owner += 1) {
    hasher.text(accounts.ownerText(owner));
    hasher.u32(accounts.flagsOf(owner) | (accounts.isCredited(owner) ? 256 : 0));
  }
  // Positions in the order of their creation, which is part of the history; empty ones are skipped.
  for (let position = 0; position < ledger.positionCount; position += 1) {
    const first = ledger.sharesMicro(position, 0);
    const second = ledger.sharesMicro(position, 1);
    if (first === 0 && second === 0) continue;
    hasher.u32(ledger.accountOf(position));
    hasher.u32(ledger.marketOf(position));
    hasher.number(first);
    hasher.number(second);
  }
}

function hashHeap(hasher: StateHasher, heap: DueHeap): void {
  const entries = [...heap.entries()].sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
  hasher.u32(entries.length);
  for (const [dueMs, first, second] of entries) {
    hasher.number(dueMs);
    hasher.number(first);
    hasher.number(second);
  }
}

function hashDue(hasher: StateHasher, state: CoreState): void {
  // A map iterates in insertion order: here, by order number.
  for (const [slot, order] of state.delayed) {
    hashOrder(hasher, state, slot);
    for (const value of Object.values(order)) hasher.number(value);
  }
  hashHeap(hasher, state.expiries);
  hashHeap(hasher, state.releases);
  hashHeap(hasher, state.statuses);
  for (const session of state.heartbeats.sessions) {
    hasher.text(state.accounts.keyText(session.key));
    hasher.text(session.expected);
    hasher.number(session.isActive ? session.deadlineMs : 0);
    hasher.number(session.isActive ? session.beat : 0);
  }
}

/** Hash of everything but the remembered ids: 16 hex digits. */
export function hashCore(state: CoreState): string {
  const hasher = new StateHasher();
  hashMoney(hasher, state);
  hashMarkets(hasher, state);
  hashDue(hasher, state);
  for (const value of [
    state.mode,
    state.lastOrderNumber,
    state.depositsMicro,
    state.withdrawalsMicro,
    state.dustMicro,
    state.rulesVersion,
    state.orderWindowMs,
    state.heartbeatWindowMs,
    state.minedDelayMs,
    state.confirmedDelayMs,
    state.creditMicro,
  ]) {
    hasher.number(value);
  }
  return hasher.digest();
}

/** Hash of the remembered order ids and of the time before which ids were forgotten. */
export function hashIds(state: CoreState): string {
  const hasher = new StateHasher();
  for (const part of state.ids.hashParts()) hasher.number(part);
  return hasher.digest();
}
