// Fields of orders, cancels and lists of tokens that are missing, of another type or out of range: the refusal names the field,
// and unknown fields are ignored. Numbers beyond 2^53, negative ones and exponents are refused where they would be read.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { wordOf } from '../support/hex.ts';
import { expectRefused, Target } from './harness.ts';
import { NOT_WHOLE_NUMBERS } from './kinds.ts';
import {
  INVALID_ADDRESSES,
  INVALID_BYTES32,
  INVALID_TOKENS,
  MISSING,
  NOT_FLAGS,
  type Path,
  shown,
  withValue,
} from './wrongFields.ts';

let target: Target;
beforeAll(async () => {
  target = await Target.start();
});
afterAll(() => target.close());

/** Values that are no decimal digits of a whole number below 2^53. */
const NOT_DIGITS = [MISSING, null, '', ' ', ...NOT_WHOLE_NUMBERS, 1, 1e3, -1, 1.5, true, [], ['1'], {}];
const NOT_OBJECTS = [MISSING, null, 'x', 1, true, []];
const NOT_UUIDS = [MISSING, null, '', 'x', '0'.repeat(36), 1, [], {}, `0x${'1'.repeat(32)}`];

const orderFields: readonly (readonly [Path, readonly unknown[]])[] = [
  [['order'], NOT_OBJECTS],
  [
    ['order', 'salt'],
    [MISSING, null, '', 'x', '-1', '1e3', '0x1', -1, 1.5, 2 ** 53, 1e300, (2n ** 256n).toString(), true, [], {}],
  ],
  [['order', 'maker'], INVALID_ADDRESSES],
  [['order', 'signer'], INVALID_ADDRESSES],
  [['order', 'tokenId'], INVALID_TOKENS],
  [['order', 'makerAmount'], NOT_DIGITS],
  [['order', 'takerAmount'], NOT_DIGITS],
  [
    ['order', 'side'],
    [MISSING, null, '', 'buy', 'HOLD', 0, 1, true, [], {}, '__proto__', 'toString'],
  ],
  [
    ['order', 'signatureType'],
    [MISSING, null, '0', -1, 4, 1.5, 1e3, true, [], {}],
  ],
  [['order', 'timestamp'], NOT_DIGITS],
  [['order', 'expiration'], NOT_DIGITS.filter((value) => value !== MISSING && value !== null && value !== '')],
  [['order', 'metadata'], INVALID_BYTES32],
  [['order', 'builder'], INVALID_BYTES32],
  [
    ['order', 'signature'],
    [MISSING, null, '', '0x', '0x1', 'ab', '0xzz', `0x${'1'.repeat(100_000)}`, 1, [], {}],
  ],
  [['order', 'conditionId'], INVALID_BYTES32],
  [['owner'], NOT_UUIDS],
  [['orderType'], ['', 'gtc', 'IOC', 'GTX', 0, true, [], {}, '__proto__', 'constructor']],
  [['postOnly'], NOT_FLAGS],
  [['deferExec'], NOT_FLAGS],
];
const orderRows = orderFields.map(([path, values]) => ({ field: path.join('.'), path, values }));

test.each(orderRows)(
  'an order with an invalid $field is rejected with the name of the field',
  ({ field, path, values }) =>
    target.unchanged(async () => {
      for (const value of values) {
        const body = withValue(target.orderBody(), path, value);
        const reply = await target.send('POST', '/order', 'l2', body);
        const isOtherVersion = field === 'order.timestamp' && (value === MISSING || value === null);
        expectRefused(
          reply,
          400,
          isOtherVersion ? /timestamp|order_version_mismatch/ : (path.at(-1) ?? ''),
          shown(value),
        );
        expect(reply.json.error, shown(value)).toMatch(/Invalid order payload|order_version_mismatch/);
        // The same in a batch is the refusal of that element.
        const [element] = (await target.expectTaken('POST', '/orders', 'l2', [body])).json;
        expect([element.errorMsg, element.orderID]).toEqual([reply.json.error, '']);
      }
    }),
);

test('orders and batches of the wrong JSON type or structure are rejected', () =>
  target.unchanged(async () => {
    for (const body of [{}, [], [[]], { order: [] }, { orders: [] }, [target.orderBody()]]) {
      expectRefused(await target.send('POST', '/order', 'l2', body), 400, 'Invalid order payload');
    }
    for (const body of [{}, [], { orders: [target.orderBody()] }, target.orderBody()]) {
      expectRefused(await target.send('POST', '/orders', 'l2', body), 400, 'Invalid order payload');
    }
    for (const element of [null, 1, 'x', [], {}, { order: null }]) {
      const [answer] = (await target.expectTaken('POST', '/orders', 'l2', [element])).json;
      expect([answer.orderID, answer.errorMsg]).toEqual(['', expect.stringContaining('Invalid order payload')]);
    }
  }));

