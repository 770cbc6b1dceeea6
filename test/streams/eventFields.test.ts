// Every field of the events that most clients act on, in whole events: order and trade of the user channel, new_market and
// market_resolved. The world differs from the usual one in each value that a field shows: an order with an end for the second
// token, a market with fees, a fine tick, texts of its own and an event. The clock moves only when the test says so.
import { getAddress } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VirtualClock } from '../../engine/index.ts';
import {
  alice,
  bob,
  call,
  get,
  type MarketIds,
  newMarket,
  openTradingWorldOn,
  orderBody,
  post,
  server,
  type Trader,
} from '../http/tradingWorld.ts';
import { ADMIN, send } from '../support/client.ts';
import { TestSocket } from './socket.ts';

const clock = new VirtualClock(Date.now());
beforeAll(() => openTradingWorldOn(clock));
afterAll(() => server.close());

const seconds = (ms: number): string => String(Math.floor(ms / 1_000));
/** The fields by which readers follow a stream; the tests of streams check them. */
const HEAD = { stream_id: expect.any(String), sequence: expect.any(Number), server_ts_ms: expect.any(Number) };

async function listen({ key }: Trader): Promise<TestSocket> {
  const socket = await TestSocket.open(server.url, '/ws/user');
  socket.send({ auth: key, type: 'user', heartbeat: true });
  await socket.until(({ reader }) => reader.sequences.size > 0);
  return socket;
}

/** An order of Alice's for 20 shares of the second token at 0.4, which ends in ten minutes: its fields in every event. */
async function placeLasting(where: MarketIds) {
  const expiration = seconds(clock.now() + 600_000);
  const body = orderBody(alice, where, { pips: 4_000, shares: 20, token: 1, orderType: 'GTD' });
  const { json } = await call(alice, 'POST', '/order', { ...body, order: { ...body.order, expiration } });
  return {
    ...HEAD,
    event_type: 'order',
    id: json.orderID,
    owner: alice.key.apiKey,
    market: where.conditionId,
    asset_id: where.tokens[1],
    side: 'BUY',
    order_owner: alice.key.apiKey,
    original_size: '20',
    price: '0.4',
    outcome: 'Sun',
    created_at: seconds(clock.now()),
    expiration,
    order_type: 'GTD',
    maker_address: getAddress(alice.wallet.address),
  };
}

test('order and trade events have every field of their order, their maker and their taker', async () => {
  const where = await newMarket({ outcomes: ['Rain', 'Sun'] });
  const [ofAlice, ofBob] = [await listen(alice), await listen(bob)];
  const order = await placeLasting(where);
  const placedMs = clock.now();
  clock.advance(5_000);
  expect((await call(bob, 'POST', '/split', { condition_id: where.conditionId, amount: '10' })).status).toBe(200);
  const bought = (await post(bob, where, { pips: 6_000, shares: 5 })).json;
  const sold = (await post(bob, where, { pips: 4_000, shares: 6, token: 1, side: 'SELL' })).json;
  const tradedMs = clock.now();
  clock.advance(5_000);
  expect((await call(alice, 'DELETE', '/order', { orderID: order.id })).status).toBe(200);
  await ofAlice.until((socket) => socket.events('order').at(-1)?.type === 'CANCELLATION');
  await ofBob.until((socket) => socket.events('trade').length >= 4);
  const trades = [bought.tradeIDs[0], sold.tradeIDs[0]];
  const step = (type: string, status: string, tMs: number, size_matched: string, tradeCount: number) => ({
    ...order,
    ...{ type, status, timestamp: String(tMs), size_matched, associate_trades: trades.slice(0, tradeCount) },
  });
  expect(ofAlice.events('order')).toEqual([
    step('PLACEMENT', 'LIVE', placedMs, '0', 0),
    step('UPDATE', 'LIVE', tradedMs, '5', 1),
    step('UPDATE', 'LIVE', tradedMs, '11', 2),
    step('CANCELLATION', 'CANCELED', clock.now(), '11', 2),
  ]);
  const taken = (reply: typeof bought, token: 0 | 1, side: string, price: string, size: string) => ({
    ...HEAD,
    event_type: 'trade',
    type: 'TRADE',
    id: reply.tradeIDs[0],
    taker_order_id: reply.orderID,
    market: where.conditionId,
    asset_id: where.tokens[token],
    side,
    size,
    fee_rate_bps: '0',
    price,
    status: 'MATCHED',
    match_time: seconds(tradedMs),
    matchtime: seconds(tradedMs),
    last_update: seconds(tradedMs),
    outcome: ['Rain', 'Sun'][token],
    bucket_index: 0,
    owner: bob.key.apiKey,
    trade_owner: bob.key.apiKey,
    maker_address: getAddress(bob.wallet.address),
    transaction_hash: reply.transactionsHashes[0],
    maker_orders: [
      {
        order_id: order.id,
        owner: alice.key.apiKey,
        maker_address: getAddress(alice.wallet.address),
        matched_amount: size,
        price: '0.4',
        fee_rate_bps: '0',
        asset_id: where.tokens[1],
        outcome: 'Sun',
        outcome_index: 1,
        side: 'BUY',
      },
    ],
    timestamp: String(tradedMs),
  });
  const matched = [taken(bought, 0, 'BUY', '0.6', '5'), taken(sold, 1, 'SELL', '0.4', '6')];
  for (const [socket, trader_side] of [[ofAlice, 'MAKER'] as const, [ofBob, 'TAKER'] as const]) {
    const seen = socket.events('trade').filter(({ status }) => status === 'MATCHED');
    expect(seen).toEqual(matched.map((event) => ({ ...event, trader_side })));
    await socket.close();
  }
});

