// The market channel over real sockets (wire.md E): the messages after a subscription, the content of each event, and a
// sceptical reader who rebuilds the same books.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { encodeCommand } from '../../engine/index.ts';
import { requireKeyId } from '../../server/auth/keyIds.ts';
import { streamSettings } from '../../server/config/streamSettings.ts';
import { MarketSubscription } from '../../server/streams/marketSubscription.ts';
import { alice, bob, cancelAll, get, newMarket, openTradingWorld, post, server } from '../http/tradingWorld.ts';
import { ADMIN, send } from '../support/client.ts';
import { startTestServer } from '../support/server.ts';
import type { StreamEvent } from './reader.ts';
import { TestSocket } from './socket.ts';

beforeAll(openTradingWorld);
afterAll(() => server.close());

const open = (path = '/ws/market') => TestSocket.open(server.url, path);

/** Subscribes to both tokens of a market and waits for their books. */
async function follow(where: { readonly tokens: readonly string[] }, more: object = {}): Promise<TestSocket> {
  const socket = await open();
  socket.send({ assets_ids: where.tokens, type: 'market', ...more });
  await socket.until(({ reader }) => (reader.counts.get('book') ?? 0) >= where.tokens.length);
  return socket;
}

test('the first frame is an array of books, each as GET /book returns it plus its stream fields', async () => {
  const fresh = await newMarket();
  await post(alice, fresh, { pips: 4_000, shares: 10 });
  const socket = await follow(fresh);
  const books = JSON.parse(socket.frames[0]);
  expect(books).toHaveLength(2);
  for (const [index, token] of fresh.tokens.entries()) {
    const { event_type, stream_id, sequence, server_ts_ms, ...book } = books[index];
    expect([event_type, sequence, typeof server_ts_ms]).toEqual(['book', 1, 'number']);
    expect(stream_id).toMatch(/^m[0-9a-f]{8}-bp-[0-9a-z]{9}$/);
    expect(JSON.stringify(book)).toBe(JSON.stringify(await get(`/book?token_id=${token}`)));
  }
  expect(socket.reader.faults).toEqual([]);
  await socket.close();
});

test('an order is one price_change with an entry per token, and hashes computed by the reader agree', async () => {
  const fresh = await newMarket();
  const socket = await follow(fresh);
  await post(alice, fresh, { pips: 4_000, shares: 20 });
  await post(bob, fresh, { pips: 5_500, shares: 8, token: 1 });
  await cancelAll(alice);
  await socket.until(({ reader }) => reader.counts.get('price_change') === 3);
  const [placed, other, canceled] = socket.events('price_change');
  const brief = (event: { price_changes: { [key: string]: string }[] }) =>
    event.price_changes.map(({ asset_id, price, size, side, best_bid, best_ask }) => [
      fresh.tokens.indexOf(asset_id),
      ...[price, size, side, best_bid, best_ask],
    ]);
  expect(brief(placed)).toEqual([
    [0, '0.4', '20', 'BUY', '0.4', '1'],
    [1, '0.6', '20', 'SELL', '0', '0.6'],
  ]);
  expect(brief(other)).toEqual([
    [0, '0.45', '8', 'SELL', '0.4', '0.45'],
    [1, '0.55', '8', 'BUY', '0.55', '0.6'],
  ]);
  expect(brief(canceled)[0]).toEqual([0, '0.4', '0', 'BUY', '0', '0.45']);
  expect(placed.market).toBe(fresh.conditionId);
  expect(socket.reader.faults).toEqual([]);
  await cancelAll(bob);
  await socket.close();
});

