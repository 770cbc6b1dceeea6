// The deterministic exchange: apply(time, command) → events. One function per command in the table below; around each:
// what is due first, then the command, then coverage, auto tick, and what became due. It reads no clock, no random source,
// no file; the same commands give the same events and the same state, on every machine and in every replay.
import type { EventWriter } from '../protocol/eventWriter.ts';
import { commandLayouts } from '../protocol/layout.ts';
import { CancelReason, TradeStatus } from '../protocol/terms.ts';
import { cancelAll, cancelMarket, cancelOrder, cancelOrders } from './cancels.ts';
import { creditOwner, deposit, faucetShares, merge, redeem, split, withdraw } from './cash.ts';
import { coverAccounts } from './coverage.ts';
import { placeOrder } from './entry.ts';
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
import { STEP_MINED } from './matching.ts';
import { LOTS, NEXT, NONE, STRIDE } from './orderPool.ts';
import { releaseOrder } from './releases.ts';
import { CoreState } from './state.ts';
import { hashCore, hashIds } from './stateHash.ts';

type CommandFunction = (state: CoreState, message: DataView, offset: number) => void;

const STARTED = commandLayouts.Started;
const KEY = commandLayouts.CreateApiKey;
const CREDIT = commandLayouts.CreditOwner;
const PLACE_TYPE = commandLayouts.PlaceOrder.type;
const CANCEL_TYPE = commandLayouts.CancelOrders.type;
const STEP_CONFIRMED = STEP_MINED + 1;

/** Commands by type byte but PlaceOrder and CancelOrders, see applyAt. What is missing here (event texts, deleted keys) is the registry's alone. */
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
  if (message.getUint8(offset + KEY.offsets.kind) !== 0) return;
  creditOwner(state, message, offset, KEY.headBytes, KEY.offsets.owner);
};
commands[CREDIT.type] = (state, message, offset) => {
  creditOwner(state, message, offset, CREDIT.headBytes, CREDIT.offsets.owner);
};

/** Settings of a start; every deadline of a heartbeat begins anew. */
function start(state: CoreState, message: DataView, offset: number): void {
  state.rulesVersion = message.getUint32(offset + STARTED.offsets.rulesVersion, true);
  state.orderWindowMs = message.getFloat64(offset + STARTED.offsets.orderWindowMs, true);
  state.heartbeatWindowMs = message.getFloat64(offset + STARTED.offsets.heartbeatWindowMs, true);
  state.minedDelayMs = message.getFloat64(offset + STARTED.offsets.minedDelayMs, true);
  state.confirmedDelayMs = message.getFloat64(offset + STARTED.offsets.confirmedDelayMs, true);
  state.creditMicro = message.getFloat64(offset + STARTED.offsets.creditMicro, true);
  state.heartbeats.postponeAll(state.tMs + state.heartbeatWindowMs);
}

/** One price level of a market in the first token's terms. */
export interface BookLevel {
  readonly pips: number;
  readonly lots: number;
}

export class Exchange {
  private readonly state = new CoreState();

  /**
   * Applies one encoded command at time `tMs` (ms, never less than the last) and writes its events to `out`, between the
   * caller's out.begin() and out.finish(). A command that is refused writes its rejection as an event.
   */
  apply(tMs: number, command: Uint8Array, out: EventWriter): void {
    this.applyAt(tMs, new DataView(command.buffer, command.byteOffset, command.byteLength), 0, out);
  }

  /** The same for a command that starts at `offset` of a larger message: allocates nothing. */
  applyAt(tMs: number, message: DataView, offset: number, out: EventWriter): void {
    const { state } = this;
    state.tMs = tMs;
    state.out = out;
    const type = message.getUint8(offset + 1);
    if (type === STARTED.type) start(state, message, offset);
    this.settleDue();
    // The two usual commands are called by name: a call through the table is neither predicted nor inlined.
    if (type === PLACE_TYPE) placeOrder(state, message, offset);
    else if (type === CANCEL_TYPE) cancelOrders(state, message, offset);
    else commands[type]?.(state, message, offset);
    coverAccounts(state);
    tickAutomatically(state);
    this.settleDue();
  }

  /** When the next due item must be settled, ms; Infinity when nothing is due. */
  nextDueMs(): number {
    const { expiries, releases, heartbeats, statuses } = this.state;
    return Math.min(expiries.nextMs, releases.nextMs, heartbeats.due.nextMs, statuses.nextMs);
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
    const { records } = this.state.pool;
    let lots = 0;
    for (let slot = first; slot !== NONE; slot = records[slot * STRIDE + NEXT]) lots += records[slot * STRIDE + LOTS];
    return lots;
  }

  /** Settles everything due at the command's time, by due time and then kind: expiry, release, heartbeat, trade status. */
  private settleDue(): void {
    const { state } = this;
    const { expiries, releases, heartbeats, statuses, tMs } = state;
    for (;;) {
      const expiryMs = expiries.nextMs;
      const releaseMs = releases.nextMs;
      const heartbeatMs = heartbeats.due.nextMs;
      const statusMs = statuses.nextMs;
      if (expiryMs > tMs && releaseMs > tMs && heartbeatMs > tMs && statusMs > tMs) return;
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

  /** The next trade's step: MINED, then CONFIRMED after its own delay. */
  private stepTrade(): void {
    const { state } = this;
    const { statuses } = state;
    const dueMs = statuses.nextMs;
    const market = statuses.topFirst();
    const trade = statuses.topSecond();
    const step = statuses.topItem();
    statuses.pop();
    state.out.tradeStatus(market, trade, step === STEP_MINED ? TradeStatus.MINED : TradeStatus.CONFIRMED);
    if (step === STEP_MINED) statuses.push(dueMs + state.confirmedDelayMs, market, trade, STEP_CONFIRMED);
  }
}