test('new_market and market_resolved have every field of their market and its event', async () => {
  const socket = await TestSocket.open(server.url, '/ws/market');
  socket.send({ type: 'market', assets_ids: [], custom_feature_enabled: true });
  const event = { title: 'A game', slug: 'a-game', ticker: 'GAME', description: 'Of two sides: Łódź and 東京.' };
  const made = await send(server.url, 'POST', '/admin/events', { ...event, tags: ['sports', 'finals'] }, ADMIN);
  expect(made.status).toBe(200);
  const texts = { question: 'Who wins?', slug: 'who-wins', outcomes: ['Home', 'Away'] };
  const where = await newMarket({
    ...texts,
    event: event.slug,
    group_item_title: 'The final',
    game_start_time: '2030-01-31T12:00:00Z',
    fee: { rate: '0.02', exponent: 2 },
    tick_size: '0.001',
  });
  const listedMs = clock.now();
  await socket.until(({ reader }) => reader.counts.get('new_market') === 1);
  clock.advance(5_000);
  const shared = {
    ...HEAD,
    ...texts,
    id: (await get('/gamma/markets/slug/who-wins')).id,
    market: where.conditionId,
    description: event.description,
    assets_ids: where.tokens,
    event_message: { ...event, id: (await get('/gamma/events/slug/a-game')).id },
    tags: ['sports', 'finals'],
  };
  expect(socket.events('new_market')).toEqual([
    {
      ...shared,
      event_type: 'new_market',
      timestamp: String(listedMs),
      condition_id: where.conditionId,
      active: true,
      clob_token_ids: where.tokens,
      order_price_min_tick_size: '0.001',
      group_item_title: 'The final',
      sports_market_type: '',
      line: '',
      game_start_time: String(Date.UTC(2030, 0, 31, 12)),
      taker_base_fee: '1000',
      fees_enabled: true,
      fee_schedule: { exponent: '2', rate: '0.02', taker_only: true, rebate_rate: '0' },
    },
  ]);
  socket.send({ operation: 'subscribe', assets_ids: where.tokens });
  await socket.until(({ reader }) => reader.counts.get('book') === 2);
  const path = `/admin/markets/${where.conditionId}/resolve`;
  expect((await send(server.url, 'POST', path, { outcome: 'Home' }, ADMIN)).status).toBe(200);
  await socket.until(({ reader }) => reader.counts.get('market_resolved') === 1);
  expect(socket.events('market_resolved')).toEqual([
    {
      ...shared,
      event_type: 'market_resolved',
      winning_asset_id: where.tokens[0],
      winning_outcome: 'Home',
      timestamp: String(clock.now()),
    },
  ]);
  await socket.close();
});

test('the fields of a new market that has no event, game or fee are empty', async () => {
  const socket = await TestSocket.open(server.url, '/ws/market');
  socket.send({ type: 'market', assets_ids: [], custom_feature_enabled: true, heartbeat: true });
  await socket.until(({ reader }) => reader.sequences.size > 0);
  await newMarket();
  await socket.until(({ reader }) => reader.counts.get('new_market') === 1);
  expect(socket.events('new_market')).toMatchObject([
    {
      description: '',
      event_message: { id: '', slug: '', title: '', ticker: '', description: '' },
      tags: [],
      group_item_title: '',
      game_start_time: '',
      taker_base_fee: '0',
      fees_enabled: false,
    },
  ]);
  await socket.close();
});
