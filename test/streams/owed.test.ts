// What a socket is owed is paid on it, in whole frames and as far as there is room, however much it is and however its
// client reads: replays of deep books, gaps, an owner's messages from memory and from the log, new markets. Nothing is lost
// between two streams of a market. A client here reads at its own pace, and is not held for that.
import { expect, test, vi } from 'vitest';
import type { Command } from '../../engine/index.ts';
import { NEW_MARKETS_MAX } from '../../server/streams/catalogChannel.ts';
import { Connection } from '../../server/streams/connection.ts';
import { MarketSubscriber } from '../../server/streams/marketChannel.ts';
import type { MarketStream } from '../../server/streams/marketStream.ts';
import { MarketSubscription } from '../../server/streams/marketSubscription.ts';
import { PayTurns } from '../../server/streams/payTurns.ts';
import type { Publisher } from '../../server/streams/publisher.ts';
import { UserSubscriber } from '../../server/streams/userChannel.ts';
import { MessageBatch } from '../../server/wire/streamMessages.ts';
import { wordOf } from '../support/hex.ts';
import { PATIENCE } from '../support/patience.ts';
import { PLAIN_TERMS } from '../support/plainTerms.ts';
import {
  assetsOf,
  buy,
  deepen,
  expectSound,
  follow,
  hold,
  listen,
  numberOf,
  ping,
  readWithBreak,
  server,
  start,
  stop,
  submit,
  untilPings,
} from './owedWorld.ts';
import { TestSocket } from './socket.ts';
import { authOf, conditionOf, keyIdOf, ownerOf, StreamWorkload, tokenOf } from './workload.ts';

test('pings do not close a client that reads a long replay slowly', async () => {
  await start(1);
  await deepen(0, 4_000);
  const socket = await follow(1);
  const [[stream_id, sequence]] = socket.reader.sequences;
  await socket.close();
  for (let count = 0; count < 300; count += 1) await buy(0, 1, 1, 6_000, 200);
  const slow = await TestSocket.open(server.url, '/ws/market');
  const other = await TestSocket.open(server.url, '/ws/market');
  await untilPings(3);
  slow.send({ type: 'market', resume: { stream_id, sequence } });
  slow.ws.pause();
  ping.mockClear();
  await untilPings(4);
  slow.ws.resume();
  await vi.waitFor(() => expect([slow.closed, numberOf(slow)]).toEqual([undefined, sequence + 1_200]), PATIENCE);
  expectSound(slow);
  for (const each of [slow, other]) await each.close();
});

test('a held owner gets all pending messages, in portions that fit the send buffer', async () => {
  await start(1);
  const socket = await listen(0);
  await stop(socket);
  const place = async (): Promise<void> => {
    const orderId = await buy(0, 0, 0, 4_000, 200);
    await submit({ type: 'CancelOrders', owner: ownerOf(0), keyId: keyIdOf(0), items: [orderId] });
  };
  for (let round = 0; round < 60; round += 1) await Promise.all(Array.from({ length: 100 }, place));
  readWithBreak(socket);
  await vi.waitFor(() => expect([socket.closed, socket.reader.eventCount]).toEqual([undefined, 12_000]), PATIENCE);
  expectSound(socket);
  await socket.close();
});

test('a held client gets a long replay of deep books without being closed', async () => {
  await start(1);
  await deepen(0, 4_000);
  const socket = await follow(1);
  await stop(socket);
  const before = numberOf(socket);
  for (let count = 0; count < 300; count += 1) await buy(0, 1, 1, 6_000, 200);
  readWithBreak(socket);
  await vi.waitFor(() => expect([socket.closed, numberOf(socket)]).toEqual([undefined, before + 1_200]), PATIENCE);
  expectSound(socket);
  await socket.close();
});

test('a held client that reads again gets nothing for markets in which nothing happened', async () => {
  await start(2, { heartbeatMs: 3_600_000 });
  const socket = await follow(2);
  await stop(socket);
  const [held] = hold.mock.contexts as Connection[];
  const before = socket.frames.length;
  socket.ws.resume();
  await vi.waitFor(() => expect(held.isHeld).toBe(false), PATIENCE);
  for (const market of [1, 0]) {
    await buy(market, 0, 0, 4_000, 200);
    await socket.until(({ reader }) => reader.eventCount === 2 - market);
  }
  expect(socket.frames.slice(before).map((frame) => JSON.parse(frame).event_type)).toEqual([
    'price_change',
    'price_change',
  ]);
  expectSound(socket);
  await socket.close();
});

