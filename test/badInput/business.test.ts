// Well-formed requests that the exchange refuses because of their content: each refusal gives the reason with its figures,
// and leaves the state hash unchanged, although it came from the engine and is in its log.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { l1Headers } from '../support/client.ts';
import { expectRefused, type OrderFields, Target, type TestMarket } from './harness.ts';

let target: Target;
let paused: TestMarket;
let closed: TestMarket;
let resolved: TestMarket;
beforeAll(async () => {
  target = await Target.start();
  paused = await target.createMarket('paused', { status: 'paused' });
  closed = await target.createMarket('closed');
  await target.expectTaken('PATCH', `/admin/markets/${closed.conditionId}`, 'admin', { status: 'closed' });
  resolved = await target.createMarket('resolved');
  await target.expectTaken('POST', `/admin/markets/${resolved.conditionId}/resolve`, 'admin', { outcome: 'split' });
});
afterAll(() => target.close());

const seconds = (offset: number): string => String(Math.floor(Date.now() / 1000) + offset);
const HOUR_MS = 3_600_000;

interface OrderCase {
  readonly title: string;
  readonly order?: () => OrderFields;
  readonly top?: object;
  readonly error: (id: string) => RegExp | string;
}

/** The target's live order is its own bid of 10 at 0.4; it holds 1,000 YES. */
const orders: readonly OrderCase[] = [
  {
    title: 'post-only FOK',
    top: { orderType: 'FOK', postOnly: true },
    error: () => 'invalid post-only order: postOnly is allowed for GTC and GTD orders only',
  },
  {
    title: 'post-only FAK',
    top: { orderType: 'FAK', postOnly: true },
    error: () => 'invalid post-only order: postOnly is allowed for GTC and GTD orders only',
  },
  { title: 'GTC with an expiration', order: () => ({ expiration: seconds(600) }), error: () => 'invalid expiration' },
  {
    title: 'FOK with an expiration',
    order: () => ({ expiration: seconds(600) }),
    top: { orderType: 'FOK' },
    error: () => 'invalid expiration',
  },
  { title: 'GTD without an expiration', top: { orderType: 'GTD' }, error: () => 'invalid expiration' },
  {
    title: 'GTD with an expiration 50 seconds ahead',
    order: () => ({ expiration: seconds(50) }),
    top: { orderType: 'GTD' },
    error: () => 'invalid expiration',
  },
  {
    title: 'GTD with an expiration long past',
    order: () => ({ expiration: '1' }),
    top: { orderType: 'GTD' },
    error: () => 'invalid expiration',
  },
  {
    title: 'a timestamp 25 hours old',
    order: () => ({ timestamp: String(Date.now() - 25 * HOUR_MS) }),
    error: (id) => `order ${id} is invalid. Timestamp out of range`,
  },
  {
    title: 'a timestamp 2 hours ahead',
    order: () => ({ timestamp: String(Date.now() + 2 * HOUR_MS) }),
    error: (id) => `order ${id} is invalid. Timestamp out of range`,
  },
  { title: 'a timestamp in seconds', order: () => ({ timestamp: seconds(0) }), error: () => 'Timestamp out of range' },
  {
    title: 'a timestamp of 2^53 - 1',
    order: () => ({ timestamp: '9007199254740991' }),
    error: () => 'Timestamp out of range',
  },
  { title: 'a maker amount of 0', order: () => ({ makerAmount: '0' }), error: () => 'invalid amounts' },
  { title: 'a taker amount of 0', order: () => ({ takerAmount: '0' }), error: () => 'invalid amounts' },
  {
    title: 'a size finer than 0.01 shares',
    order: () => ({ takerAmount: '10000001' }),
    error: () => /invalid amounts.*max accuracy of 4 decimals.*max of 2 decimals/,
  },
  {
    title: 'a price that is not a whole pip',
    order: () => ({ makerAmount: '4000001' }),
    error: () => 'got makerAmount 4.000001 and takerAmount 10',
  },
  {
    title: 'a SELL with a size finer than 0.01 shares',
    order: () => ({ side: 'SELL', makerAmount: '10000001', takerAmount: '5000000' }),
    error: () => /invalid amounts, the sell orders/,
  },
  {
    title: 'a price off the tick',
    order: () => ({ makerAmount: '4050000' }),
    error: (id) => `order ${id} is invalid. Price (0.405) breaks minimum tick size rule: 0.01`,
  },
  {
    title: 'a price of one',
    order: () => ({ makerAmount: '10000000' }),
    error: () => 'Price (1) breaks minimum tick size rule: 0.01',
  },
  {
    title: 'a price above one',
    order: () => ({ makerAmount: '20000000' }),
    error: () => 'Price (2) breaks minimum tick size rule: 0.01',
  },
  {
    title: 'a price below the tick',
    order: () => ({ makerAmount: '10000' }),
    error: () => 'Price (0.001) breaks minimum tick size rule: 0.01',
  },
  {
    title: 'a size above the maximum of 10,000,000',
    order: () => ({ makerAmount: '4000000004000', takerAmount: '10000000010000' }),
    error: () => 'Size (10000000.01) higher than the maximum: 10000000',
  },
  {
    title: 'amounts of 2^53 - 1',
    order: () => ({ makerAmount: '9007199254740991', takerAmount: '9007199254740991' }),
    error: () => 'invalid amounts, the buy orders',
  },
  {
    title: 'a size below the minimum of 5',
    order: () => ({ makerAmount: '1996000', takerAmount: '4990000' }),
    error: (id) => `order ${id} is invalid. Size (4.99) lower than the minimum: 5`,
  },
  {
    title: 'a FOK BUY below the minimum value of 1',
    order: () => ({ makerAmount: '990000', takerAmount: '1980000' }),
    top: { orderType: 'FOK' },
    error: () => 'invalid amount for a marketable BUY order ($0.99), min size: $1',
  },
  {
    title: 'a FAK for less than a lot',
    order: () => ({ makerAmount: '1', takerAmount: '2' }),
    top: { orderType: 'FAK' },
    error: () => 'invalid amounts, the market buy orders',
  },
  {
    title: 'a paused market',
    order: () => ({ tokenId: paused.yes }),
    error: () => 'the market is not yet ready to process new orders',
  },
  {
    title: 'a closed market',
    order: () => ({ tokenId: closed.no }),
    error: () => `the orderbook ${closed.no} does not exist`,
  },
  {
    title: 'a resolved market',
    order: () => ({ tokenId: resolved.yes }),
    error: () => `the orderbook ${resolved.yes} does not exist`,
  },
  {
    title: 'a BUY for more than the balance',
    order: () => ({ makerAmount: '10000400000', takerAmount: '25001000000' }),
    error: () => 'balance: 10000000000, sum of active orders: 4000000, order amount (inc. fees): 10000400000',
  },
  {
    title: 'a SELL of more shares than are held',
    order: () => ({ side: 'SELL', makerAmount: '1000010000', takerAmount: '900009000' }),
    error: () => 'balance: 1000000000, sum of active orders: 0, order amount (inc. fees): 1000010000',
  },
  {
    title: 'a SELL of a token that is not held',
    order: () => ({ side: 'SELL', makerAmount: '10000000', takerAmount: '9000000', tokenId: target.market.no }),
    error: () => 'balance: 0, sum of active orders: 0',
  },
  {
    title: 'a post-only order that crosses an own order',
    order: () => ({ side: 'SELL', makerAmount: '10000000', takerAmount: '4000000' }),
    top: { postOnly: true },
    error: () => 'invalid post-only order: order crosses book',
  },
  {
    title: 'a wallet of another owner',
    order: () => ({ maker: target.server.wallets[1].address }),
    error: () => 'maker address not allowed',
  },
  {
    title: 'a signer other than the owner of the API key',
    order: () => ({ signer: target.server.wallets[1].address }),
    error: () => 'the order signer address has to be the address of the API KEY',
  },
];

