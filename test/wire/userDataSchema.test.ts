// The tables of interface 2.10 to 2.13 as data, with their forms for official clients (catalog-and-data 3.1), and live
// replies against them: every field is present with its type, and none of the other dialect's.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { alice, bob, call, type MarketIds, newMarket, openTradingWorld, post, server } from '../http/tradingWorld.ts';
import { ADMIN, type HeaderFields, send } from '../support/client.ts';
import {
  type Check,
  faultsOf,
  flag,
  integer,
  listOf,
  nothing,
  number,
  objectOf,
  oneOf,
  type Table,
  text,
} from './checks.ts';

const OFFICIAL: HeaderFields = { poly_address: `0x${'1'.repeat(40)}` };

const matches =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value);
const address = matches(/^0x[0-9a-f]{40}$/);
const hash = matches(/^0x[0-9a-f]{64}$/);
const seconds: Check = (value) => integer(value) && Number(value) > 1e9 && Number(value) < 1e10;
const micro: Check = (value) => number(value) && Number(Number(value).toFixed(6)) === value;
const price: Check = (value) => number(value) && Number(value) >= 0 && Number(value) <= 1;
const empty: Check = (value) => value === '';
const outcomeIndex: Check = (value) => value === 0 || value === 1;
const pairAsset = matches(/^0x[0-9a-f]{64}:[01]$/);
const tokenAsset = matches(/^\d{20,78}$/);
const dateTime: Check = (value) => text(value) && !Number.isNaN(Date.parse(String(value))) && String(value).length > 19;
const day = matches(/^\d{4}-\d{2}-\d{2}$/);

const PROFILE: Table = { name: empty, pseudonym: empty, bio: empty, profileImage: empty, profileImageOptimized: empty };
const PLACE: Table = { conditionId: hash, title: text, slug: text, icon: text, eventSlug: text };
const SIDE = oneOf('BUY', 'SELL');

// 2.10
const tradeTable = (asset: Check): Table => ({
  proxyWallet: address,
  side: SIDE,
  asset,
  ...PLACE,
  size: micro,
  price,
  timestamp: seconds,
  outcome: text,
  outcomeIndex,
  ...PROFILE,
  transactionHash: hash,
});
const TRADE: Table = { ...tradeTable(pairAsset), usdcSize: micro };
const OFFICIAL_TRADE = tradeTable(tokenAsset);

// 2.11
const briefTable = (asset: Check): Table => ({
  proxyWallet: address,
  asset,
  ...PLACE,
  avgPrice: micro,
  totalBought: micro,
  realizedPnl: micro,
  curPrice: price,
  outcome: text,
  outcomeIndex,
  oppositeOutcome: text,
  oppositeAsset: asset,
});
const VALUES: Table = {
  size: micro,
  initialValue: micro,
  currentValue: micro,
  cashPnl: micro,
  percentPnl: number,
  percentRealizedPnl: number,
  redeemable: flag,
  mergeable: flag,
};
const POSITION: Table = {
  ...briefTable(pairAsset),
  ...VALUES,
  timestamp: seconds,
  endDate: dateTime,
  negativeRisk: flag,
};
const OFFICIAL_POSITION: Table = {
  ...briefTable(tokenAsset),
  ...VALUES,
  endDate: day,
  negativeRisk: flag,
  eventId: text,
};
const CLOSED: Table = { ...briefTable(pairAsset), ...VALUES, timestamp: seconds, endDate: dateTime };
const OFFICIAL_CLOSED: Table = { ...briefTable(tokenAsset), timestamp: seconds, endDate: dateTime };

// 2.12
const activityTable = (asset: Check): Table => ({
  proxyWallet: address,
  timestamp: seconds,
  ...PLACE,
  type: oneOf('TRADE'),
  size: micro,
  usdcSize: micro,
  transactionHash: hash,
  price,
  asset,
  side: SIDE,
  outcomeIndex,
  outcome: text,
  ...PROFILE,
});
const redeemTable = (asset: Check): Table => ({
  ...activityTable(asset),
  type: oneOf('REDEEM'),
  side: empty,
  price: (value) => value === 0,
});
const setTable: Table = {
  ...redeemTable(empty),
  type: oneOf('SPLIT', 'MERGE'),
  outcome: empty,
  outcomeIndex: (value) => value === 999,
};

