// The official unified client (@polymarket/client) against the mount /gamma: every public method that reads the catalog is
// called, unmodified except for its hosts, and its parsed result is compared with what was created. Its own schemas refuse
// any other shape, so a reply without a parse error has the right form.
import { CommentParentEntityType } from '@polymarket/bindings';
import { createPublicClient, forkEnvironmentConfig } from '@polymarket/client';
import { beforeAll, expect, test } from 'vitest';
import { world } from './ownWorld.ts';
import { maker, taker } from './twoTraders.ts';
import { giveShares, limit, readMarket, Side } from './world.ts';

let client: ReturnType<typeof createPublicClient>;

beforeAll(() => {
  const { url } = world;
  const environment = forkEnvironmentConfig({ name: 'outcry', gamma: { rest: `${url}/gamma` }, clob: { rest: url } });
  client = createPublicClient({ environment });
});

/** Trades shares of a market's first token at 0.5, and leaves nothing in its book. */
async function trade(conditionId: string, shares: number): Promise<void> {
  const market = await readMarket(world.url, conditionId);
  await giveShares(world.url, maker, market.yes, String(shares));
  await limit(maker, market, Side.SELL, market.yes, 0.5, shares);
  expect((await limit(taker, market, Side.BUY, market.yes, 0.5, shares)).status).toBe('matched');
}

/** The rows of all pages of a list. */
async function allOf<Row>(pages: AsyncIterable<{ readonly items: readonly Row[] }>): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const { items } of pages) rows.push(...items);
  return rows;
}

test('paging lists 211 distinct markets and 81 events, and volume24hr sorts descending', async () => {
  const markets = [
    ...(await allOf(client.listMarkets({ pageSize: 50 }))),
    ...(await allOf(client.listMarkets({ pageSize: 100, closed: true }))),
  ];
  expect(markets).toHaveLength(211);
  expect(new Set(markets.map(({ id }) => id)).size).toBe(211);
  for (const { outcomes, prices, trading } of markets) {
    expect([outcomes.yes.tokenId, outcomes.no.tokenId].every((token) => /^\d+$/.test(String(token)))).toBe(true);
    expect(Number(outcomes.yes.price) + Number(outcomes.no.price)).toBeCloseTo(1, 9);
    expect(prices.bestBid).toBeDefined();
    expect(trading.minimumTickSize).toBeDefined();
  }
  const events = [...(await allOf(client.listEvents({}))), ...(await allOf(client.listEvents({ closed: true })))];
  expect(events).toHaveLength(81);
  for (const [index, shares] of [20, 60, 40].entries()) await trade(markets[index].conditionId ?? '', shares);
  const sorted = await client.listMarkets({ order: 'volume24hr', ascending: false, pageSize: 5 }).firstPage();
  expect(sorted.items.map(({ metrics }) => Number(metrics.volume24hr))).toEqual([30, 20, 10, 0, 0]);
});

test('a market and an event are fetched by id and by slug, and their tags by id', async () => {
  const market = await client.fetchMarket({ id: '1' });
  expect(market.slug).toBe('dem-ticket-2028-newsom');
  expect((await client.fetchMarket({ slug: 'dem-ticket-2028-newsom' })).id).toBe('1');
  const event = await client.fetchEvent({ id: '1' });
  expect(event.markets?.length).toBeGreaterThan(1);
  expect((await client.fetchEvent({ slug: 'democratic-ticket-2028' })).id).toBe('1');
  expect((await client.fetchMarketTags({ id: '1' })).map(({ slug }) => slug)).toContain('politics');
  expect((await client.fetchEventTags({ id: '1' })).map(({ slug }) => slug)).toContain('politics');
});

test('tags, series and search return rows; sports, teams, comments and clarifications are empty', async () => {
  const tags = await allOf(client.listTags({}));
  expect(tags).toHaveLength(36);
  expect((await client.fetchTag({ id: String(tags[0].id) })).slug).toBe(tags[0].slug);
  const series = await allOf(client.listSeries({}));
  expect(series.length).toBeGreaterThan(10);
  expect((await client.fetchSeries({ id: String(series[0].id) })).slug).toBe(series[0].slug);
  const found = await client.search({ q: 'bitcon', pageSize: 2 }).firstPage();
  expect(found.items.events).toHaveLength(2);
  expect(found.totalCount).toBeGreaterThan(2);
  expect(await client.listSports()).toEqual([]);
  expect(await allOf(client.listTeams({}))).toEqual([]);
  expect(await client.fetchSportsMarketTypes()).toEqual({ marketTypes: [] });
  await expect(client.fetchRelatedTags({ id: '999' })).rejects.toThrow('id not found');
  await expect(client.fetchRelatedTags({ slug: 'no-such' })).rejects.toThrow('slug not found');
  const about = { parentEntityType: CommentParentEntityType.Event, parentEntityId: 1 };
  expect(await allOf(client.listComments(about))).toEqual([]);
  await expect(client.fetchCommentsById({ id: '1' })).rejects.toThrow('id not found');
  expect(await allOf(client.listCommentsByUserAddress({ address: `0x${'1'.repeat(40)}` }))).toEqual([]);
  expect(await allOf(client.listMarketClarifications({ marketId: '1' }))).toEqual([]);
});

test('a market that the catalog lists has an order book and a midpoint of 0.5', async () => {
  const { items } = await client.listMarkets({ order: 'liquidity', ascending: false, pageSize: 1 }).firstPage();
  const tokenId = items[0].outcomes.yes.tokenId;
  if (tokenId === null) throw new Error('the market has no token');
  const book = await client.fetchOrderBook({ tokenId });
  expect(book.bids).toEqual([]);
  expect(Number(await client.fetchMidpoint({ tokenId }))).toBe(0.5);
});

test('a public profile is null, and related tags are found by id and by slug', async () => {
  expect(await client.fetchPublicProfile({ address: `0x${'1'.repeat(40)}` })).toBeNull();
  const { id } = await client.fetchTag({ slug: 'politics' });
  const relations = await client.fetchRelatedTags({ id: String(id), status: 'all' });
  expect(relations.map(({ rank }) => rank)).toEqual([1, 2]);
  expect(await client.fetchRelatedTags({ slug: 'politics' })).toEqual(relations);
  const tags = await client.fetchRelatedTagResources({ slug: 'politics', omitEmpty: true });
  expect(tags.map((tag) => Number(tag.id))).toEqual(relations.map(({ relatedTagId }) => relatedTagId));
});
