// Fields of bodies that are missing, of another type, out of range or unknown, on every endpoint that takes a body: the
// refusal names the field. Numbers beyond 2^53, negative ones and exponents are refused where they would be read.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectRefused, type Level, Target } from './harness.ts';
import { NO_WHOLE } from './kinds.ts';

let target: Target;
beforeAll(async () => {
  target = await Target.start();
});
afterAll(() => target.close());

/** Stands for a key that is not there at all. */
const MISSING = Symbol('missing');

type Path = readonly string[];

/** A copy with one value replaced or taken out. */
function withValue(body: unknown, [key, ...rest]: Path, value: unknown): unknown {
  const copy = structuredClone(body) as Record<string, unknown>; // every body here is an object
  if (rest.length > 0) copy[key] = withValue(copy[key], rest, value);
  else if (value === MISSING) delete copy[key];
  else copy[key] = value;
  return copy;
}

const shown = (value: unknown): string => (value === MISSING ? 'missing' : JSON.stringify(value)).slice(0, 60);

/** Values that are no decimal digits of a whole number below 2^53. */
const NO_DIGITS = [MISSING, null, '', ' ', ...NO_WHOLE, 1, 1e3, -1, 1.5, true, [], ['1'], {}];
const NO_ADDRESS = [
  MISSING,
  null,
  '',
  'me',
  '0x',
  `0x${'1'.repeat(39)}`,
  `0x${'1'.repeat(41)}`,
  `0x${'g'.repeat(40)}`,
  1,
  [],
  {},
];
const NO_BYTES32 = [
  '0x',
  `0x${'1'.repeat(63)}`,
  `0x${'1'.repeat(65)}`,
  `0x${'z'.repeat(64)}`,
  '1'.repeat(64),
  1,
  true,
  [],
  {},
];
const NO_TOKEN = [
  MISSING,
  null,
  '',
  'x',
  '-1',
  '1e3',
  '1.0',
  '0x1',
  (2n ** 256n).toString(),
  '9'.repeat(500),
  1,
  1e21,
  [],
  {},
];
const NO_OBJECT = [MISSING, null, 'x', 1, true, []];
const NO_UUID = [MISSING, null, '', 'x', '0'.repeat(36), 1, [], {}, `0x${'1'.repeat(32)}`];
const NO_FLAG = [0, 1, 'true', '', [], {}];

const orderFields: readonly (readonly [Path, readonly unknown[]])[] = [
  [['order'], NO_OBJECT],
  [
    ['order', 'salt'],
    [MISSING, null, '', 'x', '-1', '1e3', '0x1', -1, 1.5, 2 ** 53, 1e300, (2n ** 256n).toString(), true, [], {}],
  ],
  [['order', 'maker'], NO_ADDRESS],
  [['order', 'signer'], NO_ADDRESS],
  [['order', 'tokenId'], NO_TOKEN],
  [['order', 'makerAmount'], NO_DIGITS],
  [['order', 'takerAmount'], NO_DIGITS],
  [
    ['order', 'side'],
    [MISSING, null, '', 'buy', 'HOLD', 0, 1, true, [], {}, '__proto__', 'toString'],
  ],
  [
    ['order', 'signatureType'],
    [MISSING, null, '0', -1, 4, 1.5, 1e3, true, [], {}],
  ],
  [['order', 'timestamp'], NO_DIGITS],
  [['order', 'expiration'], NO_DIGITS.filter((value) => value !== MISSING && value !== null && value !== '')],
  [['order', 'metadata'], NO_BYTES32],
  [['order', 'builder'], NO_BYTES32],
  [
    ['order', 'signature'],
    [MISSING, null, '', '0x', '0x1', 'ab', '0xzz', `0x${'1'.repeat(100_000)}`, 1, [], {}],
  ],
  [['order', 'conditionId'], NO_BYTES32],
  [['owner'], NO_UUID],
  [['orderType'], ['', 'gtc', 'IOC', 'GTX', 0, true, [], {}, '__proto__', 'constructor']],
  [['postOnly'], NO_FLAG],
  [['deferExec'], NO_FLAG],
];
const orderRows = orderFields.map(([path, values]) => ({ field: path.join('.'), path, values }));

