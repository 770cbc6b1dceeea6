// The times in replies against the document: each is in the unit and the form of its example, whichever endpoint gives it.
// Nothing else could notice a difference: by their types and patterns, seconds and milliseconds are the same.
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpoints } from '../../server/http/endpoints.ts';
import { alice, bob, call, get, market, newMarket, openTradingWorld, post, server } from '../http/tradingWorld.ts';
import { ADMIN, send } from '../support/client.ts';
import { openApiDocument } from '../support/openApiDocument.ts';

// As programs read it: any JSON.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Json = any;
const document: Json = JSON.parse(JSON.stringify(openApiDocument(endpoints)));
const named: Readonly<Record<string, Json>> = document.components.schemas;

beforeAll(openTradingWorld);
afterAll(() => server.close());

const ajv = new Ajv2020({ strict: false, validateSchema: false });
addFormats.default(ajv);
const nameOf = (schema: Json): string | undefined => /([^/]+)$/.exec(schema.$ref ?? '')?.[1];

/** The named schemas of single values in a reply, with their values. */
function* scalars(schema: Json, value: Json): Generator<readonly [string, string | number]> {
  const name = nameOf(schema);
  if (name !== undefined && (typeof value === 'string' || typeof value === 'number')) yield [name, value];
  const { properties, items, additionalProperties, anyOf } = name === undefined ? schema : named[name];
  for (const option of anyOf ?? []) {
    // Where the document has rows of both dialects side by side, the one that the value fits is meant.
    if (fits(option, value)) yield* scalars(option, value);
  }
  if (Array.isArray(value)) for (const row of value) yield* items === undefined ? [] : scalars(items, row);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      const below = properties?.[key] ?? additionalProperties;
      if (typeof below === 'object') yield* scalars(below, inner);
    }
  }
}

function fits(schema: Json, value: Json): boolean {
  return ajv.validate({ ...schema, components: document.components }, value);
}

const schemaOf = (method: string, path: string): Json =>
  document.paths[path][method.toLowerCase()].responses['200'].content['application/json'].schema;

/** The milliseconds that a value of a named schema stands for. */
const READERS: Readonly<Record<string, (value: string | number) => number>> = {
  SecondsText: (value) => Number(value) * 1000,
  MillisecondsText: Number,
  UnixSeconds: (value) => Number(value) * 1000,
  UnixMilliseconds: Number,
  IsoTime: (value) => Date.parse(String(value)),
  DatabaseTime: (value) => Date.parse(String(value)),
};

test('every time in a reply is close to now when read in its documented unit', async () => {
  await post(alice, market, { pips: 4000, shares: 20 });
  const taken = await post(bob, market, { pips: 6000, shares: 20, token: 1 });
  expect(taken.json.status).toBe('matched');
  const resting = (await post(alice, market, { pips: 3000, shares: 20 })).json.orderID;
  const event = { title: 'Weather', slug: 'weather' };
  const { id } = (await send(server.url, 'POST', '/admin/events', event, ADMIN)).json;
  await newMarket({ event: 'weather' });
  await call(alice, 'POST', '/auth/builder-api-key');
  const [token] = market.tokens;
  const user = `user=${bob.wallet.address}`;
  const asked: readonly (readonly [string, Promise<Json>])[] = [
    ...Object.entries({
      '/time': '/time',
      '/book': `/book?token_id=${token}`,
      '/books': `/books?token_ids=${token}`,
      '/prices-history': `/prices-history?market=${token}&interval=max`,
      '/markets/live-activity/{condition_id}': `/markets/live-activity/${market.conditionId}`,
      '/clob-markets/{condition_id}': `/clob-markets/${market.conditionId}`,
      '/markets': '/markets',
      '/markets/{id}': `/markets/${market.conditionId}`,
      '/events': '/events',
      '/events/{id}': `/events/${id}`,
      '/gamma/markets': '/gamma/markets',
      '/gamma/events': '/gamma/events',
      '/trades': '/trades',
      '/positions': `/positions?${user}`,
      '/activity': `/activity?${user}`,
      '/data-api/trades': '/data-api/trades',
      '/data-api/activity': `/data-api/activity?${user}`,
    }).map(([path, address]) => [path, get(address)] as const),
    ['/markets', get('/markets?next_cursor=MA==')],
    ...Object.entries({
      '/data/orders': '/data/orders',
      '/data/order/{id}': `/data/order/${resting}`,
      '/data/trades': '/data/trades',
      '/notifications': '/notifications',
      '/auth/builder-api-key': '/auth/builder-api-key',
    }).map(([path, address]) => [path, call(alice, 'GET', address).then(({ json }) => json)] as const),
  ];
  const counts = new Map<string, number>();
  for (const [path, reply] of asked) {
    const value = await reply;
    let count = 0;
    for (const [name, scalar] of scalars(schemaOf('GET', path), value)) {
      const read = READERS[name];
      if (read === undefined) continue;
      count += 1;
      counts.set(name, (counts.get(name) ?? 0) + 1);
      const awayMs = Math.abs(read(scalar) - Date.now());
      expect({ path, name, scalar, isNow: awayMs < 3_600_000 }).toEqual({ path, name, scalar, isNow: true });
      // Its example is a time of the same kind, within some decades.
      const yearsAway = Math.abs(read(named[name].examples[0]) - Date.now()) / 31_557_600_000;
      expect([name, yearsAway < 50]).toEqual([name, true]);
    }
    expect([path, count > 0]).toEqual([path, true]);
  }
  expect([...counts.keys()].toSorted()).toEqual([
    'IsoTime',
    'MillisecondsText',
    'SecondsText',
    'UnixMilliseconds',
    'UnixSeconds',
  ]);
});

test('dates of a market are in UTC, as documented, whatever offset they were given with', async () => {
  const given = { end_date: '2030-06-01T01:00:00+10:00', game_start_time: '2030-06-01T01:00:00.25+10:00' };
  const { conditionId } = await newMarket(given);
  const record = await get(`/markets/${conditionId}`);
  expect([record.end_date_iso, record.game_start_time]).toEqual([
    '2030-05-31T15:00:00.000Z',
    '2030-05-31T15:00:00.250Z',
  ]);
  for (const [name, value] of [
    ['end_date_iso', given.end_date],
    ['game_start_time', given.game_start_time],
  ]) {
    const schema = named.MarketByCondition.properties[name];
    expect([name, fits(schema, record[name]), fits(schema, value)]).toEqual([name, true, false]);
  }
});
