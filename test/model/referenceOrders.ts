// Orders in the reference exchange: the checks of entry in their order, the acceptance, the delay and its release, and the
// settlement of fills. Called by reference.ts; it knows nothing about the passing of time or coverage.
import type { CommandOf } from '../../engine/protocol/index.ts';
import {
  AccountFlag,
  CancelReason,
  ExchangeMode,
  FillKind,
  limits,
  MarketStatus,
  OrderFlag,
  OrderType,
  RulesVersion,
  rejections,
  Side,
  TradeStatus,
} from '../../engine/protocol/index.ts';
import {
  balanceMicro,
  type DryRun,
  delayReservationMicro,
  dryRun,
  feeOf,
  isFok,
  isOwn,
  lotsOf,
  neededMicro,
  ordersInReach,
  releasedMicro,
  type Step,
  takerPips,
} from './referenceBook.ts';
import type { Market, Order, Refusal, State, Taker } from './referenceState.ts';
import {
  accountFor,
  addShares,
  cancelOrder,
  costOf,
  endOfMs,
  hourOf,
  isImmediate,
  isOwnedByAnother,
  microSharesOf,
  ORDER_LOTS_MAX,
  refusal,
  removeOrder,
  reservedCollateral,
  reservedShares,
  sharesOf,
} from './referenceState.ts';

type PlaceOrder = CommandOf<'PlaceOrder'>;

export function placeOrder(state: State, command: PlaceOrder): Refusal | undefined {
  forgetOldIds(state);
  if (isOwnedByAnother(state, command.maker, command.owner)) return refusal('WALLET_NOT_OWNED');
  const market = state.markets[command.marketIndex];
  if (market === undefined) return refusal('MARKET_UNKNOWN');
  const early = checkForm(state, command) ?? checkAmounts(market, command);
  if (early !== undefined) return early;
  const limit = readLimit(market, command);
  if ('name' in limit) return limit;
  const taker: Taker = {
    owner: command.owner,
    account: state.accountOfWallet.get(command.maker),
    market,
    outcome: command.outcome,
    side: command.side,
    orderType: command.orderType,
    flags: command.flags,
    pricePips: limit.pricePips,
    originalLots: limit.originalLots,
    makerAmount: BigInt(command.makerAmountMicro),
    takerAmount: BigInt(command.takerAmountMicro),
  };
  const crossesOthers = ordersInReach(state, taker).some((maker) => !isOwn(taker, maker));
  const late =
    checkMinimums(taker, crossesOthers) ??
    checkTrading(state, taker) ??
    checkDuplicate(state, command.orderId) ??
    checkPostOnly(state, taker);
  if (late !== undefined) return late;
  const willBeDelayed = market.delaySeconds > 0 && crossesOthers && !isPostOnly(taker);
  const run = dryRun(state, taker);
  const short = checkFunds(state, taker, run, willBeDelayed);
  if (short !== undefined) return short;
  takeOn(state, command, taker, run, willBeDelayed);
  return undefined;
}

const isPostOnly = (taker: Taker): boolean => (taker.flags & OrderFlag.POST_ONLY) !== 0;

/**
 * Ids are kept by the hour of their signed timestamp. An hour is dropped as a whole, at the first PlaceOrder after the
 * order window has left it; only then does forgottenBefore rise.
 */
function forgetOldIds(state: State): void {
  const windowStart = state.tMs - state.settings.orderWindowMs;
  for (const hour of [...state.idsOfHour.keys()]) {
    if ((hour + 1) * 3_600_000 > windowStart) continue;
    state.idsOfHour.delete(hour);
    state.forgottenBeforeMs = Math.max(state.forgottenBeforeMs, windowStart);
  }
}

function checkForm(state: State, command: PlaceOrder): Refusal | undefined {
  const { tMs } = state;
  if ((command.flags & OrderFlag.POST_ONLY) !== 0 && isImmediate(command)) return refusal('POST_ONLY_TYPE');
  if (command.orderType === OrderType.GTD) {
    const earliestMs = tMs + limits.gtdMarginMs;
    if (BigInt(command.expirationS) * 1000n < BigInt(earliestMs)) {
      return refusal('EXPIRATION_INVALID', command.expirationS, Math.ceil(earliestMs / 1000));
    }
  } else if (command.expirationS !== 0) {
    return refusal('EXPIRATION_INVALID', command.expirationS, 0);
  }
  const earliest = Math.max(tMs - state.settings.orderWindowMs, state.forgottenBeforeMs, 0);
  const latest = tMs + limits.timestampAheadMaxMs;
  if (command.timestampMs < earliest || command.timestampMs > latest) {
    return refusal('TIMESTAMP_OUT_OF_RANGE', command.timestampMs, earliest, latest);
  }
  return undefined;
}

