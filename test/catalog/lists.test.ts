// Parameters of catalog lists (interface.md 4.2, 7; catalog-and-data.md 6.1 and 8): each with its aliases, its results in a
// small catalog, its limits, and the refusal of a bad value on the root and under /gamma.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inUpperCase } from '../support/hex.ts';
import { type CatalogWorld, openCatalogWorld, SITE, type Slugged, slugsIn } from './world.ts';

let world: CatalogWorld;
beforeAll(async () => {
  world = await openCatalogWorld();
});
afterAll(() => world.server.close());

const slugsOf = (path: string): Promise<readonly string[]> => slugsIn(world, path);

const LISTED = ['cup-home', 'cup-goals', 'rates-up', 'rates-down', 'site-market', 'lone'];

test('every market filter returns the matching markets, under each of its aliases', async () => {
  const cup = ['cup-home', 'cup-goals'];
  const home = world.conditions.get('cup-home') ?? '';
  const tokensOf = async (slug: string): Promise<readonly string[]> =>
    JSON.parse((await world.get(`/markets/slug/${slug}`)).json.clobTokenIds);
  const [[yes, no], [other]] = await Promise.all([tokensOf('cup-home'), tokensOf('rates-up')]);
  const table: readonly (readonly [string, readonly string[]])[] = [
    ['', LISTED],
    ['active=true', LISTED],
    ['active=false', ['hidden']],
    ['closed=true', ['rates-up', 'rates-down']],
    ['closed=false', ['cup-home', 'cup-goals', 'site-market', 'lone']],
    ['archived=true', ['lone']],
    ['archived=false&closed=false', ['cup-home', 'cup-goals', 'site-market']],
    ['tag=soccer', cup],
    ['tag_slug=soccer', cup],
    ['tag_slug=SOCCER', cup],
    ['tag_id=2', cup],
    ['tag=sports', [...cup, 'site-market']],
    ['tag=nobody', []],
    ['tag_id=99', []],
    ['event_id=1', cup],
    ['event_slug=cup-final', cup],
    ['eventSlug=cup-final', cup],
    ['event_id=99', []],
    [`conditionId=${home}`, ['cup-home']],
    [`condition_id=${inUpperCase(home)}`, ['cup-home']],
    [`condition_ids=${home}`, ['cup-home']],
    [`conditionId=0x${'1'.repeat(64)}`, []],
    ['slug=cup-goals', ['cup-goals']],
    ['slug=cup-goals,rates-up', ['cup-goals', 'rates-up']],
    ['slug=cup-goals&slug=rates-up', ['cup-goals', 'rates-up']],
    ['slug=nobody,rates-up', ['rates-up']],
    ['event_slug=nobody', []],
    ['event_id=1,99', cup],
    ['id=1,3', ['cup-home', 'rates-up']],
    ['id=0,99', []],
    [`clob_token_ids=${yes}`, ['cup-home']],
    [`clob_token_ids=${no},${yes}&clob_token_ids=${other}`, ['cup-home', 'rates-up']],
    [`clob_token_ids=${other.padStart(78, '0')}`, ['rates-up']],
    ['clob_token_ids=7', []],
    ['closed=true&uma_resolution_status=resolved', ['rates-up']],
    ['closed=true&uma_resolution_status=proposed,resolved', ['rates-up']],
    ['closed=true&uma_resolution_status=proposed', []],
    [`creator=${SITE}`, ['site-market']],
    [`creator=${inUpperCase(SITE)}`, ['site-market']],
    ['creator=nobody', []],
    ['limit=2', cup],
    ['limit=2&offset=2', ['rates-up', 'rates-down']],
    ['limit=0', []],
    ['limit=1000000', LISTED],
    ['offset=1000000', []],
    ['order=id', LISTED.toReversed()],
    ['order=id&ascending=true', LISTED],
    ['ascending=false', LISTED.toReversed()],
    ['order=endDate&ascending=true&closed=false&archived=false', ['cup-goals', 'cup-home', 'site-market']],
    ['order=end_date&closed=false&archived=false', ['cup-home', 'cup-goals', 'site-market']],
    ['order=volumeNum,id&limit=1', ['lone']],
    ['order=volume,endDate&ascending=true&closed=false&archived=false', ['cup-goals', 'cup-home', 'site-market']],
    ['order=volume,end_date&closed=false&archived=false', ['cup-home', 'cup-goals', 'site-market']],
    ['order=endDate,volume&order=id&limit=2', ['cup-home', 'cup-goals']],
    ['start_date_min=2026-01-01&start_date_max=2026-01-02', cup],
    ['end_date_max=2030-05-02T00:00:00Z', ['cup-goals']],
    ['volume_num_min=1', []],
    ['volume_num_min=.5', []],
    ['volume_num_min=-.5&limit=1', ['cup-home']],
    ['liquidity_num_max=0&limit=1', ['cup-home']],
    ['liquidity_num_max=0.&limit=1', ['cup-home']],
    ['tag=&slug=&creator=&unheard=of', LISTED],
    ['tag=sports&closed=false&creator=nobody', []],
  ];
  for (const [query, slugs] of table) expect([query, await slugsOf(`/markets?${query}`)]).toEqual([query, slugs]);
});

