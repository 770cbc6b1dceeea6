// Money and shares that move without a trade: deposits, withdrawals, development credits and faucet shares; splitting a
// unit into a full set, merging it back, redeeming after resolution. Called by exchange.ts.
// Order of checks: ownership, market, amount, market state, flags, balances and limits.
import { COMMAND_HEADER_BYTES, commandLayouts, KIND_BYTES } from '../protocol/layout.ts';
import type { Message } from '../protocol/message.ts';
import { HOUSE_ACCOUNT } from '../protocol/reservedAccounts.ts';
import { AccountFlag, CashKind, MarketStatus, Resolution, RulesVersion } from '../protocol/terms.ts';
import { MICRO_MAX } from '../protocol/units.ts';
import type { Market } from './market.ts';
import { NONE } from './orderPool.ts';
import type { CoreState } from './state.ts';

const DEPOSIT = commandLayouts.Deposit.offsets;
const WITHDRAW = commandLayouts.Withdraw.offsets;
const FAUCET = commandLayouts.FaucetShares.offsets;
const SPLIT = commandLayouts.Split.offsets;
const REDEEM = commandLayouts.Redeem.offsets;

/** Opens the account of a new wallet; writes AccountOpened. */
export function openAccount(state: CoreState, message: Message, walletAt: number, ownerAt: number): number {
  const { accounts } = state;
  const owner = accounts.ownerFor(message, ownerAt);
  const accountId = accounts.open(message, walletAt, owner);
  state.ledger.admit(accountId);
  state.out.write({
    type: 'AccountOpened',
    accountId,
    wallet: accounts.walletText(accountId),
    owner: accounts.ownerText(owner),
  });
  return accountId;
}

/** Whether the wallet belongs to another owner; if so, writes the rejection. */
function refusesWallet(state: CoreState, message: Message, walletAt: number, ownerAt: number): boolean {
  const account = state.accounts.accountAt(message, walletAt);
  if (account === NONE || state.accounts.owners[account] === state.accounts.ownerAt(message, ownerAt)) return false;
  state.out.rejected('WALLET_NOT_OWNED');
  return true;
}

/** Whether a deposit is below one micro or would take the sum of all deposits past MICRO_MAX; if so, writes the rejection. */
function refusesDeposit(state: CoreState, amountMicro: number): boolean {
  if (amountMicro < 1) {
    state.out.rejected('AMOUNT_INVALID', amountMicro);
    return true;
  }
  if (amountMicro > MICRO_MAX - state.depositsMicro) {
    state.out.rejected('DEPOSITS_FULL', state.depositsMicro, amountMicro);
    return true;
  }
  return false;
}

function credit(state: CoreState, account: number, kind: number, amountMicro: number): void {
  state.depositsMicro += amountMicro;
  state.ledger.collateral[account] += amountMicro;
  state.out.write({
    type: 'CollateralChanged',
    accountId: account,
    kind,
    amountMicro,
    collateralMicro: state.ledger.collateral[account],
  });
}

/** Deposit: credits collateral that comes from outside. */
export function deposit(state: CoreState, message: Message, offset: number): void {
  if (refusesWallet(state, message, offset + DEPOSIT.wallet, offset + DEPOSIT.owner)) return;
  const amountMicro = message.view.getFloat64(offset + DEPOSIT.amountMicro, true);
  if (refusesDeposit(state, amountMicro)) return;
  const known = state.accounts.accountAt(message, offset + DEPOSIT.wallet);
  const account = known !== NONE ? known : openAccount(state, message, offset + DEPOSIT.wallet, offset + DEPOSIT.owner);
  const isFaucet = message.view.getUint8(offset + DEPOSIT.isFaucet) !== 0;
  credit(state, account, isFaucet ? CashKind.FAUCET : CashKind.DEPOSIT, amountMicro);
}

/** Withdraw: up to the balance less the largest reservation of any market. */
export function withdraw(state: CoreState, message: Message, offset: number): void {
  const { ledger, out } = state;
  if (refusesWallet(state, message, offset + WITHDRAW.wallet, offset + WITHDRAW.owner)) return;
  const amountMicro = message.view.getFloat64(offset + WITHDRAW.amountMicro, true);
  if (amountMicro < 1) {
    out.rejected('AMOUNT_INVALID', amountMicro);
    return;
  }
  const account = state.accounts.accountAt(message, offset + WITHDRAW.wallet);
  if (refusesSpending(state, account, amountMicro)) return;
  state.withdrawalsMicro += amountMicro;
  ledger.collateral[account] -= amountMicro;
  const collateralMicro = ledger.collateral[account];
  out.write({ type: 'CollateralChanged', accountId: account, kind: CashKind.WITHDRAWAL, amountMicro, collateralMicro });
}

