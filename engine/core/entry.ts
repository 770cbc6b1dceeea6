// Order entry: all checks of the core, in the order of the list of rejections, then the execution of an accepted order. Called
// by exchange.ts for PlaceOrder, and by releases.ts for the funds check and the execution. A refused order changes nothing; a
// killed one gets a number, and an account and a position if it has none, and its id is remembered.
import { commandLayouts } from '../protocol/layout.ts';
import { limits } from '../protocol/limits.ts';
import type { Message } from '../protocol/message.ts';
import {
  AccountFlag,
  CancelReason,
  ExchangeMode,
  MarketStatus,
  OrderFlag,
  OrderType,
  Side,
} from '../protocol/terms.ts';
import * as units from '../protocol/units.ts';
import * as amounts from './amounts.ts';
import * as cancels from './cancels.ts';
import { openAccount } from './cash.ts';
import * as dryRun from './dryRun.ts';
import type { Market } from './market.ts';
import * as matching from './matching.ts';
import * as orderBook from './orderBook.ts';
import * as orderPool from './orderPool.ts';
import * as prices from './prices.ts';
import type { CoreState, TakerOrder } from './state.ts';
import * as usualOrder from './usualOrder.ts';

// File-local constants, see engine/compiler.ts.
const { costMicro, sharesMicroOf } = amounts;
const { cancelOrder } = cancels;
const { crossesAnything, isWhole, neededMicro, noDryRun, simulate } = dryRun;
const { matchOrder } = matching;
const { admitOrder, delayOrder, forgetOrder, ladderSideOf, restOrder } = orderBook;
const { NONE } = orderPool;
const { floorDivide, inToken, isMultiple, marketPricePips, priceMicro } = prices;
const { placeUsual } = usualOrder;
const { BUY } = Side;
const { GTC, GTD, FOK, FAK } = OrderType;
const { POST_ONLY, CLIENT_ACCURACY } = OrderFlag;
const { OPEN } = MarketStatus;
const { NORMAL } = ExchangeMode;
const { BANNED, CLOSED_ONLY } = AccountFlag;
const { amountStepMicro, MICRO_MAX, MICRO_PER_LOT, PIPS_PER_UNIT } = units;
const LOTS_MAX: number = limits.orderLotsMax;
const GTD_MARGIN_MS: number = limits.gtdMarginMs;
const AHEAD_MAX_MS: number = limits.timestampAheadMaxMs;

const AT = commandLayouts.PlaceOrder.offsets;
const ID_AT = AT.orderId;
const KEY_AT = AT.keyId;
const MAKER_AT = AT.maker;
const OWNER_AT = AT.owner;
/** Offsets in 32-bit words and in 64-bit floats. Token, side, type and flags are the four bytes of one word. */
const MARKET_WORD = AT.marketIndex / 4;
const TERMS_WORD = AT.outcome / 4;
const MAKER_DOUBLE = AT.makerAmountMicro / 8;
const TAKER_DOUBLE = AT.takerAmountMicro / 8;
const TIMESTAMP_DOUBLE = AT.timestampMs / 8;
const EXPIRATION_DOUBLE = AT.expirationS / 8;

/** Reads the message at `offset` into `state.taker`. */
const readOrder = (
  state: CoreState,
  message: Message,
  offset: number,
  account: number,
  position: number,
): TakerOrder => {
  const order = state.taker;
  const { accounts } = state;
  const { words, doubles } = message;
  const word = offset >> 2;
  const double = offset >> 3;
  order.account = account;
  order.position = position;
  order.owner = account < 0 ? accounts.ownerAt(message, offset + OWNER_AT) : accounts.owners[account];
  const terms = words[word + TERMS_WORD];
  const outcome = terms & 0xff;
  const side = (terms >> 8) & 0xff;
  const orderType = (terms >> 16) & 0xff;
  order.slot = NONE;
  order.outcome = outcome;
  order.side = side;
  order.orderType = orderType;
  order.flags = terms >>> 24;
  order.isBuy = side === BUY;
  order.canRest = orderType === GTC || orderType === GTD;
  order.ladderSide = ladderSideOf(side, outcome);
  order.makerMicro = doubles[double + MAKER_DOUBLE];
  order.takerMicro = doubles[double + TAKER_DOUBLE];
  order.timestampMs = doubles[double + TIMESTAMP_DOUBLE];
  order.expirationS = doubles[double + EXPIRATION_DOUBLE];
  return order;
};