test('every event filter returns the matching events', async () => {
  const table: readonly (readonly [string, readonly string[]])[] = [
    ['', ['cup-final', 'rates', 'elsewhere']],
    ['closed=true', ['rates']],
    ['closed=false', ['cup-final', 'elsewhere']],
    ['active=false', []],
    ['archived=true', []],
    ['tag=sports', ['cup-final', 'elsewhere']],
    ['tag_slug=economy', ['rates']],
    ['tag_id=3', ['rates']],
    ['exclude_tag_id=1', ['rates']],
    ['series_slug=rates-monthly', ['rates']],
    ['series_id=1', ['rates']],
    ['series_slug=nobody', []],
    ['series_id=1,99', ['rates']],
    ['series_id=99', []],
    ['slug=rates', ['rates']],
    ['slug=nobody', []],
    ['id=3', ['elsewhere']],
    ['id=0,99', []],
    ['exclude_tag_id=99', ['cup-final', 'rates', 'elsewhere']],
    ['exclude_tag_id=2,3', ['elsewhere']],
    [`creator=${SITE}`, ['elsewhere']],
    [`creator=${inUpperCase(SITE)}`, ['elsewhere']],
    ['limit=1&offset=1', ['rates']],
    ['order=endDate&ascending=true&limit=1', ['cup-final']],
    ['order=id', ['elsewhere', 'rates', 'cup-final']],
  ];
  for (const [query, slugs] of table) {
    expect([query, await slugsOf(`/events?${query}`)]).toEqual([query, slugs]);
    expect([query, await slugsOf(`/gamma/events?${query}`)]).toEqual([query, slugs]);
  }
});

test('/gamma/markets hides closed markets unless they are requested, but not archived ones', async () => {
  expect(await slugsOf('/gamma/markets')).toEqual(['cup-home', 'cup-goals', 'site-market', 'lone']);
  expect(await slugsOf('/gamma/markets/keyset?slug=lone')).toEqual(['lone']);
  expect(await slugsOf('/gamma/markets?closed=true')).toEqual(['rates-up', 'rates-down']);
  expect(await slugsOf('/gamma/markets?slug=rates-up')).toEqual([]);
  expect(await slugsOf('/gamma/markets?archived=true')).toEqual(['lone']);
});

test('keyset pages return every row exactly once, in the requested order', async () => {
  for (const mount of ['', '/gamma']) {
    for (const query of [
      '',
      '&order=endDate',
      '&order=volume,endDate&ascending=false',
      '&order=volume24hr,id&tag=sports',
    ]) {
      const whole = await slugsOf(`${mount}/markets/keyset?limit=100${query}`);
      // Unlike lists by offset, they rise unless it is asked otherwise.
      const direction = query.includes('ascending') ? '' : '&ascending=true';
      expect(whole, query).toEqual(await slugsOf(`${mount}/markets?limit=100${query}${direction}`));
      const seen: string[] = [];
      let cursor = '';
      for (let page = 0; page < 20; page += 1) {
        const { json } = await world.get(`${mount}/markets/keyset?limit=${page % 2}${query}${cursor}`); // 0 counts as 1
        expect(json.markets, 'the last page has no cursor').toHaveLength(1);
        seen.push(...json.markets.map(({ slug }: Slugged) => slug));
        if (json.next_cursor === undefined) break;
        cursor = `&after_cursor=${encodeURIComponent(json.next_cursor)}`;
      }
      expect(seen, `${mount} ${query}`).toEqual(whole);
    }
    const whole = await slugsOf(`${mount}/events/keyset?limit=100`);
    expect(whole.slice(0, 3)).toEqual(['cup-final', 'rates', 'elsewhere']);
    const { json } = await world.get(`${mount}/events/keyset?limit=2`);
    expect(json.events.map(({ slug }: Slugged) => slug)).toEqual(whole.slice(0, 2));
    expect(await slugsOf(`${mount}/events/keyset?after_cursor=${json.next_cursor}`)).toEqual(whole.slice(2));
  }
});

