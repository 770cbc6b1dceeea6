// The numbered invariants of the whole core: what must hold after every command, recomputed from the records themselves.
// Called by tests after every command, after a snapshot loads and by verify; never on the hot path.
import { MarketStatus, Resolution, Side } from '../protocol/terms.ts';
import { MICRO_PER_LOT } from '../protocol/units.ts';
import type { Market } from './market.ts';
import { ladderSideOf, ownPips } from './orderBook.ts';
import { NONE } from './orderPool.ts';
import type { CoreState } from './state.ts';

function fail(number: number, text: string): never {
  throw new Error(`core invariant ${number}: ${text}`);
}

/** 1: Σ collateral + Σ vaults + DUST = Σ deposits − Σ withdrawals; nothing is negative or inexact. */
function checkConservation(state: CoreState): void {
  let sum = BigInt(state.dustMicro);
  for (let account = 0; account < state.accounts.accountCount; account += 1) {
    const balance = state.ledger.collateral[account];
    if (!Number.isSafeInteger(balance) || balance < 0) fail(1, `account ${account} holds ${balance} micro`);
    sum += BigInt(balance);
  }
  for (const market of state.markets) {
    if (market.vaultMicro < 0) fail(1, `vault of market ${market.index} holds ${market.vaultMicro} micro`);
    sum += BigInt(market.vaultMicro);
  }
  const expected = BigInt(state.depositsMicro) - BigInt(state.withdrawalsMicro);
  if (sum !== expected) fail(1, `${sum} micro exist, ${expected} came in`);
}

/** 2: shares against the vault, by the market's stage. */
function checkShares(state: CoreState): void {
  const { ledger } = state;
  const totals = state.markets.map(() => [0n, 0n]);
  for (let position = 0; position < ledger.positionCount; position += 1) {
    const total = totals[ledger.marketOf(position)];
    for (const outcome of [0, 1]) {
      const shares = ledger.sharesMicro(position, outcome);
      if (!Number.isSafeInteger(shares) || shares < 0) fail(2, `position ${position} holds ${shares} micro-shares`);
      total[outcome] += BigInt(shares);
    }
  }
  for (const market of state.markets) checkVault(market, totals[market.index][0], totals[market.index][1]);
}

function checkVault(market: Market, first: bigint, second: bigint): void {
  const vault = BigInt(market.vaultMicro);
  const at = `market ${market.index}: ${first} and ${second} shares, vault ${vault}`;
  if (market.status !== MarketStatus.RESOLVED) {
    if (first !== vault || second !== vault) fail(2, at);
    return;
  }
  if (first !== BigInt(market.unredeemedFirstMicro) || second !== BigInt(market.unredeemedSecondMicro)) fail(2, at);
  if (market.resolution === Resolution.SPLIT) {
    if (2n * vault < first + second) fail(2, at);
    if (first + second === 0n && vault !== 0n) fail(2, at);
    return;
  }
  if ((market.resolution === Resolution.FIRST ? first : second) !== vault) fail(2, at);
}

/** 3: reservations match the live orders; 4: coverage; 5: the bound holds; 6: own lists are sorted by order number. */
function checkReservations(state: CoreState): void {
  const { ledger, pool } = state;
  let listed = 0;
  for (let position = 0; position < ledger.positionCount; position += 1) {
    const reserved = [0, 0, 0];
    let previous = 0;
    for (let slot = ledger.firstOwn(position); slot !== NONE; slot = pool.ownNext(slot)) {
      listed += 1;
      if (pool.numberOf(slot) <= previous) fail(6, `position ${position} lists order ${pool.numberOf(slot)} late`);
      previous = pool.numberOf(slot);
      countReservation(state, slot, reserved);
    }
    const account = ledger.accountOf(position);
    const collateral = ledger.reservedCollateralMicro(position);
    const at = `position ${position} of account ${account}`;
    for (const outcome of [0, 1]) {
      const shares = ledger.reservedSharesMicro(position, outcome);
      if (shares !== reserved[outcome]) fail(3, `${at} reserves ${shares} shares, orders say ${reserved[outcome]}`);
      if (shares > ledger.sharesMicro(position, outcome)) fail(4, `${at} reserves ${shares} shares, too many`);
    }
    if (collateral !== reserved[2]) fail(3, `${at} reserves ${collateral} micro, orders say ${reserved[2]}`);
    if (collateral > ledger.collateral[account]) fail(4, `${at} reserves ${collateral} micro, too much`);
    if (collateral > ledger.bound[account]) fail(5, `${at} reserves ${collateral}, bound ${ledger.bound[account]}`);
  }
  if (listed !== pool.liveCount) fail(6, `${listed} orders listed, ${pool.liveCount} live`);
}

