// Interface H.4: the official unified client trades, and reads the market data, orders, trades and rewards of the CLOB. Its
// own schemas refuse any other shape, so a reply without a parse error has the right form; what it parses is compared with
// what was traded. Its catalog, user data, wallets, keys and streams have files of their own.
import { OrderSide, OrderType } from '@polymarket/bindings';
import { PriceHistoryInterval } from '@polymarket/bindings/clob';
import { createSecureClient, forkEnvironmentConfig, type OrderResponse, type SecureClient } from '@polymarket/client';
import { privateKey } from '@polymarket/client/viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { world } from './ownWorld.ts';
import { createMarket, type Market } from './world.ts';

let maker: SecureClient;
let taker: SecureClient;
let market: Market;

const { BUY, SELL } = OrderSide;

async function newClient(): Promise<SecureClient> {
  const { url } = world;
  const environment = forkEnvironmentConfig({
    name: 'outcry',
    clob: { rest: url },
    gamma: { rest: `${url}/gamma` },
    data: { rest: `${url}/data-api` },
  });
  const key = generatePrivateKey();
  return await createSecureClient({ environment, signer: privateKey(key), wallet: privateKeyToAddress(key) });
}

beforeAll(async () => {
  [maker, taker] = [await newClient(), await newClient()];
});
beforeEach(async () => {
  market = await createMarket(world.url);
});

/** The id of an order that was accepted. */
function idOf(response: OrderResponse): string {
  if (!response.ok) expect.fail(response.message);
  return response.orderId;
}
const rest = async (price: number, size: number): Promise<string> =>
  idOf(await maker.placeLimitOrder({ tokenId: market.yes, side: BUY, price, size }));

test('limit orders rest, are found by market, token and id, and are cancelled in every way', async () => {
  const first = await rest(0.4, 10);
  const expiration = Math.floor(Date.now() / 1000) + 600;
  const others = [
    await maker.placeLimitOrder({ tokenId: market.yes, side: BUY, price: 0.3, size: 10, expiration }),
    await maker.placeLimitOrder({ tokenId: market.yes, side: BUY, price: 0.2, size: 10, postOnly: true }),
    await maker.postOrder(await maker.createLimitOrder({ tokenId: market.no, side: BUY, price: 0.1, size: 10 })),
    ...(await maker.postOrders([
      await maker.createLimitOrder({ tokenId: market.no, side: BUY, price: 0.2, size: 10 }),
    ])),
  ].map(idOf);
  const idsIn = async (filter: { market?: string; tokenId?: string }): Promise<readonly string[]> =>
    (await maker.listOpenOrders(filter).firstPage()).items.map(({ id }) => id);
  expect(await idsIn({})).toEqual([first, ...others]);
  expect(await idsIn({ market: market.conditionId })).toEqual([first, ...others]);
  expect(await idsIn({ tokenId: market.no })).toEqual(others.slice(2));
  expect(await maker.fetchOrder({ orderId: first })).toMatchObject({ id: first, status: 'LIVE', price: '0.4' });
  await expect(maker.fetchOrder({ orderId: `0x${'1'.repeat(64)}` })).rejects.toThrow('Order not found');
  expect((await maker.cancelOrder({ orderId: first })).canceled).toEqual([first]);
  expect(Object.keys((await maker.cancelOrder({ orderId: first })).notCanceled)).toEqual([first]);
  expect((await maker.cancelOrders({ orderIds: others.slice(0, 1) })).canceled).toEqual(others.slice(0, 1));
  expect((await maker.cancelMarketOrders({ tokenId: market.yes })).canceled).toEqual(others.slice(1, 2));
  expect((await maker.cancelAll()).canceled).toEqual(others.slice(2));
});