test.each(orderRows)('an order with a bad $field is refused by that name', ({ field, path, values }) =>
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

test('an order whose whole parts are of other kinds is refused', () =>
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

test('keys that nobody knows are ignored in orders and cancels, also dangerous ones', async () => {
  const body = { ...target.orderBody(), hello: 1, constructor: 2 };
  const text = JSON.stringify(body).replace('{', '{"__proto__":{"postOnly":7},');
  const posted = await target.send('POST', '/order', 'l2', text);
  expect([posted.status, posted.json.status], posted.text).toEqual([200, 'live']);
  const { orderID } = posted.json;
  const canceled = await target.send('DELETE', '/order', 'l2', { orderID, more: true });
  expect(canceled.json).toEqual({ canceled: [orderID], not_canceled: {} });
});

const NO_ORDER_ID = [
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

test('cancels with bad ids are refused', () =>
  target.unchanged(async () => {
    for (const value of NO_ORDER_ID) {
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
    const many = Array.from({ length: 1_001 }, (_, index) => `0x${index.toString(16).padStart(64, '0')}`);
    const over = await target.send('DELETE', '/orders', 'l2', many);
    expectRefused(over, 400, 'Too many orders in payload, max allowed: 1000');
    for (const market of ['x', '0x', `0x${'1'.repeat(65)}`, 1, true, [], {}]) {
      expectRefused(await target.send('DELETE', '/cancel-market-orders', 'l2', { market }), 400, 'market');
    }
    for (const asset_id of ['x', '-1', '1e3', '1.5', 1, true, [], {}]) {
      expectRefused(await target.send('DELETE', '/cancel-market-orders', 'l2', { asset_id }), 400, 'asset_id');
    }
  }));

test('lists of tokens with a bad element are refused', () =>
  target.unchanged(async () => {
    const good = { token_id: target.market.yes };
    for (const path of ['/books', '/prices', '/midpoints', '/spreads', '/last-trades-prices']) {
      for (const body of [{}, { token_id: target.market.yes }, [null], [1], ['x'], [[]], [target.market.yes]]) {
        expectRefused(await target.send('POST', path, 'none', body), 400, 'Invalid payload', path);
      }
      for (const value of NO_TOKEN) {
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

/** Values that are no decimal amount of collateral or shares of at least a micro. */
const NO_AMOUNT = [
  null,
  '',
  'x',
  '-1',
  '+1',
  '0',
  '0.0000001',
  '1.2345678',
  '1e3',
  '1E3',
  '.5',
  '5.',
  '1,5',
  ' 1',
  '0x1',
  'NaN',
];
const NO_AMOUNT_EITHER = [...NO_AMOUNT, '9007199254.740992', '9'.repeat(300), 1, 1e3, 1.5, -1, 2 ** 53, true, [], {}];
const NO_ADDRESS_VALUE = NO_ADDRESS.filter((value) => value !== MISSING);
const NO_BYTES32_VALUE = [...NO_BYTES32, null, ''];
const NO_TEXT = [null, 1, true, [], {}];

interface SchemaCase {
  readonly title: string;
  readonly method: string;
  readonly path: () => string;
  readonly level: Level;
  readonly body: () => Record<string, unknown>;
  readonly required: readonly string[];
  readonly bad: Readonly<Record<string, readonly unknown[]>>;
}

const sets = {
  method: 'POST',
  level: 'l2',
  body: () => ({ condition_id: target.market.conditionId, amount: '1' }),
  required: ['condition_id', 'amount'],
  bad: {
    condition_id: NO_BYTES32_VALUE,
    amount: NO_AMOUNT_EITHER,
    signature_type: [-1, 4, 1.5, '0', true, null, [], {}],
  },
} as const;
const cash = {
  method: 'POST',
  level: 'admin',
  body: () => ({ address: target.wallet.address, amount: '1' }),
  required: ['address', 'amount'],
  bad: { address: NO_ADDRESS_VALUE, amount: NO_AMOUNT_EITHER, owner: NO_ADDRESS_VALUE },
} as const;
const market: Readonly<Record<string, readonly unknown[]>> = {
  tick_size: [null, '', '0.02', '1', '0', '-0.01', '1e-2', 'x', 0.02, 1e-5, true, [], {}],
  min_order_size: [null, '', '0', '-5', '0.001', '10000000.01', '1e3', 'x', true, [], {}],
  min_marketable_buy: [null, '', '-1', '1.1234567', '1e3', 'x', true, [], {}],
  fee: [
    null,
    1,
    '0.05',
    [],
    {},
    { rate: '0.05' },
    { exponent: 1 },
    { rate: '0.2', exponent: 1 },
    { rate: '-0.1', exponent: 1 },
    { rate: '1e-2', exponent: 1 },
    { rate: '0.05', exponent: 0 },
    { rate: '0.05', exponent: 5 },
    { rate: '0.05', exponent: 1.5 },
    { rate: '0.05', exponent: '1' },
    { rate: '0.05', exponent: 1, more: 1 },
  ],
  seconds_delay: [null, -1, 1.5, 3_601, 2 ** 53, 1e300, '1', true, [], {}],
  auto_tick: [null, ...NO_FLAG],
  archived: [null, ...NO_FLAG],
  description: NO_TEXT,
  image: NO_TEXT,
  end_date: [null, '', 'tomorrow', '2030-13-01T00:00:00Z', '2030-01-01', 0, true, [], {}],
  question: ['', ...NO_TEXT],
  status: [null, '', 'closedd', 'resolved', 'OPEN', 1, true, [], {}],
};
const schemaCases: readonly SchemaCase[] = [
  { ...sets, title: 'POST /split', path: () => '/split' },
  { ...sets, title: 'POST /merge', path: () => '/merge' },
  {
    ...sets,
    title: 'POST /redeem',
    path: () => '/redeem',
    body: () => ({ condition_id: target.market.conditionId }),
    required: ['condition_id'],
    bad: { condition_id: NO_BYTES32_VALUE, signature_type: sets.bad.signature_type },
  },
  { ...cash, title: 'POST /admin/deposits', path: () => '/admin/deposits' },
  { ...cash, title: 'POST /admin/withdrawals', path: () => '/admin/withdrawals' },
  {
    title: 'POST /dev/faucet',
    method: 'POST',
    path: () => '/dev/faucet',
    level: 'none',
    body: () => ({ address: target.wallet.address, collateral: '1', token_id: target.market.yes, shares: '1' }),
    required: ['address', 'token_id', 'shares'],
    bad: {
      address: NO_ADDRESS_VALUE,
      collateral: NO_AMOUNT_EITHER,
      token_id: NO_TOKEN.filter((value) => value !== MISSING),
      shares: NO_AMOUNT_EITHER,
    },
  },
  {
    title: 'POST /admin/events',
    method: 'POST',
    path: () => '/admin/events',
    level: 'admin',
    body: () => ({ title: 'An event', slug: 'an-event' }),
    required: ['title'],
    bad: {
      title: ['', 'x'.repeat(501), ...NO_TEXT],
      slug: ['', 'A', 'a b', '-a', 'ä', 'a'.repeat(201), ...NO_TEXT],
      neg_risk: NO_FLAG,
      tags: ['x', {}, [1], ['A'], Array.from({ length: 51 }, (_, index) => `tag-${index}`)],
      description: NO_TEXT,
    },
  },
  {
    title: 'POST /admin/markets',
    method: 'POST',
    path: () => '/admin/markets',
    level: 'admin',
    body: () => ({ question: 'Is it so?', slug: 'is-it-so' }),
    required: ['question'],
    bad: {
      ...market,
      slug: ['', 'A', 'a b', '../x', 'a'.repeat(201), ...NO_TEXT],
      outcomes: [null, 'Yes', [], ['Yes'], ['Yes', 'Yes'], ['Yes', 'No', 'Maybe'], ['Yes', ''], [1, 2], {}],
      condition_id: NO_BYTES32_VALUE,
      question_id: NO_BYTES32_VALUE,
      token_ids: [null, 'x', [], ['1'], ['1', '1'], ['1', '2', '3'], ['-1', '2'], ['1e3', '2'], [1, 2], {}],
      neg_risk: NO_FLAG,
      oracle: NO_ADDRESS_VALUE,
    },
  },
  {
    title: 'PATCH /admin/markets/{condition_id}',
    method: 'PATCH',
    path: () => `/admin/markets/${target.market.conditionId}`,
    level: 'admin',
    body: () => ({ description: 'A text.' }),
    required: [],
    bad: market,
  },
  {
    title: 'POST /admin/markets/{condition_id}/resolve',
    method: 'POST',
    path: () => `/admin/markets/${target.market.conditionId}/resolve`,
    level: 'admin',
    body: () => ({ outcome: 'Yes' }),
    required: ['outcome'],
    bad: { outcome: ['', 'yes', 'Maybe', 'x'.repeat(500), ...NO_TEXT] },
  },
];

test.each(schemaCases)('$title names the field that is missing, unknown or wrong', (row) =>
  target.unchanged(async () => {
    const path = row.path();
    const send = (body: unknown) => target.send(row.method, path, row.level, body);
    for (const name of row.required) {
      const missing = await send(withValue(row.body(), [name], MISSING));
      expectRefused(missing, 400, new RegExp(`missing_field: .*${name}`), name);
    }
    for (const name of ['hello', 'Amount', 'amount ', 'constructor', '__proto__x']) {
      expectRefused(await send({ ...row.body(), [name]: 1 }), 400, `unknown_field: ${name}`, name);
    }
    for (const [name, values] of Object.entries(row.bad)) {
      for (const value of values) {
        const reply = await send(withValue(row.body(), [name], value));
        expectRefused(reply, 400, new RegExp(`(invalid|missing|unknown)_field: ${name}`), `${name} ${shown(value)}`);
        expect(reply.json.error).not.toMatch(/it (Invalid|Too |Unrecognized)/);
      }
    }
    for (const body of [[], [row.body()], 'x', 1, true]) expectRefused(await send(JSON.stringify(body)), 400, /[a-z]/);
  }),
);

test('a field named __proto__ is unknown like any other', () =>
  target.unchanged(async () => {
    for (const row of schemaCases) {
      const text = JSON.stringify(row.body()).replace('{', '{"__proto__":{"admin":true},');
      const reply = await target.send(row.method, row.path(), row.level, text);
      expectRefused(reply, 400, /unknown_field: __proto__/, row.title);
    }
  }));

test('ids that are in the right form but name nothing are not found', () =>
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
    expectRefused(await target.send('POST', '/order', 'l2', order), [400, 404], /token|market|orderbook/i);
  }));
