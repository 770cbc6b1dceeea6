// What becomes of what an operator says of a new market: the slug that its ids follow from, its first price and its fee, as
// records and the stream of new markets show them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newMarketText } from '../../server/wire/marketEvents.ts';
import { send } from '../support/client.ts';
import { closeOperatorWorld, newMarket, openOperatorWorld, server } from './operatorWorld.ts';

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
])('the slug of %j is made of its letters and digits, 120 characters of them at most', async (question, slug) => {
  expect((await catalogRecord({ question })).slug).toBe(slug);
});

test('a question without letters or digits of a slug has a slug of its own', async () => {
  const [first, second] = [await catalogRecord({ question: '雨？' }), await catalogRecord({ question: '雪？' })];
  for (const { slug } of [first, second]) expect(slug).toMatch(/^[0-9a-f]{16}$/);
  expect(first.slug).not.toBe(second.slug);
});

test('a new market shows the price that it was given, until it trades, else one half', async () => {
  const record = await catalogRecord({ question: 'Dear', last_price: '0.9999' });
  expect(record.outcomePrices).toBe('["0.9999", "0.0001"]');
  const { json } = await send(server.url, 'GET', `/markets/${record.conditionId}`);
  expect(json.tokens.map(({ price }: { price: number }) => price)).toEqual([0.9999, 0.0001]);
  expect((await catalogRecord({ question: 'Open' })).outcomePrices).toBe('["0.5", "0.5"]');
});

test('the least fee is a fee, and its schedule is told; without one there is none', async () => {
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
