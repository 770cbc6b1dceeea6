// Interface C.4 through the official client: every way to cancel cancels exactly the orders that it names, answers with
// their ids and reasons, and releases their reservations. One server process; each test has markets of its own.
import { expect, test } from 'vitest';
import { wordOf } from '../support/hex.ts';
import { PATIENCE } from '../support/patience.ts';
import { world } from './ownWorld.ts';
import { maker as alice, taker as bob } from './twoTraders.ts';
import {
  balancesOf,
  createMarket,
  giveShares,
  levelsOf,
  limit,
  type Market,
  newTrader,
  openIds,
  Side,
  signedRaw,
  type Trader,
  take,
} from './world.ts';

const NOT_FOUND = 'Order not found or already canceled';
const TOO_LATE = "order can't be found - already canceled or matched";

/** Places bids of 10 shares at these prices for a token, and returns their ids. */
async function bids(trader: Trader, market: Market, token: string, prices: readonly number[]): Promise<string[]> {
  const ids: string[] = [];
  for (const price of prices) ids.push((await limit(trader, market, Side.BUY, token, price, 10)).orderID);
  return ids;
}

test('an order is cancelled once and disappears from the book and the open orders', async () => {
  const market = await createMarket(world.url);
  const [first, second] = await bids(alice, market, market.yes, [0.3, 0.31]);
  expect(await alice.client.cancelOrder({ orderID: first })).toEqual({ canceled: [first], not_canceled: {} });
  expect(await alice.client.cancelOrder({ orderID: first })).toEqual({
    canceled: [],
    not_canceled: { [first]: TOO_LATE },
  });
  expect(await openIds(alice)).toEqual([second]);
  expect(await alice.client.getOrder(first)).toMatchObject({ status: 'CANCELED', size_matched: '0' });
  expect(levelsOf((await bob.client.getOrderBook(market.yes)).bids)).toEqual([['0.31', '10']]);
  expect((await alice.client.cancelAll()).canceled).toEqual([second]);
});

test('matched orders, unknown ids and orders of other traders are not cancelled', async () => {
  const market = await createMarket(world.url);
  const [matched, mine] = await bids(alice, market, market.yes, [0.4, 0.3]);
  const [theirs] = await bids(bob, market, market.no, [0.2]);
  await giveShares(world.url, bob, market.yes, '10');
  await take(bob, market, Side.SELL, market.yes, 10, 0.4);
  const unknown = `0x${'12'.repeat(32)}`;
  expect(await alice.client.cancelOrders([matched, mine, theirs, unknown, mine])).toEqual({
    canceled: [mine],
    not_canceled: { [matched]: TOO_LATE, [theirs]: NOT_FOUND, [unknown]: NOT_FOUND },
  });
  expect(await openIds(bob)).toEqual([theirs]);
  expect(await alice.client.getOrder(matched)).toMatchObject({ status: 'MATCHED', size_matched: '10' });
  await bob.client.cancelAll();
});

test('a partly filled order keeps its fills when it is cancelled', async () => {
  const market = await createMarket(world.url);
  const [id] = await bids(alice, market, market.yes, [0.4]);
  await giveShares(world.url, bob, market.yes, '4');
  await take(bob, market, Side.SELL, market.yes, 4, 0.4);
  const before = await balancesOf(alice, market);
  expect((await alice.client.cancelOrder({ orderID: id })).canceled).toEqual([id]);
  expect(await alice.client.getOrder(id)).toMatchObject({ status: 'CANCELED', original_size: '10', size_matched: '4' });
  expect(await balancesOf(alice, market)).toEqual(before);
  expect((await alice.client.getOrderBook(market.yes)).bids).toEqual([]);
});

test('cancel-all cancels the orders of the caller in all markets and of nobody else', async () => {
  const [first, second] = [await createMarket(world.url), await createMarket(world.url)];
  const mine = [
    ...(await bids(alice, first, first.yes, [0.3, 0.31])),
    ...(await bids(alice, second, second.no, [0.2])),
  ].sort();
  const theirs = await bids(bob, first, first.yes, [0.3]);
  expect(await openIds(alice)).toEqual(mine);
  const reply = await alice.client.cancelAll();
  expect([[...reply.canceled].sort(), reply.not_canceled]).toEqual([mine, {}]);
  expect(await openIds(alice)).toEqual([]);
  expect(await openIds(bob)).toEqual(theirs);
  expect(levelsOf((await bob.client.getOrderBook(first.yes)).bids)).toEqual([['0.3', '10']]);
  expect(await alice.client.cancelAll()).toEqual({ canceled: [], not_canceled: {} });
  await bob.client.cancelAll();
});

