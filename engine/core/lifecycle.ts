// Markets from creation to resolution, the exchange's mode, owners' flags, wallets that change owner, and heartbeats:
// everything that an operator or the clock does to trading. Called by exchange.ts.

import { readHex } from '../protocol/bytes.ts';
import { commandLayouts } from '../protocol/layout.ts';
import { type MarketTermsMessage, marketTermsFault, readMarketTerms } from '../protocol/marketTerms.ts';
import type { Message } from '../protocol/message.ts';
import { AccountFlag, CancelReason, MarketField, MarketStatus, RulesVersion } from '../protocol/terms.ts';
import {
  cancelEverythingIn,
  cancelEverythingOf,
  cancelEverythingOfAccount,
  cancelRestingBuys,
  cancelRestingOfKey,
} from './cancels.ts';
import { openAccount } from './cash.ts';
import { readHeartbeatId } from './heartbeatTable.ts';
import { ASK, BID } from './ladder.ts';
import type { Market } from './market.ts';
import { NONE } from './orderPool.ts';
import type { CoreState } from './state.ts';

const CREATE = commandLayouts.CreateMarket;
const UPDATE = commandLayouts.UpdateMarket;
const RESOLVE = commandLayouts.ResolveMarket.offsets;
const MODE = commandLayouts.SetExchangeMode.offsets;
const FLAGS_AT = commandLayouts.SetAccountFlags.offsets;
const BIND = commandLayouts.BindWallet.offsets;
const HEARTBEAT = commandLayouts.Heartbeat.offsets;

/** Auto tick: best prices beyond these bounds, near an end of the range, make the tick ten times finer. */
const AUTO_TICK_FROM_PIPS = 100;
const AUTO_TICK_TO_PIPS = 10;
const AUTO_TICK_BID_ABOVE_PIPS = 9600;
const AUTO_TICK_ASK_BELOW_PIPS = 400;

/** CreateMarket. The registry has already checked ids and terms. */
export function createMarket(state: CoreState, message: Message, offset: number): void {
  const terms = readMarketTerms(message.view, offset, CREATE.offsets);
  const market = state.addMarket(terms);
  state.out.write({
    type: 'MarketCreated',
    marketIndex: market.index,
    eventNumber: message.view.getUint32(offset + CREATE.offsets.eventNumber, true),
    conditionId: readHex(message.bytes, offset + CREATE.offsets.conditionId, 32),
    firstToken: readHex(message.bytes, offset + CREATE.offsets.firstToken, 32),
    secondToken: readHex(message.bytes, offset + CREATE.offsets.secondToken, 32),
    ...terms,
  });
}

/** Whether an update may change a market's status from one to another. */
function mayBecome(from: number, to: number): boolean {
  if (from === to) return true;
  if (to === MarketStatus.DRAFT || to === MarketStatus.RESOLVED) return false;
  return from === MarketStatus.DRAFT || from === MarketStatus.OPEN || from === MarketStatus.PAUSED;
}

function applyTerms(market: Market, mask: number, terms: MarketTermsMessage): void {
  if ((mask & MarketField.STATUS) !== 0) market.status = terms.status;
  if ((mask & MarketField.MIN_ORDER) !== 0) market.minOrderLots = terms.minOrderLots;
  if ((mask & MarketField.MIN_MARKETABLE_BUY) !== 0) market.minMarketableBuyMicro = terms.minMarketableBuyMicro;
  if ((mask & MarketField.FEE) !== 0) {
    market.feeRate = terms.feeRate;
    market.feeExponent = terms.feeExponent;
  }
  if ((mask & MarketField.DELAY) !== 0) market.delaySeconds = terms.delaySeconds;
  if ((mask & MarketField.AUTO_TICK) !== 0) market.autoTick = terms.autoTick;
  if ((mask & MarketField.TICK) !== 0) changeTick(market, terms.tickPips);
}

function changeTick(market: Market, tickPips: number): void {
  market.tickPips = tickPips;
  market.refitGrid();
}

/** UpdateMarket: changes the masked terms, all or none. */
export function updateMarket(state: CoreState, message: Message, offset: number): void {
  const { out } = state;
  const market = state.markets[message.view.getUint32(offset + UPDATE.offsets.marketIndex, true)];
  if (market === undefined) {
    out.rejected('MARKET_UNKNOWN');
    return;
  }
  const mask = message.view.getUint8(offset + UPDATE.offsets.mask);
  const terms = readMarketTerms(message.view, offset, UPDATE.offsets);
  const fault = marketTermsFault(mask, terms);
  if (fault !== 0) {
    out.rejected('MARKET_TERMS', fault);
    return;
  }
  const isFinal = market.status === MarketStatus.CLOSED || market.status === MarketStatus.RESOLVED;
  const isStatusBad = (mask & MarketField.STATUS) !== 0 && !mayBecome(market.status, terms.status);
  if ((isFinal && mask !== 0) || isStatusBad) {
    out.rejected('MARKET_STATE', market.status);
    return;
  }
  applyTerms(market, mask, terms);
  state.touchedMarket = market.index;
  out.write({ type: 'MarketUpdated', marketIndex: market.index, ...market.terms() });
  if ((mask & MarketField.STATUS) !== 0 && market.status === MarketStatus.CLOSED) {
    cancelEverythingIn(state, market, CancelReason.MARKET_CLOSED);
  }
}