test('GET /events/pagination is GET /events with the number of events on all pages', async () => {
  for (const mount of ['', '/gamma']) {
    for (const query of ['', '&closed=false', '&tag_slug=sports', '&title_search=nobody', '&order=volume24hr,id']) {
      const { json: all } = await world.get(`${mount}/events?limit=100${query}`);
      for (const limit of [0, 1, 2, 100]) {
        for (const offset of [0, 1, all.length]) {
          const { json } = await world.get(`${mount}/events/pagination?limit=${limit}&offset=${offset}${query}`);
          const hasMore = offset + limit < all.length;
          expect(json, query).toEqual({
            data: all.slice(offset, offset + limit),
            pagination: { hasMore, totalResults: all.length },
          });
        }
      }
    }
  }
});

test('an invalid parameter is rejected with 400 on the root and 422 under /gamma, each in its error form', async () => {
  const bad = ['limit=x', 'limit=-1', 'offset=1.5', 'active=yes', 'closed=2', 'tag_id=x', 'ascending=up'];
  const ofMarkets = [
    'event_id=x',
    'conditionId=0x1',
    'condition_ids=1',
    'clob_token_ids=x',
    'volume_num_min=x',
    'end_date_min=x',
  ];
  for (const path of ['/markets', '/events']) {
    for (const query of path === '/markets' ? [...bad, ...ofMarkets] : [...bad, 'series_id=x', 'volume_min=1e16']) {
      const name = query.split('=')[0];
      const root = await world.get(`${path}?${query}`);
      expect([query, root.status, root.json.type]).toEqual([query, 400, 'bad request']);
      expect(root.json.error).toContain(`invalid_field: ${name}`);
      const mounted = await world.get(`/gamma${path}?${query}`);
      expect([query, mounted.status, mounted.json.type]).toEqual([query, 422, 'validation error']);
    }
    for (const order of ['price', 'id,price', '__proto__', 'toString']) {
      expect((await world.get(`${path}?order=${order}`)).json.error).toContain('invalid_field: order');
      const { json } = await world.get(`/gamma${path}?order=${order}`);
      expect(json).toEqual({ error: 'order fields are not valid', type: 'validation error' });
    }
    expect((await world.get(`/gamma${path}?order=end_date`)).json.error).toBe('order fields are not valid');
    const deep = await world.get(`/gamma${path}?offset=2001`);
    const text = `offset too large, use ${path}/keyset for deeper pagination`;
    expect([deep.status, deep.json]).toEqual([422, { error: text, type: 'validation error' }]);
    expect((await world.get(`/gamma${path}?offset=2000`)).status).toBe(200);
    for (const short of ['/tags', '/series']) {
      const { status, json } = await world.get(`/gamma${short}?offset=2001`);
      expect([short, status, json.error]).toEqual([short, 422, 'offset too large, at most 2000']);
    }
    const offset = await world.get(`/gamma${path}/keyset?offset=1`);
    expect([offset.status, offset.json.error]).toEqual([422, 'offset is not allowed on keyset endpoints']);
    expect((await world.get(`${path}/keyset?offset=1`)).status).toBe(400);
    const places = ['[0],"0"', '[0],1.5', '[0],-1', '[],0', '[0,0],0', '["0"],0', '[1e999],0', '[true],0', '0,0'];
    const cursors = places.map((place) => `["id",true,${place}]`);
    for (const text of ['x', '[]', '["id",false,[0],0]', '["volume",true,[0],0]', '["id",true,[0],0,0]', ...cursors]) {
      const cursor = Buffer.from(text).toString('base64url');
      expect((await world.get(`${path}/keyset?after_cursor=${cursor}`)).json.error).toContain('after_cursor');
    }
  }
  expect((await world.get(`/markets?slug=${Array.from({ length: 501 }, (_, at) => at).join(',')}`)).status).toBe(400);
});

test('unknown records and records of another creator return 404; malformed ids are rejected as invalid', async () => {
  const lost = { error: 'id not found', type: 'not found error' };
  for (const mount of ['', '/gamma']) {
    for (const path of ['/markets/99', '/events/99', '/tags/99', '/series/99', '/markets/99/tags', '/events/0']) {
      const { status, json } = await world.get(`${mount}${path}`);
      expect([path, status, json]).toEqual([path, 404, lost]);
    }
    for (const path of ['/markets/slug/nobody', '/events/slug/nobody', '/tags/slug/nobody', '/events/slug/__proto__']) {
      const { status, json } = await world.get(`${mount}${path}`);
      expect([path, status, json]).toEqual([path, 404, { error: 'slug not found', type: 'not found error' }]);
    }
    for (const path of ['/events/3', '/events/slug/elsewhere', '/markets/5', '/markets/slug/site-market']) {
      for (const creator of [SITE, inUpperCase(SITE)]) {
        expect((await world.get(`${mount}${path}?creator=${creator}`)).status, path).toBe(200);
      }
      expect((await world.get(`${mount}${path}?creator=other`)).status, path).toBe(404);
    }
  }
  for (const path of ['/events/x', '/tags/x', '/series/-1', '/markets/x']) {
    expect([(await world.get(path)).status, path]).toEqual([400, path]);
    expect((await world.get(`/gamma${path}`)).json).toEqual({ error: 'id is invalid', type: 'validation error' });
  }
});

