// The whole records of one market whose texts, terms, trades and orders give unlike values to its keys: in the catalog while
// it is open and after it has closed, in the order-book list, and in compact form.
import { getAddress } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VirtualClock } from '../../engine/index.ts';
import { openQuotes } from './quotes.ts';
import { type CatalogWorld, openEmptyWorld } from './world.ts';

const REWARDED = `0x${'ab'.repeat(20)}`;
const CONDITION = `0x${'c'.repeat(64)}`;
const [QUESTION, EVENT_QUESTIONS] = ['05', '00'].map((end) => `0x${'7'.repeat(62)}${end}`);
const EVENT_TEXTS = {
  ...{ title: 'Storms of May', slug: 'storms', ticker: 'STRM', description: 'All storms.' },
  ...{ image: 'https://example.org/event.png', icon: 'https://example.org/event.svg' },
};
const MARKET_TEXTS = {
  ...{ question: 'Does a storm come?', slug: 'storm', description: 'One storm.' },
  ...{ image: 'https://example.org/market.png', icon: 'https://example.org/market.svg' },
};

let world: CatalogWorld;
const clock = new VirtualClock(Date.UTC(2030, 0, 1));

beforeAll(async () => {
  world = await openEmptyWorld(clock);
  // Other rows first, so that the numbers of the event and of the market differ.
  for (const title of ['Other', 'Another']) await world.admin('POST', '/admin/events', { title });
  await world.admin('POST', '/admin/markets', { question: 'Anything?' });
  await world.admin('POST', '/admin/events', {
    ...EVENT_TEXTS,
    ...{ tags: ['weather'], series: 'storms-monthly', neg_risk: true },
    ...{ start_date: '2029-12-01T00:00:00Z', end_date: '2030-06-02T00:00:00Z' },
    resolution_source: 'https://example.org/all',
  });
  clock.advance(1_000);
  await world.admin('POST', '/admin/markets', {
    ...MARKET_TEXTS,
    ...{ event: 'storms', outcomes: ['Storm', 'Calm'], group_item_title: 'First', tick_size: '0.001' },
    ...{ condition_id: CONDITION, question_id: QUESTION, token_ids: ['1001', '2002'] },
    ...{ start_date: '2029-12-02T00:00:00Z', end_date: '2030-05-31T00:00:00Z' },
    ...{ game_start_time: '2030-05-30T18:30:00Z', resolution_source: 'https://example.org/one' },
    rewards: { rates: [{ asset_address: REWARDED, rewards_daily_rate: 5 }], min_size: 50, max_spread: 3.5 },
  });
  const { trade, bid, ask } = await openQuotes(world);
  await trade('storm', [5_000, 100]); // 50
  clock.advance(25 * 3_600_000);
  await trade('storm', [3_000, 10]); // 3
  await bid('storm', [4_610, 50]); // 23.05
  await ask('storm', [5_000, 20]); // 10
  clock.advance(1_000);
  // Only now, because they would have charged or delayed the trades.
  const terms = { min_order_size: '7', seconds_delay: 3, fee: { rate: '0.02', exponent: 2 } };
  await world.admin('PATCH', `/admin/markets/${CONDITION}`, terms);
});
afterAll(() => world.server.close());