/** Decimals of the amount that is not limited to two, by tick in pips: the rounding table of official clients (wire.md B.4). */
const AMOUNT_DECIMALS: ReadonlyMap<number, number> = new Map([
  [1000, 3],
  [100, 4],
  [50, 5],
  [25, 6],
  [10, 5],
  [1, 6],
]);

const decimalsOf = (micro: bigint): number => String(micro).padStart(7, '0').slice(-6).replace(/0+$/, '').length;

function checkAmounts(market: Market, command: PlaceOrder): Refusal | undefined {
  const maker = BigInt(command.makerAmountMicro);
  const taker = BigInt(command.takerAmountMicro);
  if (maker < 1n || taker < 1n) return refusal('AMOUNT_NOT_POSITIVE', maker, taker);
  const isBuy = command.side === Side.BUY;
  if (isImmediate(command) && (command.flags & OrderFlag.CLIENT_ACCURACY) !== 0) {
    const hasDecimals = decimalsOf(maker) <= 2 && decimalsOf(taker) <= (AMOUNT_DECIMALS.get(market.tickPips) ?? 0);
    if (!hasDecimals) return refusal('AMOUNT_ACCURACY', maker, taker, market.tickPips);
  }
  if (isBuy && isImmediate(command)) return undefined;
  const [shares, money] = isBuy ? [taker, maker] : [maker, taker];
  const isWholeLots = shares % 10_000n === 0n;
  const isWholePips = isImmediate(command) || (money * 10_000n) % shares === 0n;
  return isWholeLots && isWholePips ? undefined : refusal('AMOUNT_ACCURACY', maker, taker, market.tickPips);
}

interface Limit {
  readonly pricePips: number;
  readonly originalLots: number;
}

/** Limit and size under the market's current tick, or the refusal. The amounts have passed checkAmounts. */
function readLimit(market: Market, command: PlaceOrder): Limit | Refusal {
  const maker = BigInt(command.makerAmountMicro);
  const taker = BigInt(command.takerAmountMicro);
  const isBuy = command.side === Side.BUY;
  const [money, shares] = isBuy ? [maker, taker] : [taker, maker];
  const tick = BigInt(market.tickPips);
  const highest = 10_000n - tick;
  let pips: bigint;
  if (!isImmediate(command)) {
    pips = (money * 10_000n) / shares;
  } else if (isBuy) {
    pips = ((money * 10_000n) / (shares * tick)) * tick;
    if (pips > highest) pips = highest;
  } else {
    pips = ((money * 10_000n + shares * tick - 1n) / (shares * tick)) * tick;
  }
  if (pips % tick !== 0n || pips < tick || pips > highest) {
    return refusal('PRICE_OFF_TICK', (money * 1_000_000n) / shares, tick);
  }
  const lots = isBuy && isImmediate(command) ? maker / pips : shares / 10_000n;
  if (lots === 0n) return refusal('SIZE_BELOW_MINIMUM', 0, 1);
  if (lots > ORDER_LOTS_MAX) return refusal('SIZE_TOO_LARGE', lots, ORDER_LOTS_MAX);
  return { pricePips: Number(pips), originalLots: Number(lots) };
}

function checkMinimums(taker: Taker, crossesOthers: boolean): Refusal | undefined {
  const { minOrderLots, minMarketableBuyMicro } = taker.market;
  if (!isImmediate(taker) && taker.originalLots < minOrderLots) {
    return refusal('SIZE_BELOW_MINIMUM', taker.originalLots, minOrderLots);
  }
  const isMarketableBuy = taker.side === Side.BUY && (isImmediate(taker) || crossesOthers);
  if (isMarketableBuy && taker.makerAmount < BigInt(minMarketableBuyMicro)) {
    return refusal('MARKETABLE_BUY_BELOW_MINIMUM', taker.makerAmount, minMarketableBuyMicro);
  }
  return undefined;
}

function checkTrading(state: State, taker: Taker): Refusal | undefined {
  if (taker.market.status !== MarketStatus.OPEN) return refusal('MARKET_NOT_OPEN', taker.market.status);
  if (state.mode === ExchangeMode.DISABLED) return refusal('EXCHANGE_DISABLED');
  if (state.mode === ExchangeMode.RESTARTING) return refusal('EXCHANGE_RESTARTING');
  if (state.mode === ExchangeMode.CANCEL_ONLY) return refusal('EXCHANGE_CANCEL_ONLY');
  if (state.mode === ExchangeMode.POST_ONLY && !isPostOnly(taker)) return refusal('EXCHANGE_POST_ONLY');
  const flags = state.flagsOfOwner.get(taker.owner) ?? 0;
  if ((flags & AccountFlag.BANNED) !== 0) return refusal('BANNED');
  if ((flags & AccountFlag.CLOSED_ONLY) !== 0 && taker.side === Side.BUY) return refusal('CLOSED_ONLY');
  return undefined;
}

