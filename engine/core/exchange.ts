// The deterministic exchange: apply(time, command) → events. The table below has one function per command; around each, this
// file first settles what is due, then runs the command, coverage and auto tick, and settles what became due. It reads no
// clock, no random source, no file: the same commands give the same events and the same state, on every machine and in every
// replay.
import type { EventWriter } from '../protocol/eventWriter.ts';
import { commandLayouts } from '../protocol/layout.ts';
import { Message } from '../protocol/message.ts';
import type { Sections } from '../protocol/sections.ts';
import { CancelReason, TradeStatus } from '../protocol/terms.ts';
import * as cancels from './cancels.ts';
import { creditOwner, deposit, faucetShares, merge, redeem, split, withdraw } from './cash.ts';
import { coverAccounts } from './coverage.ts';
import * as entry from './entry.ts';
import { checkCore } from './invariants.ts';
import {
  bindWallet,
  createMarket,
  heartbeat,
  lapseHeartbeat,
  resolveMarket,
  setFlags,
  setMode,
  tickAutomatically,
  updateMarket,
} from './lifecycle.ts';
import { lookAhead } from './lookAhead.ts';
import * as matching from './matching.ts';
import { NONE } from './orderPool.ts';
import { releaseOrder } from './releases.ts';
import { visitCore } from './snapshot.ts';
import { AHEAD_MAX, CoreState } from './state.ts';
import { hashCore, hashIds } from './stateHash.ts';

// File-local constants, see engine/compiler.ts.
const { cancelAll, cancelMarket, cancelOrder, cancelOrders } = cancels;
const { placeOrder } = entry;
const { queueFresh, STEP_CONFIRMED, STEP_MINED, settleFresh, statusItem } = matching;

type CommandFunction = (state: CoreState, message: Message, offset: number) => void;

const STARTED = commandLayouts.Started;
const KEY = commandLayouts.CreateApiKey;
const CREDIT = commandLayouts.CreditOwner;
const STARTED_TYPE = STARTED.type;
const PLACE_TYPE = commandLayouts.PlaceOrder.type;
const CANCEL_TYPE = commandLayouts.CancelOrders.type;

/** Commands by type byte, except PlaceOrder and CancelOrders, see applyNow. The registry alone handles the others. */
const commands: (CommandFunction | undefined)[] = [];
commands[commandLayouts.CancelAll.type] = cancelAll;
commands[commandLayouts.CancelMarket.type] = cancelMarket;
commands[commandLayouts.Heartbeat.type] = heartbeat;
commands[commandLayouts.CreateMarket.type] = createMarket;
commands[commandLayouts.UpdateMarket.type] = updateMarket;
commands[commandLayouts.ResolveMarket.type] = resolveMarket;
commands[commandLayouts.Deposit.type] = deposit;
commands[commandLayouts.Withdraw.type] = withdraw;
commands[commandLayouts.FaucetShares.type] = faucetShares;
commands[commandLayouts.Split.type] = split;
commands[commandLayouts.Merge.type] = merge;
commands[commandLayouts.Redeem.type] = redeem;
commands[commandLayouts.SetExchangeMode.type] = setMode;
commands[commandLayouts.SetAccountFlags.type] = setFlags;
commands[commandLayouts.BindWallet.type] = bindWallet;
commands[KEY.type] = (state, message, offset) => {
  if (message.view.getUint8(offset + KEY.offsets.kind) !== 0) return;
  creditOwner(state, message, offset, KEY.headBytes, KEY.offsets.owner);
};
commands[CREDIT.type] = (state, message, offset) => {
  creditOwner(state, message, offset, CREDIT.headBytes, CREDIT.offsets.owner);
};

/** Started: takes over the settings; every heartbeat deadline starts anew. */
const start = (state: CoreState, message: Message, offset: number): void => {
  state.rulesVersion = message.view.getUint32(offset + STARTED.offsets.rulesVersion, true);
  state.orderWindowMs = message.view.getFloat64(offset + STARTED.offsets.orderWindowMs, true);
  state.heartbeatWindowMs = message.view.getFloat64(offset + STARTED.offsets.heartbeatWindowMs, true);
  state.minedDelayMs = message.view.getFloat64(offset + STARTED.offsets.minedDelayMs, true);
  state.confirmedDelayMs = message.view.getFloat64(offset + STARTED.offsets.confirmedDelayMs, true);
  state.creditMicro = message.view.getFloat64(offset + STARTED.offsets.creditMicro, true);
  state.heartbeats.postponeAll(state.tMs + state.heartbeatWindowMs, state.rulesVersion);
};