// 2.13
const holdersTable = (asset: Check): Table => ({
  token: asset,
  holders: listOf(
    objectOf({
      proxyWallet: address,
      asset,
      amount: micro,
      displayUsernamePublic: (value) => value === false,
      outcomeIndex,
      ...PROFILE,
    }),
  ),
});

let market: MarketIds;
let bare: MarketIds;
let over: MarketIds;

// biome-ignore lint/suspicious/noExplicitAny: whatever the server sends is what the test is about
async function get(path: string, headers: HeaderFields = {}): Promise<any> {
  const reply = await send(server.url, 'GET', path, undefined, headers);
  expect([path, reply.status, reply.json.error]).toEqual([path, 200, undefined]);
  return reply.json;
}

/** The lists of both dialects for one path; official ones by mount and by header. */
const bothOf = async (path: string) => {
  const mounted = await get(`/data-api${path}`);
  expect(await get(path, OFFICIAL)).toEqual(mounted);
  return { plain: await get(path), official: mounted };
};

function expectRows(rows: readonly unknown[], table: Table, count: number): void {
  expect(rows.flatMap((row) => faultsOf(row, table))).toEqual([]);
  expect(rows).toHaveLength(count);
}

const of = ({ wallet }: typeof alice): string => wallet.address.toLowerCase();

beforeAll(async () => {
  await openTradingWorld();
  const event = { title: 'An event', slug: 'an-event', icon: 'http://127.0.0.1/event "icon".png' };
  expect((await send(server.url, 'POST', '/admin/events', event, ADMIN)).status).toBe(200);
  const dated = { event: 'an-event', end_date: '2030-01-01T23:30:00-02:00', fee: { rate: 0.02, exponent: 1 } };
  market = await newMarket({ ...dated, question: 'Will "it" be\n\u2028 ünïcode 💥?' });
  over = await newMarket({ ...dated });
  bare = await newMarket();
  // A mint match and a direct one, in three markets; Alice ends with shares of both tokens.
  for (const where of [market, over, bare]) {
    await post(alice, where, { pips: 4_000, shares: 50 });
    await post(bob, where, { pips: 6_000, shares: 20, token: 1 });
    await post(bob, where, { pips: 4_500, shares: 8 });
    await post(alice, where, { pips: 4_500, shares: 8, side: 'SELL' });
    const sets = { condition_id: where.conditionId, amount: '7.25', signature_type: 0 };
    expect((await call(alice, 'POST', '/split', sets)).status).toBe(200);
    expect((await call(alice, 'POST', '/merge', { ...sets, amount: '0.000001' })).status).toBe(200);
  }
  const path = `/admin/markets/${over.conditionId}/resolve`;
  expect((await send(server.url, 'POST', path, { outcome: 'Yes' }, ADMIN)).status).toBe(200);
  for (const trader of [alice, bob]) {
    const redeem = { condition_id: over.conditionId, signature_type: 0 };
    expect((await call(trader, 'POST', '/redeem', redeem)).status).toBe(200);
  }
});
afterAll(() => server.close());

test('2.10: trades have their fields in both dialects', async () => {
  const { plain, official } = await bothOf(`/trades?market=${market.conditionId}`);
  expectRows(plain, TRADE, 2);
  expectRows(official, OFFICIAL_TRADE, 2);
  const { usdcSize, asset, ...rest } = plain[0];
  expect(official[0]).toEqual({ ...rest, asset: market.tokens[0] });
  expect([asset, usdcSize, rest.eventSlug, rest.title]).toEqual([
    `${market.conditionId}:0`,
    rest.size * rest.price,
    'an-event',
    'Will "it" be\n\u2028 ünïcode 💥?',
  ]);
  const all = await bothOf(`/trades?market=${market.conditionId}&takerOnly=false`);
  expectRows(all.plain, TRADE, 4);
  expectRows(all.official, OFFICIAL_TRADE, 4);
});