test('a market stream whose only follower is held and released, with nothing to tell it, keeps its heartbeats', async () => {
  const heartbeatMs = 3_600_000;
  await start(1, { heartbeatMs, answerMsMin: 600_000, answerMsMax: 600_000 });
  const request = vi.spyOn(MarketSubscriber.prototype, 'request');
  const socket = await follow(1);
  const [{ host }] = request.mock.contexts as unknown as { readonly host: Publisher }[];
  request.mockRestore();
  const [connection] = ping.mock.contexts as Connection[];
  const goLive = vi.spyOn(MarketSubscription.prototype, 'goLive');
  const silentFromMs = performance.now();
  connection.hold();
  connection.release();
  await vi.waitFor(() => expect(goLive).toHaveBeenCalledTimes(1), PATIENCE);
  goLive.mockRestore();
  host.beat(silentFromMs + heartbeatMs);
  socket.send('PING');
  await socket.until(({ frames }) => frames.includes('PONG'));
  expect([...socket.reader.counts]).toEqual([
    ['book', 2],
    ['heartbeat', 1],
  ]);
  expectSound(socket);
  await socket.close();
});

test('a burst that exceeds the send buffer is deferred for its followers and sent at once to others', async () => {
  await start(2);
  await deepen(0, 4_000);
  await buy(1, 0, 0, 4_000, 1_000);
  const [busy, quiet] = await Promise.all([follow(2), TestSocket.open(server.url, '/ws/market')]);
  quiet.send({ type: 'market', assets_ids: [tokenOf(1, 0)] });
  await quiet.until(({ reader }) => reader.counts.get('book') === 1);
  const [before] = busy.reader.sequences.values();
  const owe = vi.spyOn(MarketSubscriber.prototype, 'owe');
  const trades = Array.from({ length: 300 }, () => buy(0, 1, 1, 6_000, 200));
  await Promise.all([...trades, buy(1, 1, 1, 6_000, 200)]);
  await vi.waitFor(() => expect([busy.closed, numberOf(busy)]).toEqual([undefined, before + 1_200]), PATIENCE);
  await quiet.until(({ reader }) => reader.counts.get('last_trade_price') === 1);
  const results = owe.mock.results.map(({ value }) => value as boolean);
  expect(new Set(results)).toEqual(new Set([true, false]));
  owe.mockClear();
  await buy(0, 1, 1, 6_000, 200);
  await vi.waitFor(() => expect(numberOf(busy)).toBe(before + 1_204), PATIENCE);
  expect(owe).not.toHaveBeenCalled();
  owe.mockRestore();
  for (const socket of [busy, quiet]) {
    expectSound(socket);
    expect(socket.reader.gapCount).toBe(0);
    await socket.close();
  }
});

test('a burst within the limit reaches a client although the system has no room for any of it', async () => {
  await start(1, { answerMsMin: 600_000, answerMsMax: 600_000 });
  await deepen(0, 4_000);
  const socket = await follow(1);
  const connection = ping.mock.contexts.at(-1) as Connection;
  const other = await follow(1);
  const before = numberOf(socket);
  socket.ws.pause();
  while (connection.socket.getBufferedAmount() <= 8_000) {
    connection.send(`[${' '.repeat(8_000)}]`); // no message at all
    await new Promise((resolve) => setImmediate(resolve));
  }
  const owe = vi.spyOn(MarketSubscriber.prototype, 'owe');
  await Promise.all(Array.from({ length: 6 }, () => buy(0, 1, 1, 6_000, 200)));
  await other.until(() => numberOf(other) === before + 24);
  expect(owe).not.toHaveBeenCalled();
  owe.mockRestore();
  socket.ws.resume();
  await vi.waitFor(() => expect([socket.closed, numberOf(socket)]).toEqual([undefined, before + 24]), PATIENCE);
  for (const each of [socket, other]) {
    expectSound(each);
    await each.close();
  }
});

