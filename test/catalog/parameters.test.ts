// Parameters and keys of the catalog that official clients rely on, with the effect of each: tags requested together with
// related ones, sorted searches, and the id that the markets of a neg-risk event share.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CatalogWorld, openCatalogWorld, type Slugged, slugsIn } from './world.ts';

let world: CatalogWorld;
beforeAll(async () => {
  world = await openCatalogWorld();
  const events = [
    { title: 'Rain this week', slug: 'rain', tags: ['weather', 'europe'], end_date: '2031-01-01T00:00:00Z' },
    { title: 'Rain next week', slug: 'rain-next', tags: ['europe'], end_date: '2030-01-01T00:00:00Z' },
    { title: 'Rain for ever', slug: 'rain-ever', tags: ['forecasts'], end_date: '2032-01-01T00:00:00Z' },
  ];
  for (const event of events) {
    await world.admin('POST', '/admin/events', event);
    await world.admin('POST', '/admin/markets', {
      question: 'Does it rain?',
      slug: `${event.slug}-1`,
      event: event.slug,
    });
  }
});
afterAll(() => world.server.close());

const numberOf = async (slug: string): Promise<string> => (await world.get(`/tags/slug/${slug}`)).json.id;

test('related_tags=true extends tag filters of event and market lists to the related tags', async () => {
  const weather = await numberOf('weather');
  for (const mount of ['', '/gamma']) {
    for (const asked of [`tag_id=${weather}`, 'tag_slug=weather']) {
      expect(await slugsIn(world, `${mount}/events?${asked}`)).toEqual(['rain']);
      expect(await slugsIn(world, `${mount}/events?${asked}&related_tags=false`)).toEqual(['rain']);
      expect(await slugsIn(world, `${mount}/events?${asked}&related_tags=true`)).toEqual(['rain', 'rain-next']);
      expect(await slugsIn(world, `${mount}/events/keyset?${asked}&related_tags=1`)).toEqual(['rain', 'rain-next']);
      expect(await slugsIn(world, `${mount}/markets?${asked}`)).toEqual(['rain-1']);
      expect(await slugsIn(world, `${mount}/markets?${asked}&related_tags=true`)).toEqual(['rain-1', 'rain-next-1']);
    }
    // With several tags that must all match, each is widened on its own.
    const both = `tag_slug=weather,europe&tag_match=all&related_tags=true`;
    expect(await slugsIn(world, `${mount}/events?${both}`)).toEqual(['rain', 'rain-next']);
    expect(await slugsIn(world, `${mount}/events?tag_slug=nobody&related_tags=true`)).toEqual([]);
  }
  const all = await slugsIn(world, '/events');
  expect(await slugsIn(world, '/events?related_tags=true')).toEqual(all); // without a tag it has no effect
  expect((await world.get('/events?related_tags=some')).json.error).toContain('invalid_field: related_tags');
  expect((await world.get('/gamma/markets?related_tags=some')).status).toBe(422);
});

test('search sorts by a column, descending by default, across pages', async () => {
  const found = async (query: string): Promise<readonly string[]> => {
    const { status, json } = await world.get(query);
    expect([query, status]).toEqual([query, 200]);
    return json.events.map(({ slug }: Slugged) => slug);
  };
  for (const mount of ['', '/gamma']) {
    const search = `${mount}/public-search?q=rain`;
    const falling = ['rain-ever', 'rain', 'rain-next'];
    for (const sort of ['end_date', 'endDate']) {
      expect(await found(`${search}&sort=${sort}`)).toEqual(falling);
      expect(await found(`${search}&sort=${sort}&ascending=false`)).toEqual(falling);
      expect(await found(`${search}&sort=${sort}&ascending=true`)).toEqual(falling.toReversed());
      expect(await found(`${search}&sort=${sort}&limit_per_type=2`)).toEqual(falling.slice(0, 2));
      expect(await found(`${search}&sort=${sort}&limit_per_type=2&page=2`)).toEqual(falling.slice(2));
    }
    const unsorted = await found(search);
    expect(await found(`${search}&sort=relevance`)).toEqual(unsorted);
    const { json: sorted } = await world.get(`${search}&sort=volume&limit_per_type=2`);
    expect(sorted.pagination).toEqual({ hasMore: true, totalResults: 3 });
  }
  expect((await world.get('/public-search?q=rain&sort=colour')).json.error).toContain(
    'invalid_field: sort: it must be relevance or one of',
  );
  expect((await world.get('/gamma/public-search?q=rain&sort=colour')).json.error).toBe('sort is invalid');
});