test('a trade is sent once per stream, in terms of the followed token, and then the complete books', async () => {
  const fresh = await newMarket();
  await post(alice, fresh, { pips: 4_000, shares: 20 });
  const [both, first, second] = await Promise.all([
    follow(fresh),
    follow({ tokens: [fresh.tokens[0]] }),
    follow({ tokens: [fresh.tokens[1]] }),
  ]);
  const { json } = await post(bob, fresh, { pips: 6_000, shares: 5, token: 1 });
  for (const socket of [both, first, second]) {
    await socket.until(({ reader }) => (reader.counts.get('book') ?? 0) >= (socket === both ? 4 : 2));
    expect(socket.reader.faults).toEqual([]);
  }
  const brief = (socket: TestSocket) =>
    socket
      .events('last_trade_price')
      .map((event) => [
        fresh.tokens.indexOf(event.asset_id),
        ...[event.price, event.size, event.side, event.fee_rate_bps, event.transaction_hash],
      ]);
  const [hash] = json.transactionsHashes;
  expect(brief(both)).toEqual([[1, '0.6', '5', 'BUY', '0', hash]]);
  expect(brief(first)).toEqual([[0, '0.4', '5', 'SELL', '0', hash]]);
  expect(brief(second)).toEqual([[1, '0.6', '5', 'BUY', '0', hash]]);
  const kinds = both.frames.slice(1).map((frame) => JSON.parse(frame).event_type);
  expect(kinds).toEqual(['last_trade_price', 'price_change', 'book', 'book']);
  const hashes = await Promise.all(fresh.tokens.map((token) => get(`/book?token_id=${token}`)));
  expect(
    both
      .events('book')
      .slice(2)
      .map(({ hash }) => hash),
  ).toEqual(hashes.map(({ hash }) => hash));
  for (const socket of [both, first, second]) await socket.close();
  await cancelAll(alice);
});

test('every frame after the books of a subscription is one JSON object, live and resumed', async () => {
  const fresh = await newMarket();
  const socket = await follow({ tokens: [fresh.tokens[0]] });
  const path = `/admin/markets/${fresh.conditionId}`;
  // What waits for one flush: orders of one turn, a trade with its books, a new tick with its hashes.
  await Promise.all([3_900, 4_000, 4_100].map((pips) => post(alice, fresh, { pips, shares: 20 })));
  await post(bob, fresh, { pips: 5_900, shares: 25, token: 1 });
  expect((await send(server.url, 'PATCH', path, { tick_size: '0.001' }, ADMIN)).status).toBe(200);
  await socket.until(({ reader }) => reader.counts.get('tick_size_change') === 1);
  const [dump, ...updates] = socket.frames.map((frame) => JSON.parse(frame));
  expect(dump).toHaveLength(1);
  expect(updates.filter((update) => Array.isArray(update))).toEqual([]);
  expect(new Set(updates.map(({ event_type: type }) => type))).toEqual(
    new Set(['price_change', 'last_trade_price', 'book', 'tick_size_change']),
  );
  const resumed = await open();
  resumed.send({ type: 'market', resume: { stream_id: dump[0].stream_id, sequence: dump[0].sequence } });
  await resumed.until(({ reader }) => reader.counts.get('tick_size_change') === 1);
  expect(resumed.frames).toEqual(socket.frames.slice(1));
  for (const each of [socket, resumed]) {
    expect(each.reader.faults).toEqual([]);
    await each.close();
  }
  await cancelAll(alice);
});

test('a record that touches many levels more than once lists each of them once', async () => {
  const fresh = await newMarket();
  const prices = Array.from({ length: 40 }, (_, at) => 100 * (at + 1));
  for (const pips of [...prices, ...prices]) await post(alice, fresh, { pips, shares: 10 });
  const socket = await follow(fresh);
  await cancelAll(alice);
  await socket.until(({ reader }) => reader.counts.get('price_change') === 1);
  const levels = socket
    .events('price_change')[0]
    .price_changes.map(({ asset_id, price }: StreamEvent) => [asset_id, price]);
  expect([levels.length, new Set(levels.map(String)).size]).toEqual([80, 80]);
  await socket.close();
});

test('a level that appears and disappears within one record is not published', async () => {
  const where = await newMarket({ seconds_delay: 1 });
  await post(alice, where, { pips: 4_000, shares: 10 });
  await post(bob, where, { pips: 5_000, shares: 6, token: 1 });
  const socket = await follow(where);
  // The first order takes Alice's ten and rests with six at 0.4, which the second takes before the record is over.
  expect((await post(bob, where, { pips: 6_000, shares: 16, token: 1 })).json.status).toBe('delayed');
  expect((await post(alice, where, { pips: 5_000, shares: 6 })).json.status).toBe('delayed');
  const owner = alice.wallet.address.toLowerCase();
  const latest = [...server.services.views.orders.openOf(owner)].at(-1)?.createdMs ?? 0;
  // Nothing else may happen until both are due: the command submitted then makes the record that releases them.
  while (Date.now() <= latest + 1_000);
  const keyId = requireKeyId(alice.key.apiKey);
  await server.exchange.submit(encodeCommand({ type: 'CancelAll', owner, keyId }));
  await socket.until(({ reader }) => (reader.counts.get('book') ?? 0) >= 4);
  const [change] = socket.events('price_change');
  const brief = change.price_changes.map(({ price, size, side }: StreamEvent) => `${side} ${size} @ ${price}`);
  expect(brief).toEqual(['BUY 0 @ 0.4', 'SELL 0 @ 0.6']);
  expect(socket.events('last_trade_price').map(({ size }) => size)).toEqual(['10', '6']);
  expect(socket.reader.faults).toEqual([]);
  await cancelAll(bob);
  await socket.close();
});