function checkDuplicate(state: State, orderId: string): Refusal | undefined {
  const isLive = state.orders.some((order) => order.id === orderId);
  const isRemembered = [...state.idsOfHour.values()].some((ids) => ids.has(orderId));
  return isLive || isRemembered ? refusal('DUPLICATE') : undefined;
}

function checkPostOnly(state: State, taker: Taker): Refusal | undefined {
  if (!isPostOnly(taker)) return undefined;
  const reach = ordersInReach(state, taker);
  return reach.length === 0 ? undefined : refusal('POST_ONLY_CROSSES', takerPips(taker, reach[0]));
}

/** A delayed order cancels none of its owner's orders on arrival, so it cannot use their reservations. */
function checkFunds(state: State, taker: Taker, run: DryRun, willBeDelayed: boolean): Refusal | undefined {
  const { account, market } = taker;
  const balance = balanceMicro(taker, account);
  let reserved = 0n;
  if (account !== undefined && taker.side === Side.BUY) reserved = reservedCollateral(state, account, market);
  if (account !== undefined && taker.side === Side.SELL)
    reserved = reservedShares(state, account, market, taker.outcome);
  let needed = neededMicro(taker, run);
  if (willBeDelayed) {
    const held = delayReservationMicro(taker);
    if (held > needed) needed = held;
  } else {
    reserved -= releasedMicro(taker, run.ownInTheWay);
  }
  return needed > balance - reserved ? refusal('FUNDS', balance, reserved, needed) : undefined;
}

/** Accepts or kills the order. Both consume a number, open the account if needed and make the id known. */
function takeOn(state: State, command: PlaceOrder, taker: Taker, run: DryRun, willBeDelayed: boolean): void {
  const account = accountFor(state, command.maker, command.owner);
  state.orderCount += 1;
  const hour = hourOf(command.timestampMs);
  const ids = state.idsOfHour.get(hour) ?? new Set();
  state.idsOfHour.set(hour, ids.add(command.orderId));
  const shown = {
    orderNumber: state.orderCount,
    accountId: account.id,
    marketIndex: taker.market.index,
    outcome: taker.outcome,
    side: taker.side,
    orderType: taker.orderType,
    pricePips: taker.pricePips,
    originalLots: taker.originalLots,
  };
  if (isFok(taker) && !run.isFull) {
    const code = rejections.FOK_NOT_FILLED.code;
    state.events.push({ type: 'OrderKilled', ...shown, code, a: run.foundLots });
    return;
  }
  if (isImmediate(taker) && run.foundLots === 0) {
    state.events.push({ type: 'OrderKilled', ...shown, code: rejections.FAK_NOT_MATCHED.code, a: 0 });
    return;
  }
  state.events.push({ type: 'OrderAccepted', ...shown, flags: taker.flags & OrderFlag.POST_ONLY });
  const order: Order = {
    ...taker,
    account,
    id: command.orderId,
    keyId: command.keyId,
    number: state.orderCount,
    expirationS: command.expirationS,
    remainingLots: taker.originalLots,
    isDelayed: willBeDelayed,
    releaseAtMs: willBeDelayed ? state.tMs + taker.market.delaySeconds * 1000 : 0,
    priority: 0,
  };
  if (willBeDelayed) {
    state.orders.push(order);
    state.events.push({ type: 'OrderDelayed', orderNumber: order.number, releaseAtMs: order.releaseAtMs });
  } else {
    enter(state, order, run);
  }
}

/** Cancels own orders in the way, then fills level by level; the remainder rests or ends. */
function enter(state: State, order: Order, run: DryRun): void {
  for (const own of run.ownInTheWay) cancelOrder(state, own, CancelReason.SELF_TRADE);
  for (const level of run.levels) settleLevel(state, order, level);
  if (!isImmediate(order) && run.leftLots > 0) {
    state.priorityCount += 1;
    order.priority = state.priorityCount;
    order.remainingLots = run.leftLots;
    state.orders = [...state.orders, order].sort((x, y) => x.number - y.number);
    state.events.push({ type: 'OrderRested', orderNumber: order.number, lots: run.leftLots });
  } else if (run.isFull) {
    state.events.push({ type: 'OrderFilled', orderNumber: order.number });
  } else {
    const reason = CancelReason.FAK_REMAINDER;
    state.events.push({ type: 'OrderCanceled', orderNumber: order.number, reason, lots: run.leftLots });
  }
}

