// User data over HTTP in a world with more rows than any default page has: the effect of each parameter on the rows that
// come back, its default and its maximum. test/wire covers the parsing of parameters, test/history the figures.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN, send } from '../support/client.ts';
import { inUpperCase } from '../support/hex.ts';
import { alice, bob, call, type MarketIds, newMarket, openTradingWorld, post, server } from './tradingWorld.ts';

/** Markets that are split and kept; as many again are split and merged. */
const HELD_COUNT = 55;
const TRADE_COUNT = 102;
const HOLDER_COUNT = 101;

let traded: MarketIds;
let small: MarketIds;
let over: MarketIds;
let archived: MarketIds;
let user: string;

// biome-ignore lint/suspicious/noExplicitAny: whatever the server sends is what the test is about
type Rows = readonly any[];

async function rowsOf(path: string): Promise<Rows> {
  const { status, json } = await send(server.url, 'GET', path);
  expect([path, status, json.error]).toEqual([path, 200, undefined]);
  return json;
}
const countOf = async (path: string): Promise<number> => (await rowsOf(path)).length;
const keysOf = (rows: Rows, key: string): readonly unknown[] => rows.map((row) => row[key]);

async function operate(method: string, path: string, body: object): Promise<void> {
  const { status, json } = await send(server.url, method, path, body, ADMIN);
  expect([path, status, json.error]).toEqual([path, 200, undefined]);
}

async function act(path: '/split' | '/merge' | '/redeem', { conditionId }: MarketIds, amount?: string): Promise<void> {
  const body = { condition_id: conditionId, signature_type: 0, ...(amount !== undefined && { amount }) };
  expect((await call(alice, 'POST', path, body)).status).toBe(200);
}

const faucet = (address: string, { tokens }: MarketIds, outcome: 0 | 1, shares: string): Promise<void> =>
  operate('POST', '/dev/faucet', { address, token_id: tokens[outcome], shares });

beforeAll(async () => {
  await openTradingWorld();
  user = alice.wallet.address;
  await operate('POST', '/admin/events', { title: 'An event', slug: 'an-event' });
  const terms = { event: 'an-event', min_order_size: '1', min_marketable_buy: '0' };
  traded = await newMarket({ ...terms, question: 'A Zebra crossing?' });
  small = await newMarket({ ...terms, question: 'Small change' });
  over = await newMarket({ ...terms, question: 'Over and out' });
  archived = await newMarket({ ...terms, question: 'Archived', archived: true });
  const others = await Promise.all(Array.from({ length: 2 * HELD_COUNT }, () => newMarket()));
  await Promise.all(others.map((market) => act('/split', market, '2')));
  await Promise.all(others.slice(HELD_COUNT).map((market) => act('/merge', market, '2')));
  await faucet(user, small, 0, '0.5');
  await act('/split', archived, '3');
  await act('/split', over, '4');
  await operate('POST', `/admin/markets/${over.conditionId}/resolve`, { outcome: 'No' });
  // Trades of 1 to 98 shares, and four that are sold back.
  await faucet(bob.wallet.address, traded, 0, '5000');
  await post(bob, traded, { pips: 4_800, shares: 5_000, side: 'SELL' });
  for (let i = 1; i <= TRADE_COUNT - 4; i += 1) await post(alice, traded, { pips: 4_800, shares: i });
  await post(bob, traded, { pips: 4_000, shares: 10 });
  for (let i = 4; i >= 1; i -= 1) await post(alice, traded, { pips: 4_000, shares: i, side: 'SELL' });
  for (let i = 0; i < HOLDER_COUNT; i += 1) {
    await faucet(`0x${i.toString(16).padStart(40, 'c')}`, traded, 1, String(i / 2 + 0.5));
  }
});
afterAll(() => server.close());

