// Requests of official catalog clients beyond lists and records (catalog-and-data.md 6.1, 6.2 and 8): profiles, related
// tags, creators of events, and parameters that widen, narrow or shorten a reply, each with its results in a small catalog.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CatalogWorld, openCatalogWorld, type Slugged, slugsIn } from './world.ts';

let world: CatalogWorld;
beforeAll(async () => {
  world = await openCatalogWorld();
});
afterAll(() => world.server.close());

test('GET /public-profile returns 400 without a valid address and 404 with one', async () => {
  for (const mount of ['', '/gamma']) {
    for (const query of ['', '?address=', '?address=0x1', `?address=${'1'.repeat(42)}`]) {
      const { status, json } = await world.get(`${mount}/public-profile${query}`);
      expect([query, status, json]).toEqual([query, 400, { error: 'invalid address', type: 'bad request' }]);
    }
    const { status, json } = await world.get(`${mount}/public-profile?address=0x${'aB'.repeat(20)}`);
    expect([status, json]).toEqual([404, { error: 'profile not found', type: 'not found error' }]);
  }
});

test('tags that share an event are related, requested by number or by slug', async () => {
  await world.admin('POST', '/admin/events', {
    title: 'Final of a league',
    slug: 'league',
    tags: ['sports', 'economy'],
  });
  await world.admin('POST', '/admin/markets', { question: 'Is it sold out?', slug: 'sold-out', event: 'league' });
  await world.admin('POST', '/admin/events', { title: 'Second leg', slug: 'leg', tags: ['economy', 'sports'] });
  await world.admin('POST', '/admin/markets', { question: 'Is it rainy?', slug: 'rainy', event: 'leg' });
  for (const mount of ['', '/gamma']) {
    for (const path of [`${mount}/tags/1/related-tags`, `${mount}/tags/slug/Sports/related-tags`]) {
      expect((await world.get(path)).json).toEqual([
        { id: '13', tagID: 1, relatedTagID: 3, rank: 1 },
        { id: '8', tagID: 1, relatedTagID: 2, rank: 2 },
      ]);
      const { json: tags } = await world.get(`${path}/tags?omit_empty=true&status=all`);
      expect(tags).toEqual([(await world.get('/tags/3')).json, (await world.get('/tags/2')).json]);
      expect((await world.get(`${path}?status=closed`)).json).toEqual([]);
      expect((await world.get(`${path}?status=active`)).json).toHaveLength(2);
    }
    for (const path of ['/tags/99/related-tags', '/tags/99/related-tags/tags']) {
      expect((await world.get(`${mount}${path}`)).json).toEqual({ error: 'id not found', type: 'not found error' });
    }
    expect((await world.get(`${mount}/tags/slug/nobody/related-tags`)).json.error).toBe('slug not found');
  }
  expect((await world.get('/tags/1/related-tags?status=some')).json.error).toContain('invalid_field: status');
  expect((await world.get('/gamma/tags/1/related-tags?omit_empty=x')).json.error).toBe('omit_empty is invalid');
  expect((await world.get('/gamma/tags/x/related-tags')).json.error).toBe('id is invalid');
});

test('GET /events/creators returns an empty list', async () => {
  for (const mount of ['', '/gamma']) {
    expect(await world.get(`${mount}/events/creators`)).toMatchObject({ status: 200, json: [] });
  }
});

const slugsOf = (path: string): Promise<readonly string[]> => slugsIn(world, path);

test('market filters for venue-specific features return only what exists on this exchange', async () => {
  const open = await slugsOf('/gamma/markets');
  const table: readonly (readonly [string, readonly string[]])[] = [
    ['uma_resolution_status=resolved&closed=true', ['rates-up']],
    ['uma_resolution_status=proposed,Resolved&closed=true', ['rates-up']],
    ['uma_resolution_status=proposed&closed=true', []],
    ['uma_resolution_status=resolved', []],
    [`market_maker_address=0x${'1'.repeat(40)}`, []],
    ['game_id=7', []],
    ['sports_market_types=moneyline', []],
    ['cyom=true', []],
    ['rfq_enabled=true', []],
    ['position_ids=7', []],
    ['cyom=false&rfq_enabled=false&game_id=&market_maker_address=', open],
    ['tag_id=1,2&tag_match=all', ['cup-home', 'cup-goals']],
    ['tag_id=2&tag_id=99&tag_match=all', []],
    ['tag_id=2,99&tag_match=any', ['cup-home', 'cup-goals']],
  ];
  for (const [query, slugs] of table) {
    for (const path of ['/gamma/markets', '/gamma/markets/keyset']) {
      expect([query, await slugsOf(`${path}?${query}`)]).toEqual([query, slugs]);
    }
  }
  expect((await world.get('/markets?tag_match=none')).json.error).toContain('invalid_field: tag_match');
  expect((await world.get('/gamma/markets?cyom=x')).json.error).toBe('cyom is invalid');
});

