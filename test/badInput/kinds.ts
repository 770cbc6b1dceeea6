// The values that each kind of parameter or field refuses: texts for queries and paths, JSON values for bodies, and the words of
// the refusal. Used by endpoints.ts, which gives every parameter and field its kind. Absence is not covered by kinds.

export interface Kind {
  /** Refused in a query or path; '' is listed only where an empty value does not count as "not given". */
  readonly texts: readonly string[];
  /** Refused in a body, besides the texts. */
  readonly values: readonly unknown[];
  /** What the refusal's text matches; the parameter's name unless given. */
  readonly error?: RegExp;
}

const LONG = 'x'.repeat(1_500);
const LONG_DATE = `2030-01-31T12:00:00.${'0'.repeat(100)}Z`;
/** No digits of a whole number up to 2^53 − 1. */
export const NOT_WHOLE_NUMBERS = [
  'x',
  '-1',
  '+1',
  '1.5',
  '1e3',
  '1E3',
  '0x10',
  ' 1',
  '1 ',
  '1,5',
  '１２',
  'NaN',
  'Infinity',
  '9007199254740992',
  '-9007199254740993',
  '9'.repeat(1_000),
  '\u0000',
];
const NOT_OBJECTS = [null, 'x', '', 1, -1, 2 ** 53, 1e300, true, [], [[]]];
const NOT_TEXTS = [1, 0, -1, 1.5, 2 ** 53, 1e300, true, false, [], ['x'], {}, [[]]];
const NOT_HEX = [
  'x',
  '0x',
  '0',
  '-1',
  '1e3',
  'null',
  '__proto__',
  '..',
  '{}',
  'a b',
  '\u0000',
  '💥',
  LONG,
  `0x${'1'.repeat(1_000)}`,
];
const hexKind = (digits: number, error?: RegExp): Kind => ({
  texts: [
    ...NOT_HEX,
    `0x${'1'.repeat(digits - 1)}`,
    `0x${'1'.repeat(digits + 1)}`,
    `0x${'g'.repeat(digits)}`,
    `0X${'1'.repeat(digits)}`,
    '1'.repeat(digits),
    ` 0x${'1'.repeat(digits)}`,
    `0x${'１'.repeat(digits)}`,
  ],
  values: NOT_TEXTS,
  ...(error && { error }),
});
const tokenKind = (error: RegExp): Kind => ({
  texts: [
    ...NOT_WHOLE_NUMBERS.filter((text) => !/^\d{1,77}$/.test(text)),
    '0x1',
    'null',
    '__proto__',
    (2n ** 256n).toString(),
    LONG,
  ],
  values: NOT_TEXTS,
  error,
});

const wordKind = (error?: RegExp, more: readonly string[] = []): Kind => ({
  texts: ['x', '0', '-1', '1e3', 'null', '__proto__', 'toString', ' ', '\u0000', LONG, ...more],
  values: NOT_TEXTS,
  ...(error && { error }),
});