const UNMARKED = { restricted: false, featured: false };
const SERIES = {
  ...{ id: '1', ticker: 'storms-monthly', slug: 'storms-monthly', title: 'Storms monthly' },
  ...{ seriesType: 'single', recurrence: '', image: '', icon: '', active: true, closed: false, archived: false },
  ...{ createdAt: '2030-01-01T00:00:00.000Z', updatedAt: '2030-01-01T00:00:00.000Z' },
  ...{ volume: 53, volume24hr: 3, liquidity: 33.05, commentCount: 0, requiresTranslation: false, ...UNMARKED },
};
const EVENT = {
  ...EVENT_TEXTS,
  id: '3',
  resolutionSource: 'https://example.org/all',
  ...{ startDate: '2029-12-01T00:00:00.000Z', endDate: '2030-06-02T00:00:00.000Z' },
  ...{ createdAt: '2030-01-01T00:00:00.000Z', creationDate: '2030-01-01T00:00:00.000Z' },
  updatedAt: '2030-01-02T01:00:02.000Z',
  ...{ active: true, closed: false, archived: false, new: false, ...UNMARKED },
  ...{ volume: 53, volume24hr: 3, liquidity: 33.05, liquidityClob: 33.05, competitive: 1 / (1 + 0.0195 ** 2) },
  ...{ negRisk: true, enableNegRisk: true, negRiskAugmented: false, negRiskMarketID: EVENT_QUESTIONS },
  ...{ enableOrderBook: true, seriesSlug: 'storms-monthly', series: [SERIES] },
};
const MARKET = {
  ...MARKET_TEXTS,
  ...{ id: '2', conditionId: CONDITION, questionID: QUESTION, resolutionSource: 'https://example.org/one' },
  ...{ startDate: '2029-12-02T00:00:00.000Z', startDateIso: '2029-12-02' },
  ...{ endDate: '2030-05-31T00:00:00.000Z', endDateIso: '2030-05-31', gameStartTime: '2030-05-30 18:30:00+00' },
  ...{ createdAt: '2030-01-01T00:00:01.000Z', updatedAt: '2030-01-02T01:00:02.000Z' },
  ...{ outcomes: '["Storm", "Calm"]', clobTokenIds: '["1001", "2002"]', groupItemTitle: 'First' },
  ...{ active: true, closed: false, archived: false, new: false, ready: false, funded: false, ...UNMARKED },
  ...{ volume: '53', volumeNum: 53, volumeClob: 53, volume24hr: 3, volume24hrClob: 3 },
  ...{ liquidity: '33.05', liquidityNum: 33.05, liquidityClob: 33.05, competitive: EVENT.competitive },
  ...{ outcomePrices: '["0.4805", "0.5195"]', bestBid: 0.461, bestAsk: 0.5, spread: 0.039, lastTradePrice: 0.3 },
  ...{ enableOrderBook: true, acceptingOrders: true, acceptingOrdersTimestamp: '2030-01-01T00:00:01.000Z' },
  ...{ orderPriceMinTickSize: 0.001, orderMinSize: 7, secondsDelay: 3, makerBaseFee: 1000, takerBaseFee: 1000 },
  ...{ feesEnabled: true, feeType: null, feeSchedule: { exponent: 2, rate: 0.02, takerOnly: true, rebateRate: 0 } },
  ...{ negRisk: true, negRiskMarketID: EVENT_QUESTIONS, marketMakerAddress: '', umaResolutionStatuses: '[]' },
  clobRewards: [
    {
      ...{ id: '7', conditionId: CONDITION, assetAddress: getAddress(REWARDED), rewardsAmount: 0, rewardsDailyRate: 5 },
      ...{ startDate: '2030-01-01', endDate: '2500-12-31' },
    },
  ],
  ...{ rewardsMinSize: 50, rewardsMaxSpread: 3.5 },
  events: [EVENT],
};

test('the order-book list shows every text and term of a market', async () => {
  expect((await world.get('/markets?next_cursor=')).json.data[1]).toEqual({
    ...{ enable_order_book: true, active: true, closed: false, archived: false, accepting_orders: true },
    ...{ accepting_order_timestamp: '2030-01-01T00:00:01.000Z', minimum_order_size: 7, minimum_tick_size: 0.001 },
    ...{ condition_id: CONDITION, question_id: QUESTION, question: 'Does a storm come?', market_slug: 'storm' },
    ...{ description: 'One storm.', image: MARKET_TEXTS.image, icon: MARKET_TEXTS.icon },
    ...{ end_date_iso: '2030-05-31T00:00:00.000Z', game_start_time: '2030-05-30T18:30:00.000Z', seconds_delay: 3 },
    ...{ fpmm: '', maker_base_fee: 1000, taker_base_fee: 1000, notifications_enabled: false, is_50_50_outcome: false },
    ...{ neg_risk: true, neg_risk_market_id: EVENT_QUESTIONS, neg_risk_request_id: '', tags: ['Weather'] },
    rewards: {
      rates: [{ asset_address: getAddress(REWARDED), rewards_daily_rate: 5 }],
      ...{ min_size: 50, max_spread: 3.5 },
    },
    tokens: [
      { token_id: '1001', outcome: 'Storm', price: 0.3, winner: false },
      { token_id: '2002', outcome: 'Calm', price: 0.7, winner: false },
    ],
  });
});