test('GET /trades applies page, takerOnly, side, user, market and threshold filters', async () => {
  const path = `/trades?market=${traded.conditionId}`;
  const everything = await rowsOf(`${path}&limit=10000`);
  expect(everything).toHaveLength(TRADE_COUNT);
  expect(await rowsOf(path)).toEqual(everything.slice(0, 100));
  expect(await rowsOf(`${path}&limit=3&offset=2`)).toEqual(everything.slice(2, 5));
  expect(await countOf(`${path}&limit=0`)).toBe(0);
  expect(await countOf(`${path}&offset=10000`)).toBe(0);
  expect(await countOf(`/data-api${path}&limit=10001`)).toBe(TRADE_COUNT);
  expect(keysOf(everything.slice(0, 5), 'size')).toEqual([1, 2, 3, 4, 98]);
  expect(await countOf(`${path}&takerOnly=false&limit=10000`)).toBe(2 * TRADE_COUNT);
  expect(await countOf(`${path}&side=SELL`)).toBe(4);
  expect(await countOf(`${path}&takerOnly=false&side=sell&limit=500`)).toBe(TRADE_COUNT);
  expect(await countOf(`${path}&user=${bob.wallet.address}`)).toBe(0);
  expect(await countOf(`${path}&user=${bob.wallet.address}&takerOnly=false&limit=500`)).toBe(TRADE_COUNT);
  expect(await countOf(`${path}&user=${inUpperCase(user)}&limit=500`)).toBe(TRADE_COUNT);
  expect(await countOf(`/trades?market=${small.conditionId}`)).toBe(0);
  expect(await countOf(`/trades?market=0x${'9'.repeat(64)}`)).toBe(0);
  expect(keysOf(await rowsOf(`${path}&filterType=CASH&filterAmount=46.56`), 'usdcSize')).toEqual([47.04, 46.56]);
  expect(keysOf(await rowsOf(`${path}&filterType=TOKENS&filterAmount=97`), 'size')).toEqual([98, 97]);
});

test('GET /data-api/trades filters by event, start and end', async () => {
  const path = '/data-api/trades?limit=500';
  const [newest] = await rowsOf(path);
  expect(await countOf(`${path}&eventId=1`)).toBe(TRADE_COUNT);
  expect(await countOf(`${path}&eventId=77,1`)).toBe(TRADE_COUNT);
  expect(await countOf(`${path}&eventId=77`)).toBe(0);
  expect(await countOf(`${path}&end=${newest.timestamp}`)).toBe(TRADE_COUNT);
  expect(await countOf(`${path}&start=${newest.timestamp + 1}`)).toBe(0);
  expect(await countOf(`${path}&start=${newest.timestamp}`)).toBeGreaterThan(0);
  expect(await countOf(`${path}&end=1`)).toBe(0);
});

test('GET /positions applies page, size threshold, flags, title, market and sort order', async () => {
  const path = `/positions?user=${user}`;
  const everything = await rowsOf(`${path}&limit=500&sizeThreshold=0`);
  // Two tokens of each held market, one of the small-change market and of the traded market, two of each of the others.
  const count = 2 * HELD_COUNT + 1 + 1 + 2 + 2;
  expect(everything).toHaveLength(count);
  expect(await countOf(path)).toBe(100);
  expect(await countOf(`${path}&limit=500`)).toBe(count - 1);
  expect(await countOf(`${path}&limit=500&sizeThreshold=0.5`)).toBe(count);
  // As Polymarket's own site writes it, and the bots that copied it.
  expect(await countOf(`${path}&sortBy=CURRENT&sortDirection=DESC&sizeThreshold=.1&limit=500&offset=0`)).toBe(count);
  expect(await countOf(`${path}&limit=500&sizeThreshold=0.500001`)).toBe(count - 1);
  expect(await countOf(`${path}&limit=500&sizeThreshold=1000000`)).toBe(0);
  expect(await countOf(`${path}&limit=500&sizeThreshold=1e-05`)).toBe(
    await countOf(`${path}&limit=500&sizeThreshold=0.00001`),
  );
  expect(await countOf(`${path}&limit=500&sizeThreshold=1e%2B09`)).toBe(0);
  expect(await rowsOf(`${path}&limit=5&offset=7&sizeThreshold=0`)).toEqual(everything.slice(7, 12));
  expect(await countOf(`${path}&offset=10000`)).toBe(0);
  expect(keysOf(await rowsOf(`${path}&redeemable=true`), 'conditionId')).toEqual([over.conditionId, over.conditionId]);
  expect(await countOf(`${path}&redeemable=false&limit=500`)).toBe(count - 1);
  expect(await countOf(`${path}&mergeable=true&limit=500`)).toBe(count - 2);
  expect(keysOf(await rowsOf(`${path}&title=zEBRA c`), 'title')).toEqual(['A Zebra crossing?']);
  expect(await countOf(`${path}&title=${encodeURIComponent('a z')}&market=${small.conditionId}`)).toBe(0);
  expect(await countOf(`${path}&market=${small.conditionId},${traded.conditionId}`)).toBe(1);
  expect(await countOf(`/positions?user=0x${'7'.repeat(40)}`)).toBe(0);

  const columns = {
    CURRENT: 'currentValue',
    INITIAL: 'initialValue',
    TOKENS: 'size',
    CASHPNL: 'cashPnl',
    PERCENTPNL: 'percentPnl',
    PRICE: 'curPrice',
    AVGPRICE: 'avgPrice',
  };
  for (const [sortBy, key] of Object.entries(columns)) {
    for (const direction of ['ASC', 'DESC']) {
      const rows = await rowsOf(`${path}&limit=500&sizeThreshold=0&sortBy=${sortBy}&sortDirection=${direction}`);
      const values = keysOf(rows, key).map(Number);
      const sorted = values.toSorted((left, right) => (direction === 'ASC' ? left - right : right - left));
      expect(values, `${sortBy} ${direction}`).toEqual(sorted);
      expect(new Set(values).size).toBeGreaterThan(1);
    }
  }
  expect(keysOf(everything, 'size')).toEqual(keysOf(everything, 'size').toSorted((a, b) => Number(b) - Number(a)));
  const titles = keysOf(await rowsOf(`${path}&limit=3&sortBy=TITLE&sortDirection=ASC`), 'title');
  expect(titles).toEqual(['A Zebra crossing?', 'Archived', 'Archived']);
});

