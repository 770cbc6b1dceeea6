// Interface C.2 and C.3 through the official client: books, prices, midpoints, spreads, last trades, tick sizes, flags and
// market records follow the orders that were posted, on both tokens. One server process; figures are worked out by hand.
import { getAddress } from 'viem';
import { expect, test } from 'vitest';
import { send } from '../support/client.ts';
import { world } from './ownWorld.ts';
import { maker, taker } from './twoTraders.ts';
import {
  admin,
  createMarket,
  giveShares,
  levelsOf,
  limit,
  type Market,
  newTrader,
  refusalOf,
  Side,
  take,
} from './world.ts';

/** A market with bids 0.4 (30) and 0.38 (10), asks 0.47 (8) and 0.5 (20); the asks are bids for NO. */
async function quotedMarket(terms = {}): Promise<Market> {
  const market = await createMarket(world.url, terms);
  await limit(maker, market, Side.BUY, market.yes, 0.4, 30);
  await limit(maker, market, Side.BUY, market.yes, 0.38, 10);
  await limit(taker, market, Side.BUY, market.no, 0.53, 8);
  await limit(taker, market, Side.BUY, market.no, 0.5, 20);
  return market;
}

const side = (token: string, which: Side) => ({ token_id: token, side: which });

test('books list the best level last and mirror the other token', async () => {
  const market = await quotedMarket();
  const [yes, no] = await taker.client.getOrderBooks([side(market.yes, Side.BUY), side(market.no, Side.BUY)]);
  expect(levelsOf(yes.bids)).toEqual([
    ['0.38', '10'],
    ['0.4', '30'],
  ]);
  expect(levelsOf(yes.asks)).toEqual([
    ['0.5', '20'],
    ['0.47', '8'],
  ]);
  expect(levelsOf(no.bids)).toEqual([
    ['0.5', '20'],
    ['0.53', '8'],
  ]);
  expect(levelsOf(no.asks)).toEqual([
    ['0.62', '10'],
    ['0.6', '30'],
  ]);
  expect(yes).toMatchObject({
    market: market.conditionId,
    asset_id: market.yes,
    tick_size: '0.01',
    min_order_size: '5',
  });
  expect(no).toMatchObject({ market: market.conditionId, asset_id: market.no, neg_risk: false });
  expect(await taker.client.getOrderBook(market.yes)).toEqual(yes);
  expect(await taker.client.getOrderBook(market.no)).toEqual(no);
  const listed = await send(world.url, 'GET', `/books?token_ids=${market.yes},${market.no}`);
  expect(listed.json).toEqual([yes, no]);
  // Orders at one price add up.
  await limit(taker, market, Side.BUY, market.yes, 0.4, 12.5);
  expect(levelsOf((await maker.client.getOrderBook(market.yes)).bids).at(-1)).toEqual(['0.4', '42.5']);
});

test('prices, midpoints and spreads follow from the best levels', async () => {
  const market = await quotedMarket();
  const { client } = taker;
  const { yes, no } = market;
  const single = await Promise.all(
    [yes, no].map(async (token) => [
      (await client.getPrice(token, Side.BUY)).price,
      (await client.getPrice(token, Side.SELL)).price,
      (await client.getMidpoint(token)).mid,
      (await client.getSpread(token)).spread,
    ]),
  );
  expect(single).toEqual([
    ['0.4', '0.47', '0.435', '0.07'],
    ['0.53', '0.6', '0.565', '0.07'],
  ]);
  const both = [side(yes, Side.BUY), side(no, Side.SELL)];
  expect(await client.getPrices(both)).toEqual({ [yes]: { BUY: '0.4' }, [no]: { SELL: '0.6' } });
  expect(await client.getPrices([side(yes, Side.BUY), side(yes, Side.SELL)])).toEqual({
    [yes]: { BUY: '0.4', SELL: '0.47' },
  });
  expect(await client.getMidpoints(both)).toEqual({ [yes]: '0.435', [no]: '0.565' });
  expect(await client.getSpreads(both)).toEqual({ [yes]: '0.07', [no]: '0.07' });
  const lower = await send(world.url, 'GET', `/price?token_id=${yes}&side=buy`);
  expect(lower.json).toEqual({ price: '0.4' });
  const sideless = await send(world.url, 'POST', '/prices', [{ token_id: yes }]);
  expect(sideless.json).toEqual({ [yes]: { BUY: '0.4', SELL: '0.47' } });
  const midpoints = await send(world.url, 'GET', `/midpoints?token_ids=${yes},${no}`);
  expect(midpoints.json).toEqual({ [yes]: '0.435', [no]: '0.565' });
  const prices = await send(world.url, 'GET', `/prices?token_ids=${yes},${no}&sides=BUY,SELL`);
  expect(prices.json).toEqual({ [yes]: { BUY: '0.4' }, [no]: { SELL: '0.6' } });
  // Taking the whole best ask moves the price to the next one.
  await take(maker, market, Side.BUY, yes, 3.76, 0.47);
  expect((await client.getPrice(yes, Side.SELL)).price).toBe('0.5');
  expect((await client.getMidpoint(no)).mid).toBe('0.55');
});