function settleLevel(state: State, taker: Order, level: readonly Step[]): void {
  const { market, account } = taker;
  const { pricePips } = level[0];
  for (const step of level) settleFill(state, taker, step);
  const lots = lotsOf(level);
  const fee = feeOf(market, lots, pricePips);
  const fees = state.accounts[0];
  account.collateral -= fee;
  fees.collateral += fee;
  market.trades += 1;
  state.events.push({
    type: 'Trade',
    takerOrderNumber: taker.number,
    marketIndex: market.index,
    tradeNumber: market.trades,
    fillCount: level.length,
    pricePips,
    lots,
    feeMicro: Number(fee),
    takerCollateralMicro: Number(account.collateral),
    takerSharesMicro: Number(sharesOf(account, market.index, taker.outcome)),
    feesCollateralMicro: Number(fees.collateral),
    vaultMicro: Number(market.vault),
  });
  const tradesOfAll = state.markets.reduce((sum, { trades }) => sum + trades, 0);
  state.pendingStatuses.push({
    marketIndex: market.index,
    tradeNumber: market.trades,
    rank: state.settings.rulesVersion >= RulesVersion.FOURTH ? tradesOfAll : market.index,
    status: TradeStatus.MINED,
    dueMs: state.tMs + state.settings.minedDelayMs,
  });
}

function settleFill(state: State, taker: Order, { maker, lots, pricePips }: Step): void {
  const { market } = taker;
  exchangeOneSide(taker, lots, pricePips);
  exchangeOneSide(maker, lots, maker.pricePips);
  let kind: number = FillKind.COMPLEMENTARY;
  if (maker.outcome !== taker.outcome) kind = taker.side === Side.BUY ? FillKind.MINT : FillKind.MERGE;
  if (kind === FillKind.MINT) market.vault += microSharesOf(lots);
  if (kind === FillKind.MERGE) market.vault -= microSharesOf(lots);
  maker.remainingLots -= lots;
  if (maker.remainingLots === 0) removeOrder(state, maker);
  state.events.push({
    type: 'Fill',
    makerOrderNumber: maker.number,
    lots,
    remainingLots: maker.remainingLots,
    pricePips: maker.pricePips,
    kind,
    makerCollateralMicro: Number(maker.account.collateral),
    makerSharesMicro: Number(sharesOf(maker.account, market.index, maker.outcome)),
  });
}

function exchangeOneSide({ account, market, outcome, side }: Order, lots: number, pips: number): void {
  const sign = side === Side.BUY ? 1n : -1n;
  account.collateral -= sign * costOf(lots, pips);
  addShares(account, market.index, outcome, sign * microSharesOf(lots));
}

/** Releases a delayed order: lifts its reservation, and enters it anew or ends it. */
export function releaseOrder(state: State, order: Order): void {
  removeOrder(state, order);
  order.isDelayed = false;
  state.events.push({ type: 'OrderReleased', orderNumber: order.number });
  const run = dryRun(state, order);
  const reason = reasonToEnd(state, order, run);
  if (reason === undefined) enter(state, order, run);
  else state.events.push({ type: 'OrderCanceled', orderNumber: order.number, reason, lots: order.originalLots });
}

function reasonToEnd(state: State, order: Order, run: DryRun): number | undefined {
  if (order.orderType === OrderType.GTD && endOfMs(order.expirationS) <= state.tMs) return CancelReason.EXPIRED;
  if (order.market.status !== MarketStatus.OPEN || state.mode !== ExchangeMode.NORMAL) return CancelReason.NOT_TRADING;
  const flags = state.flagsOfOwner.get(order.owner) ?? 0;
  if ((flags & AccountFlag.BANNED) !== 0) return CancelReason.BANNED;
  const isClosedOnly = (flags & AccountFlag.CLOSED_ONLY) !== 0 && state.settings.rulesVersion >= RulesVersion.FIFTH;
  if (isClosedOnly && order.side === Side.BUY) return CancelReason.CLOSED_ONLY;
  if (checkFunds(state, order, run, false) !== undefined) return CancelReason.FUNDS;
  if (isImmediate(order) && (run.foundLots === 0 || (isFok(order) && !run.isFull))) return CancelReason.NO_MATCH;
  return undefined;
}
