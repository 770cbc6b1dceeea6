// Everything of the reference exchange except orders: lifecycle and terms of markets, deposits and withdrawals, split,
// merge, redeem, test shares, credits, flags, modes and wallet bindings. Called by reference.ts; the simulation
// checks the terms of new markets here too.
import type { CommandOf } from '../../engine/protocol/index.ts';
import {
  AccountFlag,
  ApiKeyKind,
  CancelReason,
  CashKind,
  isTickSize,
  limits,
  MarketField,
  MarketStatus,
  OrderType,
  Resolution,
  RulesVersion,
  Side,
} from '../../engine/protocol/index.ts';
import { levelsOf } from './referenceBook.ts';
import { cancelWhere } from './referenceCancels.ts';
import type { Account, Market, Refusal, State } from './referenceState.ts';
import {
  accountFor,
  addShares,
  endOfMs,
  isOwnedByAnother,
  isPastDepositBound,
  largestReservation,
  refusal,
  reservedShares,
  sharesOf,
} from './referenceState.ts';

type Terms = Pick<
  CommandOf<'CreateMarket'>,
  'status' | 'tickPips' | 'minOrderLots' | 'feeRate' | 'feeExponent' | 'delaySeconds'
>;

/** The terms that `mask` names must be within their bounds; the refusal names the lowest bit that is not. */
export function checkTerms(terms: Terms, mask: number): Refusal | undefined {
  const isWrong: readonly (readonly [bit: number, wrong: boolean])[] = [
    [MarketField.TICK, !isTickSize(terms.tickPips)],
    [MarketField.MIN_ORDER, terms.minOrderLots < 1 || terms.minOrderLots > limits.orderLotsMax],
    [
      MarketField.FEE,
      terms.feeRate > limits.feeRateMax ||
        terms.feeExponent < limits.feeExponentMin ||
        terms.feeExponent > limits.feeExponentMax,
    ],
    [MarketField.DELAY, terms.delaySeconds > limits.delaySecondsMax],
  ];
  const fault = isWrong.find(([bit, wrong]) => (mask & bit) !== 0 && wrong);
  return fault === undefined ? undefined : refusal('MARKET_TERMS', fault[0]);
}

/** Creates a market whose ids and terms the registry has already checked. */
export function createMarket(state: State, command: CommandOf<'CreateMarket'>): void {
  const market: Market = {
    index: state.markets.length,
    status: command.status,
    negRisk: command.negRisk,
    autoTick: command.autoTick,
    feeExponent: command.feeExponent,
    tickPips: command.tickPips,
    feeRate: command.feeRate,
    minOrderLots: command.minOrderLots,
    delaySeconds: command.delaySeconds,
    minMarketableBuyMicro: command.minMarketableBuyMicro,
    vault: 0n,
    resolution: -1,
    trades: 0,
  };
  state.markets.push(market);
  const { eventNumber, conditionId, firstToken, secondToken } = command;
  const ids = { marketIndex: market.index, eventNumber, conditionId, firstToken, secondToken };
  state.events.push({ type: 'MarketCreated', ...ids, ...shownTerms(market) });
}

function shownTerms(market: Market) {
  const { status, negRisk, autoTick, feeExponent, tickPips, feeRate, minOrderLots, delaySeconds } = market;
  const { minMarketableBuyMicro } = market;
  return {
    status,
    negRisk,
    autoTick,
    feeExponent,
    tickPips,
    feeRate,
    minOrderLots,
    delaySeconds,
    minMarketableBuyMicro,
  };
}

function showUpdate(state: State, market: Market): void {
  state.events.push({ type: 'MarketUpdated', marketIndex: market.index, ...shownTerms(market) });
}

const transitions: Readonly<Record<number, readonly number[]>> = {
  [MarketStatus.DRAFT]: [MarketStatus.DRAFT, MarketStatus.OPEN, MarketStatus.PAUSED, MarketStatus.CLOSED],
  [MarketStatus.OPEN]: [MarketStatus.OPEN, MarketStatus.PAUSED, MarketStatus.CLOSED],
  [MarketStatus.PAUSED]: [MarketStatus.OPEN, MarketStatus.PAUSED, MarketStatus.CLOSED],
  [MarketStatus.CLOSED]: [],
  [MarketStatus.RESOLVED]: [],
};

