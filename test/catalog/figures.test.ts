// The live figures of the catalog: volume, liquidity, best prices, last trade and 24-hour volume of markets and events
// follow from trades and resting orders, shown on hand-made orders; figures of a day age with the clock.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Fields } from '../../server/lib/jsonFields.ts';
import { alice, bob, call, cancelAll, get, newMarket, openTradingWorld, post, server } from '../http/tradingWorld.ts';
import { ADMIN, send } from '../support/client.ts';

beforeAll(openTradingWorld);
afterAll(() => server.close());

test('market figures follow every order, trade and cancel, and event figures are sums over their markets', async () => {
  await send(server.url, 'POST', '/admin/events', { title: 'Figures', slug: 'figures' }, ADMIN);
  const first = await newMarket({ event: 'figures' });
  const second = await newMarket({ event: 'figures' });
  const record = async (where: typeof first) => (await get(`/gamma/markets?condition_ids=${where.conditionId}`))[0];
  expect(await record(first)).toMatchObject({ volume: '0', liquidity: '0', bestBid: 0, bestAsk: 1, spread: 1 });

  await post(alice, first, { pips: 4000, shares: 100 }); // a bid of 0.40, backed by 40
  await post(alice, first, { pips: 3000, shares: 100, token: 1 }); // a bid for the other token: an ask of 0.70, backed by 30
  expect(await record(first)).toMatchObject({
    liquidity: '70',
    liquidityNum: 70,
    bestBid: 0.4,
    bestAsk: 0.7,
    spread: 0.3,
    outcomePrices: '["0.55", "0.45"]',
  });
  await post(bob, first, { pips: 7000, shares: 50 }); // takes half of the ask: 50 shares at 0.70
  expect(await record(first)).toMatchObject({
    volume: '35',
    volumeNum: 35,
    volume24hr: 35,
    liquidity: '55',
    lastTradePrice: 0.7,
    competitive: 1 / (1 + 0.05 ** 2),
  });
  await post(bob, second, { pips: 2000, shares: 10 });
  // One side alone has no midpoint.
  expect(await record(second)).toMatchObject({ bestBid: 0.2, bestAsk: 1, outcomePrices: '["0.5", "0.5"]' });
  const [event] = await get('/events?slug=figures');
  expect(event).toMatchObject({ volume: 35, volume24hr: 35, liquidity: 57, closed: false });
  expect((await get('/markets?order=volume24hr&limit=1'))[0].conditionId).toBe(first.conditionId);
  expect((await get('/markets?order=liquidity&limit=2'))[1].conditionId).toBe(second.conditionId);

  await cancelAll(alice);
  expect(await record(first)).toMatchObject({ liquidity: '0', volume: '35', bestBid: 0, bestAsk: 1 });
  expect((await get('/markets?order=liquidity&limit=1'))[0].conditionId).toBe(second.conditionId);

  await send(server.url, 'POST', `/admin/markets/${second.conditionId}/resolve`, { outcome: 'split' }, ADMIN);
  const [resolved] = await get(`/markets?condition_id=${second.conditionId}`);
  expect(resolved).toMatchObject({ closed: true, liquidity: '0', outcomePrices: '["0.5", "0.5"]', competitive: 0 });

  const { catalog, exchange, views } = server.services;
  const market = views.markets.byCondition(first.conditionId);
  if (market === undefined) throw new Error('the market is gone');
  catalog.settle(exchange.now() + 23 * 3_600_000);
  expect(catalog.marketFiguresOf(market)).toMatchObject({ volumeMicro: 35_000_000, volume24Micro: 35_000_000 });
  catalog.settle(exchange.now() + 25 * 3_600_000);
  expect(catalog.marketFiguresOf(market)).toMatchObject({ volumeMicro: 35_000_000, volume24Micro: 0 });
});

test('liquidity counts a SELL of shares as the BUY of the other token that it amounts to', async () => {
  const where = await newMarket();
  const body = { condition_id: where.conditionId, signature_type: 0, amount: '10' };
  expect((await call(alice, 'POST', '/split', body)).status).toBe(200);
  await post(alice, where, { pips: 6000, shares: 10, side: 'SELL' });
  expect((await get(`/gamma/markets?condition_ids=${where.conditionId}`))[0]).toMatchObject({ liquidity: '4' });
});

