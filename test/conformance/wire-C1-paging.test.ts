// Interface C.1 through the official client: more than two pages of open orders and of trades arrive complete, each row once, up
// to the end cursor; filters narrow them; pages stay stable while rows come and go. One market with minimums of one share.
import { OrderType } from '@polymarket/clob-client-v2';
import { beforeAll, expect, test } from 'vitest';
import type { JsonReply } from '../support/client.ts';
import { world } from './ownWorld.ts';
import { maker, taker } from './twoTraders.ts';
import {
  batchItem,
  createMarket,
  giveShares,
  limit,
  type Market,
  Side,
  signedRaw,
  signLimit,
  type Trader,
  take,
} from './world.ts';

const ORDER_COUNT = 263;
const TRADE_COUNT = 257;

let market: Market;
let orderIds: readonly string[];
/** Trade ids in the order in which the trades happened. */
let tradeIds: readonly string[];

/** Posts orders in batches of fifteen, each of `size`, and returns their ids. */
async function postMany(trader: Trader, side: Side, prices: readonly number[], size: number): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < prices.length; from += 15) {
    const batch = await Promise.all(
      prices
        .slice(from, from + 15)
        .map(async (price) => batchItem(await signLimit(trader, market, side, market.yes, price, size))),
    );
    const replies = await trader.client.postOrders(batch);
    for (const { orderID, status } of replies) {
      expect(status).toBe('live');
      ids.push(orderID);
    }
  }
  return ids;
}

beforeAll(async () => {
  market = await createMarket(world.url, { tickSize: '0.001', minOrderSize: 1, minMarketableBuy: '0' });
  await giveShares(world.url, taker, market.yes, String(TRADE_COUNT));
  const [bidPrices, lowPrices] = [TRADE_COUNT, ORDER_COUNT].map((count, index) =>
    Array.from({ length: count }, (_, at) => (index === 0 ? 500 + (at % 200) : 10 + at) / 1000),
  );
  await postMany(maker, Side.BUY, bidPrices, 1);
  const ids: string[] = [];
  for (let index = 0; index < TRADE_COUNT; index += 1) {
    const reply = await take(taker, market, Side.SELL, market.yes, 1, 0.5, OrderType.FAK);
    ids.push(...(reply.tradeIDs ?? []));
  }
  tradeIds = ids;
  orderIds = await postMany(maker, Side.BUY, lowPrices, 1.5);
});

const page = (trader: Trader, path: string, query: string): Promise<JsonReply> =>
  signedRaw(trader, 'GET', path, undefined, `?${query}`);

/** Follows the cursors by hand, so that the pages themselves can be checked. */
async function pagesOf(trader: Trader, path: string, query = ''): Promise<readonly JsonReply['json'][]> {
  const pages: JsonReply['json'][] = [];
  let cursor = 'MA==';
  while (cursor !== 'LTE=') {
    const reply = await page(trader, path, `${query}&next_cursor=${encodeURIComponent(cursor)}`);
    expect(reply.status).toBe(200);
    pages.push(reply.json);
    cursor = reply.json.next_cursor;
    expect(pages.length).toBeLessThan(10);
  }
  return pages;
}

const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);
const rowsOf = (pages: readonly JsonReply['json'][]) => pages.flatMap(({ data }) => data);

test('the client receives every open order exactly once', async () => {
  const open = await maker.client.getOpenOrders();
  expect(open).toHaveLength(ORDER_COUNT);
  expect(idsOf(open).sort()).toEqual([...orderIds].sort());
  expect(open.every((order) => order.original_size === '1.5' && order.status === 'LIVE')).toBe(true);
  expect(await maker.client.getOpenOrders(undefined, true)).toHaveLength(100);
});

test('both parties receive every trade exactly once, newest first', async () => {
  expect(new Set(tradeIds).size).toBe(TRADE_COUNT);
  const newestFirst = [...tradeIds].reverse();
  const [taken, made] = await Promise.all([taker.client.getTrades(), maker.client.getTrades()]);
  expect(idsOf(taken)).toEqual(newestFirst);
  expect(idsOf(made)).toEqual(newestFirst);
  expect(new Set(taken.map(({ trader_side }) => trader_side))).toEqual(new Set(['TAKER']));
  expect(new Set(made.map(({ trader_side }) => trader_side))).toEqual(new Set(['MAKER']));
  // Makers were met best price first: the prices fall from trade to trade.
  const prices = [...taken].reverse().map(({ price }) => Number(price));
  expect(prices).toEqual([...prices].sort((a, b) => b - a));
});

test('pages contain limit and count, and only the last page has the end cursor', async () => {
  for (const [trader, path, total] of [
    [maker, '/data/orders', ORDER_COUNT],
    [maker, '/data/trades', TRADE_COUNT],
    [taker, '/data/trades', TRADE_COUNT],
  ] as const) {
    const pages = await pagesOf(trader, path);
    expect(pages.map(({ limit: most, count }) => [most, count])).toEqual([
      [100, 100],
      [100, 100],
      [100, total - 200],
    ]);
    for (const { data, count } of pages) expect(data).toHaveLength(count);
    expect(new Set(idsOf(rowsOf(pages))).size).toBe(total);
  }
  const empty = await page(taker, '/data/orders', '');
  expect(empty.json).toEqual({ data: [], next_cursor: 'LTE=', limit: 100, count: 0 });
});

