// Interface C.5 through the official client: the order and trade records that each party of a match gets, in every field
// that clients read, and in the older dialect of the same paths. One server process; every figure follows from an order.
import { createHash, createHmac } from 'node:crypto';
import { getAddress } from 'viem';
import { expect, test } from 'vitest';
import { send } from '../support/client.ts';
import { world } from './ownWorld.ts';
import { alice, bob, carol } from './threeTraders.ts';
import { createMarket, giveShares, limit, newTrader, OrderType, Side, take } from './world.ts';

/** Carol sells 12 YES to bids of Alice (10 at 0.45) and, through NO, of Bob (5 at 0.45). */
async function tradedMarket() {
  const market = await createMarket(world.url, { feeRate: 0.05 });
  await giveShares(world.url, carol, market.yes, '12');
  await giveShares(world.url, bob, market.no, '5');
  const first = await limit(alice, market, Side.BUY, market.yes, 0.45, 10);
  const second = await limit(bob, market, Side.SELL, market.no, 0.55, 5);
  const taken = await take(carol, market, Side.SELL, market.yes, 12, 0.45);
  const [tradeId] = taken.tradeIDs ?? [];
  return { market, ids: { alice: first.orderID, bob: second.orderID, carol: taken.orderID }, tradeId };
}

test('all parties of a trade get the same record, except for maker or taker side', async () => {
  const secondsBefore = Math.floor(Date.now() / 1000);
  const { market, ids, tradeId } = await tradedMarket();
  const filter = { market: market.conditionId };
  const [aliceTrades, bobTrades, carolTrades] = await Promise.all(
    [alice, bob, carol].map(({ client }) => client.getTrades(filter)),
  );
  expect([aliceTrades.length, bobTrades.length, carolTrades.length]).toEqual([1, 1, 1]);
  const [trade] = carolTrades;
  // Addresses are written as in every recorded trade of production: bots compare them with their own letter by letter.
  expect(trade).toMatchObject({
    id: tradeId,
    taker_order_id: ids.carol,
    market: market.conditionId,
    asset_id: market.yes,
    side: 'SELL',
    size: '12',
    fee_rate_bps: '0',
    price: '0.45',
    status: 'CONFIRMED',
    outcome: 'Yes',
    bucket_index: 0,
    owner: carol.apiKey,
    maker_address: getAddress(carol.wallet),
    transaction_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    trader_side: 'TAKER',
    maker_orders: [
      {
        order_id: ids.alice,
        owner: alice.apiKey,
        maker_address: getAddress(alice.wallet),
        matched_amount: '10',
        price: '0.45',
        fee_rate_bps: '0',
        asset_id: market.yes,
        outcome: 'Yes',
        side: 'BUY',
      },
      {
        order_id: ids.bob,
        owner: bob.apiKey,
        maker_address: getAddress(bob.wallet),
        matched_amount: '2',
        price: '0.55',
        fee_rate_bps: '0',
        asset_id: market.no,
        outcome: 'No',
        side: 'SELL',
      },
    ],
  });
  expect(trade.match_time).toMatch(/^\d{10}$/);
  expect(Number(trade.match_time)).toBeGreaterThanOrEqual(secondsBefore - 1);
  expect(Number(trade.last_update)).toBeGreaterThanOrEqual(Number(trade.match_time));
  // `type`, a field unknown to every official client, also states the side where it is present.
  const sided = (row: object, side: string) => ({ ...row, trader_side: side, ...('type' in row && { type: side }) });
  for (const [made] of [aliceTrades, bobTrades]) expect(made).toEqual(sided(trade, 'MAKER'));

  const orders = await Promise.all([
    alice.client.getOrder(ids.alice),
    bob.client.getOrder(ids.bob),
    carol.client.getOrder(ids.carol),
  ]);
  expect(orders.map(({ associate_trades }) => associate_trades)).toEqual([[trade.id], [trade.id], [trade.id]]);
  expect(orders.map(({ status, size_matched }) => [status, size_matched])).toEqual([
    ['MATCHED', '10'],
    ['LIVE', '2'],
    ['MATCHED', '12'],
  ]);
  await bob.client.cancelAll();
});

test('a taker that walks the book makes one trade per price, numbered by bucket_index', async () => {
  const market = await createMarket(world.url);
  await giveShares(world.url, alice, market.yes, '30');
  for (const price of [0.3, 0.31, 0.32]) await limit(alice, market, Side.SELL, market.yes, price, 10);
  const reply = await limit(carol, market, Side.BUY, market.yes, 0.32, 25);
  const trades = await carol.client.getTrades({ market: market.conditionId });
  const inOrder = [...trades].reverse();
  expect(inOrder.map(({ id }) => id)).toEqual(reply.tradeIDs);
  expect(inOrder.map(({ transaction_hash }) => transaction_hash)).toEqual(reply.transactionsHashes);
  expect(inOrder.map(({ price, size, bucket_index }) => [price, size, bucket_index])).toEqual([
    ['0.3', '10', 0],
    ['0.31', '10', 1],
    ['0.32', '5', 2],
  ]);
  expect((await carol.client.getOrder(reply.orderID)).associate_trades).toEqual(reply.tradeIDs);
  for (const id of reply.tradeIDs ?? []) {
    expect((await alice.client.getTrades({ id })).map(({ taker_order_id }) => taker_order_id)).toEqual([reply.orderID]);
  }
  await alice.client.cancelAll();
});