/** Checks type, expiration and timestamp; false when refused. */
const checkTimes = (state: CoreState, order: TakerOrder): boolean => {
  const { out, tMs } = state;
  const { timestampMs } = order;
  if ((order.flags & POST_ONLY) !== 0 && !order.canRest) {
    out.rejected('POST_ONLY_TYPE');
    return false;
  }
  if (order.orderType === GTD) {
    if (order.expirationS * 1000 < tMs + GTD_MARGIN_MS) {
      const earliestS = Math.ceil((tMs + GTD_MARGIN_MS) / 1000);
      out.rejected('EXPIRATION_INVALID', order.expirationS, earliestS);
      return false;
    }
  } else if (order.expirationS !== 0) {
    out.rejected('EXPIRATION_INVALID', order.expirationS, 0);
    return false;
  }
  const earliest = Math.max(tMs - state.orderWindowMs, state.ids.forgottenBeforeMs, 0);
  const latest = tMs + AHEAD_MAX_MS;
  if (timestampMs < earliest || timestampMs > latest) {
    out.rejected('TIMESTAMP_OUT_OF_RANGE', timestampMs, earliest, latest);
    return false;
  }
  return true;
};

/** The limit of a GTC or GTD order, pips, which must be whole and on the tick; 0 when refused. */
const restingPips = (state: CoreState, tickPips: number, order: TakerOrder): number => {
  const { makerMicro, takerMicro, isBuy } = order;
  const lots = (isBuy ? takerMicro : makerMicro) / MICRO_PER_LOT;
  const money = isBuy ? makerMicro : takerMicro;
  const pips = money / lots;
  if (Math.floor(pips) * lots !== money) {
    state.out.rejected('AMOUNT_ACCURACY', makerMicro, takerMicro, tickPips);
    return 0;
  }
  // (An integer remainder by a variable takes as long as a line from a near cache.)
  if (pips < tickPips || pips > PIPS_PER_UNIT - tickPips || Math.floor(pips / tickPips) * tickPips !== pips) {
    state.out.rejected('PRICE_OFF_TICK', Math.min(pips * 100, MICRO_MAX), tickPips);
    return 0;
  }
  return pips | 0;
};

/**
 * The limit of a FOK or FAK order, pips: the signed ratio moved to the tick, never to its owner's disadvantage; 0 when refused.
 */
const takingPips = (state: CoreState, tickPips: number, order: TakerOrder): number => {
  const { makerMicro, takerMicro, isBuy } = order;
  const money = isBuy ? makerMicro : takerMicro;
  const shares = isBuy ? takerMicro : makerMicro;
  const pips = marketPricePips(money, shares, tickPips, isBuy);
  const highest = PIPS_PER_UNIT - tickPips;
  if (isBuy ? pips < tickPips : pips > highest) {
    state.out.rejected('PRICE_OFF_TICK', priceMicro(money, shares), tickPips);
    return 0;
  }
  return isBuy && pips > highest ? highest : pips;
};

/**
 * Whether the amounts of a FOK or FAK have no more decimals than production accepts (wire.md B.4): two in the maker amount,
 * which is the size asked for, and in the taker amount as many as the tick allows. Orders that no client signed, the exchange's
 * own, may have any number.
 */