test('a burst costs a socket by its markets or by the changed ones, whichever are fewer', async () => {
  const markets = 20;
  await start(markets + 1);
  const request = vi.spyOn(MarketSubscriber.prototype, 'request');
  const socket = await follow(markets);
  const [subscriber] = request.mock.contexts as MarketSubscriber[];
  const { host, subscriptions } = subscriber as unknown as {
    readonly host: Publisher;
    readonly subscriptions: Map<number, MarketSubscription>;
  };
  request.mockRestore();
  const streams = Array.from({ length: markets + 1 }, (_, market) => host.feed.markets.stream(market));
  const all = vi.spyOn(subscriptions, 'values');
  const one = vi.spyOn(subscriptions, 'get');
  const countsAfter = (changed: readonly MarketStream[]): readonly number[] => {
    expect(subscriber.owe(new Map(changed.map((stream) => [stream, 1_000])), 0)).toBe(false);
    const counts = [all.mock.calls.length, one.mock.calls.length];
    all.mockClear();
    one.mockClear();
    return counts;
  };
  expect(countsAfter([streams[0], streams[markets]])).toEqual([0, 2]);
  expect(countsAfter(streams)).toEqual([1, 0]);
  await socket.close();
});

test('one command that changes 400 markets, more than the send buffer holds, is sent completely', async () => {
  const markets = 400;
  await start(markets);
  for (let market = 0; market < markets; market += 1) {
    const prices = Array.from({ length: 40 }, (_, at) => 1_000 + at * 100);
    await Promise.all(prices.map((pips) => buy(market, 0, 0, pips, 200)));
  }
  const socket = await follow(markets);
  await submit({ type: 'CancelAll', owner: ownerOf(0), keyId: keyIdOf(0) });
  const changes = () => [socket.closed, socket.reader.counts.get('price_change')];
  await vi.waitFor(() => expect(changes()).toEqual([undefined, markets]), PATIENCE);
  expectSound(socket);
  await socket.close();
});

test('gaps of many deep markets are sent with their books as the send buffer drains', async () => {
  const markets = 20;
  const times = 12;
  await start(markets);
  for (let market = 0; market < markets; market += 1) await deepen(market, 9_000);
  const socket = await follow(markets);
  const resume = [...socket.reader.sequences.keys()].map((id) => ({
    stream_id: `${id.slice(0, -9)}000000000`,
    sequence: 1,
  }));
  const request = vi.spyOn(MarketSubscriber.prototype, 'request');
  socket.ws.pause();
  for (let time = 1; time <= times; time += 1) {
    socket.send({ type: 'market', assets_ids: assetsOf(markets), resume });
    await vi.waitFor(() => expect(request).toHaveBeenCalledTimes(time), PATIENCE);
  }
  request.mockRestore();
  // A reply waits for room too.
  socket.send('PING');
  socket.ws.resume();
  await vi.waitFor(() => expect([socket.closed, socket.frames.includes('PONG')]).toEqual([undefined, true]), PATIENCE);
  await vi.waitFor(() => expect(socket.reader.gapCount).toBeGreaterThanOrEqual(markets), PATIENCE);
  expectSound(socket);
  await socket.close();
});

test('both books of a market are sent in one frame, even if they are very large', async () => {
  await start(1);
  await deepen(0, 9_900, 1, 100_123);
  const socket = await follow(1);
  const frames = socket.frames.filter((frame) => frame.includes('"book"'));
  expect(frames).toHaveLength(1);
  expect(frames[0].length).toBeGreaterThan(2 * 262_144);
  expectSound(socket);
  await socket.close();
});

test('the memory in which frames are put together does not stay with a socket that is owed nothing more', async () => {
  await start(1);
  const request = vi.spyOn(MarketSubscriber.prototype, 'request');
  const socket = await follow(1);
  const [{ bookFrame }] = request.mock.contexts as unknown as { readonly bookFrame: { readonly books: unknown } }[];
  request.mockRestore();
  expect(bookFrame.books).toBeUndefined();
  await socket.close();
});

test('a replay sends one message after another while there is room, and the rest when there is room again', async () => {
  await start(1, { answerMsMin: 600_000, answerMsMax: 600_000 });
  const socket = await follow(1);
  const [[stream_id, sequence]] = socket.reader.sequences;
  for (let count = 0; count < 10; count += 1) await buy(0, 0, 0, 4_000, 200);
  await socket.until(() => numberOf(socket) === sequence + 10);
  const resumed = await TestSocket.open(server.url, '/ws/market');
  const connection = ping.mock.contexts.at(-1) as Connection;
  const send = vi.spyOn(connection, 'send');
  const isFull = vi.spyOn(connection, 'isFull', 'get').mockImplementation(() => send.mock.calls.length >= 3);
  resumed.send({ type: 'market', resume: { stream_id, sequence } });
  await resumed.until(({ reader }) => reader.counts.get('price_change') === 3);
  expect(send).toHaveBeenCalledTimes(3);
  isFull.mockRestore();
  connection.drained();
  await resumed.until(({ reader }) => reader.counts.get('price_change') === 10);
  expect(resumed.frames).toEqual(socket.frames.slice(1));
  for (const each of [socket, resumed]) {
    expectSound(each);
    await each.close();
  }
});

