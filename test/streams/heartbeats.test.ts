// Who gets heartbeats: sockets that have resumed a stream or asked for them, at any time. Production sends none, and clients
// written for it end or reconnect when they receive one: all other sockets get nothing but events, books and gaps.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { encodeCommand } from '../../engine/index.ts';
import { streamSettings } from '../../server/config/streamSettings.ts';
import { Connection } from '../../server/streams/connection.ts';
import { buyCommand } from '../support/commands.ts';
import { orderIdOf } from '../support/hex.ts';
import { PATIENCE } from '../support/patience.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { TestSocket } from './socket.ts';
import { authOf, foundingCommands, keyIdOf, ownerOf, tokenOf } from './workload.ts';

const HEARTBEAT_MS = 100;
const MARKETS = 3;
const EVENT_TYPES = ['book', 'price_change', 'new_market', 'order'];
const ping = vi.spyOn(Connection.prototype, 'ping');
let server: TestServer;
let orderCount = 0;
let marketCount = MARKETS;

beforeAll(async () => {
  const patient = { answerMsMin: 600_000, answerMsMax: 600_000 };
  const streams = { ...streamSettings, ...patient, heartbeatMs: HEARTBEAT_MS, changesPerMarketMax: 3 };
  server = await startTestServer({ config: { streams } });
  for (const command of foundingCommands(MARKETS)) await server.exchange.submit(command);
});
afterAll(() => server.close());

/** Opens a socket that sends these messages, and waits until the exchange has read them. */
async function open(path: string, ...messages: readonly object[]): Promise<TestSocket> {
  const socket = await TestSocket.open(server.url, path);
  for (const message of messages) socket.send(message);
  socket.send('PING');
  await socket.until(({ frames }) => frames.includes('PONG'));
  return socket;
}

/** The exchange's side of the socket that was opened last: it was pinged as it opened. */
const latestConnection = (): Connection => ping.mock.contexts.at(-1) as Connection;

/** Places an order in market 0. */
async function place(): Promise<void> {
  orderCount += 1;
  const order = { orderId: orderIdOf(orderCount), marketIndex: 0, outcome: 0, pips: 4_000, lots: 200 };
  const owner = { owner: ownerOf(0), keyId: keyIdOf(0) };
  await server.exchange.submit(encodeCommand(buyCommand(owner, { ...order, timestampMs: Date.now() })));
}

/** Adds a market. */
async function announce(): Promise<void> {
  marketCount += 1;
  await server.exchange.submit(foundingCommands(marketCount)[marketCount - 1]);
}

const beats = ({ reader }: TestSocket): number => reader.counts.get('heartbeat') ?? 0;

/** Subscriptions as clients of production send them, each with something that makes its stream send an event. */
const user = () => ({ type: 'user', auth: authOf(server.services.secret, 0) });
const subscriptions = [
  { what: 'an owner', path: '/ws/user', message: user, happen: place },
  {
    what: 'a market with its books',
    path: '/ws/market',
    message: () => ({ type: 'market', assets_ids: [tokenOf(0, 0), tokenOf(0, 1)] }),
    happen: place,
  },
  {
    what: 'a market without its books',
    path: '/ws/market',
    message: () => ({ type: 'market', assets_ids: [tokenOf(0, 0)], initial_dump: false }),
    happen: place,
  },
  {
    what: 'new markets',
    path: '/ws/market',
    message: () => ({ type: 'market', assets_ids: [], custom_feature_enabled: true }),
    happen: announce,
  },
];

test.each(subscriptions)(
  'a socket that asks for no heartbeats gets none, opening or idle: $what',
  async ({ path, message, happen }) => {
    const plain = await Promise.all(
      [{}, { heartbeat: false }, { heartbeat: null }, { resume: null }].map((more) =>
        open(path, { ...message(), ...more }),
      ),
    );
    // Another socket, on the same stream, shows when three are due.
    const told = await open(path, { ...message(), heartbeat: true });
    await told.until((socket) => beats(socket) >= 3);
    await happen();
    for (const socket of plain) {
      await socket.until(({ reader }) => reader.eventCount === 1);
      expect([...socket.reader.counts.keys()].filter((type) => !EVENT_TYPES.includes(type))).toEqual([]);
    }
    for (const socket of [told, ...plain]) {
      expect(socket.reader.faults).toEqual([]);
      await socket.close();
    }
  },
);