test('an empty side of the book counts as price 0 for bids and 1 for asks', async () => {
  const market = await createMarket(world.url);
  const { client } = taker;
  const read = async () => [
    (await client.getPrice(market.yes, Side.BUY)).price,
    (await client.getPrice(market.yes, Side.SELL)).price,
    (await client.getMidpoint(market.yes)).mid,
    (await client.getSpread(market.yes)).spread,
  ];
  expect(await read()).toEqual(['0', '1', '0.5', '1']);
  const book = await client.getOrderBook(market.yes);
  expect([book.bids, book.asks]).toEqual([[], []]);
  const order = await limit(maker, market, Side.BUY, market.yes, 0.2, 10);
  expect((await read()).slice(0, 2)).toEqual(['0.2', '1']);
  await maker.client.cancelOrder({ orderID: order.orderID });
  expect(await read()).toEqual(['0', '1', '0.5', '1']);
});

test('both tokens report the same last trade, with mirrored price and side', async () => {
  const [market, quiet] = [await quotedMarket(), await createMarket(world.url)];
  const { client } = taker;
  expect(await client.getLastTradePrice(quiet.yes)).toEqual({ price: '0.5', side: '' });
  await take(maker, market, Side.BUY, market.yes, 3.76, 0.47);
  expect(await client.getLastTradePrice(market.yes)).toEqual({ price: '0.47', side: 'BUY' });
  expect(await client.getLastTradePrice(market.no)).toEqual({ price: '0.53', side: 'SELL' });
  const ownBids = await refusalOf(take(maker, market, Side.SELL, market.yes, 5, 0.01));
  expect(ownBids.message).toContain('FOK orders');
  await giveShares(world.url, taker, market.yes, '5');
  await take(taker, market, Side.SELL, market.yes, 5, 0.4);
  expect(await client.getLastTradePrice(market.yes)).toEqual({ price: '0.4', side: 'SELL' });
  const asked = [quiet.yes, market.yes, market.no].map((token) => side(token, Side.BUY));
  expect(await client.getLastTradesPrices(asked)).toEqual([
    { token_id: market.yes, price: '0.4', side: 'SELL' },
    { token_id: market.no, price: '0.6', side: 'BUY' },
  ]);
  expect((await client.getOrderBook(market.no)).last_trade_price).toBe('0.6');
});

test('the market price of an amount is the price of the last level needed to fill it', async () => {
  const market = await quotedMarket();
  const { client } = maker;
  expect(await client.calculateMarketPrice(market.yes, Side.BUY, 3)).toBe(0.47);
  expect(await client.calculateMarketPrice(market.yes, Side.BUY, 4)).toBe(0.5);
  expect(await client.calculateMarketPrice(market.no, Side.BUY, 20)).toBe(0.62);
  expect(await client.calculateMarketPrice(market.yes, Side.SELL, 40)).toBe(0.38);
  await expect(client.calculateMarketPrice(market.yes, Side.BUY, 100)).rejects.toThrow('no match');
  const reply = await take(maker, market, Side.BUY, market.yes, 4);
  expect(reply).toMatchObject({ status: 'matched', makingAmount: '4', takingAmount: '8.48' });
});