test('a replay of deep books to a slow reader renders little more than it sends', async () => {
  await start(1, { answerMsMin: 600_000, answerMsMax: 600_000 });
  await deepen(0, 1_500, 1);
  const socket = await follow(1);
  const [[stream_id, sequence]] = socket.reader.sequences;
  await socket.close();
  for (let count = 0; count < 10; count += 1) await buy(0, 1, 1, 8_500, 200);
  const resumed = await TestSocket.open(server.url, '/ws/market');
  const connection = ping.mock.contexts.at(-1) as Connection;
  const begin = vi.spyOn(MessageBatch.prototype, 'begin');
  const send = vi.spyOn(connection, 'send');
  let room = 1;
  const isFull = vi.spyOn(connection, 'isFull', 'get').mockImplementation(() => send.mock.calls.length >= room);
  resumed.send({ type: 'market', resume: { stream_id, sequence } });
  while (send.mock.calls.length < 40) {
    await vi.waitFor(() => expect(send).toHaveBeenCalledTimes(room), PATIENCE);
    room += 1;
    connection.drained();
  }
  await vi.waitFor(() => expect(numberOf(resumed)).toBe(sequence + 40), PATIENCE);
  expect(begin.mock.calls.length).toBeLessThan(8 * 40);
  for (const spy of [begin, isFull]) spy.mockRestore();
  expectSound(resumed);
  await resumed.close();
});

