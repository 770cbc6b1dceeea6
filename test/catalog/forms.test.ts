// The forms of catalog records (interface.md 2.1 to 2.3) on the root and under /gamma, and the two paths that are described
// twice: which form answers for every combination of next_cursor, filters, numbers, condition ids, creator and mount.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inUpperCase } from '../support/hex.ts';
import { type Check, digits, flag, isObject, iso, listOf, number, type Table, text } from '../wire/checks.ts';
import { type CatalogWorld, openCatalogWorld, SITE } from './world.ts';

let world: CatalogWorld;
beforeAll(async () => {
  world = await openCatalogWorld();
});
afterAll(() => world.server.close());

const isoOrNull: Check = (value) => value === null || iso(value);
const list = listOf(() => true);
/** A list as JSON text, with a comma and a space between two elements. */
const listText: Check = (value) => {
  const items: unknown = JSON.parse(String(value));
  return text(value) && Array.isArray(items) && items.length === 2 && value === `["${items.join('", "')}"]`;
};

const market: Table = {
  id: digits,
  question: text,
  conditionId: text,
  slug: text,
  resolutionSource: text,
  startDate: iso,
  endDate: isoOrNull,
  image: text,
  icon: text,
  description: text,
  outcomes: listText,
  clobTokenIds: listText,
  active: flag,
  closed: flag,
  archived: flag,
  createdAt: iso,
  updatedAt: iso,
  questionID: text,
};
/** Further fields that official clients read. */
const marketMore: Table = {
  outcomePrices: listText,
  volume: text,
  liquidity: text,
  volumeNum: number,
  liquidityNum: number,
  volume24hr: number,
  bestBid: number,
  bestAsk: number,
  spread: number,
  orderPriceMinTickSize: number,
  orderMinSize: number,
  acceptingOrders: flag,
  enableOrderBook: flag,
  negRisk: flag,
  marketMakerAddress: text,
  restricted: flag,
  competitive: number,
  groupItemTitle: text,
};
const alwaysFalse: Check = (value) => value === false;
/** Fields that every recorded market has, and that clients read without checking whether they exist. */
const marketAlways: Table = {
  new: alwaysFalse,
  featured: alwaysFalse,
  ready: alwaysFalse,
  funded: alwaysFalse,
  rewardsMinSize: number,
  rewardsMaxSpread: number,
  volumeClob: number,
  volume24hrClob: number,
  liquidityClob: number,
};
/** The same for events. */
const eventAlways: Table = {
  new: alwaysFalse,
  featured: alwaysFalse,
  restricted: alwaysFalse,
  liquidityClob: number,
  enableNegRisk: flag,
  negRiskAugmented: alwaysFalse,
};
const summary: Table = { id: digits, ticker: text, slug: text, title: text };
const eventOfMarket = {
  ...summary,
  description: text,
  resolutionSource: text,
  startDate: iso,
  creationDate: iso,
  endDate: isoOrNull,
  image: text,
  icon: text,
  active: flag,
  closed: flag,
  archived: flag,
  createdAt: iso,
  updatedAt: iso,
};
const { creationDate: _, ...eventShared } = eventOfMarket;
const eventShort: Table = { ...eventShared, tags: list, volume: number, liquidity: number };
const eventLong: Table = { ...eventShort, creationDate: iso, markets: list, series: list, eventMetadata: isObject };
const tag: Table = { id: digits, label: text, slug: text, createdAt: iso, updatedAt: iso, requiresTranslation: flag };
const series: Table = {
  ...summary,
  seriesType: text,
  recurrence: text,
  image: text,
  icon: text,
  active: flag,
  closed: flag,
  archived: flag,
  createdAt: iso,
  updatedAt: iso,
};

function expectForm(value: Readonly<Record<string, unknown>>, form: Table, what: string): void {
  for (const [key, check] of Object.entries(form)) {
    expect(key in value && check(value[key]), `${what}: ${key} is ${JSON.stringify(value[key])}`).toBe(true);
  }
}

const ONLY_IN_LONG_FORM = ['creationDate', 'markets', 'series', 'eventMetadata'];

