// The official unified client reads user data: each of its calls against /data-api, with rows of real trades, splits,
// merges and redemptions. Its parsers refuse what they do not know, so a call that returns has been understood.
import { ActivityType, createPublicClient, forkEnvironmentConfig, type Paginated } from '@polymarket/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { alice, bob, call, type MarketIds, newMarket, openTradingWorld, post, server } from '../http/tradingWorld.ts';
import { ADMIN, send } from '../support/client.ts';

let client: ReturnType<typeof createPublicClient>;
let market: MarketIds;
let bare: MarketIds;
let over: MarketIds;
let user: string;
let eventId: number;

beforeAll(async () => {
  await openTradingWorld();
  const data = { rest: `${server.url}/data-api` };
  client = createPublicClient({ environment: forkEnvironmentConfig({ name: 'outcry', data }) });
  user = alice.wallet.address;
  const event = { title: 'An event', slug: 'an-event' };
  eventId = Number((await send(server.url, 'POST', '/admin/events', event, ADMIN)).json.id);
  market = await newMarket({ event: 'an-event', end_date: '2030-01-01T12:00:00Z', icon: 'http://127.0.0.1/i.png' });
  over = await newMarket({ event: 'an-event', end_date: '2030-01-01T12:00:00Z' });
  bare = await newMarket();
  for (const where of [market, over, bare]) {
    await post(alice, where, { pips: 4_000, shares: 50 });
    await post(bob, where, { pips: 6_000, shares: 30, token: 1 });
    await post(bob, where, { pips: 4_500, shares: 10 });
    await post(alice, where, { pips: 4_500, shares: 10, side: 'SELL' });
    const sets = { condition_id: where.conditionId, amount: '5', signature_type: 0 };
    for (const path of ['/split', '/merge']) expect((await call(alice, 'POST', path, sets)).status).toBe(200);
    await call(alice, 'POST', '/split', { ...sets, amount: '2.5' });
  }
  const path = `/admin/markets/${over.conditionId}/resolve`;
  expect((await send(server.url, 'POST', path, { outcome: 'Yes' }, ADMIN)).status).toBe(200);
  const redeem = { condition_id: over.conditionId, signature_type: 0 };
  expect((await call(alice, 'POST', '/redeem', redeem)).status).toBe(200);
});
afterAll(() => server.close());

/** Every row of every page; each page that the client requests begins where the last one ended. */
async function all<Row>(pages: Paginated<Row[]>): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const page of pages) rows.push(...page.items);
  return rows;
}

test('trades are listed by wallet, market, event, side, size and time', async () => {
  const rows = await all(client.listTrades({ pageSize: 4, takerOnly: false, user }));
  expect(rows).toHaveLength(6);
  expect(rows[0]).toMatchObject({ wallet: user.toLowerCase(), tokenId: expect.stringMatching(/^\d+$/), side: 'SELL' });
  const { conditionId } = market;
  const taken = await all(client.listTrades({ market: [conditionId, bare.conditionId], side: 'SELL' }));
  expect(taken.map((row) => row.conditionId)).toEqual([bare.conditionId, conditionId]);
  expect(await all(client.listTrades({ eventId: [eventId], filterType: 'TOKENS', filterAmount: 30 }))).toHaveLength(2);
  expect(await all(client.listTrades({ filterType: 'CASH', filterAmount: 1_000_000.5 }))).toEqual([]);
  expect(await all(client.listTrades({ start: 0, end: 1 }))).toEqual([]);
  expect(await all(client.listTrades())).toHaveLength(6);
});

test('activity is listed for all types and for selected ones', async () => {
  const rows = await all(client.listActivity({ user, pageSize: 5 }));
  const counts = ['TRADE', 'SPLIT', 'MERGE', 'REDEEM'].map((type) => rows.filter((row) => row.type === type).length);
  expect([counts, rows.length]).toEqual([[6, 6, 3, 2], 17]);
  const splits = await all(
    client.listActivity({ user, type: [ActivityType.SPLIT, ActivityType.MAKER_REBATE], eventId: [eventId] }),
  );
  expect(splits.map(({ type }) => type)).toEqual(['SPLIT', 'SPLIT', 'SPLIT', 'SPLIT']);
  expect(splits[0]).toMatchObject({ amount: '2.5', conditionId: over.conditionId, title: expect.any(String) });
  expect(await all(client.listActivity({ user, type: [ActivityType.YIELD] }))).toEqual([]);
  const sorted = client.listActivity({
    user,
    sortBy: 'CASH',
    sortDirection: 'ASC',
    side: 'BUY',
    market: [bare.conditionId],
  });
  expect(await all(sorted)).toHaveLength(1);
});

test('positions and closed positions are listed page by page', async () => {
  const rows = await all(client.listPositions({ user, pageSize: 1 }));
  expect(rows).toHaveLength(4);
  expect(rows.map(({ endDate }) => endDate).toSorted()).toEqual(['', '', '2030-01-01', '2030-01-01']);
  const filters = { sizeThreshold: 0.1, redeemable: false, mergeable: true, title: 'market', eventId: [eventId] };
  expect(await all(client.listPositions({ user, sortBy: 'RESOLVING', sortDirection: 'ASC', ...filters }))).toHaveLength(
    2,
  );
  const closed = await all(
    client.listClosedPositions({ user, pageSize: 1, sortBy: 'TIMESTAMP', sortDirection: 'DESC' }),
  );
  expect(closed.map(({ conditionId }) => conditionId)).toEqual([over.conditionId, over.conditionId]);
  expect(closed[0].timestamp).toBeGreaterThan(1.7e12);
});

test('portfolio value and traded market count of a wallet are correct', async () => {
  const [value] = await client.fetchPortfolioValue({ user, market: [market.conditionId, bare.conditionId] });
  const rows = await all(client.listPositions({ user }));
  const sum = rows.reduce((total, { currentValue }) => total + Number(currentValue), 0);
  expect(Number(value.value)).toBeCloseTo(sum, 6);
  expect(await client.fetchPortfolioValue({ user })).toEqual([value]);
  expect(await client.fetchTradedMarketCount({ user })).toEqual({ user: user.toLowerCase(), traded: 3 });
});

test('holders, open interest and live volume of markets add up', async () => {
  const [yes, no] = await client.listMarketHolders({ market: [market.conditionId], limit: 5, minBalance: 1 });
  expect([yes.token, no.token]).toEqual(market.tokens);
  const held = (group: typeof yes) => (group.holders ?? []).reduce((sum, { amount }) => sum + Number(amount), 0);
  const [interest] = await client.listOpenInterest({ market: [market.conditionId] });
  expect([held(yes), held(no)]).toEqual([Number(interest.value), Number(interest.value)]);
  const [total] = await client.listOpenInterest();
  expect(Number(total.value)).toBeGreaterThan(Number(interest.value));
  const [volume] = await client.fetchEventLiveVolume({ id: String(eventId) });
  const parts = (volume.markets ?? []).map(({ value }) => Number(value));
  expect([parts.length, Number(volume.total)]).toEqual([2, parts[0] + parts[1]]);
});

test('rejected requests carry their error text', async () => {
  await expect(all(client.listActivity({ user: 'nobody' }))).rejects.toThrow(
    /required query param 'user' not provided/,
  );
  await expect(all(client.listTrades({ market: ['x'] }))).rejects.toThrow(/invalid_field: market/);
});