test('rewards_min_size returns markets whose rewards require at least that order size', async () => {
  const rewards = (min_size: number, rewards_daily_rate = 5) => ({
    rewards: { rates: [{ asset_address: `0x${'1'.repeat(40)}`, rewards_daily_rate }], min_size, max_spread: 3 },
  });
  const change = (slug: string, body: object) =>
    world.admin('PATCH', `/admin/markets/${world.conditions.get(slug)}`, body);
  const open = await slugsOf('/gamma/markets');
  await change('cup-home', rewards(50));
  await change('cup-goals', rewards(200.5));
  await change('site-market', rewards(1_000, 0)); // nothing a day, so it shows no rewards
  const table: readonly (readonly [string, readonly string[]])[] = [
    ['rewards_min_size=0', open],
    ['rewards_min_size=50', ['cup-home', 'cup-goals']],
    ['rewards_min_size=50.1&limit=1', ['cup-goals']],
    ['rewards_min_size=201', []],
    ['rewards_min_size=', open],
  ];
  for (const [query, slugs] of table) {
    for (const path of ['/gamma/markets', '/gamma/markets/keyset', '/markets']) {
      expect([path, query, await slugsOf(`${path}?closed=false&${query}`)]).toEqual([path, query, slugs]);
    }
  }
  expect((await world.get('/gamma/markets?rewards_min_size=x')).json.error).toBe('rewards_min_size is invalid');
  for (const slug of ['cup-home', 'cup-goals', 'site-market']) await change(slug, { rewards: {} });
});

test('event filters for venue-specific features return only what exists on this exchange', async () => {
  const all = await slugsOf('/gamma/events');
  const table: readonly (readonly [string, readonly string[]])[] = [
    ['featured=true', []],
    ['featured=false', all],
    ['cyom=true', []],
    ['live=true', []],
    ['live=false', all],
    ['game_id=7', []],
    ['parent_event_id=1', []],
    ['partner_slug=somebody', []],
    ['ended=true', []],
    ['ended=false', all],
    ['event_date=2030-06-01', []],
    ['event_week=3', []],
    ['start_time_min=2020-01-01T00:00:00Z', []],
    ['start_time_max=2040-01-01T00:00:00Z', []],
    ['title_search=CUP%20f', ['cup-final']],
    ['title_search=nobody', []],
    ['tag_id=1,2&tag_match=all', ['cup-final']],
    ['tag_slug=sports,soccer&tag_match=all', ['cup-final']],
  ];
  for (const [query, slugs] of table) {
    for (const path of ['/events', '/gamma/events/keyset']) {
      expect([query, await slugsOf(`${path}?${query}`)]).toEqual([query, slugs]);
    }
  }
  for (const mount of ['', '/gamma']) {
    expect((await world.get(`${mount}/tags?is_carousel=true`)).json).toEqual([]);
    expect((await world.get(`${mount}/tags?is_carousel=false`)).json).not.toEqual([]);
  }
});

test('event lists omit markets with include_markets=false', async () => {
  for (const path of ['/gamma/events', '/gamma/events/keyset']) {
    const { json: whole } = await world.get(`${path}?include_markets=true`);
    const { json: short } = await world.get(`${path}?include_markets=false`);
    const rowsOf = (json: typeof whole) => json.events ?? json;
    const bare = rowsOf(whole).map(({ markets: _, ...event }: Readonly<Record<string, unknown>>) => event);
    expect(rowsOf(short)).toEqual(bare);
  }
  expect((await world.get('/events?include_markets=true')).json).toEqual((await world.get('/events')).json);
});

test('a single market includes its tags with include_tag=true', async () => {
  for (const path of ['/markets/1', '/markets/slug/cup-home', '/gamma/markets/1', '/gamma/markets/slug/cup-home']) {
    const { json } = await world.get(`${path}?include_tag=true`);
    expect(json.tags, path).toEqual((await world.get('/markets/1/tags')).json);
    expect('tags' in (await world.get(path)).json, path).toBe(false);
  }
});

test('an optimized search returns the same events in slim form, with hasMore at the top level', async () => {
  for (const mount of ['', '/gamma']) {
    const { json: whole } = await world.get(`${mount}/public-search?q=sports&limit_per_type=1`);
    const { json: slim } = await world.get(`${mount}/public-search?q=sports&limit_per_type=1&optimized=true`);
    expect(slim).toMatchObject({ hasMore: true, tags: whole.tags, pagination: whole.pagination });
    expect(slim.events.map(({ slug }: Slugged) => slug)).toEqual(whole.events.map(({ slug }: Slugged) => slug));
    expect('markets' in slim.events[0]).toBe(false);
    expect('hasMore' in whole).toBe(false);
  }
});

test('under /gamma, the event of a market is the full event without tags, markets and eventMetadata', async () => {
  const { json: event } = await world.get('/gamma/events/2');
  const { tags: _tags, markets: _markets, eventMetadata: _metadata, ...expected } = event;
  for (const path of ['/gamma/markets?closed=true&slug=rates-up', '/gamma/markets/slug/rates-up']) {
    const { json } = await world.get(path);
    const [nested] = (Array.isArray(json) ? json[0] : json).events;
    expect(nested, path).toEqual(expected);
    expect(nested).toMatchObject({ volume: 0, liquidity: 0, negRisk: false, seriesSlug: 'rates-monthly' });
    expect(nested.series).toMatchObject([{ slug: 'rates-monthly', closed: true }]);
  }
});