test('market records have their fields; only market lists on the root give events in short form', async () => {
  for (const [path, event, isShort] of [
    ['/markets', summary, true],
    ['/markets/keyset', summary, true],
    ['/gamma/markets', eventOfMarket, false],
    ['/gamma/markets/keyset', eventOfMarket, false],
  ] as const) {
    const { json } = await world.get(path);
    const rows = Array.isArray(json) ? json : json.markets;
    expect(rows.length).toBeGreaterThan(2);
    for (const row of rows) {
      expectForm(row, { ...market, ...marketMore, events: list }, path);
      for (const one of row.events) expectForm(one, event, `${path} events`);
      if (isShort && row.events.length > 0) expect(Object.keys(row.events[0])).toEqual(Object.keys(summary));
    }
  }
  for (const mount of ['', '/gamma']) {
    for (const path of ['/markets/1', '/markets/slug/cup-home']) {
      const { json } = await world.get(`${mount}${path}`);
      expectForm(json, { ...market, ...marketMore }, path);
      expectForm(json.events[0], eventOfMarket, path);
    }
    expect((await world.get(`${mount}/markets/6`)).json.events).toEqual([]);
    const tags = (await world.get(`${mount}/markets/1/tags`)).json;
    for (const one of tags) expectForm(one, tag, 'tags of a market');
    expect(tags.map(({ slug }: { slug: string }) => slug)).toEqual(['sports', 'soccer']);
  }
  expect((await world.get('/markets?include_tag=true&limit=1')).json[0].tags).toHaveLength(2);
});

test('event records have their fields; root lists omit creationDate, markets, series and eventMetadata', async () => {
  for (const { form, path } of [
    { form: eventShort, path: '/events' },
    { form: eventShort, path: '/events/keyset' },
    { form: eventShort, path: '/events/pagination' },
    { form: eventLong, path: '/gamma/events' },
    { form: eventLong, path: '/gamma/events/keyset' },
    { form: eventLong, path: '/gamma/events/pagination' },
  ]) {
    const { json } = await world.get(path);
    const rows = Array.isArray(json) ? json : (json.events ?? json.data);
    expect(rows.length).toBeGreaterThan(2);
    for (const row of rows) {
      expectForm(row, form, path);
      if (form === eventShort) expect(ONLY_IN_LONG_FORM.filter((key) => key in row)).toEqual([]);
    }
  }
  for (const path of ['/events/1', '/events/slug/cup-final', '/gamma/events/1', '/gamma/events/slug/cup-final']) {
    const { json } = await world.get(path);
    expectForm(json, eventLong, path);
    for (const one of json.tags) expectForm(one, tag, path);
    expect(json.markets).toHaveLength(2);
    for (const one of json.markets) {
      expectForm(one, { ...market, ...marketMore }, path);
      expect('events' in one).toBe(false);
    }
  }
  const { json: rates } = await world.get('/events/2');
  expectForm(rates.series[0], series, 'series of an event');
  expect(rates.markets.map(({ slug }: { slug: string }) => slug)).toEqual(['rates-up', 'rates-down']);
  expectForm((await world.get('/series')).json[0], series, 'series');
  expectForm((await world.get('/gamma/series/1')).json, series, 'one series');
  for (const path of ['/tags', '/gamma/tags'])
    for (const one of (await world.get(path)).json) expectForm(one, tag, path);
  expectForm((await world.get('/tags/1')).json, tag, 'one tag');
  expectForm((await world.get('/tags/slug/Soccer')).json, tag, 'tag by slug');
});

test('market and event records always include the keys that every recorded one has', async () => {
  const rows: readonly Record<string, unknown>[] = (await world.get('/gamma/markets')).json;
  for (const row of [...rows, ...(await world.get('/markets')).json]) {
    expectForm(row, marketAlways, `market ${row.id}`);
    expect([row.volumeClob, row.volume24hrClob, row.liquidityClob]).toEqual([
      row.volumeNum,
      row.volume24hr,
      row.liquidityNum,
    ]);
  }
  const unrewarded = rows.find(({ clobRewards }) => clobRewards === undefined);
  expect(unrewarded).toMatchObject({ rewardsMinSize: 0, rewardsMaxSpread: 0 });
  for (const event of [...(await world.get('/gamma/events')).json, ...(await world.get('/events')).json]) {
    expectForm(event, eventAlways, `event ${event.id}`);
    expect([event.liquidityClob, event.enableNegRisk]).toEqual([event.liquidity, event.negRisk]);
  }
});

