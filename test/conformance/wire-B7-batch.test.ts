// Interface B.7 through the official client: several orders in one request, answered one by one in order; a refused element
// says why and does not affect the others. Also the reasons for which a whole batch is refused.
import { OrderType, type PostOrdersArgs } from '@polymarket/clob-client-v2';
import { expect, test } from 'vitest';
import { world } from './ownWorld.ts';
import { maker as alice, taker as bob } from './twoTraders.ts';
import {
  balancesOf,
  batchItem,
  createMarket,
  giveShares,
  levelsOf,
  limit,
  type Market,
  moved,
  openIds,
  orderIdOf,
  refusalOf,
  Side,
  signLimit,
  type Trader,
} from './world.ts';

/** An element of a batch for the market's first token. */
async function args(
  trader: Trader,
  market: Market,
  side: Side,
  price: number,
  size: number,
  orderType = OrderType.GTC,
): Promise<PostOrdersArgs> {
  return batchItem(await signLimit(trader, market, side, market.yes, price, size), orderType);
}

test('each batch element is answered in its position, and rejected ones do not affect the others', async () => {
  const market = await createMarket(world.url);
  const batch = [
    await args(alice, market, Side.BUY, 0.4, 10),
    await args(alice, market, Side.BUY, 0.39, 4),
    await args(alice, market, Side.BUY, 0.38, 20),
    await args(alice, market, Side.SELL, 0.6, 10),
  ];
  const ids = batch.map(({ order }) => orderIdOf(order, false));
  const replies = await alice.client.postOrders(batch);
  expect(replies.map(({ orderID, status }) => [orderID, status])).toEqual([
    [ids[0], 'live'],
    ['', ''],
    [ids[2], 'live'],
    ['', ''],
  ]);
  expect(replies[1].errorMsg).toContain(`order ${ids[1]} is invalid. Size (4) lower than the minimum: 5`);
  expect(replies[3].errorMsg).toContain('not enough balance / allowance');
  expect(replies[0].errorMsg).toBe('');
  for (const reply of replies) expect(reply).toMatchObject({ makingAmount: '', takingAmount: '' });
  const book = await alice.client.getOrderBook(market.yes);
  expect(levelsOf(book.bids)).toEqual([
    ['0.38', '20'],
    ['0.4', '10'],
  ]);
  expect(await openIds(alice, market)).toEqual([ids[0], ids[2]].sort());
});

test('batch elements execute in array order, each against the book that the earlier ones left', async () => {
  const market = await createMarket(world.url);
  await giveShares(world.url, alice, market.yes, '50');
  await giveShares(world.url, bob, market.yes, '50');
  await limit(alice, market, Side.BUY, market.yes, 0.5, 10);
  const before = await balancesOf(bob, market);
  const replies = await bob.client.postOrders([
    await args(bob, market, Side.SELL, 0.5, 6),
    await args(bob, market, Side.SELL, 0.5, 6),
    await args(bob, market, Side.BUY, 0.45, 10),
    await args(bob, market, Side.BUY, 0.5, 8),
    await args(bob, market, Side.SELL, 0.4, 5, OrderType.FOK),
  ]);
  // The fourth would meet the remainder of the second, its owner's own order, and so cancels it. The last finds only own bids.
  expect(replies.map(({ status, takingAmount }) => [status, takingAmount])).toEqual([
    ['matched', '3'],
    ['matched', '2'],
    ['live', ''],
    ['live', ''],
    ['', ''],
  ]);
  expect(replies[4].errorMsg).toContain('FOK orders are fully filled or killed');
  expect(await balancesOf(bob, market)).toEqual(moved(before, { collateral: '5', yes: '-10' }));
  expect(await openIds(bob, market)).toEqual([replies[2].orderID, replies[3].orderID].sort());
});

test('a batch of fifteen is accepted; a batch of sixteen and an empty one are rejected', async () => {
  const market = await createMarket(world.url);
  const batch = await Promise.all(
    Array.from({ length: 16 }, (_, index) => args(alice, market, Side.BUY, 0.01 * (index + 1), 10)),
  );
  const refusal = await refusalOf(alice.client.postOrders(batch));
  expect([refusal.status, refusal.message]).toEqual([400, 'Too many orders in payload: 16, max allowed: 15']);
  expect(await openIds(alice, market)).toEqual([]);
  const empty = await refusalOf(alice.client.postOrders([]));
  expect([empty.status, empty.message]).toEqual([400, expect.stringContaining('Invalid order payload')]);

  const replies = await alice.client.postOrders(batch.slice(0, 15));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set(['live']));
  const book = await alice.client.getOrderBook(market.yes);
  expect([book.bids.length, book.bids[14], book.bids[0]]).toEqual([
    15,
    { price: '0.15', size: '10' },
    { price: '0.01', size: '10' },
  ]);
  // The refused sixteenth was never looked at, so it may be sent again.
  expect((await alice.client.postOrders(batch.slice(15)))[0]).toMatchObject({ status: 'live', errorMsg: '' });
});

test('post-only applies to every element of a batch', async () => {
  const market = await createMarket(world.url);
  await limit(bob, market, Side.BUY, market.no, 0.5, 10);
  const replies = await alice.client.postOrders(
    [await args(alice, market, Side.BUY, 0.5, 10), await args(alice, market, Side.BUY, 0.49, 10)],
    true,
  );
  expect(replies[0].errorMsg).toContain('invalid post-only order: order crosses book');
  expect(replies[1]).toMatchObject({ status: 'live', errorMsg: '' });
  const book = await bob.client.getOrderBook(market.yes);
  expect([levelsOf(book.bids), levelsOf(book.asks)]).toEqual([[['0.49', '10']], [['0.5', '10']]]);
});

test('an element with the signature of another order is rejected, and the other is accepted', async () => {
  const market = await createMarket(world.url);
  const [good, bad] = [await args(alice, market, Side.BUY, 0.3, 10), await args(alice, market, Side.BUY, 0.31, 10)];
  const forged = batchItem({ ...bad.order, signature: good.order.signature });
  const replies = await alice.client.postOrders([forged, good]);
  expect(replies[0]).toMatchObject({ orderID: '', errorMsg: expect.stringContaining('invalid signature') });
  expect(replies[1]).toMatchObject({ orderID: orderIdOf(good.order, false), status: 'live' });
  expect(await openIds(alice, market)).toEqual([replies[1].orderID]);
});