export const bytes32 = hexKind(64);
export const market = hexKind(64, /Invalid market/);
export const orderId = hexKind(64, /Invalid orderID/);
export const orderIds: Kind = {
  ...hexKind(64, /Invalid orderID|Invalid payload|Payload exceeds the limit/),
  texts: [...hexKind(64).texts.filter((text) => text !== ` 0x${'1'.repeat(64)}`), ',', `0x${'1'.repeat(64)},`],
};
export const fileName: Kind = {
  values: [],
  texts: ['start', 'START.JS', '../package.json', 'package.json', '__proto__', '\0', 'x'.repeat(999)],
  error: /not found/,
};
export const builderCode = hexKind(64, /Invalid builder code/);
export const address = hexKind(40);
export const invalidAddress = hexKind(40, /Invalid address/);
export const uuid = (error: RegExp): Kind => ({
  texts: [...NOT_HEX, '0'.repeat(36), `0x${'1'.repeat(32)}`, '00000000-0000-0000-0000-00000000000g'],
  values: NOT_TEXTS,
  error,
});
export const token = tokenKind(/Invalid token id/);
export const assetId = tokenKind(/asset_id/);
export const tokens: Kind = {
  texts: ['x', ',', '1,', ',1', '1,x', '1e3', '-1,2', '1.5', '0x1', (2n ** 256n).toString(), LONG],
  values: [],
  error: /Invalid token id|Invalid side/, // as many sides as tokens, where there are sides
};
export const sides: Kind = {
  texts: ['HOLD', 'BUY,SELL,BUY', ',', 'BUY,', '1', LONG],
  values: [],
  error: /Invalid side/,
};
export const side = wordKind(/Invalid side/, ['HOLD', 'BUY,SELL', 'BUYBUY']);
export const seconds: Kind = {
  texts: [...NOT_WHOLE_NUMBERS, '2030-01-01'],
  values: [true, [], {}, 1.5, -1, 2 ** 53, 1e300],
};
export const interval = wordKind(undefined, ['1M', '2m', '1y', 'MAX']);
export const fidelity: Kind = {
  texts: [...NOT_WHOLE_NUMBERS, '0', '525601'],
  values: [true, [], {}, 0, 1.5, -1, 525_601, 2 ** 53, 1e300],
};
export const marketKey: Kind = { texts: [...NOT_HEX.filter((text) => text !== '0'), '1.5'], values: NOT_TEXTS };
export const marketKeys: Kind = {
  texts: ['x', '1', '0x'],
  values: [...NOT_OBJECTS.filter((value) => !Array.isArray(value)), {}, [1], ['x'], [null], [[]], Array(21).fill('1')],
};
export const cursor: Kind = {
  texts: [
    'LTE=',
    '***',
    '-1',
    '1e3',
    'null',
    '\u0000',
    '💥',
    LONG,
    ...['-1', 'x', '1.5', '1e3', ' 1', '1@', '@1', '1@x', '1@2@3', '9007199254740992', '1@9007199254740992'].map(btoa),
  ],
  values: [],
  error: /Invalid next_cursor/,
};
export const date: Kind = {
  texts: [
    'x',
    '2030',
    '2030-1-1',
    '2030-02-30',
    '2030-13-01',
    '0000-00-00',
    '-2030-01-01',
    '20300101',
    '2030-01-01T00:00:00Z',
    ' 2030-01-01',
    '２０３０-01-01',
    '1e3',
    LONG,
  ],
  values: [],
  error: /Invalid date/,
};
export const signatureType: Kind = {
  texts: ['x', '-1', '4', '1.5', '1e0', '00', ' 1', '0x1', '９', '__proto__', '9007199254740992', LONG],
  values: [null, '', '0', -1, 4, 1.5, 1e300, 2 ** 53, true, [], {}],
};
export const assetType: Kind = {
  texts: ['', 'x', 'collateral', 'USDC', '0', '__proto__', ' COLLATERAL', LONG],
  values: [],
  error: /Invalid asset type/,
};
export const ids: Kind = {
  texts: [
    ...NOT_WHOLE_NUMBERS.filter((text) => text.trim() === text && text !== '1,5'),
    ',',
    '1,',
    ',1',
    '1,x',
    '1,,2',
    LONG,
  ],
  values: [],
  error: /Invalid ids/,
};
export const amount: Kind = {
  texts: ['', 'x', '0', '-1', '+1', '1e3', '.5', '5.', '0.0000001', '9007199254.740992', '9'.repeat(300), ' 1'],
  values: [null, ...NOT_TEXTS],
};
export const strictBytes32: Kind = { ...bytes32, values: [null, ...NOT_TEXTS] };
export const strictAddress: Kind = { ...address, values: [null, ...NOT_TEXTS] };
export const flag: Kind = { texts: ['', 'x', 'true', '1'], values: [null, 0, 1, 2 ** 53, 1e300, [], {}] };
export const strictText: Kind = { texts: ['x'.repeat(60_000)], values: [null, ...NOT_TEXTS] };
export const slug: Kind = { texts: ['', 'A', 'a b', '-a', '../x', 'ä', 'a'.repeat(201)], values: [null, ...NOT_TEXTS] };
export const mode: Kind = {
  texts: ['', 'x', 'NORMAL', 'post-only', ' normal', '__proto__', LONG],
  values: [null, ...NOT_TEXTS],
};
export const outcome: Kind = { texts: ['', 'yes', 'Maybe', 'SPLIT', '__proto__', LONG], values: [null, ...NOT_TEXTS] };
export const bind: Kind = {
  texts: [],
  values: [
    ...NOT_OBJECTS,
    {},
    { wallet: `0x${'1'.repeat(40)}` },
    { type: 1 },
    { wallet: 'x', type: 1 },
    { wallet: 1, type: 1 },
    { wallet: `0x${'1'.repeat(40)}`, type: 0 },
    { wallet: `0x${'1'.repeat(40)}`, type: 4 },
    { wallet: `0x${'1'.repeat(40)}`, type: '1' },
    { wallet: `0x${'1'.repeat(40)}`, type: 1.5 },
    { wallet: `0x${'1'.repeat(40)}`, type: 2 ** 53 },
    { wallet: `0x${'1'.repeat(40)}`, type: 1, more: 1 },
  ],
};
export const anyObject: Kind = { texts: ['x', ''], values: NOT_OBJECTS, error: /Invalid order payload/ };
export const keyOwner: Kind = { ...uuid(/owner/), values: [null, '', ...NOT_TEXTS] };
export const labels: Kind = {
  texts: ['x', ''],
  values: [
    ...NOT_OBJECTS,
    { 'Not A Slug': 'x' },
    { '': 'x' },
    { a: '' },
    { a: 1 },
    { a: null },
    { a: 'x'.repeat(100_000) },
  ],
};
export const flags: Kind = {
  texts: ['x', ''],
  values: [
    ...NOT_OBJECTS,
    { A: true },
    { 'a b': true },
    { a: 1 },
    { a: 'true' },
    { a: null },
    { ['a'.repeat(65)]: true },
    { ['a'.repeat(100_000)]: true },
    Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`a${index}`, true])),
  ],
};
const rate = { asset_address: `0x${'1'.repeat(40)}`, rewards_daily_rate: 1 };
export const rewards: Kind = {
  texts: ['x', ''],
  values: [
    ...NOT_OBJECTS,
    { more: 1 },
    { ['x'.repeat(100_000)]: 1 },
    { rates: 1 },
    { rates: {} },
    { rates: [1] },
    { rates: [{}] },
    { rates: [{ ...rate, asset_address: 'x' }] },
    { rates: [{ ...rate, rewards_daily_rate: -1 }] },
    { rates: [{ ...rate, rewards_daily_rate: '1' }] },
    { rates: [{ ...rate, rewards_daily_rate: 1e300 }] },
    { rates: Array(21).fill(rate) },
    { min_size: -1 },
    { min_size: '1' },
    { min_size: 1e300 },
    { max_spread: -1 },
    { max_spread: 101 },
    { max_spread: null },
  ],
};
export const dateTime: Kind = {
  texts: ['', 'tomorrow', '2030-01-01', '2030-13-01T00:00:00Z', '2030-02-30T00:00:00Z', '1e3', LONG, LONG_DATE],
  values: [null, ...NOT_TEXTS],
};
export const wholeTo3600: Kind = {
  texts: ['1', ''],
  values: [null, -1, 1.5, 3_601, 2 ** 53, 1e300, true, [], {}],
};
export const slugs: Kind = {
  texts: ['x', ''],
  values: [null, 1, true, {}, [1], ['A'], [null], [[]], ['x'.repeat(100_000)], Array(51).fill('a')],
};

