// Amounts, prices, times and accounts that miss a limit by the smallest step, which no random order does: by a pip, by a micro,
// by the last digit of a product, by one. Used by crowd.ts, and by traces.ts for those that need an exchange of their own.
import { MarketField, OrderType, Resolution, Side } from '../../engine/protocol/index.ts';
import { hex, orderIdOf, TIME_ZERO_MS } from '../model/names.ts';
import {
  addressOf,
  createMarket,
  fund,
  HOUR_MS,
  keyOf,
  MARKETS,
  ORDERS,
  OWNERS,
  offer,
  placeOrder,
  priced,
  split,
  start,
  type Take,
  terms,
} from './offers.ts';

const FIRST_MARKET = MARKETS + 93;
const MAKER = OWNERS + 300;
const TAKER = OWNERS + 301;
const SPENDER = OWNERS + 302;
const MEETER = OWNERS + 303;
const FIRST_ORDER = ORDERS + 11_000;
const FUNDS_MICRO = 900_000_000;
const FEES_WALLET = `0x${hex(1, 40)}`;

/**
 * Markets whose best price lies exactly at the price from which an automatic tick becomes finer, and a pip to either side
 * of it. Such prices need a tick of one pip, which is made coarse before the automatic tick is turned on.
 */
export function refineTickAtThreshold(take: Take, tMs: number): void {
  for (const owner of [MAKER, TAKER]) fund(take, tMs, owner, FUNDS_MICRO);
  const edges = [9_599, 9_600, 9_601, 399, 400, 401];
  for (const [at, pips] of edges.entries()) {
    const marketIndex = FIRST_MARKET + at;
    const side = pips > 5_000 ? Side.BUY : Side.SELL;
    const market = { ...terms, tickPips: 1 };
    createMarket(take, tMs, marketIndex, market);
    split(take, tMs, MAKER, marketIndex, 1_000_000);
    offer(take, tMs, FIRST_ORDER + at, MAKER, { marketIndex, side, ...priced(pips, 100) });
    const mask = MarketField.TICK | MarketField.AUTO_TICK;
    take(tMs, { type: 'UpdateMarket', marketIndex, mask, ...market, tickPips: 100, autoTick: 1 });
  }
}

/**
 * A budget whose price misses 3 pips by a ten-thousandth of a pip: it buys a lot at 2 pips, where it would buy none at 3.
 * A budget of one micro that meets only an own order. And a trade whose fee misses a step of ten micro by the last digits of
 * its product.
 */
export function missLimitsByOneStep(take: Take, tMs: number): void {
  const [ofPips, ofFees] = [FIRST_MARKET + 6, FIRST_MARKET + 7];
  for (const [marketIndex, tickPips] of [
    [ofPips, 1],
    [ofFees, 10],
  ]) {
    createMarket(take, tMs, marketIndex, { tickPips });
    split(take, tMs, MAKER, marketIndex, 10_000_000);
  }
  const taking = { side: Side.BUY, orderType: OrderType.FAK };
  offer(take, tMs, FIRST_ORDER + 10, MAKER, {
    marketIndex: ofPips,
    side: Side.SELL,
    moneyMicro: 2,
    sharesMicro: 10_000,
  });
  offer(take, tMs, FIRST_ORDER + 11, TAKER, { ...taking, marketIndex: ofPips, moneyMicro: 2, sharesMicro: 6_667 });
  offer(take, tMs, FIRST_ORDER + 14, MAKER, { marketIndex: ofPips, side: Side.SELL, ...priced(1, 10) });
  const one = { side: Side.BUY, orderType: OrderType.FOK, moneyMicro: 1, sharesMicro: 10_000 };
  offer(take, tMs, FIRST_ORDER + 15, MAKER, { ...one, marketIndex: ofPips });
  const amounts = priced(2_740, 497);
  offer(take, tMs, FIRST_ORDER + 12, MAKER, { marketIndex: ofFees, side: Side.SELL, ...amounts });
  offer(take, tMs, FIRST_ORDER + 13, TAKER, { ...taking, marketIndex: ofFees, ...amounts });
}

/**
 * An order that meets one own order, whose collateral it gets back, after one that met two and was refused: it must not get
 * back that of both.
 */
export function meetOneAfterTwo(take: Take, tMs: number): void {
  const marketIndex = FIRST_MARKET + 10;
  createMarket(take, tMs, marketIndex);
  fund(take, tMs, MEETER, 1_000_000);
  for (const [at, pips] of [4_000, 3_000].entries()) {
    placeOrder(take, tMs, {
      ...{ orderId: orderIdOf(FIRST_ORDER + 30 + at), keyId: keyOf(MEETER), maker: addressOf(MEETER) },
      ...{ marketIndex, outcome: 1, makerAmountMicro: 100 * pips, takerAmountMicro: 1_000_000 },
    });
  }
  offer(take, tMs, FIRST_ORDER + 32, MEETER, { marketIndex, side: Side.BUY, ...priced(7_000, 200) });
  offer(take, tMs, FIRST_ORDER + 33, MEETER, { marketIndex, side: Side.BUY, ...priced(6_000, 150) });
}

