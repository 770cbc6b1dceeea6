// Trades under a builder code over HTTP, in both forms: pages of camelCase rows for anyone who names a code, a bare list
// for the owner of a builder key; filters, pages, and builder fees.
import { getAddress } from 'viem';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ApiCredentials } from '../../server/auth/apiKeys.ts';
import { type HeaderFields, l2Headers, send, serviceHeaders } from '../support/client.ts';
import { inUpperCase } from '../support/hex.ts';
import {
  alice,
  bob,
  call,
  get,
  type MarketIds,
  market,
  newMarket,
  openTradingWorld,
  post,
  server,
} from './tradingWorld.ts';

const CODE = `0x${'c0de'.repeat(16)}`;

beforeEach(openTradingWorld);
afterEach(() => server.close());

const newMarketWithFee = (): Promise<MarketIds> => newMarket({ fee: { rate: 0.05, exponent: 1 } });

/** A builder key of Alice's, and her builder code, which is the same for each of her keys. */
async function makeBuilderKey(): Promise<{ readonly code: string; readonly key: ApiCredentials }> {
  const { json } = await call(alice, 'POST', '/auth/builder-api-key');
  const { key: apiKey, secret, passphrase, builderCode: code } = json;
  return { code, key: { apiKey, secret, passphrase } };
}

/** Alice bids for the first token; Bob, the taker, bids for the second one. */
async function trade(where: MarketIds, makerCode: string | undefined, takerCode: string | undefined) {
  const codeOf = (builder: string | undefined) => (builder === undefined ? {} : { change: { builder } });
  const made = await post(alice, where, { pips: 4000, shares: 20, ...codeOf(makerCode) });
  const taken = await post(bob, where, { pips: 6000, shares: 20, token: 1, ...codeOf(takerCode) });
  expect([made.json.status, taken.json.status]).toEqual(['live', 'matched']);
  return { maker: made.json.orderID, taker: taken.json.orderID, id: taken.json.tradeIDs[0], ...taken.json };
}
const page = (query: string) => get(`/builder/trades?builder_code=${CODE}${query}`);

test('a page has one row per order with the builder code, each with its own figures', async () => {
  expect(await page('')).toEqual({ data: [], next_cursor: 'LTE=', limit: 300, count: 0 });
  const other = await newMarketWithFee();
  await trade(market, undefined, undefined);
  const placed = await trade(other, CODE, CODE);
  const { data, next_cursor, limit, count } = await page('');
  expect([next_cursor, limit, count]).toEqual(['LTE=', 300, 2]);
  const shared = {
    id: placed.id,
    takerOrderHash: placed.taker,
    builder: getAddress(`0x${CODE.slice(-40)}`),
    market: other.conditionId,
    side: 'BUY',
    size: '20',
    status: 'CONFIRMED',
    transactionHash: placed.transactionsHashes[0],
    matchTime: expect.stringMatching(/^\d{10}$/),
    bucketIndex: 0,
    builderFee: '0',
    builderCode: CODE,
    err_msg: null,
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
  };
  const makers = {
    ...shared,
    tradeType: 'MAKER',
    assetId: other.tokens[0],
    sizeUsdc: '8',
    price: '0.4',
    outcome: 'Yes',
    outcomeIndex: 0,
    owner: alice.key.apiKey,
    maker: getAddress(alice.wallet.address),
    fee: '0',
    feeUsdc: '0',
  };
  const takers = {
    ...shared,
    tradeType: 'TAKER',
    assetId: other.tokens[1],
    sizeUsdc: '12',
    price: '0.6',
    outcome: 'No',
    outcomeIndex: 1,
    owner: bob.key.apiKey,
    maker: getAddress(bob.wallet.address),
    fee: '0.24',
    feeUsdc: '0.24',
  };
  expect(data).toEqual([makers, takers]);
});

