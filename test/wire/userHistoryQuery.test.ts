// Every parameter of the requests for user data, in both dialects: what it is without being said, what it becomes, its
// largest value, and the refusal of whatever it does not take (interface 4.1, 7, 8; catalog-and-data 2, 3, 7, 8).
import { describe, expect, test } from 'vitest';
import { BadRequest } from '../../server/http/errors.ts';
import { type Dialect, polymarketDialect, rootDialect } from '../../server/wire/dialect.ts';
import type { AskedKind } from '../../server/wire/userHistoryParameters.ts';

const USER = `0x${'aB'.repeat(20)}`;
const user = USER.toLowerCase();
const ID = `0x${'Cd'.repeat(32)}`;
const id = ID.toLowerCase();
const OTHER = `0x${'1'.repeat(64)}`;
const both: readonly Dialect[] = [rootDialect, polymarketDialect];

type Values = Readonly<Record<string, string>>;

const read = (dialect: Dialect, kind: AskedKind, values: Values) =>
  dialect.readHistory(kind, new URLSearchParams(values));

/** The text with which a request is refused; undefined if it is not. */
function refusal(dialect: Dialect, kind: AskedKind, values: Values): string | undefined {
  try {
    read(dialect, kind, values);
    return undefined;
  } catch (error) {
    if (error instanceof BadRequest && error.status === 400) return error.message;
    throw error;
  }
}

/** What each kind needs before anything else can be said. */
const needed: Readonly<Record<AskedKind, Values>> = {
  trades: {},
  positions: { user: USER },
  'closed-positions': { user: USER },
  activity: { user: USER },
  holders: { market: ID },
  value: { user: USER },
  traded: { user: USER },
  oi: {},
  'live-volume': { id: '1' },
};
const kinds = Object.keys(needed) as AskedKind[]; // the record has a key for each

/** Every parameter of the documented interface. */
const documented: Readonly<Record<AskedKind, string>> = {
  trades: 'limit offset takerOnly filterType filterAmount market user side',
  positions: 'user market sizeThreshold redeemable mergeable limit offset sortBy sortDirection title',
  'closed-positions': 'user market title limit offset sortBy sortDirection',
  activity: 'user limit offset',
  holders: 'market limit minBalance',
  value: 'user market',
  traded: 'user',
  oi: 'market',
  'live-volume': 'id market',
};

const everywhere = { conditionIds: undefined, eventNumbers: undefined };
const always = { startMs: undefined, endMs: undefined };

describe('what is not said', () => {
  const defaults: Readonly<Record<AskedKind, object>> = {
    trades: {
      ...everywhere,
      ...always,
      user: undefined,
      limit: 100,
      offset: 0,
      side: undefined,
      takerOnly: true,
      threshold: undefined,
    },
    positions: {
      ...everywhere,
      user,
      limit: 100,
      offset: 0,
      sizeThresholdMicro: 1_000_000,
      redeemable: false,
      mergeable: false,
      includeArchived: true,
      title: undefined,
      sortBy: 'TOKENS',
      ascending: false,
    },
    'closed-positions': {
      ...everywhere,
      user,
      limit: 10,
      offset: 0,
      title: undefined,
      sortBy: 'REALIZEDPNL',
      ascending: false,
    },
    activity: {
      ...everywhere,
      ...always,
      user,
      limit: 100,
      offset: 0,
      types: undefined,
      side: undefined,
      sortBy: 'TIMESTAMP',
      ascending: false,
    },
    holders: { conditionIds: [id], limit: 100, minBalanceMicro: 1_000_000 },
    value: { user, conditionIds: undefined },
    traded: { user },
    oi: { conditionIds: undefined },
    'live-volume': { conditionIds: undefined, eventNumbers: [1] },
  };

  test.each(kinds)('%s has its defaults in both dialects', (kind) => {
    expect(read(rootDialect, kind, needed[kind])).toEqual({ kind, ...defaults[kind] });
    const official = kind === 'positions' ? { includeArchived: false } : {};
    expect(read(polymarketDialect, kind, needed[kind])).toEqual({ kind, ...defaults[kind], ...official });
  });

  test.each(kinds)('%s takes empty values for none', (kind) => {
    for (const dialect of both) {
      for (const name of documented[kind].split(' ').filter((one) => !(one in needed[kind]))) {
        expect(read(dialect, kind, { ...needed[kind], [name]: '' })).toEqual(read(dialect, kind, needed[kind]));
      }
    }
  });

  test('what is needed is missed by name', () => {
    const lacking: readonly (readonly [AskedKind, string])[] = [
      ['positions', 'user'],
      ['closed-positions', 'user'],
      ['activity', 'user'],
      ['value', 'user'],
      ['traded', 'user'],
      ['holders', 'market'],
      ['live-volume', 'id'],
    ];
    for (const [kind, name] of lacking) {
      for (const values of [{}, { [name]: '' }]) {
        expect(refusal(rootDialect, kind, values)).toBe(`missing_field: ${name}`);
        expect(refusal(polymarketDialect, kind, values)).toBe(`required query param '${name}' not provided`);
      }
    }
  });
});

