// The newest trades of markets, as the events that watchers read: the fields of an event, their order, their number, and
// several markets in one request.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { greatestOf } from '../../server/routes/activity.ts';
import { send } from '../support/client.ts';
import { inUpperCase } from '../support/hex.ts';
import {
  alice,
  bob,
  get,
  type MarketIds,
  makerOf,
  market,
  newMarket,
  openTradingWorld,
  post,
  server,
} from './tradingWorld.ts';

/** The signature type of the wallet from which Bob trades: it is another address than his own. */
const BOBS_TYPE = 2;
let other: MarketIds;
beforeAll(async () => {
  await openTradingWorld();
  other = await newMarket({ icon: 'https://example.org/icon.png' });
});
afterAll(() => server.close());

const activity = (conditionId: string) => get(`/markets/live-activity/${conditionId}`);

/** Alice bids for the first token, Bob, from a wallet of his, for the second one at the complement: a mint. */
async function trade(where: MarketIds, pips: number, shares: number) {
  expect((await post(alice, where, { pips, shares })).status).toBe(200);
  const { json } = await post(bob, where, { pips: 10_000 - pips, shares, token: 1, signatureType: BOBS_TYPE });
  expect(json.status).toBe('matched');
  return json;
}

test('an activity event shows the taker, the token that it traded and the details of the trade', async () => {
  expect(await activity(other.conditionId)).toEqual([]);
  const { transactionsHashes } = await trade(other, 4200, 25);
  expect(await activity(other.conditionId)).toEqual([
    {
      event_type: 'trade',
      market: {
        condition_id: other.conditionId,
        asset_id: other.tokens[1],
        question: 'Market 2?',
        icon: 'https://example.org/icon.png',
        slug: 'market-2',
      },
      user: {
        address: makerOf(bob.wallet, BOBS_TYPE),
        username: '',
        profile_picture: '',
        optimized_profile_picture: '',
        pseudonym: '',
      },
      side: 'BUY',
      size: '25',
      fee_rate_bps: '0',
      price: '0.58',
      outcome: 'No',
      outcome_index: 1,
      transaction_hash: transactionsHashes[0],
      timestamp: expect.stringMatching(/^\d{10}$/),
    },
  ]);
});

test('trades of one or several markets are listed newest first, at most 100 of them', async () => {
  await trade(market, 3000, 10);
  await trade(other, 3100, 11);
  await trade(market, 3200, 12);
  const sizes = (rows: readonly { readonly size: string }[]) => rows.map(({ size }) => size);
  expect(sizes(await activity(market.conditionId))).toEqual(['12', '10']);
  const unknown = `0x${'9'.repeat(64)}`;
  const ids = [market.conditionId, inUpperCase(other.conditionId), unknown, market.conditionId];
  const both = await send(server.url, 'POST', '/markets/live-activity', ids);
  expect([both.status, sizes(both.json)]).toEqual([200, ['12', '11', '10', '25']]);
  expect((await send(server.url, 'POST', '/markets/live-activity', [])).json).toEqual([]);
  for (let count = 0; count < 50; count += 1) {
    await trade(market, 4000, 20);
    await trade(other, 4000, 30);
  }
  const many = (await send(server.url, 'POST', '/markets/live-activity', ids)).json;
  expect([many.length, many[0].size, many[99].size]).toEqual([100, '30', '20']);
});

test('the newest entries of many lists are found with at most one read per list and per result', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.nat(1_000), { maxLength: 200, size: 'max' }),
      fc.integer({ min: 1, max: 12 }),
      fc.nat(60),
      (numbers, listCount, countMax) => {
        const lists: number[][] = Array.from({ length: listCount }, () => []);
        for (const number of numbers.toSorted((left, right) => left - right)) lists[number % listCount].push(number);
        let reads = 0;
        const counted = lists.map((list) => {
          const at = (index: number): number => {
            reads += 1;
            return list[index];
          };
          return { length: list.length, at };
        });
        const sorted = numbers.toSorted((left, right) => right - left);
        expect(greatestOf(counted, countMax)).toEqual(sorted.slice(0, countMax));
        expect(reads).toBeLessThanOrEqual(listCount + countMax);
      },
    ),
  );
});

test('invalid payloads and malformed, unknown or draft markets are rejected', async () => {
  const bad: readonly (readonly [string, string, unknown, number, string])[] = [
    ['GET', '/markets/live-activity/x', undefined, 400, 'Invalid market'],
    ['GET', `/markets/live-activity/0x${'9'.repeat(64)}`, undefined, 404, 'market not found'],
    ['POST', '/markets/live-activity', {}, 400, 'Invalid payload'],
    ['POST', '/markets/live-activity', ['x'], 400, 'Invalid market'],
    ['POST', '/markets/live-activity', [1], 400, 'Invalid market'],
    ['POST', '/markets/live-activity', Array(501).fill(market.conditionId), 400, 'Payload exceeds the limit'],
  ];
  for (const [method, path, body, status, text] of bad) {
    const reply = await send(server.url, method, path, body);
    expect([reply.status, reply.json.error.slice(0, text.length)]).toEqual([status, text]);
  }
  const get405 = await send(server.url, 'GET', '/markets/live-activity');
  expect([get405.status, get405.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  const draft = await newMarket({ status: 'draft' });
  expect((await send(server.url, 'GET', `/markets/live-activity/${draft.conditionId}`)).status).toBe(404);
});