/** ResolveMarket: closes the market first if needed. Final. */
export function resolveMarket(state: CoreState, message: Message, offset: number): void {
  const { out } = state;
  const market = state.markets[message.view.getUint32(offset + RESOLVE.marketIndex, true)];
  if (market === undefined) {
    out.rejected('MARKET_UNKNOWN');
    return;
  }
  if (market.status === MarketStatus.RESOLVED || market.status === MarketStatus.DRAFT) {
    out.rejected('MARKET_STATE', market.status);
    return;
  }
  if (market.status !== MarketStatus.CLOSED) {
    market.status = MarketStatus.CLOSED;
    out.write({ type: 'MarketUpdated', marketIndex: market.index, ...market.terms() });
    cancelEverythingIn(state, market, CancelReason.MARKET_RESOLVED);
  }
  market.ladder.vacate();
  market.status = MarketStatus.RESOLVED;
  market.resolution = message.view.getUint8(offset + RESOLVE.resolution);
  market.unredeemedFirstMicro = market.vaultMicro;
  market.unredeemedSecondMicro = market.vaultMicro;
  out.write({ type: 'MarketResolved', marketIndex: market.index, resolution: market.resolution });
}

/** Applies auto tick to the market that was touched, if any. */
export function tickAutomatically(state: CoreState): void {
  const { touchedMarket } = state;
  if (touchedMarket === NONE) return;
  state.touchedMarket = NONE;
  const market = state.markets[touchedMarket];
  if (!wantsFinerTick(market)) return;
  changeTick(market, AUTO_TICK_TO_PIPS);
  state.out.write({ type: 'MarketUpdated', marketIndex: touchedMarket, ...market.terms() });
}

function wantsFinerTick(market: Market): boolean {
  if (market.autoTick === 0 || market.tickPips !== AUTO_TICK_FROM_PIPS || market.status !== MarketStatus.OPEN) {
    return false;
  }
  const { ladder } = market;
  return ladder.bestPips(BID) > AUTO_TICK_BID_ABOVE_PIPS || ladder.bestPips(ASK) < AUTO_TICK_ASK_BELOW_PIPS;
}

/** SetExchangeMode. */
export function setMode(state: CoreState, message: Message, offset: number): void {
  state.mode = message.view.getUint8(offset + MODE.mode);
  state.out.write({ type: 'ExchangeModeChanged', mode: state.mode });
}

/**
 * SetAccountFlags: a ban cancels all of the owner's orders, closed-only its resting BUYs: delayed ones end at their release.
 * Closed-only does so each time it is set, as before version 5 a BUY could come to rest afterwards.
 */
export function setFlags(state: CoreState, message: Message, offset: number): void {
  const { accounts } = state;
  const owner = accounts.ownerFor(message, offset + FLAGS_AT.owner);
  const mask = message.view.getUint8(offset + FLAGS_AT.mask);
  const before = accounts.flagsOf(owner);
  const flags = (before & ~mask) | (message.view.getUint8(offset + FLAGS_AT.flags) & mask);
  accounts.setFlags(owner, flags);
  state.out.write({ type: 'AccountFlagsChanged', owner: accounts.ownerText(owner), flags });
  const added = flags & ~before;
  const closing = state.rulesVersion < RulesVersion.FIFTH ? added : flags & mask;
  if ((added & AccountFlag.BANNED) !== 0) cancelEverythingOf(state, owner, CancelReason.BANNED);
  else if ((closing & AccountFlag.CLOSED_ONLY) !== 0) cancelRestingBuys(state, owner, CancelReason.CLOSED_ONLY);
}

/**
 * BindWallet: another owner's account loses its orders and changes hands. A wallet without an account gets one: somebody else's
 * deposit or key that comes later finds the wallet taken.
 */
export function bindWallet(state: CoreState, message: Message, offset: number): void {
  const { accounts } = state;
  const account = accounts.accountAt(message, offset + BIND.wallet);
  if (account === NONE) {
    if (state.rulesVersion < RulesVersion.SECOND) return;
    openAccount(state, message, offset + BIND.wallet, offset + BIND.owner);
    return;
  }
  const owner = accounts.ownerFor(message, offset + BIND.owner);
  if (accounts.owners[account] === owner) return;
  cancelEverythingOfAccount(state, account, CancelReason.WALLET_MOVED);
  accounts.move(account, owner);
}

/** Heartbeat: renews the key's session, or refuses with the expected id. */
export function heartbeat(state: CoreState, message: Message, offset: number): void {
  const { accounts, heartbeats, out } = state;
  const keyAt = offset + HEARTBEAT.keyId;
  const owner = accounts.ownerFor(message, offset + HEARTBEAT.owner);
  const key = accounts.keyFor(message, keyAt);
  const session = heartbeats.sessionOf(key);
  const given = readHeartbeatId(message, offset + HEARTBEAT.given);
  const isRefresh = message.view.getUint8(offset + HEARTBEAT.refresh) !== 0;
  const isActive = session?.isActive === true;
  if (isActive && !isRefresh && given !== session.expected) {
    out.write({ type: 'HeartbeatRefused', keyId: accounts.keyText(key), expected: session.expected });
    return;
  }
  const next = isActive && isRefresh ? session.expected : readHeartbeatId(message, offset + HEARTBEAT.next);
  const deadlineMs = state.tMs + state.heartbeatWindowMs;
  heartbeats.renew(key, owner, next, deadlineMs, state.rulesVersion);
  out.write({ type: 'HeartbeatAccepted', keyId: accounts.keyText(key), next, deadlineMs });
}

/** Ends the session that is due: its API key fell silent, so its resting orders are cancelled. */
export function lapseHeartbeat(state: CoreState): void {
  const { key, owner } = state.heartbeats.lapseNext();
  state.out.write({ type: 'HeartbeatLapsed', keyId: state.accounts.keyText(key) });
  cancelRestingOfKey(state, owner, key, CancelReason.HEARTBEAT);
}