describe('names', () => {
  test('the root takes what is documented and refuses any other by name; official clients may say more', () => {
    const all = [...new Set(Object.values(documented).join(' ').split(' ')), 'eventId', 'start', 'end', 'type'];
    for (const kind of kinds) {
      const known = documented[kind].split(' ');
      for (const name of [...all, 'includeArchived', 'User', 'x', '__proto__', 'constructor', ' user']) {
        const text = refusal(rootDialect, kind, { [name]: '' });
        if (known.includes(name)) expect(text ?? '', `${kind} ${name}`).not.toMatch(/^unknown/);
        else expect(text, `${kind} ${name}`).toBe(`unknown_field: ${name}`);
        expect(refusal(polymarketDialect, kind, { ...needed[kind], [name === 'x' ? 'y' : 'x']: '?' })).toBeUndefined();
      }
    }
    expect(refusal(rootDialect, 'activity', { type: 'TRADE' })).toBe('unknown_field: type');
    expect(refusal(rootDialect, 'trades', { ['y'.repeat(5_000)]: '1' })).toHaveLength('unknown_field: '.length + 100);
  });

  test('a parameter given twice counts as it stands first', () => {
    const query = new URLSearchParams('limit=5&limit=6&market=x');
    query.set('market', ID);
    query.append('market', OTHER);
    for (const dialect of both) {
      expect(dialect.readHistory('trades', query)).toMatchObject({ limit: 5, conditionIds: [id] });
    }
  });
});

describe('limit and offset', () => {
  const maxima: readonly (readonly [AskedKind, number, number | undefined])[] = [
    ['trades', 10_000, 10_000],
    ['positions', 500, 10_000],
    ['closed-positions', 50, 100_000],
    ['activity', 500, 10_000],
    ['holders', 500, undefined],
  ];

  test.each(maxima)('%s: a limit of at most %i, an offset of at most %s', (kind, limitMax, offsetMax) => {
    const of = (dialect: Dialect, values: Values) => read(dialect, kind, { ...needed[kind], ...values });
    const refused = (dialect: Dialect, values: Values) => refusal(dialect, kind, { ...needed[kind], ...values });
    const limitText = `invalid_field: limit (a whole number from 0 to ${limitMax})`;
    for (const dialect of both) {
      for (const limit of [0, 1, limitMax]) expect(of(dialect, { limit: String(limit) })).toMatchObject({ limit });
      expect(of(dialect, { limit: '007' })).toMatchObject({ limit: 7 });
      for (const limit of ['-1', '1.5', 'x', '1e2', '+5', ' 5', '５'])
        expect(refused(dialect, { limit })).toBe(limitText);
    }
    for (const limit of [String(limitMax + 1), '9'.repeat(40)]) {
      expect(refused(rootDialect, { limit })).toBe(limitText);
      expect(of(polymarketDialect, { limit })).toMatchObject({ limit: limitMax });
    }
    if (offsetMax === undefined) return;
    const offsetText = `invalid_field: offset (a whole number from 0 to ${offsetMax})`;
    for (const dialect of both) {
      for (const offset of [0, 1, offsetMax]) expect(of(dialect, { offset: String(offset) })).toMatchObject({ offset });
      for (const offset of ['-1', '1.5', 'x', '1e2']) expect(refused(dialect, { offset })).toBe(offsetText);
    }
    const isHistorical = kind === 'trades' || kind === 'activity';
    const official = isHistorical ? `max historical activity offset of ${offsetMax} exceeded` : offsetText;
    for (const offset of [String(offsetMax + 1), '9'.repeat(40)]) {
      expect(refused(rootDialect, { offset })).toBe(offsetText);
      expect(refused(polymarketDialect, { offset })).toBe(official);
    }
  });

  test('holders are at most 10,000 of a token in all markets together', () => {
    const ids = (count: number) =>
      Array.from({ length: count }, (_, i) => `0x${i.toString(16).padStart(64, '0')}`).join();
    for (const dialect of both) {
      expect(refusal(dialect, 'holders', { market: ids(100) })).toBeUndefined();
      expect(refusal(dialect, 'holders', { market: ids(500), limit: '20' })).toBeUndefined();
      expect(refusal(dialect, 'holders', { market: ids(500), limit: '0' })).toBeUndefined();
      expect(refusal(dialect, 'holders', { market: ids(101) })).toBe(
        'invalid_field: market (at most 100 condition ids with a limit of 100)',
      );
    }
  });
});