test('filters select rows, the letter case of the code is ignored, and bad parameters give 400', async () => {
  const other = await newMarket();
  await trade(other, CODE, CODE);
  await trade(market, CODE, undefined);
  const all = (await get(`/builder/trades?builder_code=${inUpperCase(CODE)}`)).data;
  expect(all.length).toBe(3);
  const sizes = async (query: string) => (await page(query)).data.length;
  const seconds = Number(all[0].matchTime);
  expect(await sizes(`&market=${other.conditionId}`)).toBe(2);
  expect(await sizes(`&asset_id=${other.tokens[1]}`)).toBe(1);
  expect(await sizes(`&maker_address=${bob.wallet.address}`)).toBe(1);
  expect(await sizes(`&id=${all[0].id}`)).toBe(1);
  expect(await sizes(`&before=${seconds + 1}&after=${seconds - 100}`)).toBe(3);
  expect(await sizes(`&after=${seconds + 1}`)).toBe(0);
  for (const query of ['market=x', 'asset_id=x', 'maker_address=x', 'before=x', 'after=-1']) {
    const { status, json } = await send(server.url, 'GET', `/builder/trades?builder_code=${CODE}&${query}`);
    const [name] = query.split('=');
    expect([status, json.error]).toEqual([400, `invalid builder trade params: ${name}`]);
  }
  for (const code of ['x', '0x12', `0x${'0'.repeat(64)}`]) {
    const { status, json } = await send(server.url, 'GET', `/builder/trades?builder_code=${code}`);
    expect([status, json.error]).toEqual([400, 'invalid builder trade params: builder_code']);
  }
  const cursor = await send(server.url, 'GET', `/builder/trades?builder_code=${CODE}&next_cursor=LTE=`);
  expect([cursor.status, cursor.json.error]).toEqual([400, 'Invalid next_cursor']);
});

test('maker_address finds trades by the address of the owner and by the wallet that traded', async () => {
  const code = `0x${'cafe'.repeat(16)}`;
  await post(alice, market, { pips: 4000, shares: 20 });
  const ofProxy = { signatureType: 1, change: { builder: code } } as const;
  const taken = await post(bob, market, { pips: 6000, shares: 20, token: 1, ...ofProxy });
  expect(taken.json.status).toBe('matched');
  const found = async (address: string) =>
    (await get(`/builder/trades?builder_code=${code}&maker_address=${address}`)).data.length;
  expect(await found(bob.wallet.address)).toBe(1);
  expect(await found(bob.wallet.derived.proxy)).toBe(1);
  expect(await found(bob.wallet.derived.safe)).toBe(0);
  expect(await found(alice.wallet.address)).toBe(0);
});

test('pages of 300 have no gaps or repetitions, even if a trade happens between two requests', async () => {
  const code = `0x${'ab'.repeat(32)}`;
  const ids: string[] = [];
  for (let count = 0; count < 310; count += 1) ids.unshift((await trade(market, undefined, code)).id);
  const first = await get(`/builder/trades?builder_code=${code}`);
  await trade(market, undefined, code);
  const second = await get(`/builder/trades?builder_code=${code}&next_cursor=${first.next_cursor}`);
  expect([first.count, second.count, second.next_cursor]).toEqual([300, 10, 'LTE=']);
  expect([...first.data, ...second.data].map(({ id }: { id: string }) => id)).toEqual(ids);
});

test('without builder_code, the owner of a builder key gets its own trades as a list, newest first', async () => {
  const { code, key } = await makeBuilderKey();
  const other = await newMarket();
  const both = await trade(market, code, code);
  const single = await trade(other, undefined, code);
  const headers = l2Headers(alice.wallet.address, key, 'GET', '/builder/trades');
  const replies = [
    await send(server.url, 'GET', '/builder/trades', undefined, serviceHeaders(headers)),
    await call(alice, 'GET', '/builder/trades'),
  ];
  for (const { status, json } of replies) {
    expect(status).toBe(200);
    expect(json.map(({ id }: { id: string }) => id)).toEqual([single.id, both.id]);
    expect(json[1]).toMatchObject({
      taker_order_id: both.taker,
      match_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      type: 'TAKER',
      size: '20',
      side: 'BUY',
      maker_address: getAddress(bob.wallet.address),
    });
    expect(json[1].maker_orders[0].order_id).toBe(both.maker);
  }
  expect((await call(alice, 'GET', `/builder/trades?market=${other.conditionId}`)).json.length).toBe(1);
  // The first trades of two markets have the same number, but are distinct.
  const ofNew = [await trade(await newMarket(), undefined, code), await trade(await newMarket(), undefined, code)];
  const { json } = await call(alice, 'GET', '/builder/trades');
  expect(json.slice(0, 2).map(({ id }: { id: string }) => id)).toEqual(ofNew.map(({ id }) => id).toReversed());
});