function countReservation(state: CoreState, slot: number, reserved: number[]): void {
  const { pool } = state;
  const isSell = pool.sideOf(slot) === Side.SELL;
  const index = isSell ? pool.outcomeOf(slot) : 2;
  if (pool.isDelayed(slot)) {
    const delayed = state.delayed.get(slot);
    if (delayed === undefined) fail(3, `order ${pool.numberOf(slot)} is marked delayed and is not`);
    reserved[index] += delayed.reservedMicro;
    return;
  }
  const lots = pool.lotsOf(slot);
  if (lots < 1) fail(3, `order ${pool.numberOf(slot)} rests with ${lots} lots`);
  reserved[index] += isSell ? lots * MICRO_PER_LOT : lots * ownPips(pool, slot);
}

/** 7: ladders; 8: time priority in a level; 9: orders have their accounts' owners; 10: closed or resolved markets are empty. */
function checkLadders(state: CoreState): void {
  const { pool, ledger, accounts } = state;
  let resting = 0;
  for (const { index, ladder, status } of state.markets) {
    ladder.checkInvariants(pool, (slot) => ladderSideOf(pool.sideOf(slot), pool.outcomeOf(slot)));
    for (let level = 1; level < ladder.levelCount; level += 1) {
      let previous = 0;
      for (let slot = ladder.firstOf(level); slot !== NONE; slot = pool.nextOf(slot)) {
        resting += 1;
        const number = pool.numberOf(slot);
        const position = pool.positionOf(slot);
        if (ledger.marketOf(position) !== index) fail(7, `order ${number} rests in another market's ladder`);
        // An order that was delayed has the priority of its release, not of its number.
        if (!pool.wasDelayed(slot)) {
          if (number < previous) fail(8, `order ${number} rests behind ${previous}`);
          previous = number;
        }
        if (pool.ownerOf(slot) !== accounts.owners[ledger.accountOf(position)]) fail(9, `order ${number}`);
        if (status === MarketStatus.CLOSED || status === MarketStatus.RESOLVED)
          fail(10, `order ${number} in market ${index}`);
      }
    }
  }
  if (resting + state.delayed.size !== pool.liveCount) {
    fail(7, `${resting} rest and ${state.delayed.size} wait, ${pool.liveCount} live`);
  }
}

/**
 * 11: due items. Each heap is in order, and holds exactly the live orders that have a place in one; delayed orders and sessions
 * are in theirs, under their time; the trades of statuses exist; the alarm goes off in time. When a resting order expires is
 * known to its heap alone, so that cannot be checked.
 */
function checkDue(state: CoreState): void {
  const { alarm, delayed, expiries, releases, heartbeats, statuses, pool, markets } = state;
  const heaps = { expiries, releases, heartbeats: heartbeats.due, statuses };
  for (const [name, heap] of Object.entries(heaps)) {
    const fault = heap.fault();
    if (fault !== undefined) fail(11, `${name}: ${fault}`);
    if (alarm.ms > heap.nextMs) fail(11, `${name} are due at ${heap.nextMs}, the alarm goes off at ${alarm.ms}`);
  }
  for (const [dueMs, , , slot] of releases.entries()) {
    const { releaseAtMs } = delayed.get(slot) ?? {};
    if (releaseAtMs !== dueMs) fail(11, `order ${pool.numberOf(slot)} is released at ${releaseAtMs}, not ${dueMs}`);
  }
  if (releases.size !== delayed.size) fail(11, `${releases.size} orders are released, ${delayed.size} wait`);
  const scheduled = countScheduled(state);
  const listed = expiries.size + releases.size;
  if (scheduled !== listed) fail(11, `${scheduled} orders have a due time, ${listed} are listed`);
  checkSessions(heartbeats);
  for (const [, , trade, item] of statuses.entries()) {
    if (!(trade <= markets[item >> 1]?.tradeCount)) fail(11, `the status of trade ${trade} is due, which never was`);
  }
}

/** How many live orders have a place in a heap. */
function countScheduled({ ledger, pool }: CoreState): number {
  let count = 0;
  for (let position = 0; position < ledger.positionCount; position += 1) {
    for (let slot = ledger.firstOwn(position); slot !== NONE; slot = pool.ownNext(slot)) {
      if (pool.heapPlace(slot) >= 0) count += 1;
    }
  }
  return count;
}

function checkSessions({ sessions, due }: CoreState['heartbeats']): void {
  for (const [dueMs, , , session] of due.entries()) {
    const { isActive, deadlineMs } = sessions[session];
    if (!isActive || deadlineMs !== dueMs) fail(11, `session ${session} ends at ${deadlineMs}, not ${dueMs}`);
  }
  const active = sessions.filter(({ isActive }) => isActive).length;
  if (active !== due.size) fail(11, `${active} sessions are active, ${due.size} end`);
}

/** Checks all invariants; throws an Error that names the first broken one. */
export function checkCore(state: CoreState): void {
  checkConservation(state);
  checkShares(state);
  checkReservations(state);
  checkLadders(state);
  checkDue(state);
  state.pool.checkIndex();
}