test('all endpoints agree on tick size, neg-risk flag and fee, and follow operator changes', async () => {
  const terms = { tickSize: '0.001', negRisk: true, feeRate: 0.04, feeExponent: 2, minOrderSize: 15 } as const;
  const market = await createMarket(world.url, terms);
  const { client } = await newTrader(world.url);
  expect(await client.getTickSize(market.yes)).toBe('0.001');
  expect(await client.getNegRisk(market.no)).toBe(true);
  const info = await client.getClobMarketInfo(market.conditionId);
  expect(info).toMatchObject({
    c: market.conditionId,
    t: [
      { t: market.yes, o: 'Yes' },
      { t: market.no, o: 'No' },
    ],
    mts: 0.001,
    mos: 15,
    nr: true,
    fd: { r: 0.04, e: 2, to: true },
    ao: true,
    sd: 0,
  });
  expect(info.r).toBeNull();
  const record = await client.getMarket(market.conditionId);
  expect(record).toMatchObject({
    condition_id: market.conditionId,
    minimum_tick_size: 0.001,
    minimum_order_size: 15,
    neg_risk: true,
    active: true,
    closed: false,
    accepting_orders: true,
    enable_order_book: true,
    seconds_delay: 0,
    status: 'active',
  });
  expect([record.maker_base_fee, record.taker_base_fee]).toEqual([1000, 1000]);
  expect(await client.getFeeRateBps(market.yes)).toBe(1000);
  expect(await client.getFeeExponent(market.yes)).toBe(2);
  const free = await createMarket(world.url);
  const freeRecord = await client.getMarket(free.conditionId);
  expect([freeRecord.maker_base_fee, freeRecord.taker_base_fee]).toEqual([0, 0]);
  expect(await client.getFeeRateBps(free.yes)).toBe(0);
  const byToken = await send(world.url, 'GET', `/markets-by-token/${market.no}`);
  expect(byToken.json).toEqual({
    condition_id: market.conditionId,
    primary_token_id: market.yes,
    secondary_token_id: market.no,
  });
  expect((await send(world.url, 'GET', `/tick-size/${market.yes}`)).json).toEqual({ minimum_tick_size: 0.001 });
  expect((await send(world.url, 'GET', `/neg-risk/${market.yes}`)).json).toEqual({ neg_risk: true });

  await admin(world.url, 'PATCH', `/admin/markets/${market.conditionId}`, { tick_size: '0.0025', seconds_delay: 3 });
  const fresh = await newTrader(world.url);
  expect(await fresh.client.getTickSize(market.yes)).toBe('0.0025');
  expect(await fresh.client.getClobMarketInfo(market.conditionId)).toMatchObject({ mts: 0.0025, sd: 3 });
  expect(await fresh.client.getMarket(market.conditionId)).toMatchObject({
    minimum_tick_size: 0.0025,
    seconds_delay: 3,
  });
  expect((await fresh.client.getOrderBook(market.yes)).tick_size).toBe('0.0025');
});

test('a market record shows prices of its tokens and, once resolved, the winner', async () => {
  const market = await quotedMarket();
  await take(maker, market, Side.BUY, market.yes, 3.76, 0.47);
  const open = await taker.client.getMarket(market.conditionId);
  expect(open.tokens.map((token: { token_id: string; outcome: string }) => [token.token_id, token.outcome])).toEqual([
    [market.yes, 'Yes'],
    [market.no, 'No'],
  ]);
  const [yesPrice, noPrice] = open.tokens.map(({ price }: { price: number }) => price);
  expect(yesPrice + noPrice).toBeCloseTo(1, 9);
  await admin(world.url, 'POST', `/admin/markets/${market.conditionId}/resolve`, { outcome: 'No' });
  const resolved = await taker.client.getMarket(market.conditionId);
  expect(resolved).toMatchObject({ closed: true, accepting_orders: false, status: 'resolved' });
  expect(resolved.tokens.map(({ winner }: { winner: boolean }) => winner)).toEqual([false, true]);
  expect(resolved.tokens.map(({ price }: { price: number }) => price)).toEqual([0, 1]);
});

