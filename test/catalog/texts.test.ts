// Rows of lists are cached as text: after every change that a client can see, the row equals one freshly made from the
// market. In this order of changes, a row that is not made again would show.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { descriptiveFields, priceFields, tradingFields } from '../../server/wire/catalog.ts';
import { alice, bob, type MarketIds, newMarket, openTradingWorld, post, server } from '../http/tradingWorld.ts';
import { ADMIN, send } from '../support/client.ts';
import { PATIENCE } from '../support/patience.ts';

let market: MarketIds;
let other: MarketIds;

beforeAll(async () => {
  await openTradingWorld();
  const event = { title: 'A match', slug: 'a-match', description: 'Of the event.', tags: ['sports'] };
  expect((await send(server.url, 'POST', '/admin/events', event, ADMIN)).status).toBe(200);
  market = await newMarket({ event: 'a-match', slug: 'of-match' });
  other = await newMarket({ event: 'a-match' });
});
afterAll(() => server.close());

/** The market's record as made from its row now. */
function freshRecord(): object {
  const { catalog, views, exchange } = server.services;
  catalog.settle(exchange.now());
  const row = views.markets.byCondition(market.conditionId);
  if (row === undefined) throw new Error('the market is not there');
  const figures = catalog.marketFiguresOf(row);
  return JSON.parse(
    JSON.stringify({
      ...descriptiveFields(catalog.eventOf(row), row, figures),
      ...priceFields(row, figures),
      ...tradingFields(catalog.eventOf(row), row),
    }),
  );
}

async function listed(mount: string) {
  const { json } = await send(server.url, 'GET', `${mount}/markets?slug=of-match&closed=`);
  const closed = await send(server.url, 'GET', `${mount}/markets?slug=of-match&closed=true`);
  return json[0] ?? closed.json[0];
}

const change = (body: object) => async () => {
  const path = `/admin/markets/${market.conditionId}`;
  expect((await send(server.url, 'PATCH', path, body, ADMIN)).status).toBe(200);
};

const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['nothing', async () => {}],
  ['an order rests', () => post(alice, market, { pips: 4_000, shares: 50 })],
  ['a trade', () => post(bob, market, { pips: 6_000, shares: 20, token: 1 })],
  ['a fee', change({ fee: { rate: '0.04', exponent: 1 } })],
  ['a tick', change({ tick_size: '0.001' })],
  ['a question', change({ question: 'Who says “so”?' })],
  ['a date', change({ end_date: '2031-05-05T05:05:05Z' })],
  ['a pause', change({ status: 'paused' })],
  ['going on', change({ status: 'open' })],
  ['the archive', change({ archived: true })],
  ['out of it', change({ archived: false })],
  ['another market of the event trades', () => post(alice, other, { pips: 3_000, shares: 20 })],
  [
    'a result',
    async () => {
      const path = `/admin/markets/${market.conditionId}/resolve`;
      expect((await send(server.url, 'POST', path, { outcome: 'Yes' }, ADMIN)).status).toBe(200);
    },
  ],
];

test('after every change, lists show the current state of the market and its event', async () => {
  for (const [what, make] of steps) {
    await make();
    for (const mount of ['', '/gamma']) {
      const { events, ...row } = await listed(mount);
      expect(row, `${what}, listed at ${mount}/`).toEqual(freshRecord());
      expect(events).toHaveLength(1);
      const event = (await send(server.url, 'GET', `${mount}/events/slug/a-match`)).json;
      const ofEvent = event.markets.find(({ slug }: { readonly slug: string }) => slug === 'of-match');
      expect(ofEvent, `${what}, in its event`).toEqual(row);
      if (mount !== '') expect(event).toMatchObject(events[0]);
    }
  }
});

test('a tag takes its label from the first event that sets one', async () => {
  const event = {
    title: 'The vote',
    slug: 'the-vote',
    tags: ['us-vote', 'world'],
    tag_labels: { 'us-vote': 'US vote' },
  };
  expect((await send(server.url, 'POST', '/admin/events', event, ADMIN)).status).toBe(200);
  const again = { ...event, slug: 'the-next-vote', tag_labels: { 'us-vote': 'Voting', world: 'The world' } };
  expect((await send(server.url, 'POST', '/admin/events', again, ADMIN)).status).toBe(200);
  const { json } = await send(server.url, 'GET', '/events/slug/the-vote');
  expect(json.tags.map(({ label }: { readonly label: string }) => label)).toEqual(['US vote', 'The world']);
});

test('creating another event with a tag advances the updatedAt of that tag in earlier events', async () => {
  const tagsOf = async () => (await send(server.url, 'GET', '/events?slug=a-match')).json[0].tags;
  const [before] = await tagsOf();
  const later = { title: 'Another match', slug: 'another-match', tags: ['sports'] };
  await vi.waitUntil(() => Date.now() > Date.parse(before.updatedAt), PATIENCE);
  expect((await send(server.url, 'POST', '/admin/events', later, ADMIN)).status).toBe(200);
  const [after] = await tagsOf();
  expect(after).toMatchObject({ id: before.id, slug: 'sports' });
  expect(Date.parse(after.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt));
});