test.each(orders)('an order is rejected: $title', ({ order, top, error }) =>
  target.unchanged(async () => {
    const body = target.orderBody(order?.() ?? {}, top);
    const reply = await target.send('POST', '/order', 'l2', body);
    expectRefused(reply, 400, error(target.orderIdOf(body)));
    const [element] = (await target.expectTaken('POST', '/orders', 'l2', [body])).json;
    // The limits of its timestamp move with the clock; the rest of the text is the same.
    const still = (text: string): string => text.replace(/it must be (from|at least) .*/, '');
    expect([still(element.errorMsg), element.orderID]).toEqual([still(reply.json.error), '']);
  }),
);

test('an order that differs from what was signed is rejected', () =>
  target.unchanged(async () => {
    const spoils: readonly OrderFields[] = [
      { makerAmount: '3900000' },
      { takerAmount: '20000000' },
      { tokenId: target.market.no },
      { side: 'SELL' },
      { salt: 999_999_999 },
      { timestamp: String(Date.now() - 5) },
      { signatureType: 1 },
      { signatureType: 2 },
      { signatureType: 3 },
      { signature: `0x${'00'.repeat(65)}` },
      { signature: `0x${'ff'.repeat(65)}` },
      { signature: `0x${'ab'.repeat(64)}` },
      { signature: `0x${'ab'.repeat(317)}` },
    ];
    for (const spoil of spoils) {
      const reply = await target.send('POST', '/order', 'l2', target.orderBody({}, {}, spoil));
      expectRefused(reply, 400, /signature|wallet|maker|signer/i, JSON.stringify(spoil).slice(0, 80));
    }
    const other = await target.send(
      'POST',
      '/order',
      'l2',
      target.orderBody({}, {}, { conditionId: closed.conditionId }),
    );
    expectRefused(other, 400, /condition/i);
  }));

