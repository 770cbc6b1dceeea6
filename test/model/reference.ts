// The reference exchange: the engine's rules once more, written as plainly as possible, to be compared with the real core
// command by command. Called by the model, toy world and rule tests. It reads decoded commands and returns event objects;
// it must never import anything of engine/core, or the comparison would prove nothing.
import type { Command, EngineEvent } from '../../engine/protocol/index.ts';
import { CancelReason, OrderType, RulesVersion, rejections, TradeStatus } from '../../engine/protocol/index.ts';
import { type Level, levelsOf } from './referenceBook.ts';
import { cancelAll, cancelMarket, cancelOrders, cancelWhere, restoreCoverage } from './referenceCancels.ts';
import {
  bindWallet,
  createMarket,
  credit,
  creditFirstKey,
  deposit,
  faucetShares,
  merge,
  redeem,
  resolveMarket,
  setFlags,
  split,
  tightenTicks,
  updateMarket,
  withdraw,
} from './referenceMarkets.ts';
import { placeOrder, releaseOrder } from './referenceOrders.ts';
import type { Heartbeat, Order, PendingStatus, Refusal, State } from './referenceState.ts';
import { cancelOrder, endOfMs, newState, sharesOf } from './referenceState.ts';

/** A due item. Items are ordered by time, kind, `first` and `second`, in this order. */
interface Due {
  readonly atMs: number;
  readonly kind: number;
  readonly first: number;
  readonly second: number;
  readonly settle: () => void;
}

export class ReferenceExchange {
  /** The whole state; the invariants read it, and only this class changes it. */
  readonly state: State = newState();

  /** Applies one command at a time (ms, never before the last one's) and returns its events in order. */
  apply(tMs: number, command: Command): EngineEvent[] {
    const { state } = this;
    state.events = [];
    state.tMs = tMs;
    if (command.type === 'Started') this.start(command);
    this.settleDue();
    const refused = run(state, command);
    if (refused !== undefined) {
      const { name, a, b, c } = refused;
      state.events.push({ type: 'Rejected', code: rejections[name].code, a, b, c });
    }
    this.finishItem();
    this.settleDue();
    return state.events;
  }

  /** When the next due item must be settled (ms), Infinity when none. */
  nextDue(): number {
    return this.earliestDue()?.atMs ?? Number.POSITIVE_INFINITY;
  }

  /** Both sides of a market in the first token's terms, best first. */
  book(marketIndex: number): { bids: Level[]; asks: Level[] } {
    const market = this.state.markets[marketIndex];
    return { bids: levelsOf(this.state, market, true), asks: levelsOf(this.state, market, false) };
  }

  /** Collateral of an account in micro. */
  collateral(accountId: number): bigint {
    return this.state.accounts[accountId].collateral;
  }

  /** Shares of an account in micro. */
  shares(accountId: number, marketIndex: number, outcome: number): bigint {
    return sharesOf(this.state.accounts[accountId], marketIndex, outcome);
  }

  private start(command: Extract<Command, { readonly type: 'Started' }>): void {
    const { type: _, ...settings } = command;
    this.state.settings = settings;
    for (const heartbeat of this.state.heartbeats.values()) {
      if (heartbeat.isActive) heartbeat.deadlineMs = this.state.tMs + settings.heartbeatWindowMs;
    }
  }

  /** Runs after every command and every settled item: coverage, then the automatic tick change. */
  private finishItem(): void {
    restoreCoverage(this.state);
    tightenTicks(this.state);
  }

  private settleDue(): void {
    for (let due = this.earliestDue(); due !== undefined && due.atMs <= this.state.tMs; due = this.earliestDue()) {
      due.settle();
      this.finishItem();
    }
  }

  private earliestDue(): Due | undefined {
    let earliest: Due | undefined;
    const { state } = this;
    function consider<Subject>(
      atMs: number,
      kind: number,
      first: number,
      second: number,
      settle: (state: State, subject: Subject) => void,
      subject: Subject,
    ): void {
      if (earliest !== undefined && atMs > earliest.atMs) return; // true of most items, for which no object is created
      const due = { atMs, kind, first, second, settle: () => settle(state, subject) };
      if (earliest === undefined || comesBefore(due, earliest)) earliest = due;
    }
    for (const order of state.orders) {
      if (order.isDelayed) {
        consider(order.releaseAtMs, 1, order.number, 0, releaseOrder, order);
      } else if (order.orderType === OrderType.GTD) {
        consider(endOfMs(order.expirationS), 0, order.number, 0, expire, order);
      }
    }
    // A Map iterates its keys in insertion order.
    let index = 0;
    for (const heartbeat of state.heartbeats.values()) {
      const rank = state.settings.rulesVersion >= RulesVersion.FOURTH ? heartbeat.beat : index;
      if (heartbeat.isActive) consider(heartbeat.deadlineMs, 2, rank, 0, lapse, heartbeat);
      index += 1;
    }
    for (const pending of state.pendingStatuses) {
      consider(pending.dueMs, 3, pending.rank, pending.tradeNumber, stepStatus, pending);
    }
    return earliest;
  }
}

