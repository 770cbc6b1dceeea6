// The book object: the published hash vector, and books of an exchange whose hash the official client must reproduce from
// what it receives (wire.md D). Also that a book's text changes exactly when the book does.
import { createHash } from 'node:crypto';
import { Chain, ClobClient, type OrderBookSummary } from '@polymarket/clob-client-v2';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MarketField, Side } from '../../engine/index.ts';
import type { Market } from '../../server/views/index.ts';
import { bookJson, bookObjectJson } from '../../server/wire/books.ts';
import { lastTradeOf, midpointText, priceText, spreadText } from '../../server/wire/prices.ts';
import { PLAIN_TERMS } from '../support/plainTerms.ts';
import { type Owner, T0, ViewsWorld } from './world.ts';

const vector = {
  conditionId: '0xaabbcc',
  tokens: ['100', '200'],
  bookChangedMs: 123_456_789,
  terms: { tickPips: 100, minOrderLots: 10_000 },
  negRisk: false,
  lastTrade: { pricePips: 5000 },
} as const;
const vectorBook = {
  bids: { pips: [3000, 4000], lots: [10_000, 10_000] },
  asks: { pips: [6000, 7000], lots: [10_000, 10_000] },
};

test('the published test vector gives the published hash and the keys in order', () => {
  const book = JSON.parse(bookObjectJson(vector, 0, vectorBook));
  expect(book.hash).toBe('0458ea5755c9f73d64a14636fa5c36ed460ec394');
  expect(Object.keys(book)).toEqual([
    'market',
    'asset_id',
    'timestamp',
    'hash',
    'bids',
    'asks',
    'min_order_size',
    'tick_size',
    'neg_risk',
    'last_trade_price',
  ]);
});

let world: ViewsWorld;
let market: Market;
let alice: Owner;
let bob: Owner;
beforeAll(async () => {
  world = await ViewsWorld.open();
  market = await world.market({}, { tickPips: 10, negRisk: 1 });
  [alice, bob] = [await world.owner(), await world.owner()];
});
afterAll(() => world.close());

const shown = (outcome: 0 | 1): OrderBookSummary => JSON.parse(bookJson(world.views, market, outcome));
// It computes hashes locally: nothing is sent anywhere.
const client = new ClobClient({ host: 'http://127.0.0.1:1', chain: Chain.POLYGON });

test('an empty book has no levels, the time of its market, and default price, midpoint and spread', async () => {
  const book = shown(0);
  expect(book).toMatchObject({ bids: [], asks: [], timestamp: String(T0), last_trade_price: '', neg_risk: true });
  const place = { market, outcome: 0 } as const;
  expect(priceText(world.views, place, Side.BUY)).toBe('0');
  expect(priceText(world.views, place, Side.SELL)).toBe('1');
  expect(midpointText(world.views, place)).toBe('0.5');
  expect(spreadText(world.views, place)).toBe('1');
  expect(lastTradeOf(place)).toBeUndefined();
});

test('bids ascend and asks descend to the best price, and the second token mirrors the first', async () => {
  world.clock.advance(5);
  for (const [pips, shares] of [
    [4000, 10],
    [4120, 20],
    [4120, 5],
    [3000, 7],
  ]) {
    await world.place(alice, pips, shares);
  }
  await world.place(bob, 5500, 30, { outcome: 1 });
  await world.place(bob, 5300, 8, { outcome: 1 });
  expect(shown(0)).toMatchObject({
    timestamp: String(T0 + 5),
    bids: [
      { price: '0.3', size: '7' },
      { price: '0.4', size: '10' },
      { price: '0.412', size: '25' },
    ],
    asks: [
      { price: '0.47', size: '8' },
      { price: '0.45', size: '30' },
    ],
    min_order_size: '5',
    tick_size: '0.001',
  });
  expect(shown(1)).toMatchObject({
    asset_id: market.tokens[1],
    bids: [
      { price: '0.53', size: '8' },
      { price: '0.55', size: '30' },
    ],
    asks: [
      { price: '0.7', size: '7' },
      { price: '0.6', size: '10' },
      { price: '0.588', size: '25' },
    ],
  });
  const place = { market, outcome: 0 } as const;
  expect(midpointText(world.views, place)).toBe('0.431');
  expect(spreadText(world.views, place)).toBe('0.038');
  expect(priceText(world.views, { market, outcome: 1 }, Side.SELL)).toBe('0.588');
});

test('the official client computes the same hash from the book it receives', async () => {
  for (const outcome of [0, 1] as const) {
    const book = shown(outcome);
    expect(await client.getOrderBookHash({ ...book })).toBe(book.hash);
    const text = bookJson(world.views, market, outcome).replace(book.hash, '');
    expect(createHash('sha1').update(text).digest('hex')).toBe(book.hash);
  }
});

test('the book text stays the same while the book does, and changes with a trade and with the tick size', async () => {
  const before = bookJson(world.views, market, 0);
  expect(bookJson(world.views, market, 0)).toBe(before);
  world.clock.advance(5);
  await world.place(alice, 4500, 10);
  const traded = shown(0);
  expect(traded).toMatchObject({ last_trade_price: '0.45', timestamp: String(T0 + 10) });
  expect(shown(1)).toMatchObject({ last_trade_price: '0.55' });
  expect(lastTradeOf({ market, outcome: 0 })).toEqual({ price: '0.45', side: 'BUY' });
  expect(lastTradeOf({ market, outcome: 1 })).toEqual({ price: '0.55', side: 'SELL' });
  await world.submit({ type: 'UpdateMarket', marketIndex: 0, mask: MarketField.TICK, ...PLAIN_TERMS, tickPips: 1 });
  const finer = shown(0);
  expect(finer).toMatchObject({ tick_size: '0.0001', bids: traded.bids });
  expect(new Set([JSON.parse(before).hash, traded.hash, finer.hash]).size).toBe(3);
});
