// Random orders: mostly sensible ones near the market's prices, of a size that matters, some of them spoiled in one way.
// Used by the generator; it reads the reference's state and changes nothing.
import type { CommandOf } from '../../engine/protocol/index.ts';
import { amountStepMicro, MarketStatus, OrderFlag, OrderType, Side } from '../../engine/protocol/index.ts';
import { keysOf, orderIdOf, walletOf } from './names.ts';
import { type Actor, actorNow, type Profile } from './profile.ts';
import type { Random } from './random.ts';
import { type Market, reservedCollateral, reservedShares, type State, sharesOf } from './referenceState.ts';

type PlaceOrder = CommandOf<'PlaceOrder'>;
type Writable<T> = { -readonly [K in keyof T]: T[K] };

const HUGE = Number.MAX_SAFE_INTEGER;

/** The order number `label` of a sequence, at a time (ms). */
export function randomOrder(
  random: Random,
  profile: Profile,
  state: State,
  tMs: number,
  label: number,
  timestampOfId: Map<string, number>,
): PlaceOrder {
  const market = pickMarket(random, state);
  const actor = actorNow(state, random.pick(profile.actors));
  const outcome = random.int(0, 1);
  const side = pickSide(random, state, market, actor, outcome);
  const orderType = random.weighted([
    [64, OrderType.GTC],
    [12, OrderType.GTD],
    [10, OrderType.FOK],
    [14, OrderType.FAK],
  ]);
  const isResting = orderType === OrderType.GTC || orderType === OrderType.GTD;
  const pips = pickPips(random, profile, market, side, outcome);
  const lots = pickLots(random, profile, state, market, actor, side, outcome, pips);
  const order: Writable<PlaceOrder> = {
    type: 'PlaceOrder',
    orderId: orderIdOf(label),
    keyId: random.pick(actor.keys),
    maker: actor.wallet,
    owner: actor.owner,
    marketIndex: market.index,
    outcome,
    side,
    orderType,
    flags: isResting ? (random.chance(12) ? OrderFlag.POST_ONLY : 0) : random.pick([0, OrderFlag.CLIENT_ACCURACY]),
    ...amounts(random, side, isResting, lots, pips),
    timestampMs: random.chance(80) ? tMs : tMs - random.int(0, Math.min(state.settings.orderWindowMs, 9_000_000)),
    expirationS: orderType === OrderType.GTD ? pickExpiration(random, tMs) : 0,
  };
  if (order.flags === OrderFlag.CLIENT_ACCURACY && random.chance(85)) roundAmounts(order, market.tickPips);
  if (random.chance(profile.badPercent)) spoilOrder(random, state, order, tMs, label);
  // A key belongs to one owner; the registry ensures it.
  if (!keysOf(order.owner).includes(order.keyId)) order.keyId = keysOf(order.owner)[0];
  // An id is the digest of all signed fields, so the same id always comes with the same timestamp.
  order.timestampMs = timestampOfId.get(order.orderId) ?? order.timestampMs;
  timestampOfId.set(order.orderId, order.timestampMs);
  return order;
}

function pickMarket(random: Random, state: State): Market {
  const open = state.markets.filter(({ status }) => status === MarketStatus.OPEN);
  return open.length > 0 && random.chance(96) ? random.pick(open) : random.pick(state.markets);
}

/** A holder of none of the token mostly buys it. */
function pickSide(random: Random, state: State, market: Market, actor: Actor, outcome: number): number {
  const held = state.accountOfWallet.get(actor.wallet)?.shares.get(market.index)?.[outcome] ?? 0n;
  return random.chance(held < 10_000n ? 5 : 55) ? Side.SELL : Side.BUY;
}

/** A price near the centre, where buyers and sellers overlap; now and then near the ends. */
function pickPips(random: Random, profile: Profile, market: Market, side: number, outcome: number): number {
  const tick = market.tickPips;
  const isBid = (side === Side.BUY) === (outcome === 0);
  const centre = Math.round(profile.centrePips / tick);
  const bias = (isBid ? -1 : 1) * random.int(0, 1);
  let ticks = centre + bias + random.int(-profile.spreadTicks, profile.spreadTicks);
  if (random.chance(4)) ticks = random.pick([1, 2, 3, 10_000 / tick - 1, 10_000 / tick - 2, 10_000 / tick - 4]);
  const ladder = Math.min(Math.max(ticks, 1), 10_000 / tick - 1) * tick;
  return outcome === 0 ? ladder : 10_000 - ladder;
}

function pickLots(
  random: Random,
  profile: Profile,
  state: State,
  market: Market,
  actor: Actor,
  side: number,
  outcome: number,
  pips: number,
): number {
  const account = state.accountOfWallet.get(actor.wallet);
  let free = 0n;
  if (account !== undefined && side === Side.BUY)
    free = account.collateral - reservedCollateral(state, account, market);
  if (account !== undefined && side === Side.SELL) {
    free = sharesOf(account, market.index, outcome) - reservedShares(state, account, market, outcome);
  }
  const affordable = Math.floor(Number(free) / (side === Side.BUY ? pips : 10_000));
  const resting = state.orders.filter((order) => order.market === market);
  const met = resting.length > 0 ? random.pick(resting).remainingLots : 1;
  const restingLots = resting.reduce((sum, order) => sum + order.remainingLots, 0);
  const lots = random.weighted([
    [20, random.int(1, Math.max(1, Math.min(profile.lotsMax, affordable)))],
    [40, random.int(1, Math.max(1, Math.floor(Math.min(profile.lotsMax, affordable) / 4)))],
    [3, random.int(1, profile.lotsMax)],
    [10, Math.min(met, affordable)],
    [4, Math.min(met + 1, affordable)],
    [2, met],
    [10, Math.floor(affordable / 2)],
    [4, affordable],
    [6, Math.min(affordable, restingLots)],
    [2, affordable + 1],
    [4, market.minOrderLots],
  ]);
  const least = random.chance(affordable < market.minOrderLots ? 20 : 95) ? market.minOrderLots : 1;
  return Math.min(Math.max(lots, least), 1_000_000_001);
}

