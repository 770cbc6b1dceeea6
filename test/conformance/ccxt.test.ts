// ccxt against the exchange: its Polymarket class, unmodified except for its addresses, calls every public endpoint that
// both have, and every unified method that needs no key. It throws on what it cannot parse; what it parses is compared with
// what was traded.
import { prediction } from 'ccxt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { alice, bob, type MarketIds, newMarket, openTradingWorld, post, server } from '../http/tradingWorld.ts';
import { ADMIN, send } from '../support/client.ts';

let client: InstanceType<typeof prediction.polymarket>;
let market: MarketIds;
let conditionId: string;
let token: string;

beforeAll(async () => {
  await openTradingWorld();
  const event = { title: 'Who wins the cup', slug: 'the-cup', tags: ['sports'], series: 'cups' };
  expect((await send(server.url, 'POST', '/admin/events', event, ADMIN)).status).toBe(200);
  market = await newMarket({ event: 'the-cup', end_date: '2030-01-01T12:00:00Z' });
  [token] = market.tokens;
  ({ conditionId } = market);
  await post(alice, market, { pips: 4_000, shares: 50 });
  await post(bob, market, { pips: 4_500, shares: 30, token: 1 });
  await post(bob, market, { pips: 6_000, shares: 20, token: 1 });
  client = new prediction.polymarket({ enableRateLimit: false });
  const ws = server.url.replace('http', 'ws');
  const { url } = server;
  client.urls.api = {
    gamma: `${url}/gamma`,
    clob: url,
    data: `${url}/data-api`,
    ws: `${ws}/ws/market`,
    wsUser: `${ws}/ws/user`,
  };
});
afterAll(async () => {
  await client.close();
  await server.close();
});

test('markets, events and outcomes are found by list, search, slug and token', async () => {
  const markets = await client.fetchMarkets();
  const found = markets.find((one) => one?.id === conditionId);
  expect(found?.outcomes?.map(({ outcomeId }) => outcomeId)).toEqual([...market.tokens]);
  const events = await client.fetchEvents({ query: 'cup' });
  expect(events.map(({ title }) => title)).toEqual(['Who wins the cup']);
  expect((await client.fetchEvent('the-cup')).title).toBe('Who wins the cup');
  expect((await client.fetchOutcome(token)).label).toBe('Yes');
});

test('book, ticker, trades and statistics of an outcome match the exchange', async () => {
  const book = await client.fetchOrderBook(token);
  expect([book.bids[0], book.asks[0]]).toEqual([
    [0.4, 30],
    [0.55, 30],
  ]);
  const ticker = await client.fetchTicker(token);
  expect([ticker.bid, ticker.ask, ticker.last]).toEqual([0.4, 0.55, 0.4]);
  expect(Object.keys(await client.fetchTickers([...market.tokens]))).toHaveLength(2);
  // ccxt's list shows the taker's side of each trade, which here is in the second token.
  const trades = await client.fetchTrades(market.tokens[1]);
  expect(trades.map(({ price, amount }) => [price, amount])).toEqual([[0.6, 20]]);
  expect(await client.fetchOHLCV(token, '1m')).not.toEqual([]);
  expect((await client.fetchOpenInterest(token)).openInterestValue).toBe(20);
  expect((await client.fetchTradingFee(token)).taker).toBeTypeOf('number');
  expect(await client.fetchTime()).toBeGreaterThan(0);
  expect((await client.fetchStatus()).status).toBe('ok');
});

/** Calls of single endpoints, by ccxt's names for them, with their parameters; a function, because they need the market. */
const gamma = (): Readonly<Record<string, object>> => ({
  GetStatus: {},
  GetComments: {},
  GetEvents: { limit: 2, order: 'volume', ascending: false },
  GetEventsKeyset: { limit: 2 },
  GetEventsSlugSlug: { slug: 'the-cup' },
  GetEventsId: { id: 1 },
  GetEventsIdTags: { id: 1 },
  GetMarkets: { limit: 2 },
  GetMarketsKeyset: { limit: 2 },
  GetMarketsSlugSlug: { slug: 'market-2' },
  GetMarketsId: { id: 1 },
  GetMarketsIdDescription: { id: 1 },
  GetMarketsIdTags: { id: 2 },
  GetPublicSearch: { q: 'cup' },
  GetSeries: {},
  GetSeriesId: { id: 1 },
  GetSports: {},
  GetSportsMarketTypes: {},
  GetTags: {},
  GetTagsSlugSlug: { slug: 'sports' },
  GetTagsId: { id: 1 },
  GetTeams: {},
});
const clob = (): Readonly<Record<string, object>> => {
  const one = { token_id: token };
  const condition = { condition_id: conditionId };
  return {
    GetBook: one,
    GetBooks: { token_ids: token },
    GetClobMarketsConditionId: condition,
    GetFeeRate: one,
    GetFeeRateTokenId: one,
    GetLastTradePrice: one,
    GetLastTradesPrices: { token_ids: token },
    GetMarketsByTokenTokenId: one,
    GetMarketsLiveActivityConditionId: condition,
    GetMidpoint: one,
    GetMidpoints: { token_ids: token },
    GetNegRisk: one,
    GetNegRiskTokenId: one,
    GetPrice: { ...one, side: 'BUY' },
    GetPrices: { token_ids: token, sides: 'BUY' },
    GetPricesHistory: { market: token, interval: '1d' },
    GetRewardsMarketsCurrent: {},
    GetRewardsMarketsMulti: {},
    GetRewardsMarketsConditionId: condition,
    GetSamplingMarkets: {},
    GetSamplingSimplifiedMarkets: {},
    GetSimplifiedMarkets: {},
    GetSpread: one,
    GetTickSize: one,
    GetTickSizeTokenId: one,
    GetTime: {},
    PostBatchPricesHistory: { markets: [token], interval: '1d' },
    PostBooks: [one],
    PostLastTradesPrices: [one],
    PostMarketsLiveActivity: [conditionId],
    PostMidpoints: [one],
    PostPrices: [{ ...one, side: 'BUY' }],
    PostSpreads: [one],
  };
};
const data = (): Readonly<Record<string, object>> => {
  const user = alice.wallet.address;
  return {
    GetActivity: { user },
    GetClosedPositions: { user },
    GetHolders: { market: conditionId },
    GetLiveVolume: { id: 1 },
    GetOi: { market: conditionId },
    GetPositions: { user },
    GetTraded: { user },
    GetTrades: { market: conditionId },
    GetValue: { user },
  };
};

test.each([
  ['gammaPublic', gamma],
  ['clobPublic', clob],
  ['dataPublic', data],
] as const)('every %s call of ccxt that the exchange serves returns a result', async (prefix, calls) => {
  for (const [name, parameters] of Object.entries(calls())) {
    const method: unknown = Reflect.get(client, prefix + name);
    if (typeof method !== 'function') throw new Error(`ccxt has no ${prefix}${name}`);
    const reply: unknown = await method.call(client, parameters);
    expect(reply, name).toBeDefined();
  }
});