const isAccurate = (tickPips: number, order: TakerOrder): boolean => {
  if ((order.flags & CLIENT_ACCURACY) === 0) return true;
  return isMultiple(order.makerMicro, MICRO_PER_LOT) && isMultiple(order.takerMicro, amountStepMicro(tickPips));
};

/** Checks amounts, tick and size, and derives limit and lots under the current tick; false when refused. */
const checkAmounts = (state: CoreState, market: Market, order: TakerOrder): boolean => {
  const { out } = state;
  const { tickPips } = market;
  const { isBuy, canRest, makerMicro, takerMicro } = order;
  if (makerMicro < 1 || takerMicro < 1) {
    out.rejected('AMOUNT_NOT_POSITIVE', makerMicro, takerMicro);
    return false;
  }
  const shares = isBuy ? takerMicro : makerMicro;
  const isBudget = isBuy && !canRest;
  if ((!isBudget && !isMultiple(shares, MICRO_PER_LOT)) || (!canRest && !isAccurate(tickPips, order))) {
    out.rejected('AMOUNT_ACCURACY', makerMicro, takerMicro, tickPips);
    return false;
  }
  const pips = canRest ? restingPips(state, tickPips, order) : takingPips(state, tickPips, order);
  if (pips === 0) return false;
  const lots = isBudget ? floorDivide(makerMicro, pips) : shares / MICRO_PER_LOT;
  if (lots < 1) {
    out.rejected('SIZE_BELOW_MINIMUM', lots, 1);
    return false;
  }
  if (lots > LOTS_MAX) {
    out.rejected('SIZE_TOO_LARGE', lots, LOTS_MAX);
    return false;
  }
  order.limitPips = pips;
  order.ladderPips = inToken(pips, order.outcome);
  order.budgetMicro = isBudget ? makerMicro : 0;
  order.lots = lots | 0;
  return true;
};

/** Checks the market's minimums; false when refused. */
const checkMinimums = (state: CoreState, market: Market, order: TakerOrder, foundLots: number): boolean => {
  if (order.canRest && order.lots < market.minOrderLots) {
    state.out.rejected('SIZE_BELOW_MINIMUM', order.lots, market.minOrderLots);
    return false;
  }
  const isMarketable = !order.canRest || foundLots > 0;
  if (order.isBuy && isMarketable && order.makerMicro < market.minMarketableBuyMicro) {
    state.out.rejected('MARKETABLE_BUY_BELOW_MINIMUM', order.makerMicro, market.minMarketableBuyMicro);
    return false;
  }
  return true;
};

/** Checks the market's status, the exchange's mode and the owner's flags; false when refused. */
const checkStates = (state: CoreState, market: Market, order: TakerOrder): boolean => {
  const { out, mode } = state;
  const isPostOnly = (order.flags & POST_ONLY) !== 0;
  if (market.status !== OPEN) {
    out.rejected('MARKET_NOT_OPEN', market.status);
    return false;
  }
  if (mode !== NORMAL && !(mode === ExchangeMode.POST_ONLY && isPostOnly)) {
    if (mode === ExchangeMode.DISABLED) out.rejected('EXCHANGE_DISABLED');
    else if (mode === ExchangeMode.RESTARTING) out.rejected('EXCHANGE_RESTARTING');
    else if (mode === ExchangeMode.CANCEL_ONLY) out.rejected('EXCHANGE_CANCEL_ONLY');
    else out.rejected('EXCHANGE_POST_ONLY');
    return false;
  }
  const flags = state.accounts.flagsOf(order.owner);
  if ((flags & BANNED) !== 0) {
    out.rejected('BANNED');
    return false;
  }
  if ((flags & CLOSED_ONLY) !== 0 && order.isBuy) {
    out.rejected('CLOSED_ONLY');
    return false;
  }
  return true;
};

/** The amount that a delayed order reserves, micro: as if it rested, or the whole budget of a FOK or FAK BUY. */
const delayReservation = (order: TakerOrder): number => {
  if (!order.isBuy) return sharesMicroOf(order.lots);
  return order.canRest ? costMicro(order.lots, order.limitPips) : order.budgetMicro;
};

