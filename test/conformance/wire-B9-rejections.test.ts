// Interface B.6 and B.9: orders that are refused after their signature was accepted. Each text carries the figures that
// explain it, and nothing that a client can see changes. Orders are signed by the official client; where the client would
// not send such an order, its body is sent without the client.
import { randomUUID } from 'node:crypto';
import { isV2Order, OrderType, orderToJsonV2, type SignedOrder } from '@polymarket/clob-client-v2';
import { expect, test } from 'vitest';
import type { JsonReply } from '../support/client.ts';
import { world } from './ownWorld.ts';
import { taker as other, maker as trader } from './twoTraders.ts';
import {
  admin,
  balancesOf,
  createMarket,
  giveShares,
  limit,
  type Market,
  openIds,
  orderIdOf,
  refusalOf,
  Side,
  signedRaw,
  signLimit,
  take,
} from './world.ts';

type OrderBody = ReturnType<typeof orderToJsonV2>;

/** The body of POST /order as the client makes it, with changes. */
function bodyOf(order: SignedOrder, change: object = {}, orderChange: object = {}): OrderBody {
  if (!isV2Order(order)) throw new Error('The client made an order of version 1.');
  const body = orderToJsonV2(order, trader.apiKey, OrderType.GTC);
  return { ...body, ...change, order: { ...body.order, ...orderChange } };
}

const post = (path: string, body: unknown): Promise<JsonReply> => signedRaw(trader, 'POST', path, body);

const signed = (market: Market, price: number, size: number) =>
  signLimit(trader, market, Side.BUY, market.yes, price, size);

test('a version 1 order is rejected as a version mismatch, and createAndPostOrder then succeeds', async () => {
  const market = await createMarket(world.url);
  const options = { tickSize: market.tickSize, negRisk: false, version: 1 } as const;
  const order = await trader.client.createOrder({ tokenID: market.yes, price: 0.4, size: 10, side: Side.BUY }, options);
  expect(isV2Order(order)).toBe(false);
  const refusal = await refusalOf(trader.client.postOrder(order));
  expect([refusal.status, refusal.message]).toEqual([400, expect.stringContaining('order_version_mismatch')]);

  const v1 = {
    deferExec: false,
    order: {
      salt: 12345,
      maker: trader.owner,
      signer: trader.owner,
      taker: `0x${'0'.repeat(40)}`,
      tokenId: market.yes,
      makerAmount: '4000000',
      takerAmount: '10000000',
      expiration: '0',
      nonce: '0',
      feeRateBps: '0',
      side: 'BUY',
      signatureType: 0,
      signature: `0x${'ab'.repeat(65)}`,
    },
    owner: trader.apiKey,
    orderType: 'GTC',
  };
  expect(await post('/order', v1)).toMatchObject({
    status: 400,
    json: { error: expect.stringContaining('order_version_mismatch') },
  });
  // createAndPostOrder signs orders of the server's version, 2.
  expect((await limit(trader, market, Side.BUY, market.yes, 0.4, 10)).status).toBe('live');
});

test('a version 3 order is rejected as a version mismatch, although it looks like version 2', async () => {
  const market = await createMarket(world.url);
  const order = await trader.client.createOrder(
    { tokenID: market.yes, price: 0.4, size: 10, side: Side.BUY },
    { tickSize: market.tickSize, negRisk: false, version: 3 },
  );
  const refusal = await refusalOf(trader.client.postOrder(order));
  expect([refusal.status, refusal.message]).toEqual([400, expect.stringContaining('order_version_mismatch')]);
  expect(await trader.client.getOpenOrders({ market: market.conditionId })).toEqual([]);
});

