// The parameters of requests for user data, in both dialects: the default of each, its names, its largest value, and its
// rules for wallets, markets and events (interface 4.1, 7, 8; catalog-and-data 2, 3, 7, 8).
import { describe, expect, test } from 'vitest';
import { type Dialect, polymarketDialect, rootDialect } from '../../server/wire/dialect.ts';
import { userDataSchema } from '../../server/wire/schemas/userData.ts';
import { type AskedKind, officialRules, plainRules } from '../../server/wire/userDataParameters.ts';
import { wordOf } from '../support/hex.ts';
import { both, ID, id, kinds, needed, OTHER, read, refusal, USER, user, type Values } from './historyQueries.ts';

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

describe('omitted parameters', () => {
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

  test.each(kinds)('%s treats empty values as omitted', (kind) => {
    for (const dialect of both) {
      for (const name of documented[kind].split(' ').filter((one) => !(one in needed[kind]))) {
        expect(read(dialect, kind, { ...needed[kind], [name]: '' })).toEqual(read(dialect, kind, needed[kind]));
      }
    }
  });

  test('a missing required parameter is named in the error', () => {
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

describe('parameter names', () => {
  test.each(kinds)('/openapi.json lists all that are read for %s, and no others', (kind) => {
    for (const [rules, isMounted] of [[plainRules, false] as const, [officialRules, true] as const]) {
      const shown = Object.keys(userDataSchema(kind, isMounted).query ?? {});
      expect(shown.toSorted()).toEqual(rules.readNames(kind, []).toSorted());
    }
  });

  test('the root rejects undocumented parameters by name; official clients may send others', () => {
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

  test('the first value of a repeated parameter counts', () => {
    const query = new URLSearchParams('limit=5&limit=6&market=x');
    query.set('market', ID);
    query.append('market', OTHER);
    for (const dialect of both) {
      expect(dialect.readUserData('trades', query)).toMatchObject({ limit: 5, conditionIds: [id] });
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

  test('for holders, the number of condition ids times the limit is at most 10,000', () => {
    const ids = (count: number) => Array.from({ length: count }, (_, i) => wordOf(i)).join();
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
  const idsText = 'invalid_field: market (1 to 500 comma-separated condition ids, each 0x and 64 hex digits)';

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

  test('markets are comma-separated condition ids, repeats counting once', () => {
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

  test('event ids are comma-separated numbers and cannot be combined with markets', () => {
    for (const kind of ['trades', 'positions', 'closed-positions', 'activity'] as const) {
      const official = (values: Values) => [polymarketDialect, kind, { ...needed[kind], ...values }] as const;
      expect(read(...official({ eventId: '2,1,2' }))).toMatchObject({ eventNumbers: [2, 1] });
      for (const eventId of ['0', 'x', '1,', '-1', '1.5', '1,0', Array(501).fill('1').join(), '9007199254740992']) {
        expect(refusal(...official({ eventId }))).toBe('invalid_field: eventId (1 to 500 comma-separated event ids)');
      }
      const joint = 'invalid_field: eventId (market and eventId are mutually exclusive)';
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
      const joint = 'invalid_field: id (market and id are mutually exclusive)';
      expect(refusal(dialect, 'live-volume', { id: '1', market: ID })).toBe(joint);
    }
  });
});
