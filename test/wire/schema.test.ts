// The tables of interface 2.4 to 2.9 as data, and live replies against them: every field of a form is present with its type, and
// no field that belongs to another form or to the other dialect. A market without texts shows the remaining fields.
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  alice,
  bob,
  call,
  get,
  type MarketIds,
  newMarket,
  openTradingWorld,
  orderBody,
  post,
  server,
  type Trader,
} from '../http/tradingWorld.ts';
import { ADMIN, type JsonReply, l2Headers, send, serviceHeaders } from '../support/client.ts';
import {
  decimal,
  digits,
  faultsOf,
  flag,
  integer,
  isObject,
  iso,
  listOf,
  nothing,
  number,
  objectOf,
  oneOf,
  type Table,
  text,
} from './checks.ts';

// 2.4
const REWARDS = { asset_address: text, rewards_daily_rate: number };
const TOKEN = { token_id: text, outcome: text, price: number, winner: flag };
const EVERY_FORM: Table = {
  active: flag,
  closed: flag,
  archived: flag,
  accepting_orders: flag,
  condition_id: text,
  neg_risk: flag,
  question: text,
  rewards: objectOf({ rates: listOf(objectOf(REWARDS)), min_size: number, max_spread: number }),
  tokens: listOf(objectOf(TOKEN)),
};
const FULL: Table = {
  ...EVERY_FORM,
  enable_order_book: flag,
  accepting_order_timestamp: iso,
  minimum_order_size: number,
  minimum_tick_size: number,
  question_id: text,
  description: text,
  market_slug: text,
  end_date_iso: iso,
  game_start_time: iso,
  seconds_delay: integer,
  fpmm: text,
  maker_base_fee: number,
  taker_base_fee: number,
  notifications_enabled: flag,
  neg_risk_market_id: text,
  neg_risk_request_id: text,
  icon: text,
  image: text,
  is_50_50_outcome: flag,
  tags: listOf(text),
};
const BEYOND_FULL: Table = {
  status: oneOf('active', 'paused', 'closed', 'resolved'),
  market_id: integer,
  slug: text,
  assets_ids: listOf(text),
  outcomes: listOf(text),
};
const DETAIL: Table = {
  ...FULL,
  ...BEYOND_FULL,
  event: objectOf({ id: text, slug: text, title: text, ticker: text, description: text }),
  raw_metadata: isObject,
};
const SIMPLIFIED: Table = { ...EVERY_FORM, ...BEYOND_FULL };
const pageOf = (row: Table): Table => ({
  data: listOf(objectOf(row)),
  next_cursor: text,
  limit: integer,
  count: integer,
});

// 2.5
const LEVELS = listOf(objectOf({ price: decimal, size: decimal }));
const BOOK: Table = {
  market: text,
  asset_id: text,
  timestamp: digits,
  hash: text,
  bids: LEVELS,
  asks: LEVELS,
  min_order_size: decimal,
  tick_size: decimal,
  last_trade_price: decimal,
  neg_risk: flag,
};

// 2.7: the reply; the last two are wire B.8's
const PLACED: Table = {
  success: flag,
  errorMsg: text,
  orderID: text,
  takingAmount: text,
  makingAmount: text,
  status: oneOf('live', 'matched', 'delayed'),
  transactionsHashes: listOf(text),
  tradeIDs: listOf(text),
};

const SIDE = oneOf('BUY', 'SELL');
const ORDER_TYPE = oneOf('GTC', 'GTD', 'FOK', 'FAK');

// 2.8, and the same order as wire C.5 has it
const ORDER: Table = {
  associateTrades: listOf(text),
  id: text,
  status: text,
  market: text,
  originalSize: decimal,
  outcome: text,
  makerAddress: text,
  owner: text,
  price: decimal,
  sizeMatched: decimal,
  assetId: text,
  side: SIDE,
  type: ORDER_TYPE,
  createdAt: iso,
};
const OFFICIAL_ORDER: Table = {
  id: text,
  status: text,
  owner: text,
  maker_address: text,
  market: text,
  asset_id: text,
  side: SIDE,
  original_size: decimal,
  size_matched: decimal,
  price: decimal,
  associate_trades: listOf(text),
  outcome: text,
  created_at: integer,
  expiration: digits,
  order_type: ORDER_TYPE,
};