test('paging through the list of markets returns every market once', async () => {
  const created = [await createMarket(world.url), await createMarket(world.url)];
  const ids: string[] = [];
  let cursor = 'MA==';
  while (cursor !== 'LTE=') {
    const page = await taker.client.getMarkets(cursor);
    expect(page.data).toHaveLength(page.count);
    ids.push(...page.data.map(({ condition_id }: { condition_id: string }) => condition_id));
    cursor = page.next_cursor;
  }
  expect(new Set(ids).size).toBe(ids.length);
  for (const market of created) expect(ids).toContain(market.conditionId);
  const page = await taker.client.getMarkets(btoa(String(ids.indexOf(created[1].conditionId))));
  expect(page.data[0]).toMatchObject({
    condition_id: created[1].conditionId,
    question_id: created[1].questionId,
    accepting_orders: true,
    minimum_tick_size: 0.01,
  });
});

test('simplified lists match the full one, and sampling lists have only open markets with rewards', async () => {
  const [open, closed, plain] = [
    await createMarket(world.url),
    await createMarket(world.url),
    await createMarket(world.url),
  ];
  const rates = [{ asset_address: getAddress(`0x${'c0'.repeat(20)}`), rewards_daily_rate: 5 }];
  const rewards = { rates, min_size: 20, max_spread: 3.5 };
  for (const { conditionId } of [open, closed]) {
    await admin(world.url, 'PATCH', `/admin/markets/${conditionId}`, { rewards });
  }
  await admin(world.url, 'PATCH', `/admin/markets/${closed.conditionId}`, { status: 'closed' });
  const { client } = taker;
  const rowsOf = async (list: (cursor: string) => ReturnType<typeof client.getMarkets>) => {
    const rows = new Map<string, Record<string, unknown>>();
    for (let cursor = 'MA=='; cursor !== 'LTE='; ) {
      const page = await list(cursor);
      for (const row of page.data) rows.set(row.condition_id, row);
      cursor = page.next_cursor;
    }
    return rows;
  };
  const full = await rowsOf((cursor) => client.getMarkets(cursor));
  const simplified = await rowsOf((cursor) => client.getSimplifiedMarkets(cursor));
  const sampling = await rowsOf((cursor) => client.getSamplingMarkets(cursor));
  const both = await rowsOf((cursor) => client.getSamplingSimplifiedMarkets(cursor));
  expect([...simplified.keys()]).toEqual([...full.keys()]);
  expect([...both.keys()]).toEqual([...sampling.keys()]);
  for (const [id, row] of simplified) {
    const { tokens, rewards: offered, active, accepting_orders, archived, closed: isClosed } = full.get(id) ?? {};
    expect(row).toMatchObject({ tokens, rewards: offered, active, accepting_orders, archived, closed: isClosed });
  }
  const sampled = [open, closed, plain].map(({ conditionId }) => sampling.has(conditionId));
  expect(sampled).toEqual([true, false, false]);
  expect(full.get(open.conditionId)?.rewards).toEqual(rewards);
  expect([full.get(closed.conditionId)?.closed, full.get(open.conditionId)?.closed]).toEqual([true, false]);
});

const EVERYWHERE = 'condition_id neg_risk question active closed archived accepting_orders tokens rewards';
const FULL = `enable_order_book accepting_order_timestamp minimum_order_size minimum_tick_size question_id description
  market_slug end_date_iso game_start_time seconds_delay fpmm maker_base_fee taker_base_fee notifications_enabled
  neg_risk_market_id neg_risk_request_id icon image is_50_50_outcome tags`;
const SHORT = 'status market_id slug assets_ids outcomes';
const DETAIL = `${SHORT} event raw_metadata`;
const names = (...lists: readonly string[]): string[] => lists.flatMap((list) => list.split(/\s+/)).sort();

