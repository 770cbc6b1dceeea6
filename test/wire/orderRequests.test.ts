// The parser of order bodies: the fields that a client may leave out, the ways to write values, and every malformed field,
// each refused with a sentence that names it. No exchange runs here: only the form is checked.
import { expect, test } from 'vitest';
import { OrderType, Side } from '../../engine/index.ts';
import { BadRequest } from '../../server/wire/badRequest.ts';
import { parseCancel, parseCancelFilter, parseCancelMany } from '../../server/wire/cancels.ts';
import { parseOrderBatch, parsePostedOrder } from '../../server/wire/orderRequests.ts';
import { wordOf } from '../support/hex.ts';

const ZERO = `0x${'0'.repeat(64)}`;
const order = {
  salt: 123,
  maker: `0x${'Ab'.repeat(20)}`,
  signer: `0x${'cd'.repeat(20)}`,
  tokenId: '71321045679252212594626385532706912750332728571942532289631379312455583992563',
  makerAmount: '5000000',
  takerAmount: '10000000',
  side: 'BUY',
  signatureType: 0,
  timestamp: '1700000000000',
  expiration: '0',
  metadata: ZERO,
  builder: ZERO,
  signature: `0x${'12'.repeat(65)}`,
};
const owner = '0F0E0D0C-0b0a-4908-8706-050403020100';
const body = { order, owner, orderType: 'GTC', deferExec: false, postOnly: false };
const withOrder = (change: object): object => ({ ...body, order: { ...order, ...change } });

function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof BadRequest && error.status === 400) return error.message;
    throw error;
  }
  return 'accepted';
}

test('a complete body is parsed into a typed order', () => {
  expect(parsePostedOrder(body)).toEqual({
    order: {
      ...order,
      maker: order.maker.toLowerCase(),
      makerAmount: 5_000_000,
      takerAmount: 10_000_000,
      side: Side.BUY,
      timestamp: 1_700_000_000_000,
      expiration: 0,
      conditionId: undefined,
    },
    ownerApiKey: '0f0e0d0c-0b0a-4908-8706-050403020100',
    orderType: OrderType.GTC,
    postOnly: false,
  });
});

test('optional fields have defaults, and unknown keys are ignored', () => {
  const { expiration: _, metadata: __, builder: ___, ...needed } = order;
  for (const beside of [{ mood: 1 }, { orderType: null, postOnly: null, deferExec: null }]) {
    const read = parsePostedOrder({ order: { ...needed, color: 'red' }, owner, ...beside });
    expect(read).toMatchObject({
      order: { expiration: 0, metadata: ZERO, builder: ZERO },
      orderType: OrderType.GTC,
      postOnly: false,
    });
  }
  for (const empty of ['', null]) {
    expect(
      parsePostedOrder(withOrder({ metadata: empty, builder: empty, expiration: empty, conditionId: empty })),
    ).toMatchObject({ order: { metadata: ZERO, builder: ZERO, expiration: 0, conditionId: undefined } });
  }
});

test.each(['GTC', 'GTD', 'FOK', 'FAK'] as const)('%s is an order type', (orderType) => {
  expect(parsePostedOrder({ ...body, orderType })).toMatchObject({ orderType: OrderType[orderType] });
});

test('a salt is a safe whole number or a decimal uint256', () => {
  const largest = (2n ** 256n - 1n).toString();
  for (const salt of [0, Number.MAX_SAFE_INTEGER, '0', largest]) {
    expect(parsePostedOrder(withOrder({ salt }))).toMatchObject({ order: { salt } });
  }
  expect(refusal(() => parsePostedOrder(withOrder({ salt: 2 ** 53 })))).toContain('send salt as a string');
});