/**
 * Whether the funds fall short of what the order needs; leaves the figures in the order. `state.dry` must hold its dry run. An
 * order about to be delayed needs at least what it will reserve, and gets nothing back from self-trade cancels.
 */
export const fundsShort = (state: CoreState, order: TakerOrder, isDelayed: boolean): boolean => {
  const { dry } = state;
  state.ledger.readFunds(order);
  order.neededMicro = neededMicro(dry, order);
  if (isDelayed) order.neededMicro = Math.max(order.neededMicro, delayReservation(order));
  else order.reservedMicro -= dry.releasedCollateralMicro;
  return order.neededMicro > order.balanceMicro - order.reservedMicro;
};

/** Numbers an order that is accepted or killed, opens its account and position if needed, and remembers its id. */
const takeOn = (state: CoreState, market: Market, order: TakerOrder, message: Message, offset: number): void => {
  if (order.account < 0) order.account = openAccount(state, message, offset + MAKER_AT, offset + OWNER_AT);
  state.lastOrderNumber += 1;
  order.number = state.lastOrderNumber;
  if (order.position < 0) order.position = state.ledger.positionFor(order.account, market.index);
  state.ids.add(message, offset + ID_AT, order);
};

const kill = (
  state: CoreState,
  market: Market,
  order: TakerOrder,
  message: Message,
  offset: number,
  name: 'FOK_NOT_FILLED' | 'FAK_NOT_MATCHED',
): void => {
  takeOn(state, market, order, message, offset);
  state.out.orderKilled(
    name,
    order.number,
    order.account,
    market.index,
    order.outcome,
    order.side,
    order.orderType,
    order.limitPips,
    order.lots,
    name === 'FOK_NOT_FILLED' ? state.dry.foundLots : 0,
  );
};

/** Writes the first event of an accepted order. */
const announce = (state: CoreState, market: Market, order: TakerOrder): void => {
  state.out.orderAccepted(
    order.number,
    order.account,
    market.index,
    order.outcome,
    order.side,
    order.orderType,
    order.flags & POST_ONLY,
    order.limitPips,
    order.lots,
  );
};

/**
 * PlaceOrder: refuses, kills, delays, matches or rests the order of the message at `offset`. placeAny, for what placeUsual
 * leaves, is a separate function: called less often, it takes no room in the compiled code for the usual orders.
 */
export const placeOrder = (state: CoreState, message: Message, offset: number): void => {
  const { ids } = state;
  if (ids.oldestEndMs <= state.tMs - state.orderWindowMs) ids.forget(state.tMs - state.orderWindowMs);
  const ahead = state.aheadAt;
  let account = NONE;
  let guess = NONE;
  if (ahead < state.aheadCount) {
    account = state.aheadAccounts[ahead];
    guess = state.aheadPositions[ahead];
    state.aheadAt = ahead + 1;
  }
  if (account < 0) account = state.accounts.accountAt(message, offset + MAKER_AT);
  const marketIndex = message.words[(offset >> 2) + MARKET_WORD];
  const position = account < 0 ? NONE : state.ledger.findNear(account, marketIndex, guess);
  if (!placeUsual(state, message, offset, account, position)) placeAny(state, message, offset, account, position);
};

