// A long sequence with much of everything, for what small sequences never reach: tables that grow, levels with many orders,
// hundreds of own orders in the way, hundreds of markets, ids of many hours, heartbeats and expirations that all fall due
// at once. Used by traces.ts; the unchanged core's own answers to it are the standard.
import { AccountFlag, type Command, OrderType, RULES_VERSION } from '../../engine/protocol/index.ts';
import { hex, orderIdOf, TIME_ZERO_MS } from '../model/names.ts';
import { Random } from '../model/random.ts';
import { BURST_MS, cancelInManyMarkets, tradeAtManyPrices, uncoverMany } from './bursts.ts';
import {
  meetOneAfterTwo,
  missLimitsByOneStep,
  refineTickAtThreshold,
  resolveWhileDelayed,
  spendFees,
  spendLastMicro,
} from './hairs.ts';
import {
  addressOf,
  createMarket,
  deposit,
  HOUR_MS,
  keyOf,
  MARKETS,
  ORDERS,
  OWNERS,
  placeOrder,
  split,
  type Take,
} from './offers.ts';
import { changeRules } from './rulesVersions.ts';
import {
  coarsenMeanwhile,
  collideIds,
  coverExactly,
  forgetIdsByHour,
  lapseOneKey,
  leaveDust,
  moveNewestWallet,
  offerBetweenTicks,
  placeExtremeOrders,
  placeJustBeyondLimits,
  redeemOddShares,
  refineAtRelease,
  refineByUpdate,
  releaseIntoOwn,
  repeatAtSliceEnd,
  repeatIdsLater,
  sweepOwn,
} from './situations.ts';

const CLOSED_ONLY = { mask: AccountFlag.CLOSED_ONLY, flags: AccountFlag.CLOSED_ONLY } as const;

const SETTINGS = {
  orderWindowMs: 30 * HOUR_MS,
  heartbeatWindowMs: 60_000,
  minedDelayMs: 0,
  confirmedDelayMs: 0,
} as const;

/** Passes every command with its time to `take`. */
export function crowd(take: Take): void {
  found(take, TIME_ZERO_MS);
  collideIds(take, TIME_ZERO_MS);
  repeatIdsLater(take, TIME_ZERO_MS + 20_000);
  const tMs = placeMany(take, TIME_ZERO_MS + 40_000);
  sweepOwn(take, tMs);
  placeJustBeyondLimits(take, tMs);
  leaveDust(take, tMs);
  placeExtremeOrders(take, tMs);
  takeEveryAsk(take, tMs);
  resolveAndRedeem(take, tMs);
  creditAgain(take, tMs);
  releaseIntoOwn(take, tMs);
  coverExactly(take, tMs);
  lapseOneKey(take, tMs);
  redeemOddShares(take, tMs + 600_000);
  coarsenMeanwhile(take, tMs + 600_000);
  refineByUpdate(take, tMs + 610_000);
  refineAtRelease(take, tMs + 610_000);
  offerBetweenTicks(take, tMs + 613_000);
  repeatAtSliceEnd(take, tMs + 613_000);
  changeRules(take, tMs + 615_000, { ...SETTINGS, creditMicro: 0 });
  moveNewestWallet(take, tMs + 621_000);
  cancelInManyMarkets(take, tMs + 621_000);
  uncoverMany(take, tMs + 621_000);
  tradeAtManyPrices(take, tMs + 621_000, { ...SETTINGS, creditMicro: 0 });
  refineTickAtThreshold(take, tMs + 621_000 + BURST_MS);
  missLimitsByOneStep(take, tMs + 621_000 + BURST_MS);
  spendFees(take, tMs + 621_000 + BURST_MS);
  spendLastMicro(take, tMs + 621_000 + BURST_MS);
  meetOneAfterTwo(take, tMs + 621_000 + BURST_MS);
  resolveWhileDelayed(take, tMs + 621_000 + BURST_MS);
  forgetIdsByHour(take, tMs + 626_000 + BURST_MS, [14, 20, 39]);
  take(tMs + 40 * HOUR_MS, { type: 'Tick' });
}

