// The limits of sockets, each with the sentence that its client gets: size and number of messages, sockets per address,
// tokens per socket, the Host of a loopback server, and readers who are too slow.
import { connect, type Socket } from 'node:net';
import { json as readJson } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import WebSocket from 'ws';
import { streamSettings } from '../../server/config/streamSettings.ts';
import { Allowance } from '../../server/streams/allowance.ts';
import { Connection } from '../../server/streams/connection.ts';
import { streamLimits } from '../../server/streams/limits.ts';
import { createKey, requestHead } from '../support/client.ts';
import { PATIENCE } from '../support/patience.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { TestSocket } from './socket.ts';
import { conditionOf, foundingCommands, StreamWorkload, tokenOf } from './workload.ts';

const NOBODY_HELD = { answerMsMin: 600_000, answerMsMax: 600_000 };
let server: TestServer;
beforeAll(async () => {
  const streams = { ...streamSettings, connectionsPerIpMax: 6, lostMsMax: 600_000, ...NOBODY_HELD };
  server = await startTestServer({ config: { streams } });
  await Promise.all(foundingCommands(2_001).map((command) => server.exchange.submit(command)));
});
afterAll(() => server.close());

const open = () => TestSocket.open(server.url, '/ws/market');
const closedWith = async (socket: TestSocket) => {
  await socket.until(({ closed }) => closed !== undefined);
  return socket.closed;
};

test('a flood of messages closes the socket with 1008 and a reason that states the limits', async () => {
  const socket = await open();
  // Repeats for as long as needed: a second's allowance comes on top, and a busy machine takes several for so many messages.
  while (socket.closed === undefined) {
    for (let count = 0; count < streamLimits.messagesBurst; count += 1) socket.send('PING');
    await new Promise((resolve) => setImmediate(resolve));
  }
  const end = await closedWith(socket);
  expect(end).toEqual({ code: 1008, reason: 'too many messages: the limit is 2100 at once, then 20 per second' });
});

test('a socket that was silent for an hour may send no more at once than a new one', () => {
  for (const nowMs of [0, 3_600_000]) {
    const allowance = new Allowance(0);
    let sent = 0;
    while (sent < 100_000 && allowance.take(nowMs)) sent += 1;
    expect(sent).toBe(streamLimits.messagesBurst);
  }
});