test('a socket that switches streams while markets change ends at the current sequence numbers', async () => {
  const markets = 300;
  await start(markets);
  const workload = new StreamWorkload(5, markets);
  const drive = (count: number) =>
    Promise.all(Array.from({ length: count }, () => server.exchange.submit(workload.next(Date.now()))));
  await drive(2_000);
  const socket = await follow(markets);
  socket.send({ operation: 'subscribe', assets_ids: [], custom_feature_enabled: true });
  for (let turn = 0; turn < 40; turn += 1) {
    await drive(50);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await drive(1_000);
  const other = await TestSocket.open(server.url, '/ws/market');
  other.send({ type: 'market', assets_ids: assetsOf(markets), custom_feature_enabled: true });
  await other.until(({ reader }) => reader.counts.get('book') === 2 * markets);
  await vi.waitFor(() => {
    for (const [id, number] of other.reader.sequences) expect(socket.reader.sequences.get(id), id).toBe(number);
  }, PATIENCE);
  expectSound(socket);
  for (const each of [socket, other]) await each.close();
});

function newMarket(market: number, characters = 4_000): Command {
  const tail = JSON.stringify({ slug: `n-${market}`, question: `N ${market}?`, description: 'd'.repeat(characters) });
  return {
    ...{ type: 'CreateMarket', eventNumber: 0, ...PLAIN_TERMS, conditionId: conditionOf(market) },
    ...{ firstToken: wordOf(1_000_000 + market * 2), secondToken: wordOf(1_000_001 + market * 2) },
    tail: Buffer.from(tail),
  };
}

async function announce(first: number, end: number): Promise<void> {
  for (let market = first; market < end; market += 1) await submit(newMarket(market));
}

test.each([
  { count: 250, characters: 4_000 },
  { count: 2_000, characters: 4_000 },
  { count: 60, characters: 100_000 },
  { count: 8, characters: 900_000 },
])(
  '$count new markets with texts of $characters at once do not close the socket of a client that reads',
  async ({ count, characters }) => {
    await start(1);
    const socket = await TestSocket.open(server.url, '/ws/market');
    socket.send({ type: 'market', assets_ids: [tokenOf(0, 0)], custom_feature_enabled: true, heartbeat: true });
    await socket.until(({ reader }) => reader.counts.get('book') === 1);
    await Promise.all(Array.from({ length: count }, (_, market) => submit(newMarket(market + 1, characters))));
    const numbers = () => [socket.closed, ...socket.reader.sequences.values()];
    await vi.waitFor(() => expect(numbers()).toEqual([undefined, count + 1, 0]), PATIENCE);
    expectSound(socket);
    await socket.close();
  },
);

test.each([
  { count: NEW_MARKETS_MAX, how: 'one message each' },
  { count: NEW_MARKETS_MAX + 1, how: 'a gap' },
])('a held client that reads again catches up on $count new markets: $how', async ({ count }) => {
  await start(1);
  const socket = await TestSocket.open(server.url, '/ws/market');
  socket.send({ type: 'market', assets_ids: [tokenOf(0, 0)], custom_feature_enabled: true, heartbeat: true });
  await socket.until(({ reader }) => reader.counts.get('book') === 1);
  await stop(socket);
  await announce(1, count + 1);
  socket.ws.resume();
  await vi.waitFor(() => expect([...socket.reader.sequences].toString()).toContain(`,${count + 1}`), PATIENCE);
  await announce(count + 1, count + 2);
  await vi.waitFor(() => expect([...socket.reader.sequences].toString()).toContain(`,${count + 2}`), PATIENCE);
  const isGap = count > NEW_MARKETS_MAX;
  expect(socket.events('new_market')).toHaveLength(isGap ? 1 : count + 1);
  expect(socket.events('gap')).toHaveLength(isGap ? 1 : 0);
  expectSound(socket);
  await socket.close();
});

test('new markets requested by a held client are sent in order', async () => {
  await start(1);
  const socket = await TestSocket.open(server.url, '/ws/market');
  await stop(socket);
  const request = vi.spyOn(MarketSubscriber.prototype, 'request');
  socket.send({ type: 'market', assets_ids: [tokenOf(0, 0)], custom_feature_enabled: true, heartbeat: true });
  await vi.waitFor(() => expect(request).toHaveBeenCalled(), PATIENCE);
  request.mockRestore();
  await announce(1, 4);
  socket.ws.resume();
  await vi.waitFor(() => expect(socket.events('new_market')).toHaveLength(3), PATIENCE);
  const ofNewMarkets = (socket.reader.kept ?? []).filter(({ stream_id: id }) => id.startsWith('new-markets-'));
  expect(ofNewMarkets.map(({ event_type: type, sequence }) => `${type} ${sequence}`)).toEqual([
    'heartbeat 1',
    ...[2, 3, 4].map((number) => `new_market ${number}`),
  ]);
  expectSound(socket);
  await socket.close();
});

test('a pending gap keeps its start and reason while the market goes on', async () => {
  await start(1, { answerMsMin: 600_000, answerMsMax: 600_000, changesPerMarketMax: 5 });
  const workload = new StreamWorkload(5, 1);
  const drive = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done += 1) await server.exchange.submit(workload.next(Date.now()));
  };
  await drive(60);
  const socket = await follow(1);
  const [connection] = ping.mock.contexts as Connection[];
  const [[stream_id]] = socket.reader.sequences;
  const request = vi.spyOn(MarketSubscriber.prototype, 'request');
  const isFull = vi.spyOn(Connection.prototype, 'isFull', 'get').mockReturnValue(true);
  socket.send({ type: 'market', resume: { stream_id, sequence: 20 } });
  await vi.waitFor(() => expect(request).toHaveBeenCalled(), PATIENCE);
  request.mockRestore();
  await drive(20);
  isFull.mockRestore();
  connection.drained();
  await socket.until(({ reader }) => reader.gapCount === 1);
  const [{ missed_from: missed, reason }] = socket.events('gap');
  expect([missed, reason]).toEqual([21, 'the missing messages are no longer kept']);
  expectSound(socket);
  await socket.close();
});