test('search filters events by events_tag, exclude_tag_id and the recurrence of their series', async () => {
  const { id } = (await world.admin('POST', '/admin/imports', {})) as { id: string };
  const rows = [
    { kind: 'series', slug: 'rates-daily', title: 'Rates each day', recurrence: 'daily' },
    { kind: 'event', slug: 'rates-daily', title: 'Rates today', tags: ['economy'], series: 'rates-daily' },
    { kind: 'market', slug: 'up-today', question: 'Up today?', event: 'rates-daily' },
  ];
  const lines = rows.map((row, at) => ({ line: at + 1, row }));
  expect(await world.admin('POST', `/admin/imports/${id}/lines`, { lines })).toMatchObject({ errors: [] });
  await world.admin('POST', `/admin/imports/${id}/commit`, {});
  const table: readonly (readonly [string, readonly string[]])[] = [
    ['', ['rates', 'rates-daily']],
    ['&recurrence=daily', ['rates-daily']],
    ['&recurrence=weekly', []],
    ['&exclude_tag_id=3', []],
    ['&exclude_tag_id=1', ['rates', 'rates-daily']],
    ['&events_tag=economy', ['rates', 'rates-daily']],
    ['&events_tag=sports&events_tag=nobody', []],
  ];
  for (const mount of ['', '/gamma']) {
    for (const [query, slugs] of table) {
      const found = await slugsOf(`${mount}/public-search?q=rates${query}`);
      expect([query, found.toSorted()]).toEqual([query, slugs]);
    }
  }
  expect((await world.get('/gamma/public-search?q=rates&exclude_tag_id=x')).json.error).toBe(
    'exclude_tag_id is invalid',
  );
  // An event that is added to the series later says nothing of how often it recurs.
  await world.admin('POST', '/admin/events', { title: 'Rates tomorrow', slug: 'tomorrow', series: 'rates-daily' });
  expect(await slugsOf('/series?recurrence=daily')).toEqual(['rates-daily']);
  expect((await slugsOf('/events?recurrence=daily')).toSorted()).toEqual(['rates-daily', 'tomorrow']);
});

test('a series lists its events in short form on the root, and with state and dates under /gamma', async () => {
  const { json: event } = await world.get('/events/2');
  const short = { id: '2', ticker: 'rates', slug: 'rates', title: 'Rates next month' };
  expect((await world.get('/series/1')).json.events).toEqual([short]);
  const { startDate, endDate, createdAt, updatedAt } = event;
  const { json } = await world.get('/gamma/series/1');
  expect(json.events).toMatchObject([
    { ...short, closed: true, active: true, startDate, endDate, createdAt, updatedAt },
  ]);
  expect(json).toMatchObject({ featured: false, restricted: false, commentCount: 0 });
});

test('clobRewards start on the day their market was created and end on 2500-12-31', async () => {
  const rates = [5, 6].map((rewards_daily_rate) => ({ asset_address: `0x${'1'.repeat(40)}`, rewards_daily_rate }));
  const path = `/admin/markets/${world.conditions.get('cup-home')}`;
  await world.admin('PATCH', path, { rewards: { rates, min_size: 50, max_spread: 3 } });
  const shown = (await world.get('/gamma/markets?slug=cup-home')).json[0];
  expect(shown.clobRewards).toEqual(
    rates.map(({ asset_address, rewards_daily_rate }) => ({
      id: expect.stringMatching(/^\d+$/),
      conditionId: shown.conditionId,
      assetAddress: asset_address,
      rewardsAmount: 0,
      rewardsDailyRate: rewards_daily_rate,
      startDate: shown.createdAt.slice(0, 10),
      endDate: '2500-12-31',
    })),
  );
  expect(shown.clobRewards[0].id).not.toBe(shown.clobRewards[1].id);
  await world.admin('PATCH', path, { rewards: {} });
});

test('related tags come from open, closed or all events, depending on status', async () => {
  await world.admin('POST', '/admin/events', { title: 'Last year’s final', slug: 'over', tags: ['soccer', 'past'] });
  await world.admin('POST', '/admin/markets', { question: 'Is it over?', slug: 'over-1', event: 'over' });
  const { conditionId } = (await world.get('/markets/slug/over-1')).json;
  await world.admin('POST', `/admin/markets/${conditionId}/resolve`, { outcome: 'Yes' });
  const statuses = [
    ['?status=closed', ['past']],
    ['?status=active', ['sports']],
    ['?status=all', ['past', 'sports']],
    ['', ['past', 'sports']],
  ] as const;
  for (const [query, slugs] of statuses) {
    const { json } = await world.get(`/tags/slug/soccer/related-tags/tags${query}`);
    expect([query, json.map(({ slug }: Slugged) => slug).toSorted()]).toEqual([query, slugs]);
  }
});
