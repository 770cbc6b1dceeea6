// The filters, orders and times in requests for user data, in both dialects: how they are interpreted, and the refusal of
// invalid ones (interface 4.1, 7, 8; catalog-and-data 2, 3, 7, 8).
import { expect, test } from 'vitest';
import { polymarketDialect, rootDialect } from '../../server/wire/dialect.ts';
import { both, needed, read, refusal, USER, type Values } from './historyQueries.ts';

test('booleans are true or false in any letter case', () => {
  const flags = [
    ['trades', 'takerOnly'],
    ['positions', 'redeemable'],
    ['positions', 'mergeable'],
  ] as const;
  for (const [kind, name] of flags) {
    for (const dialect of both) {
      for (const text of ['true', 'True', 'TRUE', 'false', 'False']) {
        const value = text.toLowerCase() === 'true';
        expect(read(dialect, kind, { ...needed[kind], [name]: text })).toMatchObject({ [name]: value });
      }
      for (const bad of ['1', '0', 'yes', 'tru', ' true']) {
        const text = `invalid_field: ${name} (true or false)`;
        expect(refusal(dialect, kind, { ...needed[kind], [name]: bad })).toBe(text);
      }
    }
  }
  const archived = { user: USER, includeArchived: 'true' };
  expect(read(polymarketDialect, 'positions', archived)).toMatchObject({ includeArchived: true });
  const deposits = { user: USER, excludeDepositsWithdrawals: 'x' };
  expect(refusal(polymarketDialect, 'activity', deposits)).toMatch(/^invalid_field: excludeDepositsWithdrawals/);
});

test('a side is BUY or SELL in any letter case', () => {
  for (const dialect of both) {
    expect(read(dialect, 'trades', { side: 'BUY' })).toMatchObject({ side: 'BUY' });
    expect(read(dialect, 'trades', { side: 'sell' })).toMatchObject({ side: 'SELL' });
    expect(refusal(dialect, 'trades', { side: 'HOLD' })).toBe('invalid_field: side (BUY, SELL)');
  }
  expect(read(polymarketDialect, 'activity', { user: USER, side: 'buy' })).toMatchObject({ side: 'BUY' });
});

test('a threshold needs both filterType and filterAmount, or neither', () => {
  for (const dialect of both) {
    const of = (filterType: string, filterAmount: string) => read(dialect, 'trades', { filterType, filterAmount });
    expect(of('CASH', '10')).toMatchObject({ threshold: { unit: 'CASH', micro: 10_000_000 } });
    expect(of('tokens', '0')).toMatchObject({ threshold: { unit: 'TOKENS', micro: 0 } });
    expect(of('', '')).toMatchObject({ threshold: undefined });
    const bad = (values: Values) => refusal(dialect, 'trades', values);
    expect(bad({ filterType: 'SHARES', filterAmount: '1' })).toBe('invalid_field: filterType (CASH, TOKENS)');
    expect(bad({ filterType: 'CASH' })).toMatch(/filterAmount/);
    expect(bad({ filterAmount: '1' })).toMatch(/filterType/);
  }
  expect(refusal(rootDialect, 'trades', { filterType: 'CASH' })).toBe('missing_field: filterAmount');
  expect(refusal(rootDialect, 'trades', { filterAmount: '1' })).toBe('missing_field: filterType');
});

test('amounts are decimals, rounded up to six decimal places', () => {
  const amounts: readonly (readonly [string, number])[] = [
    ['0', 0],
    ['1', 1_000_000],
    ['0.5', 500_000],
    ['00.50', 500_000],
    ['.1', 100_000],
    ['5.', 5_000_000],
    ['0.000001', 1],
    ['0.0000001', 1],
    ['1e-05', 10],
    ['1e-07', 1],
    ['2.5e+3', 2_500_000_000],
    ['0.30000000000000004', 300_001],
    ['1.0000000', 1_000_000],
    ['9007199254.740991', Number.MAX_SAFE_INTEGER],
  ];
  const bad = [
    '-1',
    '+1',
    'x',
    '1e',
    '1e10',
    '.',
    '-.5',
    '1,5',
    '1.2.3',
    ' 1',
    'NaN',
    '9007199254.740992',
    '9'.repeat(300),
  ];
  const asked = [
    ['positions', 'sizeThreshold', 'sizeThresholdMicro'],
    ['holders', 'minBalance', 'minBalanceMicro'],
  ] as const;
  for (const [kind, name, key] of asked) {
    for (const dialect of both) {
      for (const [text, micro] of amounts) {
        expect(read(dialect, kind, { ...needed[kind], [name]: text }), text).toMatchObject({ [key]: micro });
      }
      for (const text of bad) {
        const expected = `invalid_field: ${name} (a decimal number from 0 to 9007199254.740991)`;
        expect(refusal(dialect, kind, { ...needed[kind], [name]: text }), text).toBe(expected);
      }
    }
  }
});

