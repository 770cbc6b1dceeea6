// Fields of bodies with a schema (sets, the cash desk, the faucet, operators' events and markets) that are missing, of
// another type, out of range or unknown: the refusal names the field and what is wrong with it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectRefused, type Level, Target } from './harness.ts';
import {
  INVALID_ADDRESSES,
  INVALID_BYTES32,
  INVALID_TOKENS,
  MISSING,
  NOT_FLAGS,
  shown,
  withValue,
} from './wrongFields.ts';

let target: Target;
beforeAll(async () => {
  target = await Target.start();
});
afterAll(() => target.close());

/** Values that are no decimal amount of collateral or shares of at least a micro. */
const INVALID_AMOUNTS = [
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
  '9007199254.740992',
  '9'.repeat(300),
  1,
  1e3,
  1.5,
  -1,
  2 ** 53,
  true,
  [],
  {},
];
const INVALID_ADDRESS_VALUES = INVALID_ADDRESSES.filter((value) => value !== MISSING);
const INVALID_BYTES32_VALUES = [...INVALID_BYTES32, null, ''];
const NOT_TEXTS = [null, 1, true, [], {}];

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
    condition_id: INVALID_BYTES32_VALUES,
    amount: INVALID_AMOUNTS,
    wallet: INVALID_ADDRESS_VALUES,
    signature_type: [-1, 4, 1.5, '0', true, null, [], {}],
  },
} as const;
const cash = {
  method: 'POST',
  level: 'admin',
  body: () => ({ address: target.wallet.address, amount: '1' }),
  required: ['address', 'amount'],
  bad: { address: INVALID_ADDRESS_VALUES, amount: INVALID_AMOUNTS, owner: INVALID_ADDRESS_VALUES },
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
  auto_tick: [null, ...NOT_FLAGS],
  archived: [null, ...NOT_FLAGS],
  description: NOT_TEXTS,
  image: NOT_TEXTS,
  end_date: [null, '', 'tomorrow', '2030-13-01T00:00:00Z', '2030-01-01', 0, true, [], {}],
  question: ['', ...NOT_TEXTS],
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
    bad: {
      condition_id: INVALID_BYTES32_VALUES,
      wallet: INVALID_ADDRESS_VALUES,
      signature_type: sets.bad.signature_type,
    },
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
      address: INVALID_ADDRESS_VALUES,
      collateral: INVALID_AMOUNTS,
      token_id: INVALID_TOKENS.filter((value) => value !== MISSING),
      shares: INVALID_AMOUNTS,
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
      title: ['', 'x'.repeat(501), ...NOT_TEXTS],
      slug: ['', 'A', 'a b', '-a', 'ä', 'a'.repeat(201), ...NOT_TEXTS],
      neg_risk: NOT_FLAGS,
      tags: ['x', {}, [1], ['A'], Array.from({ length: 51 }, (_, index) => `tag-${index}`)],
      description: NOT_TEXTS,
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
      slug: ['', 'A', 'a b', '../x', 'a'.repeat(201), ...NOT_TEXTS],
      outcomes: [null, 'Yes', [], ['Yes'], ['Yes', 'Yes'], ['Yes', 'No', 'Maybe'], ['Yes', ''], [1, 2], {}],
      condition_id: INVALID_BYTES32_VALUES,
      question_id: INVALID_BYTES32_VALUES,
      token_ids: [null, 'x', [], ['1'], ['1', '1'], ['1', '2', '3'], ['-1', '2'], ['1e3', '2'], [1, 2], {}],
      neg_risk: NOT_FLAGS,
      oracle: INVALID_ADDRESS_VALUES,
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
    bad: { outcome: ['', 'yes', 'Maybe', 'x'.repeat(500), ...NOT_TEXTS] },
  },
];

test.each(schemaCases)('$title rejects a missing, unknown or invalid field by name', (row) =>
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

test('a field named __proto__ is rejected as unknown', () =>
  target.unchanged(async () => {
    for (const row of schemaCases) {
      const text = JSON.stringify(row.body()).replace('{', '{"__proto__":{"admin":true},');
      const reply = await target.send(row.method, row.path(), row.level, text);
      expectRefused(reply, 400, /unknown_field: __proto__/, row.title);
    }
  }));