export function updateMarket(state: State, command: CommandOf<'UpdateMarket'>): Refusal | undefined {
  const { mask } = command;
  const market = state.markets[command.marketIndex];
  if (market === undefined) return refusal('MARKET_UNKNOWN');
  const wrong = checkTerms(command, mask);
  if (wrong !== undefined) return wrong;
  const isOver = market.status === MarketStatus.CLOSED || market.status === MarketStatus.RESOLVED;
  if (mask !== 0 && isOver) return refusal('MARKET_STATE', market.status);
  const setsStatus = (mask & MarketField.STATUS) !== 0;
  if (setsStatus && !transitions[market.status].includes(command.status)) {
    return refusal('MARKET_STATE', market.status);
  }
  if (setsStatus) market.status = command.status;
  if ((mask & MarketField.TICK) !== 0) market.tickPips = command.tickPips;
  if ((mask & MarketField.MIN_ORDER) !== 0) market.minOrderLots = command.minOrderLots;
  if ((mask & MarketField.MIN_MARKETABLE_BUY) !== 0) market.minMarketableBuyMicro = command.minMarketableBuyMicro;
  if ((mask & MarketField.FEE) !== 0) {
    market.feeRate = command.feeRate;
    market.feeExponent = command.feeExponent;
  }
  if ((mask & MarketField.DELAY) !== 0) market.delaySeconds = command.delaySeconds;
  if ((mask & MarketField.AUTO_TICK) !== 0) market.autoTick = command.autoTick;
  showUpdate(state, market);
  if (setsStatus && market.status === MarketStatus.CLOSED) {
    cancelWhere(state, CancelReason.MARKET_CLOSED, (order) => order.market === market);
  }
  return undefined;
}

export function resolveMarket(state: State, command: CommandOf<'ResolveMarket'>): Refusal | undefined {
  const { marketIndex, resolution } = command;
  const market = state.markets[marketIndex];
  if (market === undefined) return refusal('MARKET_UNKNOWN');
  if (market.status === MarketStatus.RESOLVED || market.status === MarketStatus.DRAFT) {
    return refusal('MARKET_STATE', market.status);
  }
  if (market.status !== MarketStatus.CLOSED) {
    market.status = MarketStatus.CLOSED;
    showUpdate(state, market);
    cancelWhere(state, CancelReason.MARKET_RESOLVED, (order) => order.market === market);
  }
  market.status = MarketStatus.RESOLVED;
  market.resolution = resolution;
  state.events.push({ type: 'MarketResolved', marketIndex, resolution });
  return undefined;
}

/** Sets a finer tick on every market with auto_tick whose book has come close to 0 or 1. */
export function tightenTicks(state: State): void {
  for (const market of state.markets) {
    if (market.autoTick === 0 || market.tickPips !== 100 || market.status !== MarketStatus.OPEN) continue;
    if (!isExtreme(state, market)) continue;
    // An order that ends with this command is about to be cancelled.
    const lasting = state.orders.filter(
      ({ orderType, expirationS }) => orderType !== OrderType.GTD || endOfMs(expirationS) > state.tMs,
    );
    const isFifth = state.settings.rulesVersion >= RulesVersion.FIFTH;
    if (isFifth && !isExtreme({ ...state, orders: lasting }, market)) continue;
    market.tickPips = 10;
    showUpdate(state, market);
  }
}

/** Whether a market's best bid is above 0.96 or its best ask below 0.04. */
function isExtreme(state: State, market: Market): boolean {
  const bestBid = levelsOf(state, market, true)[0];
  const bestAsk = levelsOf(state, market, false)[0];
  return (bestBid !== undefined && bestBid.pips > 9600) || (bestAsk !== undefined && bestAsk.pips < 400);
}

function showCollateral(state: State, account: Account, kind: number, amountMicro: number): void {
  const collateralMicro = Number(account.collateral);
  state.events.push({ type: 'CollateralChanged', accountId: account.id, kind, amountMicro, collateralMicro });
}

export function deposit(state: State, command: CommandOf<'Deposit'>): Refusal | undefined {
  const { wallet, owner, amountMicro, isFaucet } = command;
  if (isOwnedByAnother(state, wallet, owner)) return refusal('WALLET_NOT_OWNED');
  if (amountMicro < 1) return refusal('AMOUNT_INVALID', amountMicro);
  const amount = BigInt(amountMicro);
  if (isPastDepositBound(state, amount)) return refusal('DEPOSITS_FULL', state.deposited, amount);
  const account = accountFor(state, wallet, owner);
  state.deposited += amount;
  account.collateral += amount;
  showCollateral(state, account, isFaucet === 1 ? CashKind.FAUCET : CashKind.DEPOSIT, amountMicro);
  return undefined;
}

/** Refuses when the account's balance, less its largest reservation of any market, is below the amount. */
function checkFree(state: State, account: Account | undefined, amount: bigint): Refusal | undefined {
  const balance = account?.collateral ?? 0n;
  const reserved = account === undefined ? 0n : largestReservation(state, account);
  return amount > balance - reserved ? refusal('BALANCE_SHORT', balance, reserved, amount) : undefined;
}