test('a neg-risk event and all its markets share a negRiskMarketID derived from the first question id', async () => {
  const question = `0x2c3d7e0eee6f058be3006baabf0d54a07da254ba47fe6e3e095e7990c78147`;
  await world.admin('POST', '/admin/events', { title: 'Who wins?', slug: 'who-wins', neg_risk: true });
  expect((await world.get('/events/slug/who-wins')).json).not.toHaveProperty('negRiskMarketID');
  const market = { question: 'Does it win?', event: 'who-wins', neg_risk: true };
  await world.admin('POST', '/admin/markets', { ...market, slug: 'one-wins', question_id: `${question}05` });
  await world.admin('POST', '/admin/markets', { ...market, slug: 'two-wins', question_id: `${question}07` });
  await world.admin('POST', '/admin/markets', { ...market, slug: 'third-wins' });
  const id = `${question}00`;
  for (const mount of ['', '/gamma']) {
    const { json: event } = await world.get(`${mount}/events/slug/who-wins`);
    expect(event).toMatchObject({ negRisk: true, negRiskMarketID: id });
    expect(event.markets.map((one: { negRiskMarketID: string }) => one.negRiskMarketID)).toEqual([id, id, id]);
    const { json: listed } = await world.get(`${mount}/events?slug=who-wins`);
    expect(listed[0].negRiskMarketID).toBe(id);
    for (const slug of ['one-wins', 'third-wins']) {
      const { json: row } = await world.get(`${mount}/markets/slug/${slug}`);
      expect(row).toMatchObject({ negRisk: true, negRiskMarketID: id });
      const { json: record } = await world.get(`/markets/${row.conditionId}`);
      expect(record).toMatchObject({ neg_risk: true, neg_risk_market_id: id, negRiskMarketID: id });
    }
    expect((await world.get(`${mount}/markets/slug/rain-1`)).json).not.toHaveProperty('negRiskMarketID');
    expect((await world.get(`${mount}/events/slug/rain`)).json).not.toHaveProperty('negRiskMarketID');
  }
  const { json: plain } = await world.get(`/markets/${world.conditions.get('cup-home')}`);
  expect(plain).toMatchObject({ neg_risk: false, neg_risk_market_id: '' });
});