test('archived markets appear in /positions, but under /data-api only with includeArchived', async () => {
  const path = `/positions?user=${user}&market=${archived.conditionId}`;
  const counts = [path, `/data-api${path}`, `/data-api${path}&includeArchived=true`].map(countOf);
  expect(await Promise.all(counts)).toEqual([2, 0, 2]);
});

test('GET /closed-positions applies page, title, market and sort order', async () => {
  const path = `/closed-positions?user=${user}`;
  expect(await countOf(path)).toBe(10);
  expect(await countOf(`${path}&limit=50`)).toBe(50);
  expect(await countOf(`/data-api${path}&limit=1000`)).toBe(50);
  expect(await countOf(`${path}&limit=50&offset=${2 * HELD_COUNT - 7}`)).toBe(7);
  expect(await countOf(`${path}&offset=100000`)).toBe(0);
  const newest = await rowsOf(`${path}&sortBy=TIMESTAMP&limit=50`);
  const times = keysOf(newest, 'timestamp').map(Number);
  expect(times).toEqual(times.toSorted((left, right) => right - left));
  const [{ title, conditionId }] = newest;
  expect(await countOf(`${path}&title=${encodeURIComponent(title.toUpperCase())}`)).toBe(2);
  expect(await countOf(`${path}&market=${conditionId}`)).toBe(2);
  expect(await countOf(`${path}&market=${traded.conditionId}`)).toBe(0);
});

test('GET /activity applies page, and under /data-api also filters and sort order', async () => {
  const path = `/activity?user=${user}`;
  const count = 3 * HELD_COUNT + 2 + TRADE_COUNT;
  const everything = await rowsOf(`${path}&limit=500`);
  expect(everything).toHaveLength(count);
  expect(await rowsOf(path)).toEqual(everything.slice(0, 100));
  expect(await rowsOf(`${path}&limit=5&offset=100`)).toEqual(everything.slice(100, 105));
  expect(await countOf(`${path}&offset=10000`)).toBe(0);
  const official = `/data-api${path}&limit=1000`;
  expect(await countOf(official)).toBe(count);
  expect(await countOf(`${official}&type=SPLIT`)).toBe(2 * HELD_COUNT + 2);
  expect(await countOf(`${official}&type=merge,TRADE`)).toBe(HELD_COUNT + TRADE_COUNT);
  expect(await countOf(`${official}&type=REWARD`)).toBe(0);
  expect(await countOf(`${official}&side=SELL`)).toBe(4);
  expect(await countOf(`${official}&eventId=1`)).toBe(2 + TRADE_COUNT);
  expect(await countOf(`${official}&market=${over.conditionId}`)).toBe(1);
  expect(await countOf(`${official}&end=1`)).toBe(0);
  const oldest = await rowsOf(`/data-api${path}&limit=3&sortDirection=ASC`);
  expect(oldest.map(({ type }) => type)).toEqual(['SPLIT', 'SPLIT', 'SPLIT']);
  const largest = await rowsOf(`/data-api${path}&limit=2&sortBy=TOKENS`);
  expect(keysOf(largest, 'size')).toEqual([98, 97]);
  const cheapest = await rowsOf(`/data-api${path}&limit=1&sortBy=CASH&sortDirection=ASC`);
  expect(keysOf(cheapest, 'usdcSize')).toEqual([0.4]);
});