test('2.11: positions have their fields in both dialects', async () => {
  const { plain, official } = await bothOf(`/positions?user=${of(alice)}&market=${market.conditionId}`);
  expectRows(plain, POSITION, 2);
  expectRows(official, OFFICIAL_POSITION, 2);
  expect([plain[0].endDate, official[0].endDate]).toEqual(['2030-01-02T01:30:00.000Z', '2030-01-02']);
  expect([official[0].eventId, plain[0].icon]).toEqual(['1', 'http://127.0.0.1/event "icon".png']);
  const [first] = plain;
  expect(first.oppositeAsset).toBe(`${market.conditionId}:${1 - first.outcomeIndex}`);
  expect(official[0].oppositeAsset).toBe(market.tokens[1 - official[0].outcomeIndex]);
});

test('2.11: closed positions have their fields in both dialects', async () => {
  const { plain, official } = await bothOf(`/closed-positions?user=${of(alice)}&market=${over.conditionId}`);
  expectRows(plain, CLOSED, 2);
  expectRows(official, OFFICIAL_CLOSED, 2);
  expect(plain.map(({ size, currentValue }: Record<string, number>) => [size, currentValue])).toEqual([
    [0, 0],
    [0, 0],
  ]);
});

test('2.11: endDate is null without an end, empty for official clients, and official eventSlug is the market slug without an event', async () => {
  const { plain, official } = await bothOf(`/positions?user=${of(bob)}&market=${bare.conditionId}`);
  expectRows(plain, { ...POSITION, endDate: nothing, eventSlug: empty }, 2);
  expectRows(official, { ...OFFICIAL_POSITION, endDate: empty, eventId: empty }, 2);
  expect(official[0].eventSlug).toBe(official[0].slug);
});

test('2.12: activity has the fields of its type in both dialects', async () => {
  const forms = [
    { path: '', asset: pairAsset },
    { path: '/data-api', asset: tokenAsset },
  ];
  for (const { path, asset } of forms) {
    const rows: readonly { type: string }[] = await get(`${path}/activity?user=${of(alice)}`);
    const typed = (...types: string[]) => rows.filter(({ type }) => types.includes(type));
    expectRows(typed('TRADE'), activityTable(asset), 6);
    expectRows(typed('SPLIT', 'MERGE'), setTable, 6);
    expectRows(typed('REDEEM'), redeemTable(asset), 2);
    expect(rows).toHaveLength(14);
  }
  const refusal = await send(server.url, 'GET', '/activity', undefined, OFFICIAL);
  expect(refusal.json.error).toBe("required query param 'user' not provided");
});

test('2.13: holders have their fields in both dialects', async () => {
  const { plain, official } = await bothOf(`/holders?market=${market.conditionId}&minBalance=0`);
  expectRows(plain, holdersTable(pairAsset), 2);
  expectRows(official, holdersTable(tokenAsset), 2);
  expect(plain.map(({ token }: { token: string }) => token)).toEqual([0, 1].map((i) => `${market.conditionId}:${i}`));
});

test('value, traded, oi and live-volume are the same in both dialects', async () => {
  const figure = objectOf({ market: hash, value: micro });
  const value = await bothOf(`/value?user=${alice.wallet.address}`);
  expectRows(value.plain, { user: address, value: micro }, 1);
  const traded = await bothOf(`/traded?user=${of(bob)}`);
  expect(traded.plain).toEqual({ user: of(bob), traded: 3 });
  const interest = await bothOf(`/oi?market=${market.conditionId},${bare.conditionId}`);
  expectRows(interest.plain, { market: hash, value: micro }, 2);
  const all = await bothOf('/oi');
  expectRows(all.plain, { market: oneOf('GLOBAL'), value: micro }, 1);
  const volume = await bothOf('/live-volume?id=1');
  expectRows(volume.plain, { total: micro, markets: listOf(figure) }, 1);
  expect(volume.plain[0].markets).toHaveLength(2);
  for (const { plain, official } of [value, traded, interest, all, volume]) expect(official).toEqual(plain);
  expect(await get('/data-api/')).toEqual({ data: 'OK' });
});