test('a stranger cannot read the orders and trades of other traders', async () => {
  const { market, ids } = await tradedMarket();
  const stranger = await newTrader(world.url);
  expect(await stranger.client.getTrades({ market: market.conditionId })).toEqual([]);
  expect(await stranger.client.getOpenOrders({ market: market.conditionId })).toEqual([]);
  const [trade] = await carol.client.getTrades({ market: market.conditionId });
  expect(await stranger.client.getTrades({ id: trade.id })).toEqual([]);
  for (const id of [ids.alice, ids.bob, ids.carol, `0x${'ab'.repeat(32)}`]) {
    await expect(stranger.client.getOrder(id)).rejects.toMatchObject({ status: 404, message: 'Order not found' });
  }
  expect(await alice.client.getOrder(ids.alice)).toMatchObject({ id: ids.alice, status: 'MATCHED' });
  await bob.client.cancelAll();
});

test('an order signed with builder code and metadata is accepted', async () => {
  const market = await createMarket(world.url);
  const { tickSize, negRisk } = market;
  const builderCode = `0x${createHash('sha256').update('builder').digest('hex')}`;
  const reply = await alice.client.createAndPostOrder(
    { tokenID: market.yes, price: 0.4, size: 10, side: Side.BUY, builderCode, metadata: builderCode },
    { tickSize, negRisk },
    OrderType.GTC,
  );
  expect(await alice.client.getOrder(reply.orderID)).toMatchObject({ status: 'LIVE', original_size: '10' });
  await alice.client.cancelAll();
});

test('with SERVICE_* headers the same records are returned in the other dialect', async () => {
  const { ids, market } = await tradedMarket();
  const { creds } = carol.client;
  if (creds === undefined) throw new Error('The trader has no credentials.');
  const get = (path: string, query = '') => {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const key = Buffer.from(creds.secret, 'base64');
    const headers = {
      SERVICE_ADDRESS: carol.account.address,
      SERVICE_API_KEY: creds.key,
      SERVICE_PASSPHRASE: creds.passphrase,
      SERVICE_TIMESTAMP: timestamp,
      SERVICE_SIGNATURE: createHmac('sha256', key).update(`${timestamp}GET${path}`).digest('hex'),
    };
    return send(world.url, 'GET', `${path}${query}`, undefined, headers);
  };
  const order = (await get(`/data/order/${ids.carol}`)).json;
  expect(Object.keys(order)).toEqual(['order']);
  const own = await carol.client.getOrder(ids.carol);
  expect(order.order).toMatchObject({
    id: ids.carol,
    market: market.conditionId,
    assetId: market.yes,
    originalSize: '12',
    sizeMatched: '12',
    price: '0.45',
    side: 'SELL',
    type: 'FOK',
    outcome: 'Yes',
    owner: carol.apiKey,
    makerAddress: getAddress(carol.wallet),
    associateTrades: own.associate_trades,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  });
  const orderFields =
    'associateTrades id status market originalSize outcome makerAddress owner price sizeMatched assetId';
  expect(Object.keys(order.order)).toEqual(expect.arrayContaining(`${orderFields} side type createdAt`.split(' ')));
  const page = (await get('/data/trades', `?market=${market.conditionId}`)).json;
  const tradeFields =
    'id taker_order_id market asset_id side size fee_rate_bps price status outcome maker_address owner';
  const moreFields = 'transaction_hash match_time last_update bucket_index maker_orders type';
  expect(Object.keys(page.data[0])).toEqual(expect.arrayContaining(`${tradeFields} ${moreFields}`.split(' ')));
  const makerFields = 'order_id maker_address owner matched_amount fee_rate_bps price asset_id outcome side';
  expect(Object.keys(page.data[0].maker_orders[0])).toEqual(expect.arrayContaining(makerFields.split(' ')));
  expect([page.count, page.next_cursor, page.limit]).toEqual([1, 'LTE=', 100]);
  const [trade] = await carol.client.getTrades({ market: market.conditionId });
  expect(page.data[0]).toMatchObject({
    id: trade.id,
    taker_order_id: ids.carol,
    type: 'TAKER',
    size: '12',
    price: '0.45',
    transaction_hash: trade.transaction_hash,
    maker_address: getAddress(carol.wallet),
    match_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  });
  expect(Math.floor(Date.parse(page.data[0].match_time) / 1000)).toBe(Number(trade.match_time));
  await bob.client.cancelAll();
});