export function withdraw(state: State, command: CommandOf<'Withdraw'>): Refusal | undefined {
  const { wallet, owner, amountMicro } = command;
  if (isOwnedByAnother(state, wallet, owner)) return refusal('WALLET_NOT_OWNED');
  if (amountMicro < 1) return refusal('AMOUNT_INVALID', amountMicro);
  const amount = BigInt(amountMicro);
  const account = state.accountOfWallet.get(wallet);
  const short = checkFree(state, account, amount);
  if (short !== undefined || account === undefined) return short ?? refusal('BALANCE_SHORT', 0, 0, amount);
  account.collateral -= amount;
  state.withdrawn += amount;
  showCollateral(state, account, CashKind.WITHDRAWAL, amountMicro);
  return undefined;
}

/** The common checks of split, merge, redeem and test shares: ownership, market, amount, state of the market. */
function checkPosition(
  state: State,
  command: { readonly wallet: string; readonly owner: string; readonly marketIndex: number },
  amountMicro: number,
  statuses: readonly number[],
): Refusal | undefined {
  if (isOwnedByAnother(state, command.wallet, command.owner)) return refusal('WALLET_NOT_OWNED');
  const market = state.markets[command.marketIndex];
  if (market === undefined) return refusal('MARKET_UNKNOWN');
  if (amountMicro < 1) return refusal('AMOUNT_INVALID', amountMicro);
  return statuses.includes(market.status) ? undefined : refusal('MARKET_STATE', market.status);
}

export function faucetShares(state: State, command: CommandOf<'FaucetShares'>): Refusal | undefined {
  const { wallet, owner, marketIndex, outcome, amountMicro } = command;
  const refused = checkPosition(state, command, amountMicro, [MarketStatus.OPEN, MarketStatus.PAUSED]);
  if (refused !== undefined) return refused;
  const amount = BigInt(amountMicro);
  if (isPastDepositBound(state, amount)) return refusal('DEPOSITS_FULL', state.deposited, amount);
  const account = accountFor(state, wallet, owner);
  const house = state.accounts[1];
  const market = state.markets[marketIndex];
  state.deposited += amount;
  market.vault += amount;
  addShares(account, marketIndex, outcome, amount);
  addShares(house, marketIndex, 1 - outcome, amount);
  state.events.push({
    type: 'SharesCredited',
    accountId: account.id,
    marketIndex,
    outcome,
    amountMicro,
    sharesMicro: Number(sharesOf(account, marketIndex, outcome)),
    houseSharesMicro: Number(sharesOf(house, marketIndex, 1 - outcome)),
    vaultMicro: Number(market.vault),
  });
  return undefined;
}

function shownPosition(account: Account, market: Market) {
  return {
    accountId: account.id,
    marketIndex: market.index,
    collateralMicro: Number(account.collateral),
    firstSharesMicro: Number(sharesOf(account, market.index, 0)),
    secondSharesMicro: Number(sharesOf(account, market.index, 1)),
    vaultMicro: Number(market.vault),
  };
}

/**
 * Moves an amount between an account's collateral and full sets: a positive amount creates sets, a negative one destroys them.
 */
function makeSets(account: Account, market: Market, amount: bigint): void {
  account.collateral -= amount;
  market.vault += amount;
  addShares(account, market.index, 0, amount);
  addShares(account, market.index, 1, amount);
}

export function split(state: State, command: CommandOf<'Split'>): Refusal | undefined {
  const { amountMicro } = command;
  const refused = checkPosition(state, command, amountMicro, [MarketStatus.OPEN, MarketStatus.PAUSED]);
  if (refused !== undefined) return refused;
  const { rulesVersion } = state.settings;
  const flags = state.flagsOfOwner.get(command.owner) ?? 0;
  if ((flags & AccountFlag.BANNED) !== 0 && rulesVersion !== RulesVersion.FIRST) return refusal('BANNED');
  if ((flags & AccountFlag.CLOSED_ONLY) !== 0 && rulesVersion >= RulesVersion.FIFTH) return refusal('CLOSED_ONLY');
  const account = state.accountOfWallet.get(command.wallet);
  const amount = BigInt(amountMicro);
  const short = checkFree(state, account, amount);
  if (short !== undefined || account === undefined) return short ?? refusal('BALANCE_SHORT', 0, 0, amount);
  const market = state.markets[command.marketIndex];
  makeSets(account, market, amount);
  state.events.push({ type: 'PositionSplit', amountMicro, ...shownPosition(account, market) });
  return undefined;
}

