// The state of the reference exchange: plain objects, arrays and Maps, and the queries that every rule needs. Used by the
// other reference files and by the invariants. It shares nothing with engine/core but the vocabulary, and it never tries to
// be fast: every sum is computed anew by a linear scan, money and shares are BigInt.
import type { EngineEvent } from '../../engine/protocol/index.ts';
import { limits, OrderType, type RejectionName, RULES_VERSION, Side } from '../../engine/protocol/index.ts';
import { FEES_WALLET, HOUSE_WALLET } from './names.ts';

export interface Account {
  readonly id: number;
  readonly wallet: string;
  owner: string;
  collateral: bigint;
  /** Shares by market index: first and second token. */
  readonly shares: Map<number, [bigint, bigint]>;
}

export interface Market {
  readonly index: number;
  status: number;
  readonly negRisk: number;
  autoTick: number;
  feeExponent: number;
  tickPips: number;
  feeRate: number;
  minOrderLots: number;
  delaySeconds: number;
  minMarketableBuyMicro: number;
  vault: bigint;
  /** The resolution; −1 before it. */
  resolution: number;
  trades: number;
}

/** An order considered as a taker: not yet one of the live orders, and its account may not be open yet. */
export interface Taker {
  readonly owner: string;
  readonly account: Account | undefined;
  readonly market: Market;
  readonly outcome: number;
  readonly side: number;
  readonly orderType: number;
  readonly flags: number;
  readonly pricePips: number;
  readonly originalLots: number;
  readonly makerAmount: bigint;
  readonly takerAmount: bigint;
}

export interface Order extends Taker {
  readonly account: Account;
  readonly id: string;
  readonly keyId: string;
  readonly number: number;
  readonly expirationS: number;
  remainingLots: number;
  /** A delayed order waits for its release outside the book. */
  isDelayed: boolean;
  releaseAtMs: number;
  /** Time priority among the resting orders of its price; assigned when it rests. */
  priority: number;
}

export interface Heartbeat {
  readonly keyId: string;
  expected: string;
  deadlineMs: number;
  isActive: boolean;
  /** The number of its latest heartbeat, counted over all accepted heartbeats. */
  beat: number;
}

export interface PendingStatus {
  readonly marketIndex: number;
  readonly tradeNumber: number;
  /** Orders statuses that are due at once, under the rules by which the trade was made. */
  readonly rank: number;
  readonly status: number;
  readonly dueMs: number;
}

interface Settings {
  rulesVersion: number;
  orderWindowMs: number;
  heartbeatWindowMs: number;
  minedDelayMs: number;
  confirmedDelayMs: number;
  creditMicro: number;
}

export interface State {
  tMs: number;
  settings: Settings;
  mode: number;
  readonly accounts: Account[];
  readonly accountOfWallet: Map<string, Account>;
  readonly markets: Market[];
  /** All live orders, resting and delayed, in the order of their numbers. */
  orders: Order[];
  orderCount: number;
  priorityCount: number;
  readonly flagsOfOwner: Map<string, number>;
  readonly creditedOwners: Set<string>;
  /** By key id, in the order of each key's first heartbeat. */
  readonly heartbeats: Map<string, Heartbeat>;
  beatCount: number;
  pendingStatuses: PendingStatus[];
  /** Remembered order ids by the hour of their signed timestamp. */
  readonly idsOfHour: Map<number, Set<string>>;
  forgottenBeforeMs: number;
  deposited: bigint;
  withdrawn: bigint;
  dust: bigint;
  events: EngineEvent[];
}

export function newState(): State {
  const state: State = {
    tMs: 0,
    settings: {
      rulesVersion: RULES_VERSION,
      orderWindowMs: limits.orderWindowDefaultMs,
      heartbeatWindowMs: limits.heartbeatWindowDefaultMs,
      minedDelayMs: 0,
      confirmedDelayMs: 0,
      creditMicro: 0,
    },
    mode: 0,
    accounts: [],
    accountOfWallet: new Map(),
    markets: [],
    orders: [],
    orderCount: 0,
    priorityCount: 0,
    flagsOfOwner: new Map(),
    creditedOwners: new Set(),
    heartbeats: new Map(),
    beatCount: 0,
    pendingStatuses: [],
    idsOfHour: new Map(),
    forgottenBeforeMs: 0,
    deposited: 0n,
    withdrawn: 0n,
    dust: 0n,
    events: [],
  };
  addAccount(state, FEES_WALLET, FEES_WALLET);
  addAccount(state, HOUSE_WALLET, HOUSE_WALLET);
  return state;
}

function addAccount(state: State, wallet: string, owner: string): Account {
  const account: Account = { id: state.accounts.length, wallet, owner, collateral: 0n, shares: new Map() };
  state.accounts.push(account);
  state.accountOfWallet.set(wallet, account);
  return account;
}