/** Amounts of `lots` at a price. Budgets of FOK and FAK BUYs, and prices of FOK and FAK orders, get odd ratios. */
function amounts(random: Random, side: number, isResting: boolean, lots: number, pips: number) {
  const money = lots * pips;
  const shares = lots * 10_000;
  if (isResting) return side === Side.BUY ? both(money, shares) : both(shares, money);
  if (side === Side.SELL) return both(shares, Math.max(1, money - random.pick([0, 0, 0, 1, random.int(0, lots)])));
  const budget = money + random.pick([0, 0, 1, pips - 1, random.int(0, pips)]);
  const asked = Math.floor((budget * 10_000) / pips);
  return both(budget, Math.max(1, asked - random.pick([0, 0, 0, 1, random.int(0, lots)])));
}

/** Rounds money and shares down as a client does: to cents and lots, and to the decimals that the tick allows. */
function roundAmounts(order: Writable<PlaceOrder>, tickPips: number): void {
  const step = amountStepMicro(tickPips);
  order.makerAmountMicro = Math.max(10_000, order.makerAmountMicro - (order.makerAmountMicro % 10_000));
  order.takerAmountMicro = Math.max(step, order.takerAmountMicro - (order.takerAmountMicro % step));
}

const both = (makerAmountMicro: number, takerAmountMicro: number) => ({
  makerAmountMicro: Math.min(makerAmountMicro, HUGE),
  takerAmountMicro: Math.min(takerAmountMicro, HUGE),
});

function pickExpiration(random: Random, tMs: number): number {
  const earliest = Math.ceil((tMs + 60_000) / 1000);
  return (
    earliest +
    random.weighted([
      [4, 0],
      [4, 1],
      [8, random.int(2, 30)],
      [2, random.int(100, 10_000)],
      [1, 5_000_000_000],
    ])
  );
}

/** Makes one thing about an order wrong, or as large or as late as possible. */
function spoilOrder(random: Random, state: State, order: Writable<PlaceOrder>, tMs: number, used: number): void {
  const windowStart = Math.max(0, tMs - state.settings.orderWindowMs, state.forgottenBeforeMs);
  const tick = state.markets[order.marketIndex].tickPips;
  const { makerAmountMicro, takerAmountMicro } = order;
  const changes = random.weighted<() => Partial<PlaceOrder>>([
    [2, () => ({ makerAmountMicro: 0 })],
    [1, () => ({ takerAmountMicro: 0 })],
    [3, () => ({ makerAmountMicro: makerAmountMicro + random.pick([-1, 1, 5_000, tick]) })],
    [3, () => ({ takerAmountMicro: takerAmountMicro + random.pick([-1, 1, 5_000, 10_000]) })],
    [2, () => ({ makerAmountMicro: random.int(1, HUGE) })],
    [2, () => ({ takerAmountMicro: random.int(1, HUGE) })],
    [2, () => both(random.int(1, 200) * 10_000, random.int(1, 200) * 10_000)],
    [2, () => both(HUGE - random.int(0, 20_000), HUGE - random.int(0, 20_000))],
    [2, () => both(1_000_000_001 * 10_000, 1_000_000_001 * 5_000)],
    [2, () => both(1_000_000_001 * 5_000, 1_000_000_001 * 10_000)],
    [4, () => ({ expirationS: random.pick([1, Math.ceil(tMs / 1000) + 59, HUGE, 0]) })],
    [2, () => ({ timestampMs: windowStart - 1 })],
    [2, () => ({ timestampMs: windowStart })],
    [2, () => ({ timestampMs: tMs + 3_600_000 })],
    [2, () => ({ timestampMs: tMs + 3_600_001 })],
    [2, () => ({ timestampMs: random.pick([0, HUGE]) })],
    [2, () => ({ marketIndex: state.markets.length + random.int(0, 2) })],
    [3, () => ({ flags: random.int(0, 7) })],
    [3, () => ({ owner: walletOf(random.int(0, 7), 0) })],
    [2, () => ({ maker: walletOf(random.int(0, 7), 9) })],
    [8, () => ({ orderId: orderIdOf(random.int(Math.max(1, used - 30), used)) })],
    [4, () => (state.orders.length > 0 ? { orderId: random.pick(state.orders).id } : {})],
  ])();
  Object.assign(order, changes);
  order.makerAmountMicro = Math.min(Math.max(order.makerAmountMicro, 0), HUGE);
  order.takerAmountMicro = Math.min(Math.max(order.takerAmountMicro, 0), HUGE);
  order.timestampMs = Math.max(order.timestampMs, 0);
}
