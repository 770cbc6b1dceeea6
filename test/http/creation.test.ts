// What becomes of what an operator says of a new market: the slug that its ids follow from, its first price and its fee, as
// records and the stream of new markets show them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newMarketText } from '../../server/wire/marketEvents.ts';
import { send } from '../support/client.ts';
import { admin, closeOperatorWorld, newMarket, openOperatorWorld, server } from './operatorWorld.ts';

beforeAll(openOperatorWorld);
afterAll(closeOperatorWorld);

const catalogRecord = async (body: object) => {
  const { market_id: id } = await newMarket(body);
  return (await send(server.url, 'GET', `/markets/${id}`)).json;
};

/** What the stream of new markets says of the market of a catalog record. */
const streamed = (conditionId: string) => {
  const market = server.services.views.markets.byCondition(conditionId);
  if (market === undefined) throw new Error('the market is not there');
  return JSON.parse(newMarketText(market, undefined, 'new-markets', 1, 0));
};

test.each([
  ['Will it rain — tomorrow?', 'will-it-rain-tomorrow'],
  ['  (Élan, naïveté & Ångström): 10 %!', 'elan-naivete-angstrom-10'],
  [`${'a'.repeat(119)}bc`, `${'a'.repeat(119)}b`],
  [`${'a'.repeat(119)} b`, 'a'.repeat(119)],
])('the slug of %j is built from its letters and digits, with at most 120 characters', async (question, slug) => {
  expect((await catalogRecord({ question })).slug).toBe(slug);
});

test('questions without Latin letters or digits get distinct slugs of 16 hex digits', async () => {
  const [first, second] = [await catalogRecord({ question: '雨？' }), await catalogRecord({ question: '雪？' })];
  for (const { slug } of [first, second]) expect(slug).toMatch(/^[0-9a-f]{16}$/);
  expect(first.slug).not.toBe(second.slug);
});

test('a new market shows the last_price that it was given, or 0.5 without one', async () => {
  const record = await catalogRecord({ question: 'Dear', last_price: '0.9999' });
  expect(record.outcomePrices).toBe('["0.9999", "0.0001"]');
  const { json } = await send(server.url, 'GET', `/markets/${record.conditionId}`);
  expect(json.tokens.map(({ price }: { price: number }) => price)).toEqual([0.9999, 0.0001]);
  expect((await catalogRecord({ question: 'Open' })).outcomePrices).toBe('["0.5", "0.5"]');
});

test('the smallest fee enables fees and shows a fee schedule; a market without a fee shows none', async () => {
  const charged = await catalogRecord({ question: 'Charged', fee: { rate: '0.0001', exponent: 2 } });
  expect(charged).toMatchObject({
    feesEnabled: true,
    feeSchedule: { exponent: 2, rate: 0.0001, takerOnly: true, rebateRate: 0 },
  });
  expect(streamed(charged.conditionId)).toMatchObject({
    fees_enabled: true,
    fee_schedule: { exponent: '2', rate: '0.0001', taker_only: true, rebate_rate: '0' },
  });
  const free = await catalogRecord({ question: 'Free', game_start_time: '2030-06-01T15:10:00Z', tick_size: '0.001' });
  expect(free.feesEnabled).toBe(false);
  expect(free).not.toHaveProperty('feeSchedule');
  expect(streamed(free.conditionId)).toMatchObject({
    fees_enabled: false,
    game_start_time: String(Date.UTC(2030, 5, 1, 15, 10)),
    order_price_min_tick_size: '0.001',
    active: true,
  });
  expect(streamed(charged.conditionId).game_start_time).toBe('');
});

const flagsOf = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`flag_${at}`, true]));
const rewarded = (rate: number) => ({ rates: [{ asset_address: `0x${'1'.repeat(40)}`, rewards_daily_rate: rate }] });

test.each<readonly [name: string, taken: readonly unknown[], refused: readonly unknown[]]>([
  [
    'tick_size',
    ['0.1', '0.01', '0.005', '0.0025', '0.001', '0.0001', '0.010', 0.001],
    ['0.05', '1', '0', '.01', 0, -0.01],
  ],
  [
    'fee',
    [0, '0', '0.1', 0.1].map((rate) => ({ rate, exponent: 1 })),
    ['0.1001', '-0.1', -0.1, '1e-3', '0.00001'].map((rate) => ({ rate, exponent: 1 })),
  ],
  [
    'fee',
    [1, 4].map((exponent) => ({ rate: '0.01', exponent })),
    [0, 5, 1.5, '1'].map((exponent) => ({ rate: '0.01', exponent })),
  ],
  ['min_order_size', ['0.01', '10000000'], ['0', '0.001', '10000000.01', 1]],
  ['min_marketable_buy', ['0', '0.000001', '9007199254.740991'], ['0.0000001', '9007199254.740992', 0]],
  ['last_price', ['0.0001', '0.9999'], ['0', '1', '0.00001', 0.5]],
  ['seconds_delay', [0, 3_600], [-1, 3_601, 0.5, '1']],
  [
    'end_date',
    ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'],
    ['0000-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01'],
  ],
  [
    'game_start_time',
    ['2030-01-31 12:00:00+00', '2030-01-31T12:00:00+01:00'],
    ['2030-01-31 12:00:00+01', '2030-02-30 12:00:00+00', '2030-01-31'],
  ],
  [
    'rewards',
    [{}, rewarded(0), rewarded(1e12), { min_size: 1e7, max_spread: 100 }],
    [rewarded(-1), rewarded(1e12 + 1), { min_size: 1e7 + 1 }, { max_spread: 100.5 }],
  ],
  ['flags', [{}, flagsOf(32)], [flagsOf(33), { Upper: true }, { a: 1 }]],
  ['image', ['', 'x'.repeat(2_000)], ['x'.repeat(2_001)]],
  ['group_item_title', ['x'.repeat(200)], ['x'.repeat(201)]],
  ['description', ['😀'.repeat(50_000)], ['x'.repeat(50_001)]],
])('a new market accepts valid values of %s and rejects invalid ones with 400', async (name, taken, refused) => {
  for (const value of taken) await newMarket({ [name]: value });
  for (const value of refused) {
    const { status, json } = await admin('/admin/markets', { question: 'Is this one too much?', [name]: value });
    expect([value, status, json.error]).toEqual([value, 400, expect.stringContaining(`invalid_field: ${name}`)]);
  }
});