export function merge(state: State, command: CommandOf<'Merge'>): Refusal | undefined {
  const { amountMicro } = command;
  const statuses = [MarketStatus.OPEN, MarketStatus.PAUSED, MarketStatus.CLOSED];
  const refused = checkPosition(state, command, amountMicro, statuses);
  if (refused !== undefined) return refused;
  const account = state.accountOfWallet.get(command.wallet);
  const market = state.markets[command.marketIndex];
  const amount = BigInt(amountMicro);
  const free = account === undefined ? 0n : freeSets(state, account, market);
  if (account === undefined || amount > free) return refusal('SHARES_SHORT', free, amount);
  makeSets(account, market, -amount);
  state.events.push({ type: 'PositionMerged', amountMicro, ...shownPosition(account, market) });
  return undefined;
}

/** The number of full sets in unreserved shares (micro): the smaller of the two tokens' shares that no SELL reserves. */
function freeSets(state: State, account: Account, market: Market): bigint {
  const [first, second] = [0, 1].map(
    (outcome) => sharesOf(account, market.index, outcome) - reservedShares(state, account, market, outcome),
  );
  return first < second ? first : second;
}

export function redeem(state: State, command: CommandOf<'Redeem'>): Refusal | undefined {
  const refused = checkPosition(state, command, 1, [MarketStatus.RESOLVED]);
  if (refused !== undefined) return refused;
  const account = state.accountOfWallet.get(command.wallet);
  const market = state.markets[command.marketIndex];
  const first = account === undefined ? 0n : sharesOf(account, market.index, 0);
  const second = account === undefined ? 0n : sharesOf(account, market.index, 1);
  if (account === undefined || first + second === 0n) return refusal('NOTHING_TO_REDEEM');
  let payout = (first + second) / 2n;
  if (market.resolution === Resolution.FIRST) payout = first;
  if (market.resolution === Resolution.SECOND) payout = second;
  account.shares.set(market.index, [0n, 0n]);
  account.collateral += payout;
  market.vault -= payout;
  const left = state.accounts.some((other) => sharesOf(other, market.index, 0) + sharesOf(other, market.index, 1) > 0n);
  if (!left) {
    state.dust += market.vault;
    market.vault = 0n;
  }
  state.events.push({
    type: 'PositionRedeemed',
    accountId: account.id,
    marketIndex: market.index,
    firstBurnedMicro: Number(first),
    secondBurnedMicro: Number(second),
    payoutMicro: Number(payout),
    collateralMicro: Number(account.collateral),
    vaultMicro: Number(market.vault),
    dustMicro: Number(state.dust),
  });
  return undefined;
}

export function setFlags(state: State, command: CommandOf<'SetAccountFlags'>): void {
  const { owner, mask } = command;
  const before = state.flagsOfOwner.get(owner) ?? 0;
  const flags = (before & ~mask) | (command.flags & mask);
  state.flagsOfOwner.set(owner, flags);
  state.events.push({ type: 'AccountFlagsChanged', owner, flags });
  const added = flags & ~before;
  const again = state.settings.rulesVersion >= RulesVersion.FIFTH ? command.flags & mask & before : 0;
  if ((added & AccountFlag.BANNED) !== 0) {
    cancelWhere(state, CancelReason.BANNED, (order) => order.account.owner === owner);
  } else if (((added | again) & AccountFlag.CLOSED_ONLY) !== 0) {
    cancelWhere(
      state,
      CancelReason.CLOSED_ONLY,
      (order) => order.account.owner === owner && order.side === Side.BUY && !order.isDelayed,
    );
  }
}

/** An owner's first trading key credits its wallets. */
export function creditFirstKey(state: State, command: CommandOf<'CreateApiKey'>): void {
  if (command.kind === ApiKeyKind.TRADING) credit(state, command.owner, command.items ?? []);
}

/** Credits an owner's wallets once, where the settings say so; skips wallets that belong to another owner. */
export function credit(state: State, owner: string, wallets: readonly string[]): void {
  const { creditMicro } = state.settings;
  if (creditMicro === 0 || state.creditedOwners.has(owner)) return;
  state.creditedOwners.add(owner);
  for (const wallet of wallets) {
    if (isOwnedByAnother(state, wallet, owner) || isPastDepositBound(state, BigInt(creditMicro))) continue;
    const account = accountFor(state, wallet, owner);
    state.deposited += BigInt(creditMicro);
    account.collateral += BigInt(creditMicro);
    showCollateral(state, account, CashKind.CREDIT, creditMicro);
  }
}

/** A wallet that moves to another owner loses its orders. One without an account gets it, except under the first rules. */
export function bindWallet(state: State, command: CommandOf<'BindWallet'>): void {
  const isFirstRules = state.settings.rulesVersion === RulesVersion.FIRST;
  if (isFirstRules && !state.accountOfWallet.has(command.wallet)) return;
  const account = accountFor(state, command.wallet, command.owner);
  if (account.owner === command.owner) return;
  cancelWhere(state, CancelReason.WALLET_MOVED, (order) => order.account === account);
  account.owner = command.owner;
}