test('custom features add best prices, new markets and resolutions; without them none are sent', async () => {
  const fresh = await newMarket({ outcomes: ['Rain', 'Sun'] });
  const custom = await follow(fresh, { custom_feature_enabled: true });
  const plain = await follow(fresh);
  await post(alice, fresh, { pips: 4_000, shares: 20 });
  const created = await newMarket({ question: 'Is this new?' });
  const resolved = await send(
    server.url,
    'POST',
    `/admin/markets/${fresh.conditionId}/resolve`,
    { outcome: 'Sun' },
    ADMIN,
  );
  expect(resolved.status).toBe(200);
  await custom.until(({ reader }) => reader.counts.get('market_resolved') === 1);
  await plain.until(({ reader }) => reader.counts.get('price_change') === 2);
  const [best] = custom.events('best_bid_ask');
  expect([best.best_bid, best.best_ask, best.spread]).toEqual(['0.4', '1', '0.6']);
  expect(custom.events('best_bid_ask')).toHaveLength(4);
  const [end] = custom.events('market_resolved');
  expect([end.winning_asset_id, end.winning_outcome, end.outcomes]).toEqual([fresh.tokens[1], 'Sun', ['Rain', 'Sun']]);
  const found = custom.events('new_market').find(({ market: id }) => id === created.conditionId);
  expect([found.question, found.assets_ids, found.active]).toEqual(['Is this new?', created.tokens, true]);
  expect([...plain.reader.counts.keys()].sort()).toEqual(['book', 'price_change']);
  expect([...custom.reader.faults, ...plain.reader.faults]).toEqual([]);
  await custom.close();
  await plain.close();
});

test('each change of a best price on either side is one best_bid_ask per token, other changes are none', async () => {
  const fresh = await newMarket();
  const socket = await follow(fresh, { custom_feature_enabled: true });
  await post(alice, fresh, { pips: 4_000, shares: 20 });
  await post(bob, fresh, { pips: 5_500, shares: 8, token: 1 });
  await post(alice, fresh, { pips: 3_000, shares: 20 });
  await post(bob, fresh, { pips: 5_500, shares: 9, token: 1 });
  await cancelAll(bob);
  await post(alice, fresh, { pips: 4_200, shares: 20 });
  await socket.until(({ reader }) => reader.counts.get('price_change') === 6);
  const best = socket.events('best_bid_ask').map(({ asset_id, best_bid, best_ask, spread }) => {
    return `${fresh.tokens.indexOf(asset_id)}: ${best_bid} ${best_ask} ${spread}`;
  });
  expect(best.slice(0, 2)).toEqual(['0: 0.4 1 0.6', '1: 0 0.6 0.6']);
  expect(best.slice(2, 4)).toEqual(['0: 0.4 0.45 0.05', '1: 0.55 0.6 0.05']);
  expect(best.slice(4, 6)).toEqual(['0: 0.4 1 0.6', '1: 0 0.6 0.6']);
  expect(best.slice(6)).toEqual(['0: 0.42 1 0.58', '1: 0 0.58 0.58']);
  await cancelAll(alice);
  await socket.close();
});

test('a resolution, which streams without custom features do not report, does not postpone their heartbeats', async () => {
  const goLive = vi.spyOn(MarketSubscription.prototype, 'goLive');
  const fresh = await newMarket();
  const plain = await follow(fresh, { heartbeat: true });
  const [{ stream, form }] = goLive.mock.contexts as MarketSubscription[];
  goLive.mockRestore();
  const custom = await follow(fresh, { custom_feature_enabled: true });
  const publishedMs = stream.publishedMs[form];
  const path = `/admin/markets/${fresh.conditionId}/resolve`;
  expect((await send(server.url, 'POST', path, { outcome: 'Yes' }, ADMIN)).status).toBe(200);
  await custom.until(({ reader }) => reader.counts.get('market_resolved') === 1);
  expect(stream.publishedMs[form]).toBe(publishedMs);
  await custom.close();
  await plain.close();
});