/** Places any order: all checks, in the order of the list of rejections, then acceptance. */
const placeAny = (state: CoreState, message: Message, offset: number, account: number, position: number): void => {
  const { out, dry, ids } = state;
  const order = readOrder(state, message, offset, account, position);
  if (account >= 0 && !state.accounts.isOwner(order.owner, message, offset + OWNER_AT)) {
    out.rejected('WALLET_NOT_OWNED');
    return;
  }
  const market = state.markets[message.words[(offset >> 2) + MARKET_WORD] >>> 0];
  if (market === undefined) {
    out.rejected('MARKET_UNKNOWN');
    return;
  }
  if (!checkTimes(state, order) || !checkAmounts(state, market, order)) return;
  const crosses = crossesAnything(market, order);
  if (crosses) simulate(state, market, order);
  else noDryRun(dry, order);
  if (!checkMinimums(state, market, order, dry.foundLots) || !checkStates(state, market, order)) return;
  // Live orders need no look-up of their own: every id whose timestamp passes the check is still remembered here.
  if (ids.has(message, offset + ID_AT, order)) {
    out.rejected('DUPLICATE');
    return;
  }
  const isPostOnly = (order.flags & POST_ONLY) !== 0;
  if (isPostOnly && crosses) {
    const best = market.ladder.bestPips(1 - order.ladderSide);
    out.rejected('POST_ONLY_CROSSES', inToken(best, order.outcome));
    return;
  }
  const isDelayed = market.delaySeconds > 0 && dry.foundLots > 0;
  if (fundsShort(state, order, isDelayed)) {
    out.rejected('FUNDS', order.balanceMicro, order.reservedMicro, order.neededMicro);
    return;
  }
  if (order.orderType === FOK && !isWhole(dry, order)) {
    kill(state, market, order, message, offset, 'FOK_NOT_FILLED');
    return;
  }
  if (order.orderType === FAK && dry.foundLots === 0) {
    kill(state, market, order, message, offset, 'FAK_NOT_MATCHED');
    return;
  }
  accept(state, market, order, message, offset, isDelayed);
};

const accept = (
  state: CoreState,
  market: Market,
  order: TakerOrder,
  message: Message,
  offset: number,
  isDelayed: boolean,
): void => {
  takeOn(state, market, order, message, offset);
  announce(state, market, order);
  // Only orders that stay need a slot of the pool: a taker that matches completely never enters it.
  if (isDelayed || (order.canRest && state.dry.foundLots < order.lots)) {
    admitOrder(state, order, message, offset + ID_AT, offset + KEY_AT);
  }
  if (isDelayed) {
    const releaseAtMs = state.tMs + market.delaySeconds * 1000;
    delayOrder(state, order, {
      releaseAtMs,
      orderType: order.orderType,
      limitPips: order.limitPips,
      budgetMicro: order.budgetMicro,
      lots: order.lots,
      expirationS: order.expirationS,
      reservedMicro: delayReservation(order),
    });
    state.out.write({ type: 'OrderDelayed', orderNumber: order.number, releaseAtMs });
    return;
  }
  execute(state, market, order);
};

/** When a GTD order stops being effective, ms; Infinity for the other types. */
export const endsAtMs = (orderType: number, expirationS: number): number => {
  return orderType === GTD ? expirationS * 1000 - GTD_MARGIN_MS : Infinity;
};

/**
 * Executes an accepted or released order: cancels own orders in the way, fills makers, and rests or ends the remainder.
 * `state.dry` must hold its dry run, and an order whose remainder rests must have its slot.
 */
export const execute = (state: CoreState, market: Market, order: TakerOrder): void => {
  const { dry, out } = state;
  for (let i = 0; i < dry.ownCount; i += 1) cancelOrder(state, dry.ownSlots[i], CancelReason.SELF_TRADE);
  const found = dry.foundLots;
  if (found > 0) matchOrder(state, market, order, found);
  const left = order.lots - found;
  if (order.canRest && left > 0) {
    restOrder(state, market, order, left, endsAtMs(order.orderType, order.expirationS));
    out.orderRested(order.number, left);
    return;
  }
  if (order.slot >= 0) forgetOrder(state, order.slot, order.position);
  if (order.orderType === FAK && !isWhole(dry, order)) {
    const lots = order.budgetMicro > 0 ? floorDivide(dry.budgetLeftMicro, order.limitPips) : left;
    out.orderCanceled(order.number, CancelReason.FAK_REMAINDER, lots);
    return;
  }
  out.orderFilled(order.number);
};