test('the compact record shows every term of a market', async () => {
  expect((await world.get(`/clob-markets/${CONDITION}`)).json).toEqual({
    c: CONDITION,
    t: [
      { t: '1001', o: 'Storm' },
      { t: '2002', o: 'Calm' },
    ],
    ...{ mts: 0.001, mos: 7, nr: true, mbf: 1000, tbf: 1000, fd: { r: 0.02, e: 2, to: true } },
    ...{ r: { mi: 50, ma: 3.5, e: true }, ao: true, sd: 3 },
    ...{ gst: '2030-05-30T18:30:00.000Z', aot: '2030-01-01T00:00:01.000Z' },
    ...{ cbos: false, rfqe: false, itode: false, ibce: false, oas: 0 },
  });
});

test('the catalog record shows every text, term and figure of a market, also after it has closed', async () => {
  expect((await world.get('/gamma/markets/2')).json).toEqual(MARKET);
  clock.advance(1_000);
  await world.admin('PATCH', `/admin/markets/${CONDITION}`, { status: 'closed' });
  const closed = { closed: true, updatedAt: '2030-01-02T01:00:03.000Z', competitive: 0, liquidityClob: 0 };
  expect((await world.get('/gamma/markets/2')).json).toEqual({
    ...{ ...MARKET, ...closed, acceptingOrders: false, closedTime: '2030-01-02 01:00:03+00' },
    ...{ liquidity: '0', liquidityNum: 0, outcomePrices: '["0.3", "0.7"]', bestBid: 0, bestAsk: 1, spread: 1 },
    events: [
      {
        ...{ ...EVENT, ...closed, liquidity: 0, closedTime: '2030-01-02T01:00:03.000Z' },
        series: [{ ...SERIES, closed: true, liquidity: 0 }],
      },
    ],
  });
});

test('an event ends, closes and changes with the last of its markets, and is as competitive as the best of them', async () => {
  await world.admin('POST', '/admin/events', { title: 'Floods of May', slug: 'floods' });
  const ends = { low: '2030-05-02T00:00:00.000Z', even: '2030-05-03T00:00:00.000Z', high: '2030-05-01T00:00:00.000Z' };
  for (const [at, [slug, end_date]] of Object.entries(ends).entries()) {
    const last_price = ['0.4', '0.5', '0.8'][at];
    await world.admin('POST', '/admin/markets', { question: 'Is it?', event: 'floods', slug, end_date, last_price });
  }
  const event = async () => (await world.get('/events?slug=floods')).json[0];
  expect(await event()).toMatchObject({ competitive: 1, endDate: ends.even, closed: false });
  let closedMs = 0;
  for (const slug of ['even', 'high', 'low']) {
    clock.advance(1_000);
    expect(await event()).not.toHaveProperty('closedTime');
    closedMs = clock.now();
    await world.admin('PATCH', `/admin/markets/${world.conditions.get(slug)}`, { status: 'closed' });
  }
  const closedTime = new Date(closedMs).toISOString();
  expect(await event()).toMatchObject({ closed: true, closedTime, updatedAt: closedTime, endDate: ends.even });
  // A result later on does not move the end of trading.
  clock.advance(60_000);
  const updatedAt = new Date(clock.now()).toISOString();
  await world.admin('POST', `/admin/markets/${world.conditions.get('low')}/resolve`, { outcome: 'Yes' });
  expect(await event()).toMatchObject({ closedTime, updatedAt });
  const [market] = (await world.get('/gamma/markets?slug=low&closed=true')).json;
  expect(market.closedTime).toBe(`${closedTime.slice(0, 19).replace('T', ' ')}+00`);
});