test('how competitive a market is follows the price that its record shows, also before any order or trade', async () => {
  const slugs = ['likely', 'even', 'unlikely'];
  for (const [at, last_price] of ['0.9', '0.45', '0.2'].entries()) {
    const body = { question: `Is it ${slugs[at]}?`, slug: slugs[at], last_price, event: 'figures' };
    expect((await send(server.url, 'POST', '/admin/markets', body, ADMIN)).status).toBe(200);
  }
  const found = await get(`/gamma/markets?${slugs.map((slug) => `slug=${slug}`).join('&')}&order=competitive`);
  const shown = found.map(({ slug, outcomePrices, competitive }: Fields) => [slug, outcomePrices, competitive]);
  expect(shown).toEqual([
    ['even', '["0.45", "0.55"]', 1 / (1 + 0.05 ** 2)],
    ['unlikely', '["0.2", "0.8"]', 1 / (1 + 0.3 ** 2)],
    ['likely', '["0.9", "0.1"]', 1 / (1 + 0.4 ** 2)],
  ]);
});

test('series sort by volume, volume24hr and liquidity of their events; tags reject ordering by volume', async () => {
  for (const name of ['quiet', 'busy', 'slow']) {
    await send(server.url, 'POST', '/admin/events', { title: name, slug: name, series: `series-${name}` }, ADMIN);
  }
  const [busy, slow] = [await newMarket({ event: 'busy' }), await newMarket({ event: 'slow' })];
  for (const [market, shares] of [
    [busy, 50],
    [slow, 20],
  ] as const) {
    await post(alice, market, { pips: 4000, shares });
    await post(bob, market, { pips: 6000, shares, token: 1 });
  }
  await post(alice, slow, { pips: 2000, shares: 100 });
  const slugs = async (query: string) =>
    (await get(`/series?${query}`)).map(({ slug }: { readonly slug: string }) => slug.slice('series-'.length));
  expect(await slugs('order=volume')).toEqual(['busy', 'slow', 'quiet']);
  expect(await slugs('order=volume24hr&ascending=true&limit=2')).toEqual(['quiet', 'slow']);
  expect(await slugs('order=liquidity,id')).toEqual(['slow', 'busy', 'quiet']);
  expect((await get('/gamma/series?order=volumeNum&limit=1'))[0].slug).toBe('series-busy');
  expect((await send(server.url, 'GET', '/series?order=endDate')).json.error).toBe(
    'invalid_field: order: it must be one of id, createdAt, updatedAt, volume, volume24hr, liquidity',
  );
  expect((await send(server.url, 'GET', '/gamma/tags?order=volume')).status).toBe(422);
});

test('what has no start begins when it was created, or when it ends if that is earlier', async () => {
  const [past, later] = ['2020-01-01T00:00:00.000Z', '2100-01-01T00:00:00.000Z'];
  for (const [slug, end_date] of Object.entries({ past, later })) {
    const created = await send(server.url, 'POST', '/admin/events', { title: slug, slug, end_date }, ADMIN);
    expect(created.status).toBe(200);
    const { conditionId } = await newMarket({ event: slug });
    const [event] = await get(`/events?slug=${slug}`);
    const [{ startDate, createdAt }] = await get(`/gamma/markets?condition_ids=${conditionId}`);
    expect([event.endDate, event.startDate]).toEqual([end_date, slug === 'past' ? past : event.createdAt]);
    expect(startDate).toBe(slug === 'past' ? past : createdAt);
  }
});

test('an event without markets is active, and has no time at which it closed', async () => {
  await send(server.url, 'POST', '/admin/events', { title: 'Empty', slug: 'empty' }, ADMIN);
  const [event] = await get('/gamma/events?slug=empty');
  expect([event.markets, event.active, event.closed]).toEqual([[], true, false]);
  expect(event).not.toHaveProperty('closedTime');
});