test('getTradesPaginated returns one page and the cursor of the next', async () => {
  const first = await taker.client.getTradesPaginated();
  const second = await taker.client.getTradesPaginated({}, first.next_cursor);
  const third = await taker.client.getTradesPaginated({}, second.next_cursor);
  expect([first.count, second.count, third.count, third.next_cursor]).toEqual([100, 100, TRADE_COUNT - 200, 'LTE=']);
  expect(idsOf([...first.trades, ...second.trades, ...third.trades])).toEqual([...tradeIds].reverse());
});

test('a decimal offset in base64 is a valid cursor', async () => {
  const all = rowsOf(await pagesOf(maker, '/data/orders'));
  const fromHundred = await page(maker, '/data/orders', 'next_cursor=MTAw');
  expect(idsOf(fromHundred.json.data)).toEqual(idsOf(all.slice(100, 200)));
  const beyond = await page(maker, '/data/orders', `next_cursor=${btoa('100000')}`);
  expect(beyond.json).toEqual({ data: [], next_cursor: 'LTE=', limit: 100, count: 0 });
});

test('malformed cursors and the end cursor are rejected with status 400', async () => {
  for (const cursor of ['LTE=', '***', btoa('-5'), btoa('x'), btoa('1.5'), btoa('1e3'), btoa('9007199254740993')]) {
    for (const path of ['/data/orders', '/data/trades']) {
      const reply = await page(maker, path, `next_cursor=${encodeURIComponent(cursor)}`);
      expect([reply.status, reply.json.error], `${path} ${cursor}`).toEqual([400, 'Invalid next_cursor']);
    }
  }
});

test('filters narrow the lists of open orders and trades', async () => {
  const elsewhere = await createMarket(world.url);
  const away = await limit(maker, elsewhere, Side.BUY, elsewhere.no, 0.4, 10);
  expect(idsOf(await maker.client.getOpenOrders({ market: elsewhere.conditionId }))).toEqual([away.orderID]);
  expect(await maker.client.getOpenOrders({ market: market.conditionId })).toHaveLength(ORDER_COUNT);
  expect(idsOf(await maker.client.getOpenOrders({ asset_id: elsewhere.no }))).toEqual([away.orderID]);
  expect(await maker.client.getOpenOrders({ asset_id: elsewhere.yes })).toEqual([]);
  expect(idsOf(await maker.client.getOpenOrders({ id: orderIds[130] }))).toEqual([orderIds[130]]);

  await giveShares(world.url, taker, elsewhere.no, '10');
  const met = await take(taker, elsewhere, Side.SELL, elsewhere.no, 10, 0.4);
  const [id] = met.tradeIDs ?? [];
  expect(idsOf(await maker.client.getTrades({ market: elsewhere.conditionId }))).toEqual([id]);
  expect(idsOf(await maker.client.getTrades({ asset_id: elsewhere.no }))).toEqual([id]);
  expect(idsOf(await taker.client.getTrades({ id: tradeIds[7] }))).toEqual([tradeIds[7]]);
  expect(await taker.client.getTrades({ market: market.conditionId })).toHaveLength(TRADE_COUNT);
  expect(await taker.client.getTrades({ maker_address: taker.wallet, market: elsewhere.conditionId })).toEqual(
    await taker.client.getTrades({ market: elsewhere.conditionId }),
  );
});

test('before and after exclude trades at exactly the given time', async () => {
  const all = await taker.client.getTrades({ market: market.conditionId });
  const times = all.map(({ match_time }) => Number(match_time));
  for (const at of new Set(times)) {
    const [before, after] = await Promise.all([
      taker.client.getTrades({ market: market.conditionId, before: String(at) }),
      taker.client.getTrades({ market: market.conditionId, after: String(at) }),
    ]);
    expect(before).toHaveLength(times.filter((time) => time < at).length);
    expect(after).toHaveLength(times.filter((time) => time > at).length);
  }
});

test('pages neither repeat nor skip rows while orders are cancelled and trades are added', async () => {
  const first = (await page(maker, '/data/orders', 'next_cursor=MA==')).json;
  const firstIds = idsOf(first.data);
  const canceled = await maker.client.cancelOrders(firstIds.slice(0, 50));
  expect(canceled.canceled).toHaveLength(50);
  const second = (await page(maker, '/data/orders', `next_cursor=${encodeURIComponent(first.next_cursor)}`)).json;
  const third = (await page(maker, '/data/orders', `next_cursor=${encodeURIComponent(second.next_cursor)}`)).json;
  const seen = [...firstIds, ...idsOf(second.data), ...idsOf(third.data)];
  expect(new Set(seen).size).toBe(seen.length);
  expect(orderIds.filter((id) => !seen.includes(id))).toEqual([]);

  const newest = await taker.client.getTradesPaginated({ market: market.conditionId });
  await giveShares(world.url, taker, market.yes, '30');
  await limit(maker, market, Side.BUY, market.yes, 0.6, 30);
  for (let index = 0; index < 5; index += 1) await take(taker, market, Side.SELL, market.yes, 6, 0.6);
  const next = await taker.client.getTradesPaginated({ market: market.conditionId }, newest.next_cursor);
  expect(idsOf([...newest.trades, ...next.trades])).toEqual([...tradeIds].reverse().slice(0, 200));
});