test('new_market carries the event of the market, with the slug as ticker if the event has none', async () => {
  const socket = await open();
  socket.send({ assets_ids: [], type: 'market', custom_feature_enabled: true });
  const event = { title: 'A storm', slug: 'a-storm', description: 'Of some force.' };
  expect((await send(server.url, 'POST', '/admin/events', event, ADMIN)).status).toBe(200);
  const created = await newMarket({ event: event.slug });
  await socket.until(({ reader }) => (reader.counts.get('new_market') ?? 0) > 0);
  const { json } = await send(server.url, 'GET', '/gamma/events/slug/a-storm');
  const { id } = json as { readonly id: string };
  const found = socket.events('new_market').find(({ market: condition }) => condition === created.conditionId);
  expect(found.event_message).toEqual({ id, ticker: event.slug, ...event });
  expect(json).toMatchObject({ ticker: event.slug, ...event });
  await socket.close();
});

test('a market that is created paused is as active in its announcement as in its records', async () => {
  const socket = await open();
  socket.send({ assets_ids: [], type: 'market', custom_feature_enabled: true });
  const { conditionId } = await newMarket({ status: 'paused' });
  await socket.until(({ reader }) => reader.counts.get('new_market') === 1);
  const [{ active, market }] = socket.events('new_market');
  const record = await get(`/markets/${conditionId}`);
  expect([market, active]).toEqual([conditionId, record.active]);
  await socket.close();
});

test('a socket that follows only new markets gets heartbeats with the position of their stream', async () => {
  const other = await startTestServer({ config: { streams: { ...streamSettings, heartbeatMs: 50 } } });
  const socket = await TestSocket.open(other.url, '/ws/market');
  socket.send({ assets_ids: [], type: 'market', custom_feature_enabled: true, heartbeat: true });
  await socket.until(({ reader }) => reader.counts.get('heartbeat') === 3);
  const [first, ...others] = socket.events('heartbeat').map(({ stream_id: id, sequence }) => [id, sequence]);
  expect(first).toEqual([expect.stringMatching(/^new-markets-/), 0]);
  expect(others).toEqual([first, first]);
  await socket.close();
  await other.close();
});

test('changes of the tick size and the minimum size are published, so that book hashes still match', async () => {
  const fresh = await newMarket();
  const socket = await follow(fresh);
  const path = `/admin/markets/${fresh.conditionId}`;
  expect((await send(server.url, 'PATCH', path, { tick_size: '0.001' }, ADMIN)).status).toBe(200);
  expect((await send(server.url, 'PATCH', path, { min_order_size: '7' }, ADMIN)).status).toBe(200);
  await socket.until(({ reader }) => (reader.counts.get('book') ?? 0) >= 6);
  const [change] = socket.events('tick_size_change');
  expect([change.old_tick_size, change.new_tick_size]).toEqual(['0.01', '0.001']);
  await post(alice, fresh, { pips: 4_010, shares: 20 });
  await socket.until(({ reader }) => reader.counts.get('price_change') === 1);
  expect(socket.reader.faults).toEqual([]);
  await cancelAll(alice);
  await socket.close();
});

test('a record that changes minimum size and levels is sent with matching hashes, also on resume', async () => {
  const fresh = await newMarket();
  await post(alice, fresh, { pips: 4_000, shares: 20 });
  const socket = await follow(fresh);
  const path = `/admin/markets/${fresh.conditionId}`;
  const change = { status: 'closed', min_order_size: '7', tick_size: '0.001' };
  expect((await send(server.url, 'PATCH', path, change, ADMIN)).status).toBe(200);
  await socket.until(({ reader }) => (reader.counts.get('book') ?? 0) >= 4);
  expect(socket.events('price_change')[0].price_changes.map(({ size }: StreamEvent) => size)).toEqual(['0', '0']);
  expect(socket.events('book').at(-1)).toMatchObject({ min_order_size: '7', tick_size: '0.001' });
  expect(socket.reader.faults).toEqual([]);
  const { stream_id } = socket.events('book')[0];
  const again = await open();
  again.send({ type: 'market', resume: { stream_id, sequence: 1 } });
  await again.until(({ reader }) => (reader.counts.get('book') ?? 0) >= 2);
  expect(again.frames).toEqual(socket.frames.slice(1));
  for (const each of [socket, again]) await each.close();
});