/** Limits of lists that refuse too many rows, and of those that return as many as they can. */
export const limitTo = (max: number): Kind => ({
  texts: [...NOT_WHOLE_NUMBERS, String(max + 1)],
  values: [],
  error: /limit/,
});
export const clampedLimit: Kind = {
  texts: NOT_WHOLE_NUMBERS.filter((text) => !/^\d+$/.test(text)),
  values: [],
  error: /limit/,
};
export const offsetTo = (max: number): Kind => ({
  texts: [...NOT_WHOLE_NUMBERS, String(max + 1)],
  values: [],
  error: /offset/,
});
export const wallet: Kind = { ...hexKind(40), error: /invalid_field: user|required query param 'user'/ };
export const conditionIds: Kind = {
  ...hexKind(64, /invalid_field: market/),
  texts: [...hexKind(64).texts, ',', `0x${'1'.repeat(64)},`, `0x${'1'.repeat(64)}, 0x${'2'.repeat(64)}`],
};
export const eventIds: Kind = {
  texts: [...NOT_WHOLE_NUMBERS.filter((text) => text !== '1,5'), '0', '1,', ',1', '1,0', '1,x', '1,'.repeat(500) + 1],
  values: [],
};
export const eventNumber: Kind = { texts: [...NOT_WHOLE_NUMBERS, '0', '1,2'], values: [], error: /invalid_field: id / };
export const trueOrFalse: Kind = { texts: ['x', '1', '0', 'yes', ' true', 'null', '__proto__', LONG], values: [] };
export const oneWord: Kind = {
  texts: ['x', 'NOPE', '1', ' ', 'TITLE,PRICE', '__proto__', 'toString', LONG],
  values: [],
};
export const activityTypes: Kind = { texts: ['x', 'TRADE,', ',', 'TRADE;SPLIT', '__proto__', LONG], values: [] };
export const threshold: Kind = {
  texts: ['x', '-1', '+1', '1e', '1e16', '.', '-.5', '9007199254.740992', '9'.repeat(300), ' 1', 'NaN', 'null', '１'],
  values: [],
};
export const title: Kind = { texts: ['x'.repeat(101), LONG, '💥'.repeat(101)], values: [] };
/** Whole numbers, flags, numbers and slugs as the catalog's queries and paths take them. */
export const whole: Kind = { texts: NOT_WHOLE_NUMBERS, values: [] };
export const decimal: Kind = {
  texts: [
    'x',
    '+1',
    '1e',
    'e3',
    '1e400',
    '.',
    '-',
    '-.',
    '1.2.3',
    ' 1',
    '1,5',
    'NaN',
    'null',
    '１',
    '1000000000000001',
    '9'.repeat(300),
    LONG,
  ],
  values: [],
};
export const flagText: Kind = {
  texts: ['x', 'yes', '2', '-1', 'null', '__proto__', ' true', '\u0000', LONG],
  values: [],
};
export const catalogId: Kind = {
  texts: [...NOT_WHOLE_NUMBERS, '0', '999999', '__proto__', LONG],
  values: [],
  error: /^id|: id/,
};
export const catalogSlug: Kind = {
  texts: ['nobody', '-1', '__proto__', 'a b', '\u0000', LONG],
  values: [],
  error: /slug not found/,
};
export const marketOrId: Kind = { ...hexKind(64), error: /^id|: id/ };
export const importLines: Kind = {
  texts: ['x', ''],
  values: [
    null,
    1,
    {},
    [],
    [1],
    [null],
    [{}],
    [{ line: 0, row: {} }],
    [{ line: 1.5, row: {} }],
    [{ line: 'x', row: 1 }],
  ],
};
export const importId: Kind = { texts: ['0', '999', 'x', '__proto__', LONG], values: [], error: /import not found/ };