test('dates without a zone are UTC in any server time zone, and impossible dates are rejected', async () => {
  const zone = process.env.TZ;
  process.env.TZ = 'America/New_York';
  try {
    const sameTime = [
      ...['2031-01-01', '2031-01-01T00:00', '2031-01-01T00:00:00', '2031-01-01T00:00:00.000Z', '2031-01-01t00:00:00z'],
      ...['2031-01-01T02:00:00%2B02:00', '2031-01-01T02:00:00+02:00', '2030-12-31T19:00:00-0500'],
      ...['2031-01-01 00:00:00', '2031-01-01 00:00:00%2B00', '2031-01-01 00:00:00+00', '2031-01-01 00:00:00%2B00:00'],
    ];
    for (const time of sameTime) {
      const path = `/events?end_date_min=${time}&end_date_max=${time}`;
      expect([time, await slugsIn(world, path)]).toEqual([time, ['rain']]);
    }
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
  const bad = ['2031-02-29', '2031-04-31T00:00:00Z', '2031-13-01', '2031-01-01T25:00:00Z', '2031-01-01x', '1924992000'];
  for (const time of bad) {
    const { status, json } = await world.get(`/events?end_date_min=${time}`);
    expect([time, status]).toEqual([time, 400]);
    expect(json.error).toContain('invalid_field: end_date_min');
  }
});

test('invalid numbers are rejected with the allowed range, and a q of over 500 characters with its limit', async () => {
  const errorOf = async (path: string): Promise<string> => (await world.get(path)).json.error;
  const whole = 'it must be a whole number from';
  const past = '9007199254740992';
  expect(await errorOf(`/events?limit=${past}`)).toBe(`invalid_field: limit: ${whole} 0 to 9007199254740991`);
  for (const path of ['/events', '/tags', '/series']) {
    expect(await errorOf(`${path}/${past}`)).toBe(`invalid_field: id: ${whole} 0 to 9007199254740991`);
  }
  expect(await errorOf('/public-search?q=rain&page=x')).toBe(`invalid_field: page: ${whole} 1 to 9007199254740991`);
  expect(await errorOf('/events?volume_min=1000000000000001')).toContain('from -1000000000000000 to 1000000000000000');
  expect((await world.get('/events?volume_max=1000000000000000')).status).toBe(200);
  expect((await world.get(`/public-search?q=${'x'.repeat(500)}`)).status).toBe(200);
  expect(await errorOf(`/public-search?q=${'x'.repeat(501)}`)).toBe(
    'invalid_field: q: it must have at most 500 characters',
  );
});

test('search treats limit_per_type=0 as one row per page, and its last page has hasMore false', async () => {
  const { json } = await world.get('/public-search?q=rain&limit_per_type=0&page=3');
  expect(json.events).toHaveLength(1);
  expect(json.pagination).toEqual({ hasMore: false, totalResults: 3 });
});

test('repeated parameter values count once', async () => {
  const repeated = (value: string): string => Array(501).fill(value).join();
  const tag = await numberOf('weather');
  expect(await slugsIn(world, `/events?related_tags=true&tag_id=${repeated(tag)}`)).toEqual(['rain', 'rain-next']);
  expect(await slugsIn(world, `/events?slug=${repeated('rain')}`)).toEqual(['rain']);
  expect(await slugsIn(world, '/events?slug=rain,%20rain-next%20,,')).toEqual(['rain', 'rain-next']);
  expect(await slugsIn(world, `/markets?event_id=${repeated('1')}`)).toEqual(['cup-home', 'cup-goals']);
});

test('an empty parameter value is ignored, and the next one under that name or its alias applies', async () => {
  for (const mount of ['', '/gamma']) {
    const all = await slugsIn(world, `${mount}/events`);
    expect(await slugsIn(world, `${mount}/events?limit=&limit=1`)).toEqual(all.slice(0, 1));
    expect(await slugsIn(world, `${mount}/events?series_slug=&limit=1&limit=`)).toEqual(all.slice(0, 1));
    expect(await slugsIn(world, `${mount}/markets?event_slug=&event_slug=&eventSlug=rain`)).toEqual(['rain-1']);
    expect(await slugsIn(world, `${mount}/markets?event_slug=&event_slug=rain-next&eventSlug=rain`)).toEqual([
      'rain-next-1',
    ]);
  }
});

test('a search that finds more tags than events has more pages until all tags are shown', async () => {
  const body = { title: 'Harbours', slug: 'harbours', tags: ['quay-north', 'quay-south'] };
  await world.admin('POST', '/admin/events', body);
  const pages = await Promise.all(
    [1, 2].map((page) => world.get(`/public-search?q=quay&limit_per_type=1&page=${page}`)),
  );
  const tagsOf = ({ tags }: { readonly tags: readonly Slugged[] }) => tags.map(({ slug }) => slug);
  expect(pages.map(({ json }) => [tagsOf(json), json.pagination.hasMore])).toEqual([
    [['quay-north'], true],
    [['quay-south'], false],
  ]);
});