test('a title has at most 100 characters, an emoji counting as one', () => {
  for (const kind of ['positions', 'closed-positions'] as const) {
    for (const dialect of both) {
      const of = (title: string) => read(dialect, kind, { user: USER, title });
      for (const title of ['Will', 'x'.repeat(100), '💥'.repeat(100), ' a b '])
        expect(of(title)).toMatchObject({ title });
      expect(refusal(dialect, kind, { user: USER, title: 'x'.repeat(101) })).toBe(
        'invalid_field: title (at most 100 characters)',
      );
    }
  }
});

test('sortBy accepts every column and sortDirection both directions, in any letter case', () => {
  const columns = {
    positions: 'CURRENT INITIAL TOKENS CASHPNL PERCENTPNL TITLE RESOLVING PRICE AVGPRICE',
    'closed-positions': 'REALIZEDPNL TITLE PRICE AVGPRICE TIMESTAMP',
    activity: 'TIMESTAMP TOKENS CASH',
  } as const;
  for (const [kind, words] of Object.entries(columns) as [keyof typeof columns, string][]) {
    for (const dialect of kind === 'activity' ? [polymarketDialect] : both) {
      const of = (values: Values) => read(dialect, kind, { user: USER, ...values });
      for (const sortBy of words.split(' ')) {
        expect(of({ sortBy })).toMatchObject({ sortBy });
        expect(of({ sortBy: sortBy.toLowerCase() })).toMatchObject({ sortBy });
      }
      for (const sortDirection of ['ASC', 'asc', 'ascending']) {
        expect(of({ sortDirection })).toMatchObject({ ascending: true });
      }
      for (const sortDirection of ['DESC', 'desc', 'Descending']) {
        expect(of({ sortDirection })).toMatchObject({ ascending: false });
      }
      const all = words.split(' ').join(', ');
      expect(refusal(dialect, kind, { user: USER, sortBy: 'NOPE' })).toBe(`invalid_field: sortBy (${all})`);
      expect(refusal(dialect, kind, { user: USER, sortDirection: 'UP' })).toBe(
        'invalid_field: sortDirection (ASC, DESC, ASCENDING, DESCENDING)',
      );
    }
  }
});

test('activity types that exist here are kept, others of official clients ignored, unknown ones rejected', () => {
  const of = (type: string) => read(polymarketDialect, 'activity', { user: USER, type });
  expect(of('TRADE')).toMatchObject({ types: ['TRADE'] });
  expect(of('redeem,SPLIT,SPLIT')).toMatchObject({ types: ['SPLIT', 'REDEEM'] });
  expect(of('TRADE,REWARD,YIELD')).toMatchObject({ types: ['TRADE'] });
  expect(of('REWARD,CONVERSION')).toMatchObject({ types: [] });
  for (const type of ['x', 'TRADE,', ',', 'TRADE SPLIT']) {
    const text = refusal(polymarketDialect, 'activity', { user: USER, type });
    expect(text).toMatch(/^invalid_field: type \(TRADE, SPLIT, MERGE, REDEEM, REWARD, /);
  }
});

test('start and end are unix seconds, both inclusive', () => {
  for (const kind of ['trades', 'activity'] as const) {
    const official = (values: Values) => [polymarketDialect, kind, { ...needed[kind], ...values }] as const;
    expect(read(...official({ start: '5', end: '5' }))).toMatchObject({ startMs: 5_000, endMs: 5_999 });
    expect(read(...official({ start: '0' }))).toMatchObject({ startMs: 0, endMs: undefined });
    const last = String(Number.MAX_SAFE_INTEGER);
    expect(read(...official({ end: last }))).toMatchObject({ endMs: Number.MAX_SAFE_INTEGER });
    expect(refusal(...official({ start: '6', end: '5' }))).toBe('invalid_field: start (at most end, which is 5)');
    for (const name of ['start', 'end']) {
      for (const bad of ['x', '-1', '1.5', '1e9', '2030-01-01', '9007199254740992']) {
        expect(refusal(...official({ [name]: bad }))).toBe(`invalid_field: ${name} (whole unix seconds)`);
      }
    }
  }
});