test('search returns events and tags page by page, but never profiles', async () => {
  const { json } = await world.get('/public-search?q=cup&search_profiles=true');
  expect(json).toEqual({
    events: [{ id: '1', ticker: 'CUP', slug: 'cup-final', title: 'Cup final' }],
    tags: [],
    pagination: { hasMore: false, totalResults: 1 },
  });
  const tags = (await world.get('/public-search?q=sport')).json;
  expect(tags.tags).toEqual([{ id: '1', label: 'Sports', slug: 'sports', event_count: 2 }]);
  expect(tags.pagination).toEqual({ hasMore: false, totalResults: 3 });
  expect((await world.get('/public-search?q=sport&search_tags=false')).json.tags).toEqual([]);
  const first = (await world.get('/public-search?q=sports&limit_per_type=1')).json;
  expect([first.events.length, first.pagination.hasMore]).toEqual([1, true]);
  const second = (await world.get('/public-search?q=sports&limit_per_type=1&page=2')).json;
  expect([second.events.length, second.pagination.hasMore]).toEqual([1, false]);
  expect(second.events[0].id).not.toBe(first.events[0].id);
  for (const creator of [SITE, inUpperCase(SITE)]) {
    const { json: ofSite } = await world.get(`/public-search?q=sports&creator=${creator}`);
    expect(ofSite.events).toHaveLength(1);
    expect(ofSite.tags).toEqual([{ id: '1', label: 'Sports', slug: 'sports', event_count: 1 }]);
  }
  expect((await world.get('/public-search?q=sports&creator=nobody')).json).toEqual({
    events: [],
    tags: [],
    pagination: { hasMore: false, totalResults: 0 },
  });
  expect((await world.get('/public-search?q=elsewere')).json.events[0].slug).toBe('elsewhere');
  expect((await world.get('/gamma/public-search?q=cup')).json.events[0].markets).toHaveLength(2);
  expect((await world.get('/gamma/public-search?q=rates&events_status=active')).json.events).toEqual([]);
  for (const status of ['closed', 'resolved']) {
    const found = async (text: string) =>
      (await world.get(`/gamma/public-search?q=${text}&events_status=${status}`)).json.events.length;
    expect([status, await found('rates'), await found('cup')]).toEqual([status, 1, 0]);
  }
  for (const query of ['', '?q=', '?q=%20']) {
    const { status, json: refused } = await world.get(`/public-search${query}`);
    expect([status, refused]).toEqual([400, { error: 'q is required', type: 'bad request' }]);
    const mounted = await world.get(`/gamma/public-search${query}`);
    expect([mounted.status, mounted.json.error]).toEqual([422, 'query argument "q": empty']);
  }
  for (const query of ['page=0', 'page=x', 'limit_per_type=x', 'search_tags=x', 'search_profiles=x']) {
    expect((await world.get(`/public-search?q=cup&${query}`)).status, query).toBe(400);
  }
  expect((await world.get(`/public-search?q=${'x'.repeat(501)}`)).status).toBe(400);
});

test('newly created events and markets are found immediately', async () => {
  const grown = await openCatalogWorld();
  await grown.admin('POST', '/admin/events', { title: 'Zeppelin race', slug: 'zeppelin' });
  const market = { question: 'Does Hindenburg win?', slug: 'hindenburg', event: 'zeppelin' };
  await grown.admin('POST', '/admin/markets', market);
  expect((await grown.get('/public-search?q=zepelin')).json.events[0].slug).toBe('zeppelin');
  expect((await grown.get('/public-search?q=hinden')).json.events[0].slug).toBe('zeppelin');
  expect(await slugsIn(grown, '/markets?limit=1&order=createdAt')).toEqual(['hindenburg']);
  const race = { question: 'Which one is faster?', event: 'zeppelin', outcomes: ['Bodensee', 'Nordstern'] };
  await grown.admin('POST', '/admin/markets', race);
  expect((await grown.get('/public-search?q=nordstern')).json.events[0].slug).toBe('zeppelin');
  const draft = { question: 'Does Parseval win?', slug: 'parseval', event: 'zeppelin', status: 'draft' };
  const { condition_id } = await grown.admin('POST', '/admin/markets', draft);
  expect((await grown.get('/public-search?q=parseval')).json.events).toEqual([]);
  await grown.admin('PATCH', `/admin/markets/${condition_id}`, { status: 'active' });
  expect((await grown.get('/public-search?q=parseval')).json.events[0].slug).toBe('zeppelin');
  await grown.server.close();
});