test('a resume replaces the gap and the books that an earlier one has pending', async () => {
  await start(1, { answerMsMin: 600_000, answerMsMax: 600_000 });
  const socket = await TestSocket.open(server.url, '/ws/market');
  socket.send({ type: 'market', assets_ids: [tokenOf(0, 0)] });
  await socket.until(({ reader }) => reader.counts.get('book') === 1);
  const [connection] = ping.mock.contexts as Connection[];
  const [[stream_id, sequence]] = socket.reader.sequences;
  const request = vi.spyOn(MarketSubscriber.prototype, 'request');
  const isFull = vi.spyOn(Connection.prototype, 'isFull', 'get').mockReturnValue(true);
  const ofOtherLog = stream_id.slice(0, -1) + (stream_id.endsWith('0') ? '1' : '0');
  socket.send({ type: 'market', assets_ids: [tokenOf(0, 0)], resume: { stream_id: ofOtherLog, sequence } });
  socket.send({ type: 'market', resume: { stream_id, sequence } });
  await vi.waitFor(() => expect(request).toHaveBeenCalledTimes(2), PATIENCE);
  request.mockRestore();
  isFull.mockRestore();
  connection.drained();
  await socket.until(({ reader }) => reader.counts.get('heartbeat') === 1);
  socket.send({ type: 'market', assets_ids: [tokenOf(0, 1)] });
  await socket.until(({ reader }) => reader.books.has(tokenOf(0, 1)));
  expect(socket.events('gap')).toEqual([]);
  expect(socket.events('book')).toHaveLength(2);
  expectSound(socket);
  await socket.close();
});

test('a pending gap uses the numbers of the stream to which the socket has meanwhile moved', async () => {
  await start(1, { answerMsMin: 600_000, answerMsMax: 600_000, changesPerMarketMax: 5 });
  const workload = new StreamWorkload(5, 1);
  for (let done = 0; done < 80; done += 1) await server.exchange.submit(workload.next(Date.now()));
  const socket = await TestSocket.open(server.url, '/ws/market');
  socket.send({ type: 'market', assets_ids: [tokenOf(0, 0)] });
  await socket.until(({ reader }) => reader.counts.get('book') === 1);
  const [[stream_id]] = socket.reader.sequences;
  const request = vi.spyOn(MarketSubscriber.prototype, 'request');
  // The turn ends between the replay, which finds too little kept, and the gap.
  const hasTime = vi.spyOn(PayTurns.prototype, 'hasTime').mockReturnValueOnce(true).mockReturnValue(false);
  socket.send({ type: 'market', resume: { stream_id, sequence: 20 } });
  socket.send({ type: 'market', assets_ids: [tokenOf(0, 1)] });
  await vi.waitFor(() => expect(request).toHaveBeenCalledTimes(2), PATIENCE);
  request.mockRestore();
  hasTime.mockRestore();
  await socket.until(({ reader }) => reader.gapCount === 1);
  const [{ stream_id: id, missed_from: missed, reason }] = socket.events('gap');
  expect(id.slice(0, 12)).toBe('m00000000-bp');
  expect([missed, reason]).toEqual([1, 'the missing messages are no longer kept']);
  expectSound(socket);
  await socket.close();
});

test('a message for which a stream had no room is sent although a round over the streams had just passed it', async () => {
  await start(2, { heartbeatMs: 3_600_000, answerMsMin: 600_000, answerMsMax: 600_000 });
  const steps: (() => void)[] = [];
  const later = vi.spyOn(PayTurns.prototype, 'later').mockImplementation((step) => void steps.push(step));
  // The turn ends between the first stream and the second.
  const hasTime = vi.spyOn(PayTurns.prototype, 'hasTime').mockReturnValueOnce(true).mockReturnValue(false);
  const beat = vi.spyOn(UserSubscriber.prototype, 'beat');
  const entriesAdded = vi.spyOn(UserSubscriber.prototype, 'entriesAdded');
  const socket = await TestSocket.open(server.url, '/ws/user');
  const [auth, markets] = [authOf(server.services.secret, 0), [conditionOf(0), conditionOf(1)]];
  socket.send({ type: 'user', auth, markets, heartbeat: true });
  await socket.until(({ reader }) => reader.sequences.size === 1);
  const [connection] = ping.mock.contexts as Connection[];
  // A first beat begins another round; the next would be in an hour.
  await vi.waitFor(() => expect(beat).toHaveBeenCalled(), PATIENCE);
  const isFull = vi.spyOn(Connection.prototype, 'isFull', 'get').mockReturnValue(true);
  await buy(0, 0, 0, 4_000, 100);
  await vi.waitFor(() => expect(entriesAdded).toHaveBeenCalled(), PATIENCE);
  isFull.mockRestore();
  connection.drained();
  for (const spy of [later, hasTime, beat, entriesAdded]) spy.mockRestore();
  for (const step of steps) step();
  await vi.waitFor(() => expect(socket.reader.eventCount).toBe(1), PATIENCE);
  expectSound(socket);
  await socket.close();
});