// 2.9, and the same trade as wire C.5 has it
const MAKER: Table = {
  order_id: text,
  maker_address: text,
  owner: text,
  matched_amount: decimal,
  fee_rate_bps: decimal,
  price: decimal,
  asset_id: text,
  outcome: text,
  side: SIDE,
};
const EITHER_TRADE: Table = {
  id: text,
  taker_order_id: text,
  market: text,
  asset_id: text,
  side: SIDE,
  size: decimal,
  fee_rate_bps: decimal,
  price: decimal,
  status: oneOf('MATCHED', 'MINED', 'CONFIRMED'),
  outcome: text,
  maker_address: text,
  owner: text,
  transaction_hash: text,
  bucket_index: integer,
  maker_orders: listOf(objectOf(MAKER)),
};
const ROLE = oneOf('TAKER', 'MAKER');
const TRADE: Table = { ...EITHER_TRADE, match_time: iso, last_update: iso, type: ROLE };
const OFFICIAL_TRADE: Table = { ...EITHER_TRADE, match_time: digits, last_update: digits, trader_side: ROLE };

const CODE = `0x${'ab'.repeat(32)}`;
let market: MarketIds;
let bare: MarketIds;
let orderId: string;

/** A request of the root dialect: the same signature under the other family of header names. */
function callPlainly({ wallet, key }: Trader, method: string, path: string, body?: unknown): Promise<JsonReply> {
  const content = body === undefined ? '' : JSON.stringify(body);
  const headers = l2Headers(wallet.address, key, method, path.split('?')[0], content);
  return send(server.url, method, path, body === undefined ? undefined : content, serviceHeaders(headers));
}

beforeAll(async () => {
  await openTradingWorld();
  const event = { title: 'An event', slug: 'an-event', tags: ['weather'], description: 'All of it.' };
  expect((await send(server.url, 'POST', '/admin/events', event, ADMIN)).status).toBe(200);
  const date = '2030-01-01T00:00:00.000Z';
  market = await newMarket({
    event: 'an-event',
    end_date: date,
    game_start_time: date,
    fee: { rate: 0.02, exponent: 1 },
    rewards: { rates: [{ asset_address: `0x${'5'.repeat(40)}`, rewards_daily_rate: 1.5 }], min_size: 5, max_spread: 3 },
  });
  bare = await newMarket();
  orderId = (await post(alice, market, { pips: 4000, shares: 50 })).json.orderID;
  await post(bob, market, { pips: 6000, shares: 20, token: 1, change: { builder: CODE } });
});
afterAll(() => server.close());

test('2.4: market lists and records have the fields of their form', async () => {
  const lists: readonly (readonly [string, Table])[] = [
    ['/markets?next_cursor=MA==', FULL],
    ['/sampling-markets', DETAIL],
    ['/simplified-markets', SIMPLIFIED],
    ['/sampling-simplified-markets', SIMPLIFIED],
  ];
  for (const [path, row] of lists) {
    for (const reply of [await send(server.url, 'GET', path), await call(alice, 'GET', path)]) {
      const { data, ...rest } = reply.json;
      const own = data.find(({ condition_id }: { condition_id: string }) => condition_id === market.conditionId);
      expect([path, faultsOf(own, row)]).toEqual([path, []]);
      expect([path, faultsOf({ data: [own], ...rest }, pageOf(row))]).toEqual([path, []]);
    }
  }
  expect(faultsOf(detailOf(await get(`/markets/${market.conditionId}`)), DETAIL)).toEqual([]);
});

/** The keys of the order-book record; those of the catalog's record are beside them. */
const detailOf = (record: Readonly<Record<string, unknown>>): JsonReply['json'] =>
  Object.fromEntries(Object.keys(DETAIL).map((key) => [key, record[key]]));

test('2.4: fields that a market was not given are empty, or null for dates', async () => {
  const undated = { ...DETAIL, end_date_iso: nothing, game_start_time: nothing };
  const record = detailOf(await get(`/markets/${bare.conditionId}`));
  expect(faultsOf(record, undated)).toEqual([]);
  expect([record.rewards, record.tags, record.event.id]).toEqual([{ rates: [], min_size: 0, max_spread: 0 }, [], '']);
});