test('cancel-market-orders filters by market and token, and an empty filter cancels all', async () => {
  const [first, second] = [await createMarket(world.url), await createMarket(world.url)];
  const yes = await bids(alice, first, first.yes, [0.3, 0.31]);
  const no = await bids(alice, first, first.no, [0.2, 0.21]);
  const elsewhere = await bids(alice, second, second.yes, [0.4]);
  const { client } = alice;
  expect((await client.cancelMarketOrders({ market: first.conditionId, asset_id: first.no })).canceled.sort()).toEqual(
    [...no].sort(),
  );
  expect(await openIds(alice)).toEqual([...yes, ...elsewhere].sort());
  expect((await client.cancelMarketOrders({ asset_id: second.yes })).canceled).toEqual(elsewhere);
  expect((await client.cancelMarketOrders({ market: first.conditionId })).canceled.sort()).toEqual([...yes].sort());
  const again = await bids(alice, first, first.yes, [0.3]);
  const rest = await bids(alice, second, second.no, [0.3]);
  expect((await client.cancelMarketOrders({})).canceled.sort()).toEqual([...again, ...rest].sort());
  expect(await openIds(alice)).toEqual([]);
});

test('cancelling an order releases its reservation', async () => {
  const market = await createMarket(world.url);
  const trader = await newTrader(world.url);
  const all = await limit(trader, market, Side.BUY, market.yes, 0.5, 20_000);
  await expect(limit(trader, market, Side.BUY, market.yes, 0.5, 10)).rejects.toThrow('not enough balance / allowance');
  await trader.client.cancelOrder({ orderID: all.orderID });
  expect((await limit(trader, market, Side.BUY, market.yes, 0.5, 20_000)).status).toBe('live');
  expect((await trader.client.cancelMarketOrders({ market: market.conditionId })).canceled).toHaveLength(1);
});

test('a delayed order cannot be cancelled, and its record then shows its fill', async () => {
  const market = await createMarket(world.url, { secondsDelay: 3 });
  const trader = await newTrader(world.url);
  const resting = await limit(alice, market, Side.BUY, market.no, 0.6, 10);
  const delayed = await limit(trader, market, Side.BUY, market.yes, 0.4, 25);
  expect(delayed).toMatchObject({ success: true, status: 'delayed', makingAmount: '', takingAmount: '' });
  const early = await trader.client.cancelOrder({ orderID: delayed.orderID });
  expect([early.canceled, early.not_canceled]).toEqual([[], { [delayed.orderID]: 'order is delayed' }]);
  await expect.poll(async () => (await trader.client.getOrder(delayed.orderID)).size_matched, PATIENCE).toBe('10');
  expect(await trader.client.getOrder(delayed.orderID)).toMatchObject({ status: 'LIVE', original_size: '25' });
  expect(await alice.client.getOrder(resting.orderID)).toMatchObject({ status: 'MATCHED' });
  expect((await balancesOf(trader, market)).yes).toBe(10_000_000n);
  expect(levelsOf((await alice.client.getOrderBook(market.yes)).bids)).toEqual([['0.4', '15']]);
  expect((await trader.client.cancelAll()).canceled).toEqual([delayed.orderID]);
});

test('cancel bodies also accept orderId and assetId, and null filters match everything', async () => {
  const [market, elsewhere] = [await createMarket(world.url), await createMarket(world.url)];
  const [id] = await bids(alice, market, market.yes, [0.3]);
  const [kept] = await bids(alice, elsewhere, elsewhere.yes, [0.3]);
  const del = (path: string, body: object) => signedRaw(alice, 'DELETE', path, body);
  expect((await del('/order', { orderId: id })).json).toEqual({ canceled: [id], not_canceled: {} });
  const [again] = await bids(alice, market, market.yes, [0.31]);
  const filtered = await del('/cancel-market-orders', { market: null, assetId: market.yes });
  expect(filtered.json).toEqual({ canceled: [again], not_canceled: {} });
  expect((await del('/cancel-market-orders', { market: null, asset_id: null })).json.canceled).toEqual([kept]);
});

test('a cancel request accepts 1000 ids and is rejected with 1001', async () => {
  const market = await createMarket(world.url);
  const [id] = await bids(alice, market, market.yes, [0.3]);
  const unknown = Array.from({ length: 999 }, (_, index) => wordOf(index));
  const reply = await alice.client.cancelOrders([...unknown, id]);
  expect(reply.canceled).toEqual([id]);
  expect(Object.keys(reply.not_canceled)).toHaveLength(999);
  const [other] = await bids(alice, market, market.yes, [0.3]);
  await expect(alice.client.cancelOrders([...unknown, id, other])).rejects.toThrow(
    'Too many orders in payload, max allowed: 1000',
  );
  expect(await openIds(alice)).toEqual([other]);
  await alice.client.cancelAll();
});