test('an order whose signer or owner does not match the API key is rejected', async () => {
  const market = await createMarket(world.url);
  const order = await signLimit(other, market, Side.BUY, market.yes, 0.4, 10);
  const asOwn = await post('/order', bodyOf(order));
  expect(asOwn).toMatchObject({
    status: 400,
    json: { error: expect.stringContaining('the order signer address has to be the address of the API KEY') },
  });
  for (const owner of [other.apiKey, randomUUID()]) {
    const mine = await signed(market, 0.4, 10);
    expect(await post('/order', bodyOf(mine, { owner }))).toMatchObject({
      status: 400,
      json: { error: expect.stringContaining('the order owner has to be the owner of the API KEY') },
    });
  }
  expect(await trader.client.getOpenOrders({ market: market.conditionId })).toEqual([]);
  expect(await other.client.getOpenOrders({ market: market.conditionId })).toEqual([]);
});

test('an order with any signed field changed in transit is rejected as an invalid signature', async () => {
  const market = await createMarket(world.url);
  const order = await signed(market, 0.4, 10);
  const changes: readonly object[] = [
    { salt: Number(order.salt) + 1 },
    { makerAmount: '4100000' },
    { takerAmount: '9000000' },
    { tokenId: market.no },
    { side: 'SELL' },
    { timestamp: String(Date.now() - 1_000) },
    { metadata: `0x${'1'.padStart(64, '0')}` },
    { builder: `0x${'1'.padStart(64, '0')}` },
  ];
  for (const change of changes) {
    const reply = await post('/order', bodyOf(order, {}, change));
    expect([reply.status, reply.json.error], JSON.stringify(change)).toEqual([
      400,
      expect.stringContaining('invalid signature'),
    ]);
  }
  expect(await trader.client.getOpenOrders({ market: market.conditionId })).toEqual([]);
  const unchanged = await post('/order', bodyOf(order));
  expect(unchanged).toMatchObject({ status: 200, json: { orderID: orderIdOf(order, false), status: 'live' } });
});

test('the fields that a V2 order does not sign may differ: expiration, type, post-only', async () => {
  const market = await createMarket(world.url);
  const order = await signed(market, 0.4, 10);
  const expiration = String(Math.floor(Date.now() / 1000) + 600);
  const reply = await post('/order', bodyOf(order, { orderType: 'GTD', postOnly: true }, { expiration }));
  expect(reply.json).toMatchObject({ status: 'live', orderID: orderIdOf(order, false) });
  expect(await trader.client.getOrder(reply.json.orderID)).toMatchObject({ order_type: 'GTD', expiration });
});

test('salt is accepted as number or string, and a condition id only if it matches the token', async () => {
  const [market, elsewhere] = [await createMarket(world.url), await createMarket(world.url)];
  const asText = await signed(market, 0.4, 10);
  expect((await post('/order', bodyOf(asText, {}, { salt: asText.salt }))).json).toMatchObject({
    orderID: orderIdOf(asText, false),
    status: 'live',
  });
  const named = await signed(market, 0.41, 10);
  const wrong = await post('/order', bodyOf(named, {}, { conditionId: elsewhere.conditionId }));
  expect([wrong.status, wrong.json.error]).toEqual([400, expect.stringMatching(/condition/i)]);
  expect((await post('/order', bodyOf(named, {}, { conditionId: market.conditionId }))).json.status).toBe('live');
});

test('an order that is too old or too far ahead is rejected, and the error names its timestamp', async () => {
  const market = await createMarket(world.url);
  const dayMs = 86_400_000;
  for (const offsetMs of [-dayMs - 60_000, 3_600_000 + 60_000]) {
    const nowMs = Date.now;
    const timestamp = Date.now() + offsetMs;
    let order: SignedOrder;
    try {
      Date.now = () => timestamp;
      order = await signed(market, 0.4, 10);
    } finally {
      Date.now = nowMs;
    }
    const reply = await post('/order', bodyOf(order));
    expect([reply.status, reply.json.error]).toEqual([
      400,
      expect.stringContaining(`order ${orderIdOf(order, false)} is invalid. Timestamp out of range: ${timestamp}`),
    ]);
  }
  expect(await trader.client.getOpenOrders({ market: market.conditionId })).toEqual([]);
});

