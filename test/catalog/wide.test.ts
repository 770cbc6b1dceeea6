// A tag and a series with more events than a list gathers and sorts: the list's own order is walked instead, only a limited
// number of events is looked at, and the order of the rows stays the same.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { relatedTags } from '../../server/catalog/index.ts';
import { type CatalogWorld, openCatalogWorld, type Slugged } from './world.ts';

/** More rows than are gathered and sorted. */
const WIDE = 2_100;
/** The end dates of the events, ascending, and the slug of the event for each. */
const ends: string[] = [];
const slugByEnd = new Map<string, string>();
let world: CatalogWorld;

beforeAll(async () => {
  world = await openCatalogWorld();
  const rows: object[] = [{ kind: 'series', slug: 'wide-series', title: 'Wide', recurrence: 'hourly' }];
  for (let at = 0; at < WIDE; at += 1) {
    const slug = `wide-${at}`;
    const end = new Date(Date.UTC(2033, 0, 1) + ((at * 11) % WIDE) * 1000).toISOString(); // not in numerical order
    ends.push(end);
    slugByEnd.set(end, slug);
    const tags = at === 0 ? ['wide', 'beside-wide'] : ['wide'];
    rows.push({ kind: 'event', slug, title: `Wide ${at}`, tags, series: 'wide-series', end_date: end });
    const tokenIds = [String(10 ** 9 + 2 * at), String(10 ** 9 + 2 * at + 1)];
    rows.push({ kind: 'market', slug: `${slug}-market`, question: 'Is it?', event: slug, token_ids: tokenIds });
  }
  // The reply to the start of an import, as documented.
  const { id } = (await world.admin('POST', '/admin/imports', {})) as { id: string };
  const lines = rows.map((row, at) => ({ line: at + 1, row }));
  await world.admin('POST', `/admin/imports/${id}/lines`, { lines });
  await world.admin('POST', `/admin/imports/${id}/commit`, {});
  ends.sort();
});
afterAll(() => world.server.close());

async function endsIn(path: string): Promise<readonly string[]> {
  const { json } = await world.get(path);
  return json.map(({ endDate }: { endDate: string }) => endDate);
}

test('lists of 2,100 events by tag, series or search are in the requested order', async () => {
  const sorted = 'order=endDate&ascending=true&limit=3';
  for (const asked of [
    'tag_slug=wide',
    'tag_slug=wide&related_tags=true',
    'tag_slug=beside-wide&related_tags=true',
    'series_slug=wide-series',
    'recurrence=hourly',
  ]) {
    expect([asked, await endsIn(`/events?${asked}&${sorted}`)]).toEqual([asked, ends.slice(0, 3)]);
    const falling = await endsIn(`/events?${asked}&order=endDate&limit=1`);
    expect([asked, falling]).toEqual([asked, [ends[WIDE - 1]]]);
  }
  const { json } = await world.get('/public-search?q=wide&sort=end_date&ascending=true&limit_per_type=3');
  expect(json.events.map(({ slug }: Slugged) => slug)).toEqual(ends.slice(0, 3).map((end) => slugByEnd.get(end)));
  expect(json.pagination.totalResults).toBe(WIDE + 2); // and both tags
  const { json: events } = await world.get('/events?tag_slug=wide&exclude_tag_id=1&limit=1&offset=2099');
  expect(events).toHaveLength(1);
});

test('a series lists its newest 2,000 events', async () => {
  const { json: series } = await world.get('/series?slug=wide-series');
  for (const mount of ['', '/gamma']) {
    const { json } = await world.get(`${mount}/series/${series[0].id}`);
    const slugs = json.events.map(({ slug }: Slugged) => slug);
    expect([slugs.length, slugs[0], slugs[1_999]]).toEqual([2_000, `wide-${WIDE - 2_000}`, `wide-${WIDE - 1}`]);
  }
});

test('relatedTags reads at most 2,000 events per tag and 20,000 for all requested tags together', async () => {
  const { catalog, views } = world.server.services;
  const tag = catalog.tags.bySlug('wide');
  if (tag === undefined) throw new Error('there is no such tag');
  let readCount = 0;
  const eventByNumber = (number: number) => {
    readCount += 1;
    return views.markets.eventByNumber(number);
  };
  for (const [asked, most] of [[1, 2_000] as const, [10, 2_000] as const, [100, 200] as const, [1_000, 20] as const]) {
    readCount = 0;
    // The newest ones: only the first event has another tag.
    expect(relatedTags(catalog, tag, eventByNumber, undefined, asked)).toEqual([]);
    expect([asked, readCount]).toEqual([asked, most]);
  }
});

test('a page has 20 rows by default and 100 at most', async () => {
  for (const mount of ['', '/gamma']) {
    for (const list of ['/events', '/markets']) {
      const sizeOf = async (query: string): Promise<number> =>
        (await world.get(`${mount}${list}?${query}`)).json.length;
      expect(await sizeOf('closed=false')).toBe(20);
      for (const [limit, size] of [
        [19, 19],
        [100, 100],
        [101, 100],
        [1_000_000, 100],
      ] as const) {
        expect(await sizeOf(`limit=${limit}`), `${list} ${limit}`).toBe(size);
      }
      const { json } = await world.get(`${mount}${list}/keyset?limit=101`);
      expect(json[list.slice(1)]).toHaveLength(100);
    }
  }
});