test.each(['ping', 'pong'] as const)(
  'a flood of %ss closes the socket with 1008 and a reason of its own',
  async (kind) => {
    const socket = await open();
    let sent = 0;
    // Without the limit it never ends: enough for a machine that takes a minute.
    while (socket.closed === undefined && sent < 2 * streamLimits.messagesBurst) {
      for (let count = 0; count < 700; count += 1) socket.ws[kind]();
      sent += 700;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await vi.waitFor(() => expect(socket.closed).toBeDefined(), PATIENCE);
    const reason = 'too many pings and pongs: the limit is 2100 at once, then 20 per second';
    expect(socket.closed).toEqual({ code: 1008, reason });
  },
);

test('an oversized message closes the socket with 1009 and a reason that states both sizes', async () => {
  const socket = await open();
  socket.send(`"${'x'.repeat(streamLimits.messageBytesMax)}"`);
  const end = await closedWith(socket);
  expect(end).toEqual({ code: 1009, reason: 'the message has 262146 bytes; the maximum is 262144' });
});

test('a client for which much is queued up gets all of it, and then the code and the reason', async () => {
  const slowClosed = async (): Promise<string | undefined> => {
    const shown = await (await fetch(`${server.url}/metrics`)).text();
    return /^outcry_stream_slow_closed_total \d+$/m.exec(shown)?.[0];
  };
  const before = await slowClosed();
  const [reply, end] = [vi.spyOn(Connection.prototype, 'reply'), vi.spyOn(Connection.prototype, 'end')];
  const socket = await open();
  socket.send('PING');
  await socket.until(({ frames }) => frames.includes('PONG'));
  const [connection] = reply.mock.contexts as Connection[];
  socket.ws.pause();
  const frame = JSON.stringify({ event_type: 'error', error: 'x'.repeat(1_000_000) });
  let count = 0;
  while (connection.socket.getBufferedAmount() <= streamLimits.backpressureBytesMax) {
    connection.send(frame);
    count += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  socket.send(`"${'x'.repeat(streamLimits.messageBytesMax)}"`);
  await vi.waitFor(() => expect(end).toHaveBeenCalledTimes(1), PATIENCE);
  for (const spy of [reply, end]) spy.mockRestore();
  socket.ws.resume();
  const closed = await closedWith(socket);
  expect(closed).toEqual({ code: 1009, reason: 'the message has 262146 bytes; the maximum is 262144' });
  expect(socket.events('error')).toHaveLength(count);
  expect(before).toBeDefined();
  expect(await slowClosed()).toBe(before);
});

test('a socket can subscribe to 2,000 tokens, sent in several frames; one more closes it', async () => {
  const assets = Array.from({ length: 2_000 }, (_, index) => tokenOf(index >> 1, index & 1));
  const socket = await open();
  socket.send({ type: 'market', assets_ids: assets });
  await socket.until(({ reader }) => reader.counts.get('book') === 2_000);
  expect(socket.frames.length).toBeGreaterThan(1);
  // Others may take the places of a market and of a token that it leaves.
  socket.send({ operation: 'unsubscribe', assets_ids: assets.slice(0, 3) });
  socket.send({ operation: 'subscribe', assets_ids: [tokenOf(1_000, 0), tokenOf(1_000, 1), tokenOf(1_001, 0)] });
  await socket.until(({ reader }) => reader.counts.get('book') === 2_003);
  socket.send({ operation: 'subscribe', assets_ids: [tokenOf(1_050, 0)] });
  const end = await closedWith(socket);
  expect(end).toEqual({ code: 1008, reason: '2001 tokens requested; one socket may subscribe to at most 2000' });
});

test('a user socket can subscribe to 2,000 markets in several messages; one more closes it', async () => {
  const auth = await createKey(server.url, server.wallets[0]);
  const markets = Array.from({ length: 2_001 }, (_, index) => conditionOf(index));
  const socket = await TestSocket.open(server.url, '/ws/user');
  socket.send({ type: 'user', auth, markets: markets.slice(0, 1_500), heartbeat: true });
  socket.send({ operation: 'subscribe', markets: markets.slice(1_000, 2_000) });
  await socket.until(({ reader }) => reader.sequences.size === 2_000);
  expect(socket.reader.faults).toEqual([]);
  socket.send({ operation: 'subscribe', markets: markets.slice(2_000) });
  const end = await closedWith(socket);
  expect(end).toEqual({ code: 1008, reason: '2001 markets requested; one socket may subscribe to at most 2000' });
});

/** The reply to an upgrade: its status, and the error of a refusal. An accepted socket is closed again. */
const upgrade = ({ url }: TestServer, headers: Readonly<Record<string, string>> = {}) =>
  new Promise<{ readonly status: number; readonly error: string }>((resolve, reject) => {
    const ws = new WebSocket(`${url.replace('http', 'ws')}/ws/market`, { headers });
    ws.on('unexpected-response', (_request, reply) => {
      const read = (body: unknown) => resolve({ status: reply.statusCode ?? 0, ...(body as { error: string }) });
      readJson(reply).then(read, reject); // a refusal has the same body as any other
    });
    ws.on('open', () => {
      ws.close();
      resolve({ status: 101, error: '' });
    });
    ws.on('error', () => {});
  });
const statusOf = async (...asked: Parameters<typeof upgrade>): Promise<number> => (await upgrade(...asked)).status;

test('a socket beyond the limit per address gets a 429 until another closes', async () => {
  const sockets = await Promise.all(Array.from({ length: 6 }, open));
  const error = 'too many sockets: one address may have at most 6 open';
  expect(await upgrade(server)).toEqual({ status: 429, error });
  await sockets[0].close();
  const again = await open();
  expect(await statusOf(server)).toBe(429);
  for (const socket of [...sockets.slice(1), again]) await socket.close();
});

test('clients behind a trusted proxy are limited separately; X-Forwarded-For of others is ignored', async () => {
  const streams = { ...streamSettings, connectionsPerIpMax: 1, ...NOBODY_HELD };
  const behind = await startTestServer({ config: { streams, trustedProxies: ['127.0.0.1'] } });
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const openFrom = (address: string) => TestSocket.open(behind.url, '/ws/market', { headers: from(address) });
  const sockets = [await openFrom('198.51.100.1'), await openFrom('2001:db8:0:1::1'), await openFrom('198.51.100.2')];
  // An IPv6 /64 counts as one household, and the nearest address that is no proxy is the client's.
  for (const address of ['198.51.100.1', '203.0.113.9, 198.51.100.2', '2001:db8:0:1::2']) {
    expect(await statusOf(behind, from(address)), address).toBe(429);
  }
  await sockets[0].close();
  await vi.waitUntil(async () => (await statusOf(behind, from('198.51.100.1'))) === 101, PATIENCE);
  for (const socket of sockets.slice(1)) await socket.close();
  await behind.close();

  const direct = await startTestServer({ config: { streams } });
  const only = await TestSocket.open(direct.url, '/ws/market');
  expect(await statusOf(direct, from('198.51.100.3'))).toBe(429);
  await only.close();
  await direct.close();
});

test('a loopback server rejects a socket with a foreign Host header with status 421', async () => {
  const error = 'host evil.example is not served here; use 127.0.0.1 or start with --allow-host evil.example';
  expect(await upgrade(server, { host: 'evil.example' })).toEqual({ status: 421, error });
});

test('a reader that stops is closed with 1013 once it reads again, and resumes from its sequence number', async () => {
  const socket = await open();
  socket.send({ type: 'market', assets_ids: [tokenOf(0, 0), tokenOf(0, 1)] });
  await socket.until(({ reader }) => reader.counts.get('book') === 2);
  socket.ws.pause();
  const workload = new StreamWorkload(3, 1);
  // The system's buffers take megabytes before anything waits in the exchange; more in one turn would be owed instead.
  for (let count = 0; count < 8_000; count += 1) {
    await server.exchange.submit(workload.next(Date.now()));
    if (count % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  socket.ws.resume();
  const end = await closedWith(socket);
  expect(end?.code).toBe(1013);
  expect(end?.reason).toMatch(/too slow: a message was dropped/);
  const shown = await (await fetch(`${server.url}/metrics`)).text();
  expect(shown).toMatch(/^outcry_stream_slow_closed_total 1$/m);
  expect(shown).toMatch(/^outcry_stream_sockets_refused_total [1-9]/m); // by the test of a foreign host
  expect(socket.reader.faults).toEqual([]);
  const [[stream_id, sequence]] = socket.reader.sequences;
  const again = await open();
  again.send({ type: 'market', resume: { stream_id, sequence } });
  await again.until(({ reader }) => reader.sequences.size === 1);
  expect(again.reader.faults).toEqual([]);
  await again.close();
});

test('a reader that has lost a message gets nothing that is published later, even before its socket is closed', async () => {
  const [socket, other] = [await open(), await open()];
  for (const one of [socket, other]) {
    one.send({ type: 'market', assets_ids: [tokenOf(0, 0), tokenOf(0, 1)] });
    await one.until(({ reader }) => reader.counts.get('book') === 2);
  }
  socket.ws.pause();
  const { end } = Connection.prototype;
  let lost: { readonly connection: Connection; readonly how: Parameters<typeof end> } | undefined;
  const late = vi.spyOn(Connection.prototype, 'end').mockImplementation(function (this: Connection, ...how) {
    lost = { connection: this, how };
  });
  onTestFinished(() => late.mockRestore());
  const workload = new StreamWorkload(3, 1);
  const trade = async (commands: number): Promise<void> => {
    for (let count = 0; count < commands; count += 1) await server.exchange.submit(workload.next(Date.now()));
    await new Promise((resolve) => setImmediate(resolve));
  };
  await vi.waitUntil(async () => {
    await trade(50);
    return lost !== undefined;
  }, PATIENCE);
  const { connection, how } = lost as NonNullable<typeof lost>;
  socket.ws.resume();
  // Once it has read what was sent before, there is room for what follows.
  await vi.waitUntil(() => connection.socket.getBufferedAmount() === 0, PATIENCE);
  const before = other.frames.length;
  await trade(50);
  await other.until(({ frames }) => frames.length > before);
  late.mockRestore();
  connection.end(...how);
  expect(await closedWith(socket)).toMatchObject({ code: 1013 });
  expect(socket.reader.faults).toEqual([]);
  await other.close();
});

/** A connection that asks for an upgrade and then leaves everything that a WebSocket client does to the test. */
function connectBare({ port }: TestServer): Socket {
  const socket = connect(port, '127.0.0.1');
  const version = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
  socket.write(requestHead('GET /ws/market', 'Upgrade: websocket', 'Connection: Upgrade', ...version));
  return socket;
}

test('sockets without credentials, pongs or reads are closed in time; a silent one stays open', async () => {
  const short = { heartbeatMs: 200, authMsMax: 300, idleSecondsMax: 8, lostMsMax: 300, ...NOBODY_HELD };
  const streams = { ...streamSettings, ...short, connectionsPerIpMax: 3 };
  const hasty = await startTestServer({ config: { streams } });
  for (const command of foundingCommands(1)) await hasty.exchange.submit(command);
  const quiet = await TestSocket.open(hasty.url, '/ws/market');
  const nameless = await TestSocket.open(hasty.url, '/ws/user');
  expect(await closedWith(nameless)).toEqual({ code: 1008, reason: 'no credentials within 0.3 s' });
  const dead = connectBare(hasty);
  dead.resume();
  await new Promise((resolve) => dead.once('close', resolve));
  expect(quiet.closed).toBeUndefined();
  quiet.send('PING');
  await quiet.until(({ frames }) => frames.includes('PONG'));
  const stuck = await TestSocket.open(hasty.url, '/ws/market');
  stuck.send({ type: 'market', assets_ids: [tokenOf(0, 0), tokenOf(0, 1)] });
  await stuck.until(({ reader }) => reader.counts.get('book') === 2);
  stuck.ws.pause();
  const other = await TestSocket.open(hasty.url, '/ws/market');
  // Three sockets may be open: there is room for another once the stuck one is cut off.
  const workload = new StreamWorkload(3, 1);
  while ((await statusOf(hasty)) !== 101) {
    await Promise.all(Array.from({ length: 256 }, () => hasty.exchange.submit(workload.next(Date.now()))));
  }
  expect([quiet.closed, other.closed]).toEqual([undefined, undefined]);
  for (const socket of [stuck, quiet, other]) socket.ws.terminate();
  await hasty.close();
});

test('bytes that are not WebSocket frames end only their own connection', async () => {
  const raw = connectBare(server);
  await new Promise((resolve) => raw.once('data', resolve));
  raw.write(Buffer.alloc(64, 0xff));
  await new Promise((resolve) => raw.once('close', resolve));
  const socket = await open();
  socket.send('PING');
  await socket.until(({ frames }) => frames.includes('PONG'));
  await socket.close();
});