test('an order of version 1 is recognized, and a version 2 order with old fields is not mistaken for one', () => {
  const { timestamp: _, metadata: __, builder: ___, ...shared } = order;
  for (const field of [{ nonce: '0' }, { feeRateBps: '0' }, { taker: `0x${'0'.repeat(40)}` }]) {
    expect(parsePostedOrder({ ...body, order: { ...shared, ...field } })).toEqual({
      isOtherVersion: true,
      ownerApiKey: '0f0e0d0c-0b0a-4908-8706-050403020100',
    });
  }
  // The official client includes taker in orders of version 2 too, without a value; others carry the old fields along.
  for (const old of [{ taker: undefined }, { nonce: '0', feeRateBps: '0', taker: order.maker }]) {
    expect(parsePostedOrder(withOrder(old))).not.toHaveProperty('isOtherVersion');
  }
});

const bad: readonly (readonly [field: string, values: readonly unknown[]])[] = [
  [
    'order.salt',
    [undefined, null, -1, 1.5, 2 ** 53, 1e300, '', '-1', '1.5', '1e3', '0x1', (2n ** 256n).toString(), true, {}, []],
  ],
  [
    'order.maker',
    [
      undefined,
      null,
      '',
      '0x',
      'ab'.repeat(20),
      `0x${'ab'.repeat(19)}`,
      `0x${'ab'.repeat(21)}`,
      `0x${'zz'.repeat(20)}`,
      7,
      [order.maker], // a list of one string converts to that string in a pattern test,
      [...order.maker], // and a list of its letters has the same length
    ],
  ],
  ['order.signer', [undefined, `0X${'ab'.repeat(20)}`, `0x${'ab'.repeat(32)}`, {}]],
  ['order.tokenId', [undefined, [order.tokenId], '', 7, '-7', '0x7', '7.0', '7e1', ' 7', (2n ** 256n).toString()]],
  [
    'order.makerAmount',
    [undefined, null, 5, '', '-5', '5.5', '5e6', '0x5', ' 5', '9007199254740992', '99999999999999999999', {}],
  ],
  ['order.takerAmount', [undefined, 5, '+5', '5,0', 'NaN', 'Infinity', true]],
  ['order.side', [undefined, null, 'buy', 'BID', 0, 1, '']],
  ['order.signatureType', [undefined, null, -1, 4, 1.5, '0', '3', true]],
  ['order.timestamp', [null, 1_700_000_000_000, '', '1.7e12', '-1', '2023-11-14T00:00:00Z', '9007199254740992']],
  ['order.expiration', [0, 1_700_000_000, '-1', '1e9', 'never', '9007199254740992']],
  ['order.metadata', [0, '0x', '0x0', `0x${'0'.repeat(63)}`, `0x${'0'.repeat(66)}`, `0x${'g'.repeat(64)}`]],
  ['order.builder', [1, 'zero', [ZERO], [...ZERO], `0x${'0'.repeat(62)}`]],
  [
    'order.signature',
    [undefined, null, '', '0x', '0x123', 'ab', `0x${'zz'.repeat(65)}`, 5, `0x${'ab'.repeat(5_000)}`, [order.signature]],
  ],
  ['order.conditionId', [5, [ZERO], [...ZERO], '0x1', 'abc', `0x${'1'.repeat(65)}`]],
];

test.each(bad)('%s: each malformed value is rejected with the name of the field', (path, values) => {
  const field = path.replace('order.', '');
  for (const value of values) {
    const text = refusal(() => parsePostedOrder(withOrder({ [field]: value })));
    expect(text, `${path} = ${String(value)}`).toMatch(/^Invalid order payload: /);
    expect(text).toContain(path);
  }
});

test('a signature that is too long is rejected with the limit of 4096 characters', () => {
  const refusalOf = (signature: string) => refusal(() => parsePostedOrder(withOrder({ signature })));
  expect(() => parsePostedOrder(withOrder({ signature: `0x${'ab'.repeat(2_047)}` }))).not.toThrow();
  const tooLong = 'Invalid order payload: order.signature must have at most 4096 characters';
  expect(refusalOf(`0x${'ab'.repeat(2_048)}`)).toBe(tooLong);
  expect(refusalOf('x'.repeat(5_000))).toBe(tooLong);
  expect(refusalOf('x')).toBe('Invalid order payload: order.signature must be 0x and pairs of hex digits');
});

