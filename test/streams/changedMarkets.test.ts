// A user socket that changes its markets while messages wait for room in it: the streams that it leaves are never sent to
// their end, so the streams that replace them begin with a gap. The test decides when there is room.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { encodeCommand } from '../../engine/index.ts';
import { streamSettings } from '../../server/config/streamSettings.ts';
import { Connection } from '../../server/streams/connection.ts';
import { UserSubscriber } from '../../server/streams/userChannel.ts';
import { buyCommand } from '../support/commands.ts';
import { orderIdOf } from '../support/hex.ts';
import { PATIENCE } from '../support/patience.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { TestSocket } from './socket.ts';
import { authOf, conditionOf, foundingCommands, keyIdOf, ownerOf } from './workload.ts';

const MARKET = conditionOf(0);
const REASON = 'the socket changed its markets while messages waited to be sent';
const ping = vi.spyOn(Connection.prototype, 'ping');
const request = vi.spyOn(UserSubscriber.prototype, 'request');
let server: TestServer;
let socket: TestSocket;
let orderCount = 0;

beforeAll(async () => {
  const streams = { ...streamSettings, answerMsMin: 600_000, answerMsMax: 600_000 };
  server = await startTestServer({ config: { streams } });
  for (const command of foundingCommands(1)) await server.exchange.submit(command);
});
beforeEach(() => {
  ping.mockClear();
  request.mockClear();
});
afterEach(() => socket.close());
afterAll(() => server.close());

/** Opens the owner's socket; returns the exchange's side of it, which was pinged as it opened. */
async function listen(more: object): Promise<Connection> {
  socket = await TestSocket.open(server.url, '/ws/user');
  socket.send({ type: 'user', auth: authOf(server.services.secret, 0), heartbeat: true, ...more });
  await socket.until(({ reader }) => reader.sequences.size === 1);
  return ping.mock.contexts[0] as Connection;
}

/** Runs steps while the socket has no room. */
async function whileFull(connection: Connection, steps: () => Promise<void>): Promise<void> {
  const isFull = vi.spyOn(Connection.prototype, 'isFull', 'get').mockReturnValue(true);
  await steps();
  isFull.mockRestore();
  connection.drained();
}

/** Places an order of the owner, which is one message. */
async function place(): Promise<void> {
  orderCount += 1;
  const order = { orderId: orderIdOf(orderCount), marketIndex: 0, outcome: 0, pips: 4_000, lots: 200 };
  const owner = { owner: ownerOf(0), keyId: keyIdOf(0) };
  await server.exchange.submit(encodeCommand(buyCommand(owner, { ...order, timestampMs: Date.now() })));
}

async function send(message: object): Promise<void> {
  const count = request.mock.calls.length + 1;
  socket.send(message);
  await vi.waitFor(() => expect(request).toHaveBeenCalledTimes(count), PATIENCE);
}

/** Places an order, and waits until the socket has its message. */
async function placeAndReceive(): Promise<void> {
  const count = socket.reader.eventCount + 1;
  await place();
  await socket.until(({ reader }) => reader.eventCount === count);
}

const naming = { operation: 'subscribe', markets: [MARKET] };
const namingNone = { operation: 'subscribe', markets: [] };
const leaving = { operation: 'unsubscribe', markets: [MARKET] };

test.each([
  { what: 'names a market', before: {}, change: naming, stream: '-00000000-' },
  { what: 'names none any more', before: { markets: [MARKET] }, change: namingNone, stream: '-all-' },
  { what: 'leaves its last market', before: { markets: [MARKET] }, change: leaving, stream: '-all-' },
])(
  'a socket without room that $what gets a gap in place of the messages that waited',
  async ({ before, change, stream }) => {
    const connection = await listen(before);
    await placeAndReceive();
    await whileFull(connection, async () => {
      for (let count = 0; count < 2; count += 1) await place();
      await send(change);
    });
    await placeAndReceive();
    const gaps = socket.events('gap').map(({ stream_id: id, missed_from: from, reason }) => [id, from, reason]);
    expect(gaps).toEqual([[expect.stringContaining(stream), 1, REASON]]);
    const [{ sequence }] = socket.events('gap');
    expect([sequence, socket.events('order').at(-1).sequence]).toEqual([orderCount - 1, orderCount]);
    expect(socket.reader.faults).toEqual([]);
  },
);

test('a gap that waits to be sent is not lost when the socket changes its markets', async () => {
  const connection = await listen({});
  const [stream_id] = socket.reader.sequences.keys();
  await whileFull(connection, async () => {
    await send({ type: 'user', resume: { stream_id: `${stream_id.slice(0, -9)}000000000`, sequence: 1 } });
    await send(naming);
  });
  await placeAndReceive();
  expect(socket.events('gap').map(({ reason }) => reason)).toEqual([REASON]);
  expect(socket.reader.faults).toEqual([]);
});

test('a socket that changes its markets while nothing waits gets their positions without a gap', async () => {
  const connection = await listen({});
  await placeAndReceive();
  for (const change of [naming, namingNone, naming, leaving]) {
    await whileFull(connection, () => send(change));
    await placeAndReceive();
  }
  expect(socket.events('gap')).toEqual([]);
  // The first position, and one for each change.
  expect(socket.events('heartbeat').length).toBeGreaterThanOrEqual(5);
});