function comesBefore(x: Due, y: Due): boolean {
  if (x.atMs !== y.atMs) return x.atMs < y.atMs;
  if (x.kind !== y.kind) return x.kind < y.kind;
  if (x.first !== y.first) return x.first < y.first;
  return x.second < y.second;
}

function expire(state: State, order: Order): void {
  cancelOrder(state, order, CancelReason.EXPIRED);
}

function lapse(state: State, heartbeat: Heartbeat): void {
  const { keyId } = heartbeat;
  heartbeat.isActive = false;
  state.events.push({ type: 'HeartbeatLapsed', keyId });
  cancelWhere(state, CancelReason.HEARTBEAT, (order) => order.keyId === keyId && !order.isDelayed);
}

function stepStatus(state: State, pending: PendingStatus): void {
  const { marketIndex, tradeNumber, rank, status, dueMs } = pending;
  state.pendingStatuses = state.pendingStatuses.filter((other) => other !== pending);
  state.events.push({ type: 'TradeStatusChanged', marketIndex, tradeNumber, status });
  if (status === TradeStatus.CONFIRMED) return;
  const next = { marketIndex, tradeNumber, rank, status: TradeStatus.CONFIRMED };
  state.pendingStatuses.push({ ...next, dueMs: dueMs + state.settings.confirmedDelayMs });
}

function beat(state: State, command: Extract<Command, { readonly type: 'Heartbeat' }>): void {
  const { keyId, given, next, refresh } = command;
  const known = state.heartbeats.get(keyId) ?? { keyId, expected: '', deadlineMs: 0, isActive: false, beat: 0 };
  state.heartbeats.set(keyId, known);
  if (known.isActive && refresh === 0 && given !== known.expected) {
    state.events.push({ type: 'HeartbeatRefused', keyId, expected: known.expected });
    return;
  }
  if (!known.isActive || refresh === 0) known.expected = next;
  state.beatCount += 1;
  known.beat = state.beatCount;
  known.isActive = true;
  known.deadlineMs = state.tMs + state.settings.heartbeatWindowMs;
  const { expected, deadlineMs } = known;
  state.events.push({ type: 'HeartbeatAccepted', keyId, next: expected, deadlineMs });
}

/** Runs one command: changes the state, or changes nothing and returns the reason. */
function run(state: State, command: Command): Refusal | undefined {
  switch (command.type) {
    case 'PlaceOrder':
      return placeOrder(state, command);
    case 'CancelOrders':
      return cancelOrders(state, command);
    case 'CancelAll':
      return cancelAll(state, command);
    case 'CancelMarket':
      return cancelMarket(state, command);
    case 'UpdateMarket':
      return updateMarket(state, command);
    case 'ResolveMarket':
      return resolveMarket(state, command);
    case 'Deposit':
      return deposit(state, command);
    case 'Withdraw':
      return withdraw(state, command);
    case 'FaucetShares':
      return faucetShares(state, command);
    case 'Split':
      return split(state, command);
    case 'Merge':
      return merge(state, command);
    case 'Redeem':
      return redeem(state, command);
    default:
      runWithoutChecks(state, command);
      return undefined;
  }
}

/** Runs the commands that the core never refuses. */
function runWithoutChecks(state: State, command: Command): void {
  if (command.type === 'CreateMarket') createMarket(state, command);
  if (command.type === 'Heartbeat') beat(state, command);
  if (command.type === 'SetAccountFlags') setFlags(state, command);
  if (command.type === 'CreateApiKey') creditFirstKey(state, command);
  if (command.type === 'CreditOwner') credit(state, command.owner, command.items ?? []);
  if (command.type === 'BindWallet') bindWallet(state, command);
  if (command.type === 'SetExchangeMode') {
    state.mode = command.mode;
    state.events.push({ type: 'ExchangeModeChanged', mode: command.mode });
  }
}