test('pages of own trades contain each trade once, however many of its orders carry the code', async () => {
  const fine = await newMarket({ tick_size: '0.001', min_order_size: '1' });
  const change = { builder: (await makeBuilderKey()).code };
  for (let count = 0; count < 303; count += 1) await post(alice, fine, { pips: 1000 + 10 * count, shares: 1, change });
  const { json } = await post(bob, fine, { pips: 9000, shares: 303, token: 1, change });
  const due: string[] = json.tradeIDs.toReversed();
  const idsOf = async (cursor: string): Promise<string[]> => {
    const query = `?market=${fine.conditionId}&next_cursor=${cursor}`;
    return (await call(alice, 'GET', `/builder/trades${query}`)).json.map(({ id }: { id: string }) => id);
  };
  expect(due.length).toBe(303);
  expect(await idsOf('MA==')).toEqual(due.slice(0, 300));
  expect(await idsOf(Buffer.from('300').toString('base64'))).toEqual(due.slice(300));
  expect(await idsOf(Buffer.from('303').toString('base64'))).toEqual([]);
});

test('a request without builder_code is rejected unless it comes from the owner of a builder key', async () => {
  const { key } = await makeBuilderKey();
  const refused = [await send(server.url, 'GET', '/builder/trades'), await call(bob, 'GET', '/builder/trades')];
  for (const { status, json } of refused) expect([status, json.error]).toEqual([400, 'missing_field: builder_code']);
  const headers = l2Headers(alice.wallet.address, { ...key, passphrase: 'x' }, 'GET', '/builder/trades');
  expect((await send(server.url, 'GET', '/builder/trades', undefined, headers)).status).toBe(401);
  expect((await call(alice, 'DELETE', '/auth/builder-api-key')).status).toBe(200);
  expect((await call(alice, 'GET', '/builder/trades')).status).toBe(400);
});

test('a read-only key of the owner of a builder key gets the own trades, in either of its headers', async () => {
  const { code } = await makeBuilderKey();
  const { id } = await trade(market, code, undefined);
  const { apiKey } = (await call(alice, 'POST', '/auth/readonly-api-key')).json;
  const own = (headers: HeaderFields) =>
    send(server.url, 'GET', '/builder/trades', undefined, { POLY_ADDRESS: alice.wallet.address, ...headers });
  for (const headers of [{ POLY_API_KEY: apiKey }, { POLY_READONLY_API_KEY: apiKey }]) {
    const { status, json } = await own(headers);
    expect([status, json[0]?.id]).toEqual([200, id]);
  }
  for (const wrong of ['x', alice.key.apiKey]) {
    expect((await own({ POLY_READONLY_API_KEY: wrong })).status).toBe(401);
  }
  // An API key beside it takes precedence, as everywhere.
  expect((await own({ POLY_API_KEY: 'x', POLY_READONLY_API_KEY: apiKey })).status).toBe(401);
});

test('builder fee rates are 0, and a malformed builder code gives 400', async () => {
  const none = { builder_maker_fee_rate_bps: 0, builder_taker_fee_rate_bps: 0 };
  expect(await get(`/fees/builder-fees/${CODE}`)).toEqual(none);
  expect((await send(server.url, 'GET', '/fees/builder-fees/x')).status).toBe(400);
});