test.each(subscriptions)(
  'a socket that asks for heartbeats, or resumes and missed nothing, gets an opening one and idle ones: $what',
  async ({ path, message, happen }) => {
    const asking = await open(path, { ...message(), heartbeat: true }, { heartbeat: false });
    await asking.until(({ reader }) => reader.sequences.size === 1);
    const hasBooks = asking.events('book').length > 0;
    expect(asking.reader.kept?.[0].event_type).toBe(hasBooks ? 'book' : 'heartbeat');
    const [[stream_id, sequence]] = asking.reader.sequences;
    const resuming = await open(path, { ...message(), resume: { stream_id, sequence } });
    await resuming.until(({ reader }) => reader.sequences.size === 1);
    expect(resuming.reader.kept?.[0]).toMatchObject({ event_type: 'heartbeat', stream_id, sequence });
    for (const socket of [asking, resuming]) await socket.until((each) => beats(each) >= 3);
    await happen();
    for (const socket of [asking, resuming]) {
      await socket.until(({ reader }) => reader.eventCount === 1);
      const before = beats(socket);
      await socket.until((each) => beats(each) >= before + 2);
      expect(socket.events('heartbeat').at(-1)).toMatchObject({ stream_id, sequence: sequence + 1 });
      expect(socket.reader.faults).toEqual([]);
      await socket.close();
    }
  },
);

test.each(subscriptions)(
  'a later message may ask for heartbeats, and nothing is lost meanwhile: $what',
  async ({ path, message, happen }) => {
    const socket = await open(path, message());
    await happen();
    await socket.until(({ reader }) => reader.eventCount === 1);
    socket.send({ heartbeat: true });
    await happen();
    await socket.until(({ reader }) => reader.eventCount === 2);
    await socket.until((each) => beats(each) >= 2);
    await happen();
    await socket.until(({ reader }) => reader.eventCount === 3);
    expect(socket.events('gap')).toEqual([]);
    expect(socket.reader.faults).toEqual([]);
    await socket.close();
  },
);

test('a change of tokens or features tells the position of the new stream only to a socket with heartbeats', async () => {
  const changes = [
    ['-fp-', { operation: 'unsubscribe', assets_ids: [tokenOf(1, 1)] }],
    ['-fc-', { operation: 'subscribe', assets_ids: [], custom_feature_enabled: true }],
  ] as const;
  const first = { type: 'market', assets_ids: [tokenOf(1, 0), tokenOf(1, 1)] };
  const [told, plain] = [await open('/ws/market', { ...first, heartbeat: true }), await open('/ws/market', first)];
  for (const [form, change] of changes) {
    for (const socket of [told, plain]) socket.send(change);
    await told.until((socket) => socket.events('heartbeat').some(({ stream_id: id }) => id.includes(form)));
  }
  await announce();
  await plain.until(({ reader }) => reader.eventCount === 1);
  expect([...plain.reader.counts.keys()]).toEqual(['book', 'new_market']);
  for (const socket of [told, plain]) await socket.close();
});

test.each([true, false])(
  'a held socket that missed more than is kept gets a gap and books, with heartbeats or without: %s',
  async (heartbeat) => {
    const socket = await open('/ws/market', { type: 'market', assets_ids: [tokenOf(0, 0)], heartbeat });
    await socket.until(({ reader }) => reader.counts.get('book') === 1);
    const connection = latestConnection();
    connection.hold();
    for (let count = 0; count < 5; count += 1) await place();
    const before = socket.reader.kept?.length ?? 0;
    connection.release();
    await socket.until(({ reader }) => reader.counts.get('book') === 2);
    const types = (socket.reader.kept ?? []).slice(before).map(({ event_type: type }) => type);
    expect(types.filter((type) => type !== 'heartbeat')).toEqual(['gap', 'book']);
    await place();
    await socket.until(({ reader }) => reader.counts.get('price_change') === 1);
    await socket.close();
  },
);

test('the topic of heartbeats is left with the stream', async () => {
  const message = { type: 'market', assets_ids: [tokenOf(2, 0)], heartbeat: true };
  const staying = await open('/ws/market', message);
  const leaving = await open('/ws/market', message);
  const { socket } = latestConnection();
  await leaving.until((each) => beats(each) >= 1);
  expect(socket.getTopics()).toHaveLength(2);
  leaving.send({ operation: 'unsubscribe', assets_ids: [tokenOf(2, 0)] });
  await vi.waitFor(() => expect(socket.getTopics()).toEqual([]), PATIENCE);
  const before = beats(staying);
  await staying.until((each) => beats(each) >= before + 2);
  for (const each of [staying, leaving]) await each.close();
});