test('unknown fields in orders and cancels are ignored, even __proto__ and constructor', async () => {
  const body = { ...target.orderBody(), hello: 1, constructor: 2 };
  const text = JSON.stringify(body).replace('{', '{"__proto__":{"postOnly":7},');
  const posted = await target.send('POST', '/order', 'l2', text);
  expect([posted.status, posted.json.status], posted.text).toEqual([200, 'live']);
  const { orderID } = posted.json;
  const canceled = await target.send('DELETE', '/order', 'l2', { orderID, more: true });
  expect(canceled.json).toEqual({ canceled: [orderID], not_canceled: {} });
});

const INVALID_ORDER_IDS = [
  MISSING,
  null,
  '',
  'x',
  '0x',
  `0x${'1'.repeat(63)}`,
  `0x${'1'.repeat(66)}`,
  '1'.repeat(64),
  1,
  [],
  {},
];

test('cancels with invalid ids are rejected', () =>
  target.unchanged(async () => {
    for (const value of INVALID_ORDER_IDS) {
      const body = withValue({ orderID: '' }, ['orderID'], value);
      expectRefused(await target.send('DELETE', '/order', 'l2', body), 400, 'Invalid orderID', shown(value));
      if (value === MISSING) continue;
      const many = await target.send('DELETE', '/orders', 'l2', [target.orderId, value]);
      expectRefused(many, 400, 'Invalid orderID', shown(value));
    }
    expectRefused(await target.send('DELETE', '/order', 'l2', [target.orderId]), 400, 'Invalid orderID');
    for (const body of [{}, { orderIDs: [] }, 'x']) {
      expectRefused(await target.send('DELETE', '/orders', 'l2', JSON.stringify(body)), 400, /[a-z]/);
    }
    const many = Array.from({ length: 1_001 }, (_, index) => wordOf(index));
    const over = await target.send('DELETE', '/orders', 'l2', many);
    expectRefused(over, 400, 'Too many orders in payload, max allowed: 1000');
    for (const market of ['x', '0x', `0x${'1'.repeat(65)}`, 1, true, [], {}]) {
      expectRefused(await target.send('DELETE', '/cancel-market-orders', 'l2', { market }), 400, 'market');
    }
    for (const asset_id of ['x', '-1', '1e3', '1.5', 1, true, [], {}]) {
      expectRefused(await target.send('DELETE', '/cancel-market-orders', 'l2', { asset_id }), 400, 'asset_id');
    }
  }));

test('lists of tokens with an invalid element are rejected', () =>
  target.unchanged(async () => {
    const good = { token_id: target.market.yes };
    for (const path of ['/books', '/prices', '/midpoints', '/spreads', '/last-trades-prices']) {
      for (const body of [{}, { token_id: target.market.yes }, [null], [1], ['x'], [[]], [target.market.yes]]) {
        expectRefused(await target.send('POST', path, 'none', body), 400, 'Invalid payload', path);
      }
      for (const value of INVALID_TOKENS) {
        const body = [good, withValue(good, ['token_id'], value)];
        expectRefused(
          await target.send('POST', path, 'none', body),
          400,
          'Invalid token id',
          `${path} ${shown(value)}`,
        );
      }
      for (const side of ['HOLD', 'BUYS', 0, 1, true, [], {}]) {
        expectRefused(await target.send('POST', path, 'none', [{ ...good, side }]), 400, 'Invalid side', shown(side));
      }
      const many = Array.from({ length: 501 }, () => good);
      expectRefused(await target.send('POST', path, 'none', many), 400, 'Payload exceeds the limit');
    }
  }));

test('well-formed ids that do not exist are reported as not found', () =>
  target.unchanged(async () => {
    const condition_id = `0x${'ab'.repeat(32)}`;
    for (const path of ['/split', '/merge']) {
      expectRefused(await target.send('POST', path, 'l2', { condition_id, amount: '1' }), 404, 'market not found');
    }
    expectRefused(await target.send('POST', '/redeem', 'l2', { condition_id }), 404, 'market not found');
    expectRefused(
      await target.send('PATCH', `/admin/markets/${condition_id}`, 'admin', { description: 'x' }),
      404,
      'market not found',
    );
    const resolve = `/admin/markets/${condition_id}/resolve`;
    expectRefused(await target.send('POST', resolve, 'admin', { outcome: 'Yes' }), 404, 'market not found');
    for (const id of ['x', '0x', `0x${'1'.repeat(63)}`, '../x', '1']) {
      const reply = await target.send('PATCH', `/admin/markets/${encodeURIComponent(id)}`, 'admin', {});
      expectRefused(reply, [400, 404], /market/i, id);
    }
    const { address } = target.wallet;
    const faucet = await target.send('POST', '/dev/faucet', 'none', { address, token_id: '12345', shares: '1' });
    expectRefused(faucet, 404, 'not found');
    const event = await target.send('POST', '/admin/markets', 'admin', {
      question: 'x',
      slug: 'of-none',
      event: '999',
    });
    expectRefused(event, 404, 'event');
    const order = target.orderBody({ tokenId: '12345' });
    expectRefused(
      await target.send('POST', '/order', 'l2', order),
      400,
      'Invalid token id: no market has the token 12345',
    );
  }));