test('sizes and budgets below the minimum are rejected, and the error names both figures', async () => {
  const market = await createMarket(world.url, { minOrderSize: 20, minMarketableBuy: '2.5' });
  const order = await signed(market, 0.4, 19.99);
  const small = await refusalOf(trader.client.postOrder(order));
  expect(small.message).toContain(
    `order ${orderIdOf(order, false)} is invalid. Size (19.99) lower than the minimum: 20`,
  );

  await giveShares(world.url, other, market.yes, '100');
  await limit(other, market, Side.SELL, market.yes, 0.1, 100);
  const cheap = await refusalOf(take(trader, market, Side.BUY, market.yes, 2.4, 0.1));
  expect(cheap.message).toContain('invalid amount for a marketable BUY order ($2.4), min size: $2.5');
  const crossing = await refusalOf(limit(trader, market, Side.BUY, market.yes, 0.1, 20));
  expect(crossing.message).toContain('invalid amount for a marketable BUY order ($2), min size: $2.5');
  // The same order without crossing is accepted, and a market order has no minimum in shares.
  expect((await limit(trader, market, Side.BUY, market.yes, 0.09, 20)).status).toBe('live');
  expect(await take(trader, market, Side.BUY, market.yes, 2.5, 0.1)).toMatchObject({ takingAmount: '25' });
  expect((await balancesOf(trader, market)).yes).toBe(25_000_000n);
  await other.client.cancelAll();
  await trader.client.cancelAll();
});

test('orders beyond the balance change nothing; the error has balance, reserved and needed amounts', async () => {
  const market = await createMarket(world.url);
  const before = await balancesOf(trader, market);
  const reserved = await limit(trader, market, Side.BUY, market.yes, 0.5, 10_000);
  const more = await refusalOf(limit(trader, market, Side.BUY, market.no, 0.4, 12_600));
  const figures = `balance: ${before.collateral}, sum of active orders: 5000000000, order amount (inc. fees): 5040000000`;
  expect(more.message).toContain('not enough balance / allowance: the balance is not enough -> ');
  expect(more.message).toContain(figures);
  const unowned = await refusalOf(limit(trader, market, Side.SELL, market.no, 0.9, 10));
  expect(unowned.message).toContain('balance: 0, sum of active orders: 0, order amount (inc. fees): 10000000');
  expect(await openIds(trader, market)).toEqual([reserved.orderID]);
  expect(await balancesOf(trader, market)).toEqual(before);
  await trader.client.cancelAll();
});

test('a paused market rejects orders until it is active again, and a closed one has no book', async () => {
  const market = await createMarket(world.url);
  const path = `/admin/markets/${market.conditionId}`;
  const resting = await limit(trader, market, Side.BUY, market.yes, 0.4, 10);
  await admin(world.url, 'PATCH', path, { status: 'paused' });
  const refusal = await refusalOf(limit(trader, market, Side.BUY, market.yes, 0.41, 10));
  expect(refusal.message).toContain('the market is not yet ready to process new orders');
  expect(await trader.client.getMarket(market.conditionId)).toMatchObject({
    accepting_orders: false,
    status: 'paused',
  });
  expect((await trader.client.cancelOrder({ orderID: resting.orderID })).canceled).toEqual([resting.orderID]);
  await admin(world.url, 'PATCH', path, { status: 'active' });
  expect(await limit(trader, market, Side.BUY, market.yes, 0.41, 10)).toMatchObject({ status: 'live' });
  await admin(world.url, 'PATCH', path, { status: 'closed' });
  expect(await trader.client.getOpenOrders({ market: market.conditionId })).toEqual([]);
  // Bots that retry a sale until a market is ready stop at these words.
  const over = await refusalOf(limit(trader, market, Side.SELL, market.yes, 0.42, 10));
  expect([over.status, over.message]).toEqual([400, `the orderbook ${market.yes} does not exist`]);
});