test('subscriptions add up, repeats get NO NEW ASSETS, and an unsubscribe keeps the remaining tokens', async () => {
  const [one, two] = [await newMarket(), await newMarket()];
  const socket = await open('/ws');
  socket.send({ type: 'market', operation: 'subscribe', markets: [], assets_ids: [one.tokens[0]], heartbeat: true });
  await socket.until(({ reader }) => reader.counts.get('book') === 1);
  socket.send({ operation: 'subscribe', assets_ids: [two.tokens[1]] });
  await socket.until(({ reader }) => reader.counts.get('book') === 2);
  socket.send({ operation: 'subscribe', assets_ids: [two.tokens[1]] });
  await socket.until(({ frames }) => frames.includes('NO NEW ASSETS'));
  socket.send({ operation: 'subscribe', assets_ids: [two.tokens[0]], initial_dump: false });
  await socket.until(({ reader }) => reader.counts.get('heartbeat') === 1);
  expect(socket.events('heartbeat')[0].stream_id).toContain('-bp-');
  socket.send({ operation: 'unsubscribe', assets_ids: [one.tokens[0], two.tokens[1]] });
  await socket.until(({ reader }) => reader.counts.get('heartbeat') === 2);
  await post(alice, one, { pips: 3_000, shares: 10 });
  await post(alice, two, { pips: 3_000, shares: 10 });
  await socket.until(({ reader }) => reader.counts.get('price_change') === 1);
  const [change] = socket.events('price_change');
  expect([change.market, change.stream_id.slice(10, 12)]).toEqual([two.conditionId, 'fp']);
  // Only the books of tokens that it did not follow are sent.
  socket.send({ operation: 'subscribe', assets_ids: two.tokens });
  await socket.until(({ reader }) => (reader.counts.get('book') ?? 0) > 2);
  expect(
    socket
      .events('book')
      .map(({ asset_id }) => asset_id)
      .slice(2),
  ).toEqual([two.tokens[1]]);
  expect(socket.reader.faults).toEqual([]);
  await cancelAll(alice);
  await socket.close();
});

test('PING gets PONG, and each invalid message gets an error that names the problem', async () => {
  const socket = await open('/ws/');
  socket.send('PING');
  await socket.until(({ frames }) => frames.includes('PONG'));
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    ['{', /not JSON/],
    ['[1]', /one JSON object/],
    [{ type: 'market', assets_ids: 'x' }, /assets_ids must be a list of strings/],
    [{ type: 'market', assets_ids: ['12345', 1] }, /assets_ids must be a list of strings/],
    [{ type: 'market', markets: {} }, /markets must be a list of strings/],
    [{ type: 'market', custom_feature_enabled: 'yes' }, /custom_feature_enabled must be true or false/],
    [{ type: 'market', initial_dump: 1 }, /initial_dump must be true or false/],
    [{ type: 'market', heartbeat: 'true' }, /heartbeat must be true or false/],
    [{ type: 'market', heartbeat: 10 }, /heartbeat must be true or false/],
    [{ operation: 'unsubscribe', heartbeat: {} }, /heartbeat must be true or false/],
    [{ type: 'weather' }, /type must be market or user/],
    [{ type: 'market', operation: 'dance' }, /INVALID OPERATION/],
    [{ type: 'market', assets_ids: ['12345'] }, /no such token: 12345/],
    [{ operation: 'unsubscribe', assets_ids: ['12345'] }, /no such token: 12345/],
    [{ type: 'market', assets_ids: ['1', '2', '3'] }, /no such token: 1, 2, 3$/],
    [{ type: 'market', assets_ids: ['1', '2', '3', '4', '5'] }, /no such token: 1, 2, 3 and 2 more$/],
    [{ type: 'market', assets_ids: ['7'.repeat(80), '8'.repeat(81)] }, /: 7{80}, 8{80}…$/],
    [{ type: 'market', resume: { stream_id: 'x', sequence: 1.5 } }, /resume must be/],
    [{ type: 'market', resume: [{ stream_id: 'x', sequence: -1 }] }, /resume must be/],
    [{ type: 'market', resume: { stream_id: 1, sequence: 1 } }, /resume must be/],
    [{ type: 'market', resume: 'x' }, /resume must be/],
    [{ type: 'user' }, /belongs to the market channel: open another one for the user channel/],
  ];
  for (const [message, sentence] of wrong) {
    const before = socket.events('error').length;
    socket.send(message);
    await socket.until(() => socket.events('error').length > before);
    expect(socket.events('error').at(-1).error).toMatch(sentence);
  }
  await socket.close();
});