test('texts and dates that a market does not set come from its event', async () => {
  const { json } = await world.get('/markets/1');
  expect(json).toMatchObject({
    startDate: '2026-01-01T00:00:00.000Z',
    endDate: '2030-06-01T00:00:00.000Z',
    endDateIso: '2030-06-01',
    description: 'One match.',
    resolutionSource: 'https://example.org/results',
    outcomes: '["Home", "Away"]',
    questionID: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  });
  const { json: goals } = await world.get('/markets/2');
  expect(goals.endDate).toBe('2030-05-01T00:00:00.000Z');
  const { json: resolved } = await world.get('/markets/3');
  expect(resolved).toMatchObject({ closed: true, outcomePrices: '["1", "0"]', umaResolutionStatus: 'resolved' });
});

test('gameStartTime and market closedTime have a database format, event closedTime is ISO 8601', async () => {
  const closedTime = expect.stringMatching(/^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\+00$/);
  for (const mount of ['', '/gamma']) {
    expect((await world.get(`${mount}/markets/1`)).json.gameStartTime).toBe('2030-06-01 15:10:00+00');
    expect((await world.get(`${mount}/markets?slug=rates-up&closed=true`)).json).toMatchObject([{ closedTime }]);
    const { json: event } = await world.get(`${mount}/events/2`);
    expect(event.markets).toMatchObject([{ closedTime }, { closedTime }]);
    expect(iso(event.closedTime)).toBe(true);
  }
  const { json: byCondition } = await world.get(`/markets/${world.conditions.get('cup-home')}`);
  expect(byCondition).toMatchObject({
    gameStartTime: '2030-06-01 15:10:00+00',
    game_start_time: '2030-06-01T15:10:00.000Z',
  });
});

test('after closing, enableOrderBook stays true, and enable_order_book of the order-book record is false', async () => {
  for (const mount of ['', '/gamma']) {
    expect((await world.get(`${mount}/markets/3`)).json).toMatchObject({ closed: true, enableOrderBook: true });
    expect((await world.get(`${mount}/events/2`)).json).toMatchObject({ closed: true, enableOrderBook: true });
  }
  expect((await world.get(`/markets/${world.conditions.get('rates-up')}`)).json).toMatchObject({
    enableOrderBook: true,
    enable_order_book: false,
  });
});

test('GET /markets with next_cursor returns the order-book list despite other filters; /gamma ignores it', async () => {
  const filters = ['', '&limit=1', '&closed=true', '&tag=sports', `&creator=${SITE}`, '&order=id', '&slug=lone'];
  for (const filter of filters) {
    for (const cursor of ['MA==', '']) {
      const { status, json } = await world.get(`/markets?next_cursor=${cursor}${filter}`);
      expect([status, Object.keys(json)]).toEqual([200, ['data', 'next_cursor', 'limit', 'count']]);
      expect('condition_id' in json.data[0] && !('conditionId' in json.data[0])).toBe(true);
    }
    const { json: catalog } = await world.get(`/markets?${filter.slice(1)}`);
    expect(Array.isArray(catalog) && 'conditionId' in catalog[0] && !('condition_id' in catalog[0])).toBe(true);
    const { json: mounted } = await world.get(`/gamma/markets?next_cursor=MA==${filter}`);
    expect(Array.isArray(mounted)).toBe(true);
  }
  const end = await world.get('/markets?next_cursor=LTE=');
  expect([end.status, end.json]).toEqual([400, { error: 'Invalid next_cursor' }]);
});

