// Many sockets that ask for many deep books at once, as all clients do after a restart: a turn of the loop pays a little of
// what they are owed, and others are served between two turns. Every socket is paid in the end. Also one that asks for many
// markets and leaves them.
import { afterEach, expect, test, vi } from 'vitest';
import { encodeCommand, MarketField } from '../../engine/index.ts';
import { streamSettings } from '../../server/config/streamSettings.ts';
import { Connection } from '../../server/streams/connection.ts';
import { MarketSubscriber } from '../../server/streams/marketChannel.ts';
import { PayTurns } from '../../server/streams/payTurns.ts';
import { UserSubscriber } from '../../server/streams/userChannel.ts';
import { UserStream } from '../../server/streams/userFeed.ts';
import { buyCommand } from '../support/commands.ts';
import { orderIdOf } from '../support/hex.ts';
import { PATIENCE } from '../support/patience.ts';
import { PLAIN_TERMS } from '../support/plainTerms.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { TestSocket } from './socket.ts';
import { authOf, conditionOf, foundingCommands, keyIdOf, ownerOf, tokenOf } from './workload.ts';

const MARKETS = 20;
const LEVELS = 400;
const SOCKETS = 100;
/** Most bytes that one turn may send: what is rendered within its milliseconds, and the step begun in the last of them. */
const TURN_BYTES_MAX = 6_000_000;
let server: TestServer;
afterEach(() => server.close());

function buy(marketIndex: number, pips: number): Promise<unknown> {
  const order = { orderId: orderIdOf(marketIndex * 10_000 + pips), marketIndex, outcome: 0, pips, lots: 1_000 };
  const buyer = { owner: ownerOf(0), keyId: keyIdOf(0) };
  return server.exchange.submit(encodeCommand(buyCommand(buyer, { ...order, timestampMs: Date.now() })));
}

async function deepBooks(): Promise<void> {
  for (let marketIndex = 0; marketIndex < MARKETS; marketIndex += 1) {
    await server.exchange.submit(
      encodeCommand({ type: 'UpdateMarket', marketIndex, mask: MarketField.TICK, ...PLAIN_TERMS, tickPips: 10 }),
    );
    await Promise.all(Array.from({ length: LEVELS }, (_, at) => buy(marketIndex, 10 + at * 10)));
  }
}

/** The most bytes that one turn of the loop sends to sockets while `work` runs. */
async function largestTurn(work: () => Promise<unknown>): Promise<number> {
  let bytes = 0;
  let most = 0;
  const { send } = Connection.prototype;
  const spy = vi.spyOn(Connection.prototype, 'send').mockImplementation(function (this: Connection, frame) {
    bytes += frame.length;
    most = Math.max(most, bytes);
    send.call(this, frame);
  });
  let isOver = false;
  const turn = (): void => {
    bytes = 0;
    if (!isOver) setImmediate(turn);
  };
  turn();
  try {
    await work();
  } finally {
    isOver = true;
    spy.mockRestore();
  }
  return most;
}

test('100 sockets that request deep books at once all get them, spread over event loop turns', async () => {
  server = await startTestServer();
  await Promise.all(foundingCommands(MARKETS).map((command) => server.exchange.submit(command)));
  await deepBooks();
  const sockets = await Promise.all(Array.from({ length: SOCKETS }, () => TestSocket.open(server.url, '/ws/market')));
  const assets_ids = Array.from({ length: MARKETS }, (_, market) => [tokenOf(market, 0), tokenOf(market, 1)]).flat();
  const most = await largestTurn(async () => {
    for (const socket of sockets) socket.send({ type: 'market', assets_ids });
    await Promise.all(sockets.map((socket) => socket.until(({ reader }) => reader.counts.get('book') === 2 * MARKETS)));
  });
  for (const { reader, closed } of sockets) expect([reader.faults, closed]).toEqual([[], undefined]);
  expect(most).toBeLessThan(TURN_BYTES_MAX);
  for (const socket of sockets) await socket.close();
});

/** A socket of the user channel that follows this many markets. */
async function listen(markets: number, more: object = {}): Promise<TestSocket> {
  const socket = await TestSocket.open(server.url, '/ws/user');
  const auth = authOf(server.services.secret, 0);
  const conditions = Array.from({ length: markets }, (_, market) => conditionOf(market));
  socket.send({ type: 'user', auth, markets: conditions, heartbeat: true, ...more });
  return socket;
}