test('each kind of market record has all of its fields, and list rows have no others', async () => {
  const market = await createMarket(world.url);
  const rates = [{ asset_address: getAddress(`0x${'c0'.repeat(20)}`), rewards_daily_rate: 1 }];
  const rewards = { rates, min_size: 5, max_spread: 1 };
  await admin(world.url, 'PATCH', `/admin/markets/${market.conditionId}`, { rewards });
  const { client } = taker;
  const lastOf = async (list: (cursor: string) => ReturnType<typeof client.getMarkets>) => {
    for (let cursor = 'MA=='; cursor !== 'LTE='; ) {
      const page = await list(cursor);
      const found = page.data.find((row) => row.condition_id === market.conditionId);
      if (found !== undefined) return found;
      cursor = page.next_cursor;
    }
    return expect.unreachable(`${market.conditionId} is not in the list`);
  };
  const keysOf = (row: object): string[] => Object.keys(row).sort();
  expect(keysOf(await lastOf((cursor) => client.getMarkets(cursor)))).toEqual(names(EVERYWHERE, FULL));
  expect(keysOf(await lastOf((cursor) => client.getSamplingMarkets(cursor)))).toEqual(names(EVERYWHERE, FULL, DETAIL));
  for (const short of ['getSimplifiedMarkets', 'getSamplingSimplifiedMarkets'] as const) {
    expect(keysOf(await lastOf((cursor) => client[short](cursor)))).toEqual(names(EVERYWHERE, SHORT));
  }
  const detail = await client.getMarket(market.conditionId);
  expect(keysOf(detail)).toEqual(expect.arrayContaining(names(EVERYWHERE, FULL, DETAIL)));
  expect(detail).toMatchObject({
    assets_ids: [market.yes, market.no],
    outcomes: ['Yes', 'No'],
    fpmm: expect.any(String),
  });
  // A date is RFC 3339 or null: an empty string would break parsers.
  for (const date of [detail.end_date_iso, detail.game_start_time, detail.accepting_order_timestamp]) {
    expect(date === null || !Number.isNaN(Date.parse(date))).toBe(true);
  }
});

test('unknown tokens and conditions get status 404, and malformed requests get 400', async () => {
  const unknown = '123456789';
  const condition = `0x${'ab'.repeat(32)}`;
  const cases: readonly (readonly [string, number, string])[] = [
    [`/book?token_id=${unknown}`, 404, 'No orderbook exists for the requested token id'],
    ['/book', 400, 'Invalid token id'],
    [`/price?token_id=${unknown}&side=BUY`, 404, 'No orderbook exists for the requested token id'],
    [`/midpoint?token_id=${unknown}`, 404, 'No orderbook exists for the requested token id'],
    [`/spread?token_id=${unknown}`, 404, 'No orderbook exists for the requested token id'],
    [`/tick-size?token_id=${unknown}`, 404, 'market not found'],
    [`/neg-risk?token_id=${unknown}`, 404, 'market not found'],
    [`/fee-rate?token_id=${unknown}`, 404, 'fee rate not found for market'],
    [`/markets/${condition}`, 404, 'id not found'],
    [`/clob-markets/${condition}`, 404, 'market not found'],
  ];
  for (const [path, status, error] of cases) {
    const reply = await send(world.url, 'GET', path);
    expect([reply.status, reply.json.error], path).toEqual([status, error]);
  }
  const market = await quotedMarket();
  const wrongSide = await send(world.url, 'GET', `/price?token_id=${market.yes}&side=HOLD`);
  expect([wrongSide.status, wrongSide.json.error]).toEqual([400, 'Invalid side']);
  const some = await send(world.url, 'POST', '/books', [{ token_id: unknown }, { token_id: market.yes }]);
  expect(some.json.map(({ asset_id }: { asset_id: string }) => asset_id)).toEqual([market.yes]);
  const many = Array.from({ length: 501 }, () => ({ token_id: market.yes }));
  const over = await send(world.url, 'POST', '/books', many);
  expect([over.status, over.json.error]).toEqual([400, 'Payload exceeds the limit']);
});