/** The account of a wallet, opened with an event if needed. */
export function accountFor(state: State, wallet: string, owner: string): Account {
  const known = state.accountOfWallet.get(wallet);
  if (known !== undefined) return known;
  const account = addAccount(state, wallet, owner);
  state.events.push({ type: 'AccountOpened', accountId: account.id, wallet, owner });
  return account;
}

export function isOwnedByAnother(state: State, wallet: string, owner: string): boolean {
  const account = state.accountOfWallet.get(wallet);
  return account !== undefined && account.owner !== owner;
}

/** A figure of an event, capped at the largest safe integer. */
function figure(value: bigint | number): number {
  return Number(BigInt(value) > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : value);
}

/** A reason to refuse, with its figures. */
export interface Refusal {
  readonly name: RejectionName;
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

export function refusal(
  name: RejectionName,
  a: bigint | number = 0,
  b: bigint | number = 0,
  c: bigint | number = 0,
): Refusal {
  return { name, a: figure(a), b: figure(b), c: figure(c) };
}

export function sharesOf(account: Account, marketIndex: number, outcome: number): bigint {
  return account.shares.get(marketIndex)?.[outcome] ?? 0n;
}

export function addShares(account: Account, marketIndex: number, outcome: number, micro: bigint): void {
  const pair = account.shares.get(marketIndex) ?? [0n, 0n];
  pair[outcome] += micro;
  account.shares.set(marketIndex, pair);
}

export const isBudgetBuy = (order: Taker): boolean => order.side === Side.BUY && isImmediate(order);

/** FOK and FAK: they take what is available and never rest. */
export const isImmediate = (order: { readonly orderType: number }): boolean =>
  order.orderType === OrderType.FOK || order.orderType === OrderType.FAK;

export const microSharesOf = (lots: number): bigint => BigInt(lots) * 10_000n;
export const costOf = (lots: number, pips: number): bigint => BigInt(lots) * BigInt(pips);

/** Collateral that a live order reserves in its market. */
export function reservedCollateralOf(order: Order): bigint {
  if (order.side === Side.SELL) return 0n;
  if (order.isDelayed && isImmediate(order)) return order.makerAmount;
  return costOf(order.remainingLots, order.pricePips);
}

/** About as much, as a floating-point number: exact up to 2^53. */
export function roughReservationOf(order: Order): number {
  if (order.side === Side.SELL) return 0;
  return order.isDelayed && isImmediate(order) ? Number(order.makerAmount) : order.remainingLots * order.pricePips;
}

/** Collateral that all live BUYs of an account reserve in one market. */
export function reservedCollateral(state: State, account: Account, market: Market): bigint {
  let sum = 0n;
  for (const order of state.orders) {
    if (order.account === account && order.market === market) sum += reservedCollateralOf(order);
  }
  return sum;
}

/** About as much, as a floating-point number. */
export function roughReservation(state: State, account: Account, market: Market): number {
  let sum = 0;
  for (const order of state.orders) {
    if (order.account === account && order.market === market) sum += roughReservationOf(order);
  }
  return sum;
}

/** Micro-shares of one token that all live SELLs of an account reserve. */
export function reservedShares(state: State, account: Account, market: Market, outcome: number): bigint {
  let sum = 0n;
  for (const order of state.orders) {
    if (order.account !== account || order.market !== market) continue;
    if (order.side === Side.SELL && order.outcome === outcome) sum += microSharesOf(order.remainingLots);
  }
  return sum;
}

export function largestReservation(state: State, account: Account): bigint {
  let largest = 0n;
  for (const market of state.markets) {
    const reserved = reservedCollateral(state, account, market);
    if (reserved > largest) largest = reserved;
  }
  return largest;
}

/** Removes an order from the live ones, for whatever reason. */
export function removeOrder(state: State, order: Order): void {
  state.orders = state.orders.filter((other) => other !== order);
}

export function cancelOrder(state: State, order: Order, reason: number): void {
  removeOrder(state, order);
  state.events.push({ type: 'OrderCanceled', orderNumber: order.number, reason, lots: order.remainingLots });
}

/** When a GTD order ends (ms): a minute before its stated expiration. */
export const endOfMs = (expirationS: number): number => Number((BigInt(expirationS) - 60n) * 1000n);

/** Whether a deposit would exceed the bound on all collateral ever deposited. */
export const isPastDepositBound = (state: State, micro: bigint): boolean =>
  state.deposited + micro > BigInt(Number.MAX_SAFE_INTEGER);

export const hourOf = (timestampMs: number): number => Math.floor(timestampMs / 3_600_000);

/** Size bound of one order as a BigInt. */
export const ORDER_LOTS_MAX = BigInt(limits.orderLotsMax);