test.each([
  ['owner', [undefined, null, '', 'key', '0f0e0d0c0b0a49088706050403020100', 7, [owner]]],
  ['orderType', ['gtc', 'IOC', '', 1, {}, ['GTC'], 'toString', '__proto__']],
  ['postOnly', ['false', 0, 1, {}]],
  ['deferExec', ['false', 0, []]],
  ['order', [undefined, null, 'order', 7, []]],
] as const)(
  '%s at the top level of the body: each malformed value is rejected with the name of the field',
  (field, values) => {
    for (const value of values) {
      expect(
        refusal(() => parsePostedOrder({ ...body, [field]: value })),
        String(value),
      ).toContain(`payload: ${field} `);
    }
  },
);

test('a body that is not an object is rejected as a whole', () => {
  for (const value of [undefined, null, 7, 'order', [], [body]]) {
    expect(refusal(() => parsePostedOrder(value))).toBe('Invalid order payload');
  }
});

test('a batch is a list of 1 to 15 orders', () => {
  expect(parseOrderBatch(Array(15).fill(body))).toHaveLength(15);
  expect(refusal(() => parseOrderBatch(Array(16).fill(body)))).toBe('Too many orders in payload: 16, max allowed: 15');
  for (const value of [[], {}, undefined, null, 'x'])
    expect(refusal(() => parseOrderBatch(value))).toBe('Invalid order payload');
});

const ID = `0x${'aB'.repeat(32)}`;

test('a cancel names its order as orderID or orderId', () => {
  expect(parseCancel({ orderID: ID })).toBe(ID.toLowerCase());
  expect(parseCancel({ orderId: ID, more: 1 })).toBe(ID.toLowerCase());
  for (const value of [undefined, {}, [], { orderID: 7 }, { orderID: [...ID] }, { orderID: '0x12' }, { id: ID }]) {
    expect(refusal(() => parseCancel(value))).toMatch(/^Invalid orderID/);
  }
});

test('a list of cancels is deduplicated and limited to 1,000', () => {
  const ids = Array.from({ length: 1_000 }, (_, i) => wordOf(i));
  expect(parseCancelMany([ID, ID.toLowerCase(), ID])).toEqual([ID.toLowerCase()]);
  expect(parseCancelMany(ids)).toEqual(ids);
  expect(parseCancelMany([])).toEqual([]);
  expect(refusal(() => parseCancelMany([...ids, ID]))).toBe('Too many orders in payload, max allowed: 1000');
  expect(refusal(() => parseCancelMany([ID, 'x']))).toMatch(/^Invalid orderID/);
  expect(refusal(() => parseCancelMany({ ids }))).toMatch(/^Invalid order payload/);
});

test('a cancel filter may omit market, asset_id or both', () => {
  const none = { market: undefined, assetId: undefined };
  for (const value of [undefined, null, {}, { market: null, asset_id: null }, { market: '', asset_id: '' }]) {
    expect(parseCancelFilter(value)).toEqual(none);
  }
  expect(parseCancelFilter({ market: ID, asset_id: '17' })).toEqual({ market: ID.toLowerCase(), assetId: '17' });
  expect(parseCancelFilter({ assetId: '17' })).toEqual({ market: undefined, assetId: '17' });
  for (const value of [7, [], { market: 'x' }, { market: [...ID] }, { asset_id: 'x' }, { asset_id: ['1', '7'] }]) {
    expect(refusal(() => parseCancelFilter(value))).toMatch(/^Invalid/);
  }
});

test('an empty name of a token does not hide the other one, which would cancel all orders', () => {
  for (const none of ['', null]) {
    expect(parseCancelFilter({ asset_id: none, assetId: '17' })).toEqual({ market: undefined, assetId: '17' });
    expect(parseCancelFilter({ asset_id: '17', assetId: none })).toEqual({ market: undefined, assetId: '17' });
  }
});