/** Each row has its own fault and others that are checked later; the answer must be for its own. */
const ordered: readonly {
  readonly title: string;
  readonly body: () => Record<string, unknown>;
  readonly error: RegExp | string;
}[] = [
  {
    title: 'the owner before the version',
    body: () => firstVersion({ owner: OTHER_KEY }),
    error: 'the order owner has to be the owner of the API KEY',
  },
  { title: 'the version before the token', body: () => firstVersion({}, '12345'), error: 'order_version_mismatch' },
  {
    title: 'the owner before the token',
    body: () => target.orderBody({ tokenId: '12345' }, { owner: OTHER_KEY }),
    error: 'the order owner has to be the owner of the API KEY',
  },
  {
    title: 'the token before the signer',
    body: () => target.orderBody({ tokenId: '12345', signer: stranger() }, {}, GARBAGE),
    error: 'Invalid token id: no market has the token 12345',
  },
  {
    title: 'the signer before the wallet and the signature',
    body: () => target.orderBody({ signer: stranger(), maker: stranger() }, {}, GARBAGE),
    error: 'the order signer address has to be the address of the API KEY',
  },
  {
    title: 'the wallet before the signature',
    body: () => target.orderBody({ maker: stranger(), signatureType: 2 }, {}, GARBAGE),
    error: /wallet|maker/i,
  },
  {
    title: 'the signature before the expiration',
    body: () => target.orderBody({ expiration: '1' }, {}, GARBAGE),
    error: 'invalid signature',
  },
  {
    title: 'the order type before the expiration',
    body: () => target.orderBody({ expiration: '1' }, { orderType: 'FOK', postOnly: true }),
    error: 'invalid post-only order',
  },
  {
    title: 'the expiration before the timestamp',
    body: () => target.orderBody({ expiration: '1', timestamp: '1' }),
    error: 'invalid expiration',
  },
  {
    title: 'the timestamp before the amounts',
    body: () => target.orderBody({ timestamp: '1', makerAmount: '0' }),
    error: 'Timestamp out of range',
  },
  {
    title: 'the amounts before the tick',
    body: () => target.orderBody({ makerAmount: '0', takerAmount: '4990000', tokenId: paused.yes }),
    error: 'invalid amounts',
  },
  {
    title: 'the tick before the minimum size',
    body: () => target.orderBody({ makerAmount: '1620000', takerAmount: '4000000', tokenId: paused.yes }),
    error: 'breaks minimum tick size rule',
  },
  {
    title: 'the minimum size before the market state',
    body: () => target.orderBody({ makerAmount: '1600000', takerAmount: '4000000', tokenId: paused.yes }),
    error: 'lower than the minimum',
  },
  {
    title: 'the market state before the funds',
    body: () => target.orderBody({ makerAmount: '40000000000', takerAmount: '100000000000', tokenId: paused.yes }),
    error: 'not yet ready',
  },
  {
    title: 'post-only before the funds',
    body: () =>
      target.orderBody({ side: 'SELL', makerAmount: '5000000000', takerAmount: '2000000000' }, { postOnly: true }),
    error: 'order crosses book',
  },
];
const OTHER_KEY = '11111111-2222-4333-8444-555555555555';
const GARBAGE = { signature: `0x${'5a'.repeat(64)}1b` };
const stranger = (): string => target.server.wallets[1].address;

