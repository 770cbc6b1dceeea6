// An owner's orders and trades as read back over HTTP, in both dialects: their rows, and every filter of the lists.
// Everything is placed and read through the public interface.
import { getAddress } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { l2Headers, send, serviceHeaders } from '../support/client.ts';
import { inUpperCase } from '../support/hex.ts';
import { numbersOf } from '../support/numbersOf.ts';
import {
  alice,
  bob,
  call,
  cancelAll,
  makerOf,
  market,
  newMarket,
  openTradingWorld,
  post,
  server,
  type Trader,
} from './tradingWorld.ts';

beforeAll(openTradingWorld);
afterAll(() => server.close());

test('the root dialect wraps an order in an object and gives trades ISO match times', async () => {
  const place = await newMarket();
  const rested = (await post(alice, place, { pips: 4000, shares: 10 })).json.orderID;
  const matched = (await post(bob, place, { pips: 6000, shares: 10, token: 1 })).json;
  const asRoot = async (trader: Trader, path: string) => {
    const headers = l2Headers(trader.wallet.address, trader.key, 'GET', path.split('?')[0]);
    return (await send(server.url, 'GET', path, undefined, serviceHeaders(headers))).json;
  };
  expect(await asRoot(alice, `/data/order/${rested}`)).toEqual({
    order: {
      associateTrades: matched.tradeIDs,
      id: rested,
      status: 'MATCHED',
      market: place.conditionId,
      originalSize: '10',
      outcome: 'Yes',
      makerAddress: getAddress(alice.wallet.address),
      owner: alice.key.apiKey,
      price: '0.4',
      sizeMatched: '10',
      assetId: place.tokens[0],
      side: 'BUY',
      type: 'GTC',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    },
  });
  const asTaker = await asRoot(bob, `/data/trades?market=${place.conditionId}`);
  expect(asTaker.data).toMatchObject([{ type: 'TAKER', match_time: expect.stringMatching(/Z$/), bucket_index: 0 }]);
  expect(asTaker.data[0]).not.toHaveProperty('trader_side');
  expect((await asRoot(alice, `/data/trades?market=${place.conditionId}`)).data[0].type).toBe('MAKER');
});

test('lists of own orders and trades apply every filter, alone and combined', async () => {
  const place = await newMarket();
  const [ofAlice, ofBob] = [makerOf(alice.wallet, 1), makerOf(bob.wallet, 2)];
  const rested = (await post(alice, place, { pips: 4000, shares: 10, signatureType: 1 })).json.orderID;
  const lasting = (await post(alice, place, { pips: 3000, shares: 10 })).json.orderID;
  await post(alice, market, { pips: 3000, shares: 10 });
  const crossing = { pips: 6000, shares: 10, token: 1, signatureType: 2 } as const;
  const [tradeId] = (await post(bob, place, crossing)).json.tradeIDs;
  const open = async (query: string) => (await call(alice, 'GET', `/data/orders?${query}`)).json;
  expect((await open(`market=${place.conditionId}`)).data.map(({ id }: { id: string }) => id)).toEqual([lasting]);
  expect((await open('')).count).toBe(2);
  expect((await open(`asset_id=${place.tokens[0]}`)).count).toBe(1);
  expect((await open(`asset_id=${place.tokens[1]}`)).count).toBe(0);
  expect((await open(`id=${lasting}`)).count).toBe(1);
  expect((await open(`id=${lasting}&market=${market.conditionId}`)).count).toBe(0);
  expect((await open(`id=${rested}`)).count).toBe(0);
  expect((await open('market=x')).error).toContain('invalid order params payload');
  expect((await open('next_cursor=LTE=')).error).toBe('Invalid next_cursor');

  const found = async (query: string) =>
    (await call(alice, 'GET', `/data/trades?market=${place.conditionId}&${query}`)).json;
  const { trades } = server.services.views;
  const newestTrade = trades.byOrdinal(numbersOf(trades.ofOwner(alice.wallet.address)).at(-1)!);
  const seconds = Math.floor(newestTrade.matchMs / 1000);
  const [a, b] = [alice.wallet.address, bob.wallet.address];
  for (const [query, count] of [
    ['', 1],
    [`id=${tradeId}`, 1],
    ['id=00000000-0000-8000-8000-00000000ffff', 0],
    [`taker=${b}`, 1],
    [`taker=${a}`, 0],
    [`taker=${ofBob}`, 1],
    [`taker=${ofAlice}`, 0],
    [`maker=${a}`, 1],
    [`maker=${b}`, 0],
    [`maker=${ofAlice}`, 1],
    [`maker=${ofBob}`, 0],
    [`maker_address=${ofAlice}`, 1],
    [`maker_address=${ofBob}`, 1],
    [`maker_address=${makerOf(alice.wallet, 2)}`, 0],
    [`maker_address=${a}`, 1],
    [`maker_address=${inUpperCase(b)}`, 1],
    [`asset_id=${place.tokens[0]}`, 1],
    [`asset_id=${place.tokens[1]}`, 1],
    [`asset_id=${market.tokens[0]}`, 0],
    [`before=${seconds}`, 0],
    [`before=${seconds + 1}`, 1],
    [`after=${seconds}`, 0],
    [`after=${seconds - 1}`, 1],
    [`id=${tradeId}&before=${seconds}`, 0],
    [`id=${tradeId}&after=${seconds}`, 0],
    [`id=${tradeId}&taker=${a}`, 0],
  ] as const) {
    expect([query, (await found(query)).count]).toEqual([query, count]);
  }
  expect((await found('before=yesterday')).error).toContain('Invalid trade params payload');
  expect((await call(bob, 'GET', `/data/order/${lasting}`)).status).toBe(404);
  await cancelAll(alice);
});