test('2.5: a book has its fields, and last_trade_price is empty before the first trade', async () => {
  const reply = await send(server.url, 'POST', '/books', [
    { token_id: market.tokens[0] },
    { token_id: bare.tokens[1] },
  ]);
  const [traded, untraded] = reply.json;
  expect(faultsOf(traded, BOOK)).toEqual([]);
  expect(faultsOf(untraded, { ...BOOK, last_trade_price: (value) => value === '' })).toEqual([]);
  expect([traded.last_trade_price, traded.bids]).toEqual(['0.4', [{ price: '0.4', size: '30' }]]);
});

test('2.6: prices have BUY and SELL decimals, and price histories have numbers', async () => {
  const [yes] = market.tokens;
  const prices = await send(server.url, 'POST', '/prices', [{ token_id: yes }]);
  expect(faultsOf(prices.json, { [yes]: objectOf({ BUY: decimal, SELL: decimal }) })).toEqual([]);
  const point = objectOf({ t: integer, p: number });
  const { json } = await send(server.url, 'POST', '/batch-prices-history', { markets: [yes] });
  expect(faultsOf(json, { history: objectOf({ [yes]: listOf(point) }) })).toEqual([]);
  expect(json.history[yes].length).toBeGreaterThan(0);
});

test('2.7: the response to a placed order has all fields in both dialects', async () => {
  const choice = { pips: 3000, shares: 10 };
  const { order, owner, orderType } = orderBody(alice, market, { ...choice, orderType: 'FOK', pips: 9000, token: 1 });
  // Fields that the table does not list are omitted; an unneeded one is added.
  const { expiration: _expiration, ...documented } = order;
  const body = { order: { ...documented, conditionId: market.conditionId }, owner, orderType };
  const killed = await callPlainly(alice, 'POST', '/order', body);
  expect([killed.status, Object.keys(killed.json)]).toEqual([400, ['error', 'orderID', 'available_size']]);
  for (const send of [call, callPlainly]) {
    const placed = await send(alice, 'POST', '/order', orderBody(alice, market, choice));
    expect(faultsOf(placed.json, PLACED)).toEqual([]);
    const taken = await send(bob, 'POST', '/order', orderBody(bob, market, { ...choice, pips: 7000, token: 1 }));
    expect(faultsOf(taken.json, PLACED)).toEqual([]);
    expect(placed.json.success && taken.json.success).toBe(true);
  }
});

test('2.8: an order is wrapped in an object on the root and bare for official clients', async () => {
  const path = `/data/order/${orderId}`;
  expect(faultsOf((await callPlainly(alice, 'GET', path)).json, { order: objectOf(ORDER) })).toEqual([]);
  expect(faultsOf((await call(alice, 'GET', path)).json, OFFICIAL_ORDER)).toEqual([]);
  const page = await call(alice, 'GET', '/data/orders');
  expect(faultsOf(page.json, pageOf(OFFICIAL_ORDER))).toEqual([]);
  expect(page.json.count).toBeGreaterThan(0);
});

test('2.9: trade times are ISO 8601 on the root and digits for official clients', async () => {
  for (const trader of [alice, bob]) {
    const plain = await callPlainly(trader, 'GET', '/data/trades');
    const official = await call(trader, 'GET', '/data/trades');
    expect(faultsOf(plain.json, pageOf(TRADE))).toEqual([]);
    expect(faultsOf(official.json, pageOf(OFFICIAL_TRADE))).toEqual([]);
    expect(plain.json.count).toBe(official.json.count);
    const role = trader === alice ? 'MAKER' : 'TAKER';
    expect([plain.json.data.at(-1).type, official.json.data.at(-1).trader_side]).toEqual([role, role]);
  }
});

test('2.9: GET /builder/trades returns a bare list of trades, or a page with builder_code', async () => {
  const { builderCode } = (await call(alice, 'POST', '/auth/builder-api-key')).json;
  await post(alice, market, { pips: 4500, shares: 10, change: { builder: builderCode } });
  await post(bob, market, { pips: 7000, shares: 10, token: 1 });
  const { json } = await callPlainly(alice, 'GET', '/builder/trades');
  expect([listOf(objectOf(TRADE))(json), json.length]).toEqual([true, 1]);
  const page = await get(`/builder/trades?builder_code=${CODE}`);
  expect([page.count, Object.keys(page)]).toEqual([1, ['data', 'next_cursor', 'limit', 'count']]);
});
