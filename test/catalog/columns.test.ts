// Every sort column and every range filter of catalog lists, on four markets in an event each. Each column puts them in an
// order of its own, so that none can stand for another or for its reverse; only `id` and `createdAt` agree.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VirtualClock } from '../../engine/index.ts';
import { endpointOf } from '../support/endpointOf.ts';
import { openQuotes } from './quotes.ts';
import { type CatalogWorld, openEmptyWorld, slugsIn } from './world.ts';

/** The slugs of the markets, which are also those of their events. */
const SLUGS = ['a', 'b', 'c', 'd'];
/** One number for each slug; of times they give the order alone, of dates the day of January. */
type Keys = readonly number[];
const FIGURES: Readonly<Record<string, Keys>> = {
  updatedAt: [1, 3, 2, 4],
  closedTime: [3, 1, 2, 4],
  volume: [53, 17, 32, 13],
  volume24hr: [3, 12, 2, 8],
  liquidity: [33, 11, 68, 41],
  competitive: [0.9996, 0.9045, 0.988, 0.9097],
};
const MARKETS: Readonly<Record<string, Keys>> = {
  id: [1, 2, 3, 4],
  createdAt: [1, 2, 3, 4],
  startDate: [4, 2, 1, 3],
  endDate: [3, 4, 2, 1],
  spread: [0.04, 0.05, 0.02, 0.03],
  lastTradePrice: [0.3, 0.6, 0.4, 0.2],
  ...FIGURES,
};
const EVENTS: Readonly<Record<string, Keys>> = {
  id: [3, 1, 4, 2],
  createdAt: [3, 1, 4, 2],
  startDate: [1, 3, 4, 2],
  endDate: [3, 2, 1, 4],
  ...FIGURES,
};
/** Trades of yesterday and of today, and the resting orders, from which the figures follow. */
const EARLY = { pips: [5_000, 5_000, 5_000, 5_000], shares: [100, 10, 60, 10] };
const LATE = { pips: [3_000, 6_000, 4_000, 2_000], shares: [10, 20, 5, 40] };
const BIDS = { pips: [4_600, 8_000, 3_800, 1_700], shares: [50, 10, 100, 100] };
const ASKS = { pips: [5_000, 8_500, 4_000, 2_000], shares: [20, 20, 50, 30] };

/** The slugs in ascending order of their keys. */
const slugsBy = (keys: Keys): readonly string[] =>
  SLUGS.toSorted((left, right) => keys[SLUGS.indexOf(left)] - keys[SLUGS.indexOf(right)]);
const DAY_MS = 86_400_000;
const dateOf = (column: string, day: number): string =>
  new Date(Date.UTC(column === 'startDate' ? 2020 : 2040, 0, 0) + day * DAY_MS).toISOString();

let world: CatalogWorld;
const clock = new VirtualClock(Date.UTC(2030, 0, 1));

/** Sends an operator's requests, one a second. */
async function request(method: string, path: string, body: object): Promise<void> {
  clock.advance(1_000);
  await world.admin(method, path, body);
}
async function change(slugs: readonly string[], body: object): Promise<void> {
  for (const slug of slugs) await request('PATCH', `/admin/markets/${world.conditions.get(slug)}`, body);
}
async function create(path: string, columns: typeof MARKETS, extraOf: (slug: string) => object): Promise<void> {
  for (const slug of slugsBy(columns.createdAt)) {
    const [start_date, end_date] = ['startDate', 'endDate'].map((name) =>
      dateOf(name, columns[name][SLUGS.indexOf(slug)]),
    );
    await request('POST', path, { slug, start_date, end_date, ...extraOf(slug) });
  }
}

beforeAll(async () => {
  world = await openEmptyWorld(clock);
  await create('/admin/events', EVENTS, (slug) => ({ title: `Unlike ${slug}` }));
  await create('/admin/markets', MARKETS, (slug) => ({ question: 'Is it?', event: slug }));
  const { trade, bid, ask } = await openQuotes(world);
  const quote = (place: typeof bid, { pips, shares }: typeof EARLY) =>
    Promise.all(SLUGS.map((slug, at) => place(slug, [pips[at], shares[at]])));
  await quote(trade, EARLY);
  clock.advance(25 * 3_600_000);
  await quote(trade, LATE);
  await quote(bid, BIDS);
  await quote(ask, ASKS);
  await change(slugsBy(FIGURES.updatedAt), { archived: false });
});
afterAll(() => world.server.close());

/** Parameters whose cases are in other files of this folder: lists, parameters, official, forms. */
const ELSEWHERE =
  'active closed archived tag tag_slug tag_id tag_match related_tags cyom game_id creator limit offset after_cursor order ' +
  'ascending slug id';