describe('wallets, markets, events', () => {
  const idsText = 'invalid_field: market (1 to 500 condition ids, each 0x and 64 hex digits, with commas between)';

  test('addresses may be in any letter case', () => {
    for (const dialect of both) {
      expect(read(dialect, 'trades', { user: USER })).toMatchObject({ user });
      for (const bad of ['x', '0x', USER.slice(1), `${USER}0`, USER.slice(0, -1), `0X${'a'.repeat(40)}`, ` ${USER}`]) {
        expect(refusal(dialect, 'trades', { user: bad })).toBe('invalid_field: user (0x and 40 hex digits)');
        const official = dialect === polymarketDialect;
        const text = official
          ? "required query param 'user' not provided"
          : 'invalid_field: user (0x and 40 hex digits)';
        expect(refusal(dialect, 'positions', { user: bad })).toBe(text);
      }
    }
  });

  test('markets are condition ids with commas between, each counted once', () => {
    for (const kind of ['trades', 'positions', 'closed-positions', 'holders', 'value', 'oi'] as const) {
      for (const dialect of both) {
        const market = `${ID},${OTHER},${id}`;
        expect(read(dialect, kind, { ...needed[kind], market })).toMatchObject({ conditionIds: [id, OTHER] });
        for (const bad of [
          'x',
          ',',
          `${ID},`,
          `,${ID}`,
          `${ID} ${OTHER}`,
          `${ID}, ${OTHER}`,
          `${ID}:0`,
          '1',
          `${ID}0`,
        ]) {
          expect(refusal(dialect, kind, { ...needed[kind], market: bad }), bad).toBe(idsText);
        }
        expect(refusal(dialect, kind, { ...needed[kind], market: Array(501).fill(ID).join() })).toBe(idsText);
      }
    }
  });

  test('events are numbers with commas between, and exclude markets', () => {
    for (const kind of ['trades', 'positions', 'closed-positions', 'activity'] as const) {
      const official = (values: Values) => [polymarketDialect, kind, { ...needed[kind], ...values }] as const;
      expect(read(...official({ eventId: '2,1,2' }))).toMatchObject({ eventNumbers: [2, 1] });
      for (const eventId of ['0', 'x', '1,', '-1', '1.5', '1,0', Array(501).fill('1').join(), '9007199254740992']) {
        expect(refusal(...official({ eventId }))).toBe(
          'invalid_field: eventId (1 to 500 event ids with commas between)',
        );
      }
      const joint = 'invalid_field: eventId (market and eventId exclude each other)';
      expect(refusal(...official({ eventId: '1', market: ID }))).toBe(joint);
    }
    for (const dialect of both) {
      expect(read(dialect, 'live-volume', { id: '7' })).toMatchObject({ eventNumbers: [7], conditionIds: undefined });
      expect(read(dialect, 'live-volume', { market: ID })).toMatchObject({
        eventNumbers: undefined,
        conditionIds: [id],
      });
      for (const bad of ['0', 'x', '1,2']) {
        expect(refusal(dialect, 'live-volume', { id: bad })).toBe('invalid_field: id (an event id)');
      }
      const joint = 'invalid_field: id (market and id exclude each other)';
      expect(refusal(dialect, 'live-volume', { id: '1', market: ID })).toBe(joint);
    }
  });
});

describe('filters', () => {
  test('booleans are words in any letter case', () => {
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

  test('a side is BUY or SELL', () => {
    for (const dialect of both) {
      expect(read(dialect, 'trades', { side: 'BUY' })).toMatchObject({ side: 'BUY' });
      expect(read(dialect, 'trades', { side: 'sell' })).toMatchObject({ side: 'SELL' });
      expect(refusal(dialect, 'trades', { side: 'HOLD' })).toBe('invalid_field: side (BUY, SELL)');
    }
    expect(read(polymarketDialect, 'activity', { user: USER, side: 'buy' })).toMatchObject({ side: 'BUY' });
  });

  test('a threshold has a type and an amount, or is not there', () => {
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

  test('amounts are decimals, rounded up to what can be had', () => {
    const amounts: readonly (readonly [string, number])[] = [
      ['0', 0],
      ['1', 1_000_000],
      ['0.5', 500_000],
      ['00.50', 500_000],
      ['0.000001', 1],
      ['0.0000001', 1],
      ['0.30000000000000004', 300_001],
      ['1.0000000', 1_000_000],
      ['9007199254.740991', Number.MAX_SAFE_INTEGER],
    ];
    const bad = ['-1', '+1', 'x', '1e3', '.5', '5.', '1,5', '1.2.3', ' 1', 'NaN', '9007199254.740992', '9'.repeat(300)];
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

  test('a title has at most 100 characters, whatever they are', () => {
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

  test('rows are sorted by every column, in both directions', () => {
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

  test('types of activity: those that occur are kept, those of official clients taken, others refused', () => {
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

  test('times are unix seconds, both ends included', () => {
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
});