/** The markets, and the owners with money, shares and, one in four, a heartbeat. */
function found(take: Take, tMs: number): void {
  take(tMs, { type: 'Started', rulesVersion: RULES_VERSION, creditMicro: 0, ...SETTINGS });
  for (let index = 0; index < MARKETS; index += 1) {
    createMarket(take, tMs, index, { autoTick: index % 2, tickPips: index % 3 === 0 ? 100 : 10 });
  }
  for (let owner = 0; owner < OWNERS; owner += 1) {
    const wallet = addressOf(owner);
    deposit(take, tMs, wallet, 400_000_000);
    split(take, tMs, owner, owner % MARKETS, 50_000_000);
    // Flags of the first owners must survive the growth of their table.
    if (owner === 20) take(tMs, { type: 'SetAccountFlags', owner: addressOf(1), ...CLOSED_ONLY });
    if (owner % 4 !== 0) continue;
    const ids = { given: `0x${hex(0, 32)}`, next: `0x${hex(owner + 1, 32)}` };
    take(tMs, { type: 'Heartbeat', owner: wallet, keyId: keyOf(owner), ...ids, refresh: 0 });
  }
}

/** An order of any owner, more often of the first, in any market, more often in the first. One in eight may cross. */
function drawOrder(random: Random, label: number, tMs: number): Command {
  const owner = random.chance(10) ? 0 : random.int(0, OWNERS - 1);
  const marketIndex = random.chance(40) ? 0 : random.int(0, MARKETS - 1);
  const outcome = random.int(0, 1);
  const side = owner % MARKETS === marketIndex ? random.int(0, 1) : 0;
  const isUp = (side === 0) === (outcome === 0);
  const ladder = 5_000 + (isUp ? -100 : 100) * random.int(random.chance(12) ? -3 : 1, 30);
  const pips = outcome === 0 ? ladder : 10_000 - ladder;
  const lots = random.int(1, 900);
  const [money, shares] = [lots * pips, lots * 10_000];
  const isGtd = random.chance(25);
  return {
    ...{ type: 'PlaceOrder', orderId: orderIdOf(label), keyId: keyOf(owner) },
    ...{ maker: addressOf(owner), owner: addressOf(owner), marketIndex, outcome, side },
    ...{ orderType: isGtd ? 1 : 0, flags: 0, timestampMs: tMs },
    makerAmountMicro: side === 0 ? money : shares,
    takerAmountMicro: side === 0 ? shares : money,
    expirationS: isGtd ? Math.ceil(tMs / 1000) + 120 + random.int(0, 600) : 0,
  };
}

/** Thousands of orders over hours, all of them repeated now and then, and some cancelled. Returns the time of the last. */
function placeMany(take: Take, fromMs: number): number {
  const random = new Random(77);
  let tMs = fromMs;
  let recent: Command[] = [];
  for (let label = 1; label <= ORDERS; label += 1) {
    if (label % 500 === 0) {
      // Repeats every id of the last hours: each is remembered.
      for (const order of recent) take(tMs, order);
      recent = [];
      tMs += random.int(1, 3) * HOUR_MS;
    } else if (random.chance(20)) tMs += random.int(1, 400);
    const order = drawOrder(random, label, tMs);
    recent.push(order);
    take(tMs, order);
    if (label % 7 !== 0) continue;
    const owner = random.int(0, OWNERS - 1);
    const items = [orderIdOf(random.int(1, label)), orderIdOf(random.int(1, label))];
    take(tMs, { type: 'CancelOrders', owner: addressOf(owner), keyId: keyOf(owner), items });
  }
  return tMs;
}

/** The rich owner takes every ask in the first market: other orders of many makers are no longer covered. */
function takeEveryAsk(take: Take, tMs: number): void {
  placeOrder(take, tMs, {
    ...{ orderId: orderIdOf(ORDERS + 5_000), keyId: keyOf(3), maker: addressOf(3), marketIndex: 0 },
    ...{ orderType: OrderType.FAK, makerAmountMicro: 9e9, takerAmountMicro: 1e10 },
  });
}

/** Markets are resolved each way; owners cancel all that they have, and redeem. */
function resolveAndRedeem(take: Take, tMs: number): void {
  for (let index = 1; index < MARKETS; index += 9)
    take(tMs, { type: 'ResolveMarket', marketIndex: index, resolution: index % 3 });
  for (let owner = 0; owner < OWNERS; owner += 11) {
    const [wallet, keyId, marketIndex] = [addressOf(owner), keyOf(owner), 1 + 9 * (owner % 9)];
    take(tMs, { type: 'CancelAll', owner: wallet, keyId });
    take(tMs, { type: 'Redeem', wallet, owner: wallet, keyId, marketIndex, flags: 0 });
  }
}

/** More owners have had their credit than there is room for initially: each gets it once. */
function creditAgain(take: Take, tMs: number): void {
  take(tMs, { type: 'Started', rulesVersion: RULES_VERSION, ...SETTINGS, creditMicro: 7_000_000 });
  for (const owner of [0, OWNERS - 1, 0, OWNERS - 1]) {
    take(tMs, { type: 'CreditOwner', owner: addressOf(owner), items: [addressOf(owner)] });
  }
}