test('heartbeats of 2,000 markets to 40 sockets of an owner are spread over event loop turns', async () => {
  const markets = 2_000;
  server = await startTestServer({ config: { streams: { ...streamSettings, heartbeatMs: 1_500 } } });
  await Promise.all(foundingCommands(markets).map((command) => server.exchange.submit(command)));
  const sockets = await Promise.all(Array.from({ length: 40 }, () => listen(markets)));
  const untilHeartbeats = (times: number) =>
    Promise.all(
      sockets.map((socket) => socket.until(({ reader }) => (reader.counts.get('heartbeat') ?? 0) >= times * markets)),
    );
  await untilHeartbeats(1);
  expect(await largestTurn(() => untilHeartbeats(2))).toBeLessThan(TURN_BYTES_MAX / 2);
  for (const { reader, closed } of sockets) expect([reader.faults, closed]).toEqual([[], undefined]);
  for (const socket of sockets) await socket.close();
});

test('an order event reaches a socket that follows 1,000 markets without a scan of the others', async () => {
  const markets = 1_000;
  server = await startTestServer();
  await Promise.all(foundingCommands(markets).map((command) => server.exchange.submit(command)));
  const socket = await listen(markets);
  await socket.until(({ reader }) => reader.counts.get('heartbeat') === markets);
  const numberOf = vi.spyOn(UserStream.prototype, 'numberOf');
  try {
    await buy(7, 100);
    await socket.until(({ reader }) => reader.counts.get('order') === 1);
    expect(numberOf.mock.calls.length).toBeLessThan(50);
  } finally {
    numberOf.mockRestore();
  }
  await socket.close();
});

test('an order event is sent to a socket that is up to date, and pays nothing of what 50 others are owed', async () => {
  server = await startTestServer({ config: { streams: { ...streamSettings, heartbeatMs: 3_600_000 } } });
  await Promise.all(foundingCommands(MARKETS).map((command) => server.exchange.submit(command)));
  await deepBooks();
  const ready = await listen(1);
  await ready.until(({ reader }) => reader.sequences.size === 1);
  const [stream_id] = ready.reader.sequences.keys();
  const request = vi.spyOn(UserSubscriber.prototype, 'request');
  const hasTime = vi.spyOn(PayTurns.prototype, 'hasTime').mockReturnValue(false);
  const behind = await Promise.all(
    Array.from({ length: 50 }, () => listen(1, { resume: { stream_id, sequence: 10 } })),
  );
  await vi.waitFor(() => expect(request).toHaveBeenCalledTimes(50), PATIENCE);
  request.mockRestore();
  const since = vi.spyOn(UserStream.prototype, 'since');
  const send = vi.spyOn(Connection.prototype, 'send');
  await buy(0, 10 + LEVELS * 10);
  await ready.until(({ reader }) => reader.eventCount === 1);
  expect([since.mock.calls.length, send.mock.calls.length]).toEqual([1, 1]);
  for (const spy of [since, send, hasTime]) spy.mockRestore();
  const numbers = Array.from({ length: LEVELS - 9 }, (_, at) => 11 + at);
  for (const socket of behind) {
    await socket.until(({ reader }) => reader.eventCount === numbers.length);
    expect(socket.events('order').map(({ sequence }) => sequence)).toEqual(numbers);
    expect([socket.reader.faults, socket.closed]).toEqual([[], undefined]);
  }
  for (const socket of [ready, ...behind]) await socket.close();
});

test('a socket leaves 400 markets, whose books it is still owed, without a search for each, and gets those it keeps', async () => {
  const markets = 400;
  server = await startTestServer();
  await Promise.all(foundingCommands(markets).map((command) => server.exchange.submit(command)));
  const socket = await TestSocket.open(server.url, '/ws/market');
  const assets = Array.from({ length: markets }, (_, market) => tokenOf(market, 0));
  const isFull = vi.spyOn(Connection.prototype, 'isFull', 'get').mockReturnValue(true);
  const request = vi.spyOn(MarketSubscriber.prototype, 'request');
  socket.send({ type: 'market', assets_ids: assets });
  await vi.waitFor(() => expect(request).toHaveBeenCalledTimes(1), PATIENCE);
  const filter = vi.spyOn(Array.prototype, 'filter');
  socket.send({ operation: 'unsubscribe', assets_ids: assets.filter((_, market) => market % 100 !== 0) });
  while (request.mock.calls.length < 2) await new Promise((resolve) => setImmediate(resolve));
  const visited = filter.mock.contexts.reduce((sum: number, array) => sum + (array as unknown[]).length, 0);
  filter.mockRestore();
  isFull.mockRestore();
  expect(visited).toBeLessThan(10 * markets);
  socket.send({ operation: 'unsubscribe', assets_ids: [assets[100]] }); // there is room now
  await socket.until(({ reader }) => reader.counts.get('book') === 3);
  expect(socket.events('book').map(({ asset_id }) => asset_id)).toEqual([0, 200, 300].map((market) => assets[market]));
  socket.send('PING');
  await socket.until(({ frames }) => frames.includes('PONG'));
  expect([socket.reader.counts.get('book'), socket.reader.faults]).toEqual([3, []]);
  request.mockRestore();
  await socket.close();
});