test('market orders of both sides fill, settle and appear among the trades; refusals tell why', async () => {
  await rest(0.4, 50);
  const bought = await taker.placeMarketOrder({ tokenId: market.no, side: BUY, amount: 6 });
  expect(bought).toMatchObject({ status: 'matched', makingAmount: '6', takingAmount: '10' });
  if (!bought.ok) expect.fail(bought.message);
  expect(await taker.waitForOrderFillSettlement(bought)).toEqual(bought.transactionsHashes);
  await maker.cancelAll();
  idOf(await taker.placeLimitOrder({ tokenId: market.yes, side: BUY, price: 0.3, size: 20 }));
  const sold = await maker.placeMarketOrder({ tokenId: market.yes, side: SELL, shares: 5, orderType: OrderType.FAK });
  expect(sold).toMatchObject({ status: 'matched', makingAmount: '5', takingAmount: '1.5' });
  const trades = (await taker.listAccountTrades({ market: market.conditionId }).firstPage()).items;
  expect(trades.map(({ price, size }) => [price, size])).toEqual([
    ['0.3', '5'],
    ['0.6', '10'],
  ]);
  const crossing = { tokenId: market.no, side: BUY, price: 0.8, size: 5, postOnly: true };
  await expect(taker.placeLimitOrder(crossing)).rejects.toThrow('invalid post-only order: order crosses book');
  const huge = await taker.createLimitOrder({ tokenId: market.no, side: BUY, price: 0.1, size: 1_000_000 });
  const [refused] = await taker.postOrders([huge]);
  expect(refused.ok ? refused : refused.message).toContain('not enough balance');
  expect(await taker.fetchClosedOnlyMode()).toBe(false);
  await Promise.all([maker.cancelAll(), taker.cancelAll()]);
});

test('market data of one token and of several match the book', async () => {
  await rest(0.4, 50);
  idOf(await taker.placeLimitOrder({ tokenId: market.no, side: BUY, price: 0.5, size: 20 }));
  idOf(await taker.placeLimitOrder({ tokenId: market.no, side: BUY, price: 0.6, size: 10 }));
  const [yes, no] = [{ tokenId: market.yes }, { tokenId: market.no }];
  const of = (first: string, second: string) => ({ [market.yes]: first, [market.no]: second });
  expect(await maker.fetchMidpoint(yes)).toBe('0.45');
  expect(await maker.fetchMidpoints([yes, no])).toEqual(of('0.45', '0.55'));
  expect(await maker.fetchSpread(yes)).toBe('0.1');
  expect(await maker.fetchSpreads([yes, no])).toEqual(of('0.1', '0.1'));
  expect(await maker.fetchPrice({ ...yes, side: BUY })).toBe('0.4');
  const prices = await maker.fetchPrices([
    { ...yes, side: BUY },
    { ...no, side: SELL },
  ]);
  expect(prices).toEqual({ [market.yes]: { BUY: '0.4' }, [market.no]: { SELL: '0.6' } });
  expect(await maker.fetchLastTradePrice(no)).toEqual({ price: '0.6', side: 'BUY' });
  expect((await maker.fetchLastTradePrices([yes, no])).map(({ price }) => price)).toEqual(['0.4', '0.6']);
  expect((await maker.fetchOrderBooks([yes, no])).map(({ bids }) => bids.at(-1))).toEqual([
    { price: '0.4', size: '40' },
    { price: '0.5', size: '20' },
  ]);
  expect((await maker.fetchPriceHistory({ ...yes, interval: PriceHistoryInterval.ONE_DAY })).at(-1)?.p).toBe(0.45);
  expect(await maker.estimateMarketPrice({ ...no, side: BUY, amount: 6 })).toBe(0.6);
  await expect(maker.estimateMarketPrice({ ...no, side: BUY, amount: 60 })).rejects.toThrow('liquidity');
  await Promise.all([maker.cancelAll(), taker.cancelAll()]);
});

test('rewards and builder trades are empty, and no order scores', async () => {
  const orderId = await rest(0.4, 10);
  const date = new Date().toISOString().slice(0, 10);
  const lists = [
    maker.listCurrentRewards(),
    maker.listMarketRewards({ conditionId: market.conditionId }),
    maker.listUserEarningsForDay({ date }),
    maker.listUserEarningsAndMarketsConfig({ date }),
    maker.listBuilderTrades({ builderCode: `0x${'0'.repeat(63)}1` }),
  ];
  for (const list of lists) expect((await list.firstPage()).items).toEqual([]);
  expect(await maker.fetchTotalEarningsForUserForDay({ date })).toEqual([]);
  expect(await maker.fetchRewardPercentages()).toEqual({});
  expect(await maker.fetchOrderScoring({ orderId })).toBe(false);
  expect(await maker.fetchOrdersScoring({ orderIds: [orderId] })).toEqual({ [orderId]: false });
});