const OF_MARKETS =
  'event_id event_slug eventSlug conditionId condition_id condition_ids clob_token_ids rewards_min_size include_tag ' +
  'uma_resolution_status sports_market_types market_maker_address position_ids rfq_enabled next_cursor';
const OF_EVENTS =
  'exclude_tag_id featured live parent_event_id partner_slug ended event_date event_week start_time_min start_time_max ' +
  'title_search include_markets series_slug series_id recurrence';
/** Filters with both bounds, and the columns that they filter. */
const TIMES = { start_date: 'startDate', end_date: 'endDate' };
const OF_MARKET_FIGURES = { volume_num: 'volume', liquidity_num: 'liquidity' };
const OF_EVENT_FIGURES = { volume: 'volume', liquidity: 'liquidity' };

const LISTS = [
  { list: 'markets', columns: MARKETS, ranges: { ...TIMES, ...OF_MARKET_FIGURES }, others: OF_MARKETS },
  { list: 'events', columns: EVENTS, ranges: { ...TIMES, ...OF_EVENT_FIGURES }, others: OF_EVENTS },
] as const;

test.each(LISTS)('every parameter of $list has a case here or in another file', ({ list, ranges, others }) => {
  const bounds = Object.keys(ranges).flatMap((name) => [`${name}_min`, `${name}_max`]);
  const known = [...bounds, 'question_ids', ...`${ELSEWHERE} ${others}`.split(' ')];
  for (const path of [`/${list}`, `/${list}/keyset`, `/gamma/${list}`, `/gamma/${list}/keyset`]) {
    const names = Object.keys(endpointOf('GET', path).schema.query ?? {});
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  }
});

test.each(LISTS)('every range of $list includes its bounds', async ({ list, columns, ranges }) => {
  for (const [name, column] of Object.entries(ranges)) {
    const keys = columns[column];
    for (const bound of keys.flatMap((key) => [key - 1e-6, key, key + 1e-6])) {
      const text = name in TIMES ? dateOf(column, bound) : bound.toFixed(6);
      for (const path of [`/${list}`, `/gamma/${list}/keyset`]) {
        const found = async (end: string) => (await slugsIn(world, `${path}?${name}_${end}=${text}`)).toSorted();
        const where = `${path} ${name} ${text}`;
        expect(await found('min'), where).toEqual(SLUGS.filter((_, at) => keys[at] >= bound));
        expect(await found('max'), where).toEqual(SLUGS.filter((_, at) => keys[at] <= bound));
      }
    }
  }
});

test('question_ids selects markets by their questions, not by their conditions', async () => {
  const { questionID } = (await world.get('/markets/slug/b')).json;
  const ids = `${questionID},0x${'1'.repeat(64)},${world.conditions.get('c')}`;
  for (const path of ['/markets', '/gamma/markets/keyset']) {
    expect(await slugsIn(world, `${path}?question_ids=${ids}`)).toEqual(['b']);
  }
});

// Last, because it closes the markets, which empties their books.
test('lists and searches sort by every column, in both directions', async () => {
  const { marketColumns, eventColumns } = world.server.services.catalog;
  expect(Object.keys(MARKETS).toSorted()).toEqual(marketColumns.toSorted());
  expect(Object.keys(EVENTS).toSorted()).toEqual(eventColumns.toSorted());
  const expectSorted = async (list: string, column: string, keys: Keys): Promise<void> => {
    const [rising, falling] = [slugsBy(keys), slugsBy(keys).toReversed()];
    const expectSlugs = async (path: string, slugs: readonly string[]) =>
      expect([path, await slugsIn(world, path)]).toEqual([path, slugs]);
    for (const mount of ['', '/gamma']) {
      const query = `order=${column}&closed=${column === 'closedTime'}`;
      await expectSlugs(`${mount}/${list}?${query}`, falling);
      await expectSlugs(`${mount}/${list}?${query}&ascending=true`, rising);
      await expectSlugs(`${mount}/${list}/keyset?${query}`, rising);
      if (list !== 'events') continue;
      const snakeCase = column.replace(/[A-Z]|24/g, (part) => `_${part.toLowerCase()}`);
      await expectSlugs(`${mount}/public-search?q=unlike&sort=${snakeCase}`, falling);
      await expectSlugs(`${mount}/public-search?q=unlike&sort=${column}&ascending=true`, rising);
    }
  };
  for (const { list, columns } of LISTS) {
    const { closedTime: _, ...others } = columns;
    for (const [column, keys] of Object.entries(others)) await expectSorted(list, column, keys);
  }
  await change(slugsBy(FIGURES.closedTime), { status: 'closed' });
  for (const { list } of LISTS) await expectSorted(list, 'closedTime', FIGURES.closedTime);
});