/** A body of the first version of orders, with changes beside the order. */
function firstVersion(top: object, tokenId = target.market.yes): Record<string, unknown> {
  const body = target.orderBody({ tokenId }, top);
  const { timestamp: _timestamp, metadata: _metadata, builder: _builder, ...order } = body.order as OrderFields; // as made
  return { ...body, order: { ...order, taker: `0x${'0'.repeat(40)}`, nonce: '0', feeRateBps: '0' } };
}

test.each(ordered)('order checks run in this order: $title', ({ body, error }) =>
  target.unchanged(async () => {
    expectRefused(await target.send('POST', '/order', 'l2', body()), 400, error);
    const text = JSON.stringify(body());
    expectRefused(await target.call('POST', '/order', { body: text }), 401, 'Unauthorized/Invalid api key');
  }),
);

test('a live order sent again, alone or in a batch, is a duplicate, and so is a cancelled one', async () => {
  const body = target.orderBody({ makerAmount: '1000000' });
  const { orderID } = (await target.expectTaken('POST', '/order', 'l2', body)).json;
  await target.unchanged(async () => {
    expectRefused(await target.send('POST', '/order', 'l2', body), 400, `order ${orderID} is invalid. Duplicated.`);
    const [element] = (await target.expectTaken('POST', '/orders', 'l2', [body])).json;
    expect(element.errorMsg).toBe(`order ${orderID} is invalid. Duplicated.`);
  });
  const canceled = await target.expectTaken('DELETE', '/order', 'l2', { orderID });
  expect(canceled.json.canceled).toEqual([orderID]);
  await target.unchanged(async () => {
    expectRefused(await target.send('POST', '/order', 'l2', body), 400, 'Duplicated.');
  });
});

test('cancelling unknown orders, markets or tokens changes nothing', () =>
  target.unchanged(async () => {
    const unknown = `0x${'cd'.repeat(32)}`;
    const nothing = { canceled: [], not_canceled: { [unknown]: 'Order not found or already canceled' } };
    expect((await target.expectTaken('DELETE', '/order', 'l2', { orderID: unknown })).json).toEqual(nothing);
    expect((await target.expectTaken('DELETE', '/orders', 'l2', [unknown, unknown])).json).toEqual(nothing);
    expect((await target.expectTaken('DELETE', '/orders', 'l2', [])).json).toEqual({ canceled: [], not_canceled: {} });
    for (const body of [
      { market: unknown },
      { asset_id: '12345' },
      { market: closed.conditionId },
      { market: unknown, asset_id: target.market.yes },
    ]) {
      const reply = await target.expectTaken('DELETE', '/cancel-market-orders', 'l2', body);
      expect(reply.json).toEqual({ canceled: [], not_canceled: {} });
    }
  }));