test('GET /holders lists the holders of each token by amount, up to limit and from minBalance', async () => {
  const path = `/holders?market=${traded.conditionId}`;
  const second = async (more: string) => (await rowsOf(`${path}${more}`))[1].holders;
  const everybody: Rows = await second('&limit=500&minBalance=0');
  const amounts = keysOf(everybody, 'amount').map(Number);
  expect(amounts).toEqual(amounts.toSorted((left, right) => right - left));
  // Everyone who got shares, and the house, which holds the other side of those given to Bob.
  expect(amounts).toHaveLength(HOLDER_COUNT + 1);
  expect(await second('')).toEqual(everybody.slice(0, 100));
  expect(await second('&limit=3')).toEqual(everybody.slice(0, 3));
  expect(await second('&limit=500')).toHaveLength(HOLDER_COUNT);
  expect(await second('&limit=500&minBalance=50.5')).toEqual(everybody.filter(({ amount }) => amount >= 50.5));
  const two = await rowsOf(`/holders?market=${small.conditionId},${traded.conditionId}&limit=1`);
  expect(two.map(({ token }) => token.split(':')[0])).toContain(traded.conditionId);
});

test('/value, /traded, /oi and /live-volume return totals of a wallet, markets or an event', async () => {
  const [{ value }] = await rowsOf(`/value?user=${user}&market=${over.conditionId},${archived.conditionId}`);
  expect(value).toBe(4 + 3);
  const { json } = await send(server.url, 'GET', `/traded?user=${user}`);
  expect(json).toEqual({ user: user.toLowerCase(), traded: 1 });
  const interest = await rowsOf(`/oi?market=${over.conditionId},${archived.conditionId},0x${'9'.repeat(64)}`);
  expect(interest.map(({ market, value: sets }) => [market, sets])).toEqual([
    [over.conditionId, 4],
    [archived.conditionId, 3],
  ]);
  const byEvent = await rowsOf('/live-volume?id=1');
  const byMarket = await rowsOf(`/live-volume?market=${traded.conditionId}`);
  const trades = await rowsOf('/trades?limit=10000');
  const micro = trades.reduce((sum, { usdcSize }) => sum + Math.round(usdcSize * 1e6), 0);
  expect([byEvent[0].total, byEvent[0].markets.length, byMarket[0].total]).toEqual([micro / 1e6, 4, micro / 1e6]);
  expect(await rowsOf('/live-volume?id=77')).toEqual([{ total: 0, markets: [] }]);
});

test('the open interest of a market resolved 50/50 is what is still owed for its shares, full sets or not', async () => {
  const half = await newMarket({ min_order_size: '1', min_marketable_buy: '0' });
  await act('/split', half, '10');
  await post(alice, half, { pips: 5_000, shares: 10, side: 'SELL' });
  expect((await post(bob, half, { pips: 5_000, shares: 10 })).json.status).toBe('matched');
  await operate('POST', `/admin/markets/${half.conditionId}/resolve`, { outcome: 'split' });
  await act('/redeem', half);
  expect(await rowsOf(`/oi?market=${half.conditionId}`)).toEqual([{ market: half.conditionId, value: 5 }]);
  const holders = await rowsOf(`/holders?market=${half.conditionId}`);
  expect(holders.map(({ holders: ofToken }) => keysOf(ofToken, 'amount'))).toEqual([[10], []]);
});

test('GET /activity includes a split as soon as the split has been answered', async () => {
  for (const amount of ['1', '2', '3']) {
    await act('/split', small, amount);
    const [row] = await rowsOf(`/activity?user=${user}&limit=1`);
    expect([row.type, row.size]).toEqual(['SPLIT', Number(amount)]);
  }
});