/** An exchange with two markets that paid half to each token, and one that paid the first: nothing has been redeemed. */
export function payHalf(take: Take): void {
  start(take, TIME_ZERO_MS, 60_000);
  fund(take, TIME_ZERO_MS, MAKER, FUNDS_MICRO);
  for (const marketIndex of [0, 1]) {
    createMarket(take, TIME_ZERO_MS, marketIndex);
    split(take, TIME_ZERO_MS, MAKER, marketIndex, 1_000_000);
    take(TIME_ZERO_MS, { type: 'ResolveMarket', marketIndex, resolution: Resolution.SPLIT });
  }
  createMarket(take, TIME_ZERO_MS, 2);
  split(take, TIME_ZERO_MS, MAKER, 2, 1_000_000);
  take(TIME_ZERO_MS, { type: 'ResolveMarket', marketIndex: 2, resolution: Resolution.FIRST });
}

/**
 * Orders wait out their delays in two markets, of which one is resolved meanwhile: its order is cancelled, the other one trades.
 */
export function resolveWhileDelayed(take: Take, tMs: number): void {
  const markets = [FIRST_MARKET + 11, FIRST_MARKET + 12];
  for (const [at, marketIndex] of markets.entries()) {
    createMarket(take, tMs, marketIndex, { delaySeconds: 3 });
    split(take, tMs, MAKER, marketIndex, 1_000_000);
    offer(take, tMs, FIRST_ORDER + 40 + at, MAKER, { marketIndex, side: Side.SELL, ...priced(6_000, 50) });
    offer(take, tMs, FIRST_ORDER + 42 + at, TAKER, { marketIndex, side: Side.BUY, ...priced(6_000, 50) });
  }
  take(tMs, { type: 'ResolveMarket', marketIndex: markets[0], resolution: Resolution.FIRST });
  take(tMs + 4_000, { type: 'Tick' });
}

/** An order of one micro that is no longer covered once its owner has spent that micro in another market. */
export function spendLastMicro(take: Take, tMs: number): void {
  const [ofOrder, ofTrade] = [FIRST_MARKET + 8, FIRST_MARKET + 9];
  for (const marketIndex of [ofOrder, ofTrade]) createMarket(take, tMs, marketIndex, { tickPips: 1 });
  split(take, tMs, MAKER, ofTrade, 1_000_000);
  const least = priced(1, 1);
  offer(take, tMs, FIRST_ORDER + 17, MAKER, { marketIndex: ofTrade, side: Side.SELL, ...least });
  fund(take, tMs, SPENDER, least.moneyMicro);
  const buying = { side: Side.BUY, ...least };
  offer(take, tMs, FIRST_ORDER + 18, SPENDER, { ...buying, marketIndex: ofOrder });
  offer(take, tMs, FIRST_ORDER + 19, SPENDER, { ...buying, marketIndex: ofTrade, orderType: OrderType.FAK });
}

/** An order for the wallet that holds the fees, by an owner whose wallet it is not: the account is number 0. */
export function spendFees(take: Take, tMs: number): void {
  placeOrder(take, tMs, {
    ...{ orderId: orderIdOf(FIRST_ORDER + 16), keyId: keyOf(MAKER), maker: FEES_WALLET, owner: addressOf(MAKER) },
    ...{ marketIndex: FIRST_MARKET + 6, makerAmountMicro: 2, takerAmountMicro: 10_000 },
  });
}

/**
 * An exchange that accepts orders of any age: one signed at time 0 is accepted, once. And one with the maximum of money: a
 * deposit of a micro more is refused.
 */
export function acceptAnyAge(take: Take): void {
  const tMs = TIME_ZERO_MS;
  start(take, tMs, 2 * TIME_ZERO_MS);
  createMarket(take, tMs, 0);
  fund(take, tMs, MAKER, FUNDS_MICRO);
  const order = { marketIndex: 0, side: Side.BUY, moneyMicro: 400_000, sharesMicro: 1_000_000 };
  for (const timestampMs of [0, 0, 1, HOUR_MS])
    offer(take, tMs, FIRST_ORDER + 20 + timestampMs, MAKER, { ...order, timestampMs });
  const left = Number.MAX_SAFE_INTEGER - FUNDS_MICRO;
  for (const amountMicro of [left + 1, left, 1]) fund(take, tMs, TAKER, amountMicro);
}