test('split, merge and redeem are rejected beyond the balance or in the wrong market state', () =>
  target.unchanged(async () => {
    const post = (path: string, body: object) => target.send('POST', path, 'l2', body);
    const { conditionId: condition_id } = target.market;
    expectRefused(
      await post('/split', { condition_id, amount: '9996.000001' }),
      400,
      /not enough balance.*9996\.000001.*10000/,
    );
    expectRefused(await post('/split', { condition_id, amount: '9007199254.740991' }), 400, 'not enough balance');
    expectRefused(await post('/merge', { condition_id, amount: '0.000001' }), 400, 'not enough shares');
    expectRefused(await post('/redeem', { condition_id }), 400, 'active');
    expectRefused(await post('/split', { condition_id: closed.conditionId, amount: '1' }), 400, 'closed');
    expectRefused(await post('/merge', { condition_id: closed.conditionId, amount: '1' }), 400, /not enough shares/);
    expectRefused(await post('/redeem', { condition_id: closed.conditionId }), 400, 'closed');
    expectRefused(await post('/split', { condition_id: resolved.conditionId, amount: '1' }), 400, 'resolved');
    expectRefused(await post('/merge', { condition_id: resolved.conditionId, amount: '1' }), 400, 'resolved');
    expectRefused(await post('/redeem', { condition_id: resolved.conditionId }), 400, 'nothing to redeem');
    for (const signature_type of [1, 2, 3]) {
      expectRefused(await post('/merge', { condition_id, amount: '1', signature_type }), 400, 'not enough shares');
    }
  }));

test('withdrawals above the free balance and deposits above the countable maximum are rejected', () =>
  target.unchanged(async () => {
    const { address } = target.wallet;
    const post = (path: string, amount: string, to = address) =>
      target.send('POST', path, 'admin', { address: to, amount });
    // 4 of the 10,000 back the live order.
    expectRefused(await post('/admin/withdrawals', '9996.000001'), 400, 'not enough balance');
    expectRefused(await post('/admin/withdrawals', '1', `0x${'99'.repeat(20)}`), 400, 'not enough balance');
    expectRefused(await post('/admin/deposits', '9007199254.740991'), 400, /deposit/);
    const faucet = await target.send('POST', '/dev/faucet', 'none', { address, collateral: '9007199254' });
    expectRefused(faucet, 400, /deposit/);
    const shares = { address, token_id: resolved.yes, shares: '1' };
    expectRefused(await target.send('POST', '/dev/faucet', 'none', shares), 400, 'resolved');
    const owned = { address, amount: '1', owner: target.server.wallets[1].address };
    expectRefused(await target.send('POST', '/admin/deposits', 'admin', owned), 400, 'invalid_field: owner');
  }));

test('duplicate market slugs and ids, and changes to closed or resolved markets, are rejected', () =>
  target.unchanged(async () => {
    const post = (path: string, body: object) => target.send('POST', path, 'admin', body);
    const patch = (market: TestMarket, body: object) =>
      target.send('PATCH', `/admin/markets/${market.conditionId}`, 'admin', body);
    expectRefused(await post('/admin/markets', { question: 'Again?', slug: 'bad-input' }), 400, /slug|exists/);
    const ids = { condition_id: target.market.conditionId };
    expectRefused(await post('/admin/markets', { question: 'Again?', slug: 'again', ...ids }), 400, 'exists');
    const token_ids = [target.market.yes, '77'];
    expectRefused(await post('/admin/markets', { question: 'Again?', slug: 'again', token_ids }), 400, 'token');
    const twin = { question: 'Again?', slug: 'again', condition_id: `0x${'12'.repeat(32)}`, token_ids: ['5', '05'] };
    expectRefused(await post('/admin/markets', twin), 400, 'token_ids');
    expectRefused(await patch(closed, { status: 'active' }), 400, 'closed');
    expectRefused(await patch(closed, { tick_size: '0.001' }), 400, 'closed');
    expectRefused(await patch(resolved, { status: 'paused' }), 400, 'resolved');
    expectRefused(await patch(resolved, { min_order_size: '1' }), 400, 'resolved');
    const again = `/admin/markets/${resolved.conditionId}/resolve`;
    expectRefused(await post(again, { outcome: 'Yes' }), 400, 'resolved');
  }));

test('concurrent requests to create an API key that exists are all rejected', () =>
  target.unchanged(async () => {
    const replies = await Promise.all(
      [1, 2, 3].map(() => target.call('POST', '/auth/api-key', { headers: l1Headers(target.wallet) })),
    );
    for (const reply of replies) expectRefused(reply, 400, 'Could not create api key');
  }));