/** Whether the amount exceeds the balance less the largest reservation of any market; if so, writes the rejection. */
function refusesSpending(state: CoreState, account: number, amountMicro: number): boolean {
  const balance = account === NONE ? 0 : state.ledger.collateral[account];
  const reserved = account === NONE ? 0 : state.ledger.largestReservation(account);
  if (amountMicro <= balance - reserved) return false;
  state.out.rejected('BALANCE_SHORT', balance, reserved, amountMicro);
  return true;
}

/** Pays the credit for an owner's first API key: once per owner, to each listed wallet that is not another owner's. */
export function creditOwner(
  state: CoreState,
  message: Message,
  offset: number,
  headBytes: number,
  ownerOffset: number,
): void {
  const { accounts, creditMicro } = state;
  if (creditMicro === 0) return;
  const ownerAt = offset + ownerOffset;
  const owner = accounts.ownerFor(message, ownerAt);
  if (accounts.isCredited(owner)) return;
  accounts.setCredited(owner);
  const first = offset + COMMAND_HEADER_BYTES + headBytes;
  const count = message.view.getUint16(offset + 2, true);
  for (let i = 0; i < count; i += 1) {
    const walletAt = first + i * KIND_BYTES.bytes20;
    const known = accounts.accountAt(message, walletAt);
    if (known !== NONE && accounts.owners[known] !== owner) continue;
    if (creditMicro > MICRO_MAX - state.depositsMicro) continue;
    const account = known !== NONE ? known : openAccount(state, message, walletAt, ownerAt);
    credit(state, account, CashKind.CREDIT, creditMicro);
  }
}

const takesSplits = (market: Market): boolean =>
  market.status === MarketStatus.OPEN || market.status === MarketStatus.PAUSED;

/** FaucetShares: a deposit that is split at once; the other leg goes to HOUSE. */
export function faucetShares(state: CoreState, message: Message, offset: number): void {
  const { ledger, out } = state;
  if (refusesWallet(state, message, offset + FAUCET.wallet, offset + FAUCET.owner)) return;
  const market = state.markets[message.view.getUint32(offset + FAUCET.marketIndex, true)];
  const amountMicro = message.view.getFloat64(offset + FAUCET.amountMicro, true);
  if (market === undefined) {
    out.rejected('MARKET_UNKNOWN');
    return;
  }
  if (amountMicro < 1) {
    out.rejected('AMOUNT_INVALID', amountMicro);
    return;
  }
  if (!takesSplits(market)) {
    out.rejected('MARKET_STATE', market.status);
    return;
  }
  if (refusesDeposit(state, amountMicro)) return;
  const outcome = message.view.getUint8(offset + FAUCET.outcome);
  const known = state.accounts.accountAt(message, offset + FAUCET.wallet);
  const account = known !== NONE ? known : openAccount(state, message, offset + FAUCET.wallet, offset + FAUCET.owner);
  const position = ledger.positionFor(account, market.index);
  const house = ledger.positionFor(HOUSE_ACCOUNT.id, market.index);
  state.depositsMicro += amountMicro;
  market.vaultMicro += amountMicro;
  ledger.addShares(position, outcome, amountMicro);
  ledger.addShares(house, 1 - outcome, amountMicro);
  out.write({
    type: 'SharesCredited',
    accountId: account,
    marketIndex: market.index,
    outcome,
    amountMicro,
    sharesMicro: ledger.sharesMicro(position, outcome),
    houseSharesMicro: ledger.sharesMicro(house, 1 - outcome),
    vaultMicro: market.vaultMicro,
  });
}

/** Reads a Split or a Merge, whose layouts agree, and makes the checks that they share; undefined when refused. */
function readSetCommand(
  state: CoreState,
  message: Message,
  offset: number,
  isAllowed: (market: Market) => boolean,
): { readonly account: number; readonly market: Market; readonly amountMicro: number } | undefined {
  if (refusesWallet(state, message, offset + SPLIT.wallet, offset + SPLIT.owner)) return undefined;
  const market = state.markets[message.view.getUint32(offset + SPLIT.marketIndex, true)];
  const amountMicro = message.view.getFloat64(offset + SPLIT.amountMicro, true);
  if (market === undefined) state.out.rejected('MARKET_UNKNOWN');
  else if (amountMicro < 1) state.out.rejected('AMOUNT_INVALID', amountMicro);
  else if (!isAllowed(market)) state.out.rejected('MARKET_STATE', market.status);
  else return { account: state.accounts.accountAt(message, offset + SPLIT.wallet), market, amountMicro };
  return undefined;
}

function writeSetEvent(
  state: CoreState,
  type: 'PositionSplit' | 'PositionMerged',
  account: number,
  market: Market,
  position: number,
  amountMicro: number,
): void {
  const { ledger } = state;
  state.out.write({
    type,
    accountId: account,
    marketIndex: market.index,
    amountMicro,
    collateralMicro: ledger.collateral[account],
    firstSharesMicro: ledger.sharesMicro(position, 0),
    secondSharesMicro: ledger.sharesMicro(position, 1),
    vaultMicro: market.vaultMicro,
  });
}