test('GET /markets/{id} gives the catalog record by number or with creator, both records by condition id', async () => {
  const condition = world.conditions.get('site-market') ?? '';
  const catalogKeys = Object.keys(market);
  const { json: byNumber } = await world.get('/markets/5');
  expect(Object.keys(byNumber)).toEqual(expect.arrayContaining(catalogKeys));
  expect('condition_id' in byNumber).toBe(false);
  for (const path of [
    `/markets/${condition}`,
    `/markets/${inUpperCase(condition)}`,
    `/markets/${condition}?creator=`,
  ]) {
    const { json: both } = await world.get(path);
    expect(Object.keys(both)).toEqual(
      expect.arrayContaining([...catalogKeys, 'condition_id', 'tokens', 'raw_metadata']),
    );
    expect(both.outcomes).toEqual(['Yes', 'No']);
    expect(both).toMatchObject({ condition_id: condition, conditionId: condition, id: '5', market_id: 5 });
  }
  const { json: pure } = await world.get(`/markets/${condition}?creator=${SITE}`);
  expect(pure).toEqual((await world.get(`/markets/5?creator=${SITE}`)).json);
  expect((await world.get(`/markets/${condition}?creator=other`)).status).toBe(404);
  expect((await world.get(`/markets/5?next_cursor=MA==`)).json.id).toBe('5');
  const mounted = await world.get(`/gamma/markets/${condition}`);
  expect([mounted.status, mounted.json.error]).toEqual([422, 'id is invalid']);
  expect((await world.get('/gamma/markets/5')).json.conditionId).toBe(condition);
  const unknown = await world.get(`/markets/0x${'1'.repeat(64)}`);
  expect([unknown.status, unknown.json]).toEqual([404, { error: 'id not found', type: 'not found error' }]);
  for (const id of ['x', '0x1', '1.5', '-1', '%20']) expect((await world.get(`/markets/${id}`)).status, id).toBe(400);
});

test('a draft market is found by number, slug and with active=false, but not by condition id or search', async () => {
  for (const path of ['/markets/7', '/markets/slug/hidden', '/gamma/markets/7', '/gamma/markets/slug/hidden']) {
    const { json: draft } = await world.get(path);
    expect([path, draft.slug, draft.active]).toEqual([path, 'hidden', false]);
  }
  expect((await world.get('/markets?active=false')).json).toHaveLength(1);
  expect((await world.get('/public-search?q=draft')).json.events).toEqual([]);
  const { condition_id: condition } = await world.admin('POST', '/admin/markets', {
    event: 'elsewhere',
    question: 'Is this a draft of a site?',
    status: 'draft',
  });
  for (const path of ['', `?creator=${SITE}`, '/tags', '/description']) {
    const { status, json } = await world.get(`/markets/${condition}${path}`);
    expect([path, status, json.error]).toEqual([path, 404, 'id not found']);
  }
});

test('a malformed condition id is rejected under the parameter name that was used', async () => {
  for (const name of ['conditionId', 'condition_id', 'condition_ids']) {
    const good = `0x${'1'.repeat(64)}`;
    expect((await world.get(`/gamma/markets?conditionId=${good}&${name}=abc`)).json.error).toBe(`${name} is invalid`);
    expect((await world.get(`/markets?${name}=${good},abc`)).json.error).toBe(
      `invalid_field: ${name}: it must be 0x and 64 hex digits`,
    );
  }
});

test('order-book records list tags by label, and show a new label as soon as it is set', async () => {
  const condition = world.conditions.get('cup-home');
  const namesIn = async (path: string): Promise<unknown> => {
    const { json } = await world.get(path);
    const rows: readonly Record<string, unknown>[] = json.data ?? [json];
    return rows.find(({ condition_id }) => condition_id === condition)?.tags;
  };
  const reward = { asset_address: `0x${'1'.repeat(40)}`, rewards_daily_rate: 5 };
  await world.admin('PATCH', `/admin/markets/${condition}`, {
    rewards: { rates: [reward], min_size: 5, max_spread: 3 },
  });
  for (const [soccer, label] of [
    ['Soccer', undefined],
    ['Association football', 'Association football'],
  ]) {
    if (label !== undefined) {
      await world.admin('POST', '/admin/events', { title: label, tags: ['soccer'], tag_labels: { soccer: label } });
    }
    for (const path of ['/markets?next_cursor=', '/sampling-markets', `/markets/${condition}`]) {
      expect([path, await namesIn(path)]).toEqual([path, ['Sports', soccer]]);
    }
    expect((await world.get('/markets?include_tag=true&slug=cup-home')).json[0].tags).toMatchObject([
      { label: 'Sports' },
      { label: soccer },
    ]);
  }
  expect((await world.get(`/markets/${world.conditions.get('lone')}`)).json.tags).toEqual([]);
});