/** One price level of a market in the first token's terms. */
export interface BookLevel {
  readonly pips: number;
  readonly lots: number;
}

export class Exchange {
  private readonly state = new CoreState();
  /** The buffer of apply(), for commands that come one at a time. */
  private readonly message = new Message();

  /**
   * Applies one encoded command at time `tMs` (ms, never less than the last) and writes its events to `out`, between the
   * caller's out.begin() and out.finish(). A command that is refused writes its rejection as an event.
   */
  apply(tMs: number, command: Uint8Array, out: EventWriter): void {
    this.message.take(command);
    this.applyAt(tMs, this.message, 0, out);
  }

  /** The same for a command that starts at `offset`, a multiple of 8 bytes, of a larger message. */
  applyAt(tMs: number, message: Message, offset: number, out: EventWriter): void {
    this.state.tMs = tMs;
    this.state.out = out;
    this.applyNow(message, offset);
  }

  /** The same, at `state.tMs` and to `state.out`: a time passed as an argument would be boxed each time. */
  private applyNow(message: Message, offset: number): void {
    const { state } = this;
    const type = (message.words[offset >> 2] >> 8) & 0xff;
    if (type === STARTED_TYPE) start(state, message, offset);
    if (state.alarm.ms <= state.tMs) this.settleDue();
    // The two most frequent commands are called directly: a call through the table is neither predicted nor inlined.
    if (type === PLACE_TYPE) placeOrder(state, message, offset);
    else if (type === CANCEL_TYPE) cancelOrders(state, message, offset);
    else commands[type]?.(state, message, offset);
    if (state.suspectCount > 0) coverAccounts(state);
    if (state.touchedMarket !== NONE) tickAutomatically(state);
    if (state.alarm.ms <= state.tMs) this.settleDue();
    else if (state.freshTrades > 0) settleFresh(state);
  }

  /**
   * Applies the commands at offsets[first..end), each at its time in `times`, ms: as applyAt would one after another, but
   * faster, since they are known together. `out` then holds the frames of all of them, in their order. For benchmarks and
   * tests; a replay, which compares the events of each command, looks ahead itself and applies them one by one.
   */
  applyBatch(
    times: Float64Array,
    message: Message,
    offsets: Int32Array,
    first: number,
    end: number,
    out: EventWriter,
  ): void {
    const { state } = this;
    state.out = out;
    out.clear();
    for (let from = first; from < end; from += AHEAD_MAX) {
      const to = Math.min(from + AHEAD_MAX, end);
      this.lookAhead(message, offsets, from, to);
      for (let i = from; i < to; i += 1) {
        out.beginNext();
        state.tMs = times[i];
        this.applyNow(message, offsets[i]);
        out.finish();
      }
    }
  }

  /** Prefetches what the commands at offsets[from..to) will touch, at most AHEAD_MAX. They must be applied next, in order. */
  lookAhead(message: Message, offsets: Int32Array, from: number, to: number): void {
    lookAhead(this.state, message, offsets, from, to);
  }

  /** Discards what looking ahead found for the remaining commands. Called when one of them is not applied. */
  forgetAhead(): void {
    this.state.aheadCount = 0;
  }

  /** Keeps the places of order ids in memory secret, given a number that nobody can guess. Changes no event and no state. */
  hideIds(salt: number): void {
    this.state.pool.hide(salt);
  }

  /** When the next due item must be settled, ms; Infinity when nothing is due. */
  nextDueMs(): number {
    return this.state.nextDueMs();
  }

  /** When the next heartbeat lapses unless it is renewed, ms; Infinity when none can. */
  nextLapseMs(): number {
    return this.state.heartbeats.due.nextMs;
  }