/**
 * Whether the wallet's owner is banned or closed-only; if so, writes the rejection. To split and sell one token is to open a
 * position in the other. Such an owner may still merge and redeem.
 */
function refusesSplits(state: CoreState, message: Message, ownerAt: number): boolean {
  const { accounts, rulesVersion } = state;
  const flags = accounts.flagsOf(accounts.ownerAt(message, ownerAt));
  const isBanned = rulesVersion >= RulesVersion.SECOND && (flags & AccountFlag.BANNED) !== 0;
  const isClosedOnly = rulesVersion >= RulesVersion.FIFTH && (flags & AccountFlag.CLOSED_ONLY) !== 0;
  if (isBanned) state.out.rejected('BANNED');
  else if (isClosedOnly) state.out.rejected('CLOSED_ONLY');
  return isBanned || isClosedOnly;
}

/** Split: turns collateral into as many shares of each token. */
export function split(state: CoreState, message: Message, offset: number): void {
  const command = readSetCommand(state, message, offset, takesSplits);
  if (command === undefined || refusesSplits(state, message, offset + SPLIT.owner)) return;
  const { account, market, amountMicro } = command;
  if (refusesSpending(state, account, amountMicro)) return;
  const { ledger } = state;
  const position = ledger.positionFor(account, market.index);
  ledger.collateral[account] -= amountMicro;
  ledger.addShares(position, 0, amountMicro);
  ledger.addShares(position, 1, amountMicro);
  market.vaultMicro += amountMicro;
  writeSetEvent(state, 'PositionSplit', account, market, position, amountMicro);
}

/** Merge: turns as many shares of each token back into collateral. Shares that orders reserve cannot be merged. */
export function merge(state: CoreState, message: Message, offset: number): void {
  const { ledger } = state;
  const command = readSetCommand(state, message, offset, (m) => takesSplits(m) || m.status === MarketStatus.CLOSED);
  if (command === undefined) return;
  const { account, market, amountMicro } = command;
  const position = account === NONE ? NONE : ledger.find(account, market.index);
  const free = Math.min(
    ledger.sharesMicro(position, 0) - ledger.reservedSharesMicro(position, 0),
    ledger.sharesMicro(position, 1) - ledger.reservedSharesMicro(position, 1),
  );
  if (amountMicro > free) {
    state.out.rejected('SHARES_SHORT', free, amountMicro);
    return;
  }
  ledger.collateral[account] += amountMicro;
  ledger.addShares(position, 0, -amountMicro);
  ledger.addShares(position, 1, -amountMicro);
  market.vaultMicro -= amountMicro;
  writeSetEvent(state, 'PositionMerged', account, market, position, amountMicro);
}

/** The payout for shares of a resolved market, micro: one for each winning share, or half of all shares, rounded down. */
function payoutMicro(resolution: number, first: number, second: number): number {
  if (resolution === Resolution.FIRST) return first;
  if (resolution === Resolution.SECOND) return second;
  // Halves first: the sum of the two may lie beyond 2^53.
  return Math.floor(first / 2) + Math.floor(second / 2) + (((first % 2) + (second % 2)) >> 1);
}

/** Redeem: burns all of the account's shares of both tokens and pays their worth. */
export function redeem(state: CoreState, message: Message, offset: number): void {
  const { ledger, out } = state;
  if (refusesWallet(state, message, offset + REDEEM.wallet, offset + REDEEM.owner)) return;
  const market = state.markets[message.view.getUint32(offset + REDEEM.marketIndex, true)];
  if (market === undefined) {
    out.rejected('MARKET_UNKNOWN');
    return;
  }
  if (market.status !== MarketStatus.RESOLVED) {
    out.rejected('MARKET_STATE', market.status);
    return;
  }
  const account = state.accounts.accountAt(message, offset + REDEEM.wallet);
  const position = account === NONE ? NONE : ledger.find(account, market.index);
  const firstBurnedMicro = ledger.sharesMicro(position, 0);
  const secondBurnedMicro = ledger.sharesMicro(position, 1);
  if (firstBurnedMicro === 0 && secondBurnedMicro === 0) {
    out.rejected('NOTHING_TO_REDEEM');
    return;
  }
  const payout = payoutMicro(market.resolution, firstBurnedMicro, secondBurnedMicro);
  ledger.burnShares(position);
  ledger.collateral[account] += payout;
  market.vaultMicro -= payout;
  market.unredeemedFirstMicro -= firstBurnedMicro;
  market.unredeemedSecondMicro -= secondBurnedMicro;
  if (market.unredeemedFirstMicro === 0 && market.unredeemedSecondMicro === 0) {
    state.dustMicro += market.vaultMicro;
    market.vaultMicro = 0;
  }
  out.write({
    type: 'PositionRedeemed',
    accountId: account,
    marketIndex: market.index,
    firstBurnedMicro,
    secondBurnedMicro,
    payoutMicro: payout,
    collateralMicro: ledger.collateral[account],
    vaultMicro: market.vaultMicro,
    dustMicro: state.dustMicro,
  });
}