  /** Hash of money, orders, markets and due items; not of sequence and time. 16 hex digits. */
  stateHash(): string {
    return hashCore(this.state);
  }

  /** Hash of the remembered order ids. */
  idSetHash(): string {
    return hashIds(this.state);
  }

  /** Throws an Error that names the first broken invariant with its figures. */
  checkInvariants(): void {
    checkCore(this.state);
  }

  /**
   * Saves or loads its part of a snapshot, between two commands; only an exchange that has applied nothing may load. Throws
   * SnapshotUnusable for an impossible state; then this exchange must be discarded.
   */
  visit(sections: Sections): void {
    visitCore(this.state, sections);
  }

  /** Collateral of an account, micro: for tests and checks, as are the accessors below. */
  collateralMicro(accountId: number): number {
    return this.state.ledger.collateral[accountId];
  }

  sharesMicro(accountId: number, marketIndex: number, outcome: number): number {
    const { ledger } = this.state;
    return ledger.sharesMicro(ledger.find(accountId, marketIndex), outcome);
  }

  /** The account of a wallet address in hex, −1 when it has none. */
  accountIdOf(wallet: string): number {
    const { accounts } = this.state;
    for (let account = 0; account < accounts.accountCount; account += 1) {
      if (accounts.walletText(account) === wallet) return account;
    }
    return NONE;
  }

  /** Levels of a market in the first token's terms, best first. */
  bookLevels(marketIndex: number): { readonly bids: BookLevel[]; readonly asks: BookLevel[] } {
    const { ladder } = this.state.markets[marketIndex];
    const bids: BookLevel[] = [];
    const asks: BookLevel[] = [];
    for (let level = 1; level < ladder.levelCount; level += 1) {
      const lots = this.lotsOf(ladder.firstOf(level));
      if (lots === 0) continue;
      if (level <= ladder.bestBid) bids.unshift({ pips: ladder.pipsOf(level), lots });
      else asks.push({ pips: ladder.pipsOf(level), lots });
    }
    return { bids, asks };
  }

  private lotsOf(first: number): number {
    const { pool } = this.state;
    let lots = 0;
    for (let slot = first; slot !== NONE; slot = pool.nextOf(slot)) lots += pool.lotsOf(slot);
    return lots;
  }

  /** Settles everything due at the command's time, by due time and then kind: expiry, release, heartbeat, trade status. */
  private settleDue(): void {
    const { state } = this;
    const { expiries, releases, heartbeats, statuses, tMs } = state;
    for (;;) {
      if (state.freshTrades > 0) queueFresh(state);
      const expiryMs = expiries.nextMs;
      const releaseMs = releases.nextMs;
      const heartbeatMs = heartbeats.due.nextMs;
      const statusMs = statuses.nextMs;
      const nextMs = Math.min(expiryMs, releaseMs, heartbeatMs, statusMs);
      if (nextMs > tMs) {
        state.alarm.ms = nextMs;
        return;
      }
      if (expiryMs <= releaseMs && expiryMs <= heartbeatMs && expiryMs <= statusMs) {
        cancelOrder(state, expiries.topItem(), CancelReason.EXPIRED);
      } else if (releaseMs <= heartbeatMs && releaseMs <= statusMs) {
        releaseOrder(state, releases.topItem());
      } else if (heartbeatMs <= statusMs) {
        lapseHeartbeat(state);
      } else {
        this.stepTrade();
      }
      coverAccounts(state);
      tickAutomatically(state);
    }
  }

  /** Writes the status step that is due: MINED, then CONFIRMED after its own delay. */
  private stepTrade(): void {
    const { state } = this;
    const { statuses } = state;
    const dueMs = statuses.nextMs;
    const rank = statuses.topFirst();
    const trade = statuses.topSecond();
    const market = statuses.topItem() >> 1;
    const isMined = statuses.topItem() === statusItem(market, STEP_MINED);
    statuses.pop();
    state.out.tradeStatus(market, trade, isMined ? TradeStatus.MINED : TradeStatus.CONFIRMED);
    if (isMined) statuses.push(dueMs + state.confirmedDelayMs, rank, trade, statusItem(market, STEP_CONFIRMED));
  }
}
