// Resuming a market's stream: exactly the missed messages, byte for byte, from memory and over a restart; an explicit gap
// and fresh books where that is impossible; heartbeats that state the current number of a silent stream; new markets.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeCommand } from '../../engine/index.ts';
import { streamSettings } from '../../server/config/streamSettings.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { StreamReader } from './reader.ts';
import { TestSocket } from './socket.ts';
import { conditionOf, foundingCommands, StreamWorkload, tokenOf } from './workload.ts';

const folder = mkdtempSync(join(tmpdir(), 'outcry-resume-'));
const streams = { ...streamSettings, heartbeatMs: 150, changesPerMarketMax: 64 };
let server: TestServer;
const workload = new StreamWorkload(7, 4);

const start = () => startTestServer({ config: { dataDir: folder, streams } });

async function drive(count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) await server.exchange.submit(workload.next(Date.now()));
}

beforeAll(async () => {
  server = await start();
  for (const command of foundingCommands(4)) await server.exchange.submit(command);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const FORMS = [
  { tokens: [0], custom: false },
  { tokens: [1], custom: true },
  { tokens: [0, 1], custom: false },
  { tokens: [0, 1], custom: true },
] as const;

interface Follower {
  readonly socket: TestSocket;
  readonly message: object;
  readonly ids: readonly string[];
}

interface Point {
  readonly stream_id: string;
  readonly sequence: number;
}

/** Gives a reader the numbers that a resuming client already knows. */
function seed(reader: StreamReader, points: readonly Point[]): void {
  for (const { stream_id: id, sequence } of points) reader.sequences.set(id, sequence);
}

async function follow(form: (typeof FORMS)[number], resume: readonly Point[] = []): Promise<Follower> {
  const assets = [0, 1, 2, 3].flatMap((market) => form.tokens.map((outcome) => tokenOf(market, outcome)));
  const message = { assets_ids: assets, type: 'market', custom_feature_enabled: form.custom, resume };
  const socket = await TestSocket.open(server.url, '/ws/market');
  seed(socket.reader, resume);
  socket.send(message);
  await socket.until(({ reader }) => [...reader.sequences.keys()].filter((id) => id.startsWith('m')).length === 4);
  return { socket, message, ids: [...socket.reader.sequences.keys()] };
}

/** Every numbered event as it arrived, by stream and number. */
function textsByNumber(sockets: readonly TestSocket[]): Map<string, string> {
  const all = sockets.flatMap(({ reader }) => reader.numberedEvents).filter(({ stream_id: id }) => id.startsWith('m'));
  return new Map(all.map((event) => [`${event.stream_id}/${event.sequence}`, JSON.stringify(event)]));
}

/** Waits until a socket has received everything from its streams. */
async function caughtUp(socket: TestSocket): Promise<void> {
  const { exchange } = server;
  await exchange.submit(encodeCommand({ type: 'Tick' }));
  const beats = socket.reader.counts.get('heartbeat') ?? 0;
  // Four markets fall silent, so each stream sends its current number: by then everything before it has arrived.
  await socket.until(({ reader }) => (reader.counts.get('heartbeat') ?? 0) >= beats + 8);
}

test.each(FORMS)('a resume delivers exactly the missed messages, byte for byte: %j', async (form) => {
  await drive(40);
  const [steady, first] = await Promise.all([follow(form), follow(form)]);
  await drive(30);
  await Promise.all([caughtUp(steady.socket), caughtUp(first.socket)]);
  const points = [...first.socket.reader.sequences].map(([stream_id, sequence]) => ({ stream_id, sequence }));
  await first.socket.close();
  await drive(40);
  const second = await follow(form, points);
  await drive(20);
  await Promise.all([caughtUp(steady.socket), caughtUp(second.socket)]);
  expect(second.socket.events('gap')).toEqual([]);
  for (const { socket } of [steady, first, second]) expect(socket.reader.faults).toEqual([]);
  const [whole, parts] = [textsByNumber([steady.socket]), textsByNumber([first.socket, second.socket])];
  const missing = [...whole].filter(([key, text]) => parts.get(key) !== text);
  expect(whole.size).toBeGreaterThan(40);
  expect(missing).toEqual([]);
  expect([...second.socket.reader.sequences].sort()).toEqual([...steady.socket.reader.sequences].sort());
  await steady.socket.close();
  await second.socket.close();
});

test.each(FORMS)(
  'a resume from any sequence number continues with the next, even within one command: %j',
  async (form) => {
    const steady = await follow(form);
    await drive(30);
    await caughtUp(steady.socket);
    const whole = textsByNumber([steady.socket]);
    const lasts = [...steady.socket.reader.sequences].filter(([id]) => id.startsWith('m'));
    const later = await Promise.all(
      Array.from({ length: 12 }, (_, back) =>
        follow(
          form,
          lasts.map(([stream_id, last]) => ({ stream_id, sequence: Math.max(1, last - back) })),
        ),
      ),
    );
    await Promise.all(later.map(({ socket }) => caughtUp(socket)));
    for (const [back, { socket }] of later.entries()) {
      expect([socket.events('gap'), socket.reader.faults]).toEqual([[], []]);
      const received = textsByNumber([socket]);
      for (const [key, text] of received) if (whole.has(key)) expect(text).toBe(whole.get(key));
      for (const [id, last] of lasts) {
        const first = Math.max(1, last - back) + 1;
        for (let number = first; number <= last; number += 1) expect(received.has(`${id}/${number}`)).toBe(true);
      }
      await socket.close();
    }
    await steady.socket.close();
  },
);

test('sequence numbers continue across a restart, and missed messages are replayed byte for byte', async () => {
  const form = FORMS[3];
  const { socket } = await follow(form);
  await caughtUp(socket);
  const points = [...socket.reader.sequences].map(([stream_id, sequence]) => ({ stream_id, sequence }));
  await drive(30);
  await caughtUp(socket);
  const before = textsByNumber([socket]);
  await server.close();
  await socket.until(({ closed }) => closed !== undefined);
  expect(socket.closed).toEqual({ code: 1012, reason: 'the exchange is stopping' });
  server = await start();
  const again = await follow(form, points);
  await caughtUp(again.socket);
  expect(again.socket.events('gap')).toEqual([]);
  expect([...again.socket.reader.sequences].sort()).toEqual([...socket.reader.sequences].sort());
  const after = textsByNumber([again.socket]);
  for (const [key, text] of after) expect(before.get(key)).toBe(text);
  expect(after.size).toBeGreaterThan(20);
  expect(again.socket.reader.faults).toEqual([]);
  await again.socket.close();
});

test('a resume from a position too old, ahead or in another stream or log gives a gap with fresh books', async () => {
  const form = FORMS[2];
  const { socket, ids } = await follow(form);
  const id = ids[0];
  const now = socket.reader.sequences.get(id)!;
  await drive(400);
  await caughtUp(socket);
  const latest = socket.reader.sequences.get(id)!;
  expect(latest).toBeGreaterThan(now + 64);
  const points = [
    { stream_id: id, sequence: 0 },
    { stream_id: id, sequence: latest + 1_000 },
    { stream_id: `${id.slice(0, -9)}zzzzzzzzz`, sequence: 1 },
    { stream_id: id.replace('-bp-', '-fp-'), sequence: 1 },
  ];
  for (const point of points) {
    const resumed = await TestSocket.open(server.url, '/ws/market');
    const index = Number.parseInt(id.slice(1, 9), 16);
    const assets = [tokenOf(index, 0), tokenOf(index, 1)];
    resumed.send({ type: 'market', assets_ids: assets, resume: point });
    await resumed.until(({ reader }) => reader.counts.get('book') === 2);
    expect(resumed.events('gap')).toHaveLength(1);
    const [gap] = resumed.events('gap');
    expect([gap.stream_id, gap.sequence]).toEqual([id, latest]);
    expect(resumed.reader.faults).toEqual([]);
    await resumed.close();
  }
  await socket.close();
});

test('a resume needs only stream ids, and a reader notices a dropped frame at the next message', async () => {
  const { socket, ids } = await follow(FORMS[2]);
  await caughtUp(socket);
  const points = ids.map((stream_id) => ({ stream_id, sequence: socket.reader.sequences.get(stream_id) ?? 0 }));
  await socket.close();
  await drive(10);
  const named = await TestSocket.open(server.url, '/ws/market');
  seed(named.reader, points);
  named.send({ type: 'market', resume: points });
  await named.until(({ reader }) => reader.sequences.size === 4);
  await caughtUp(named);
  expect(named.reader.faults).toEqual([]);
  // The same frames without one: the reader must notice at the next message of that stream.
  const other = new StreamReader();
  seed(other, points);
  const dropped = named.frames.find((frame) => frame.includes('price_change'));
  for (const frame of named.frames) if (frame !== dropped) other.receive(frame);
  expect(other.faults.length).toBeGreaterThan(0);
  await named.close();
});

/** The stream of new markets, and how many it has announced. */
async function catalogStanding(): Promise<{ readonly id: string; readonly count: number }> {
  const socket = await TestSocket.open(server.url, '/ws/market');
  socket.send({ type: 'market', assets_ids: [], custom_feature_enabled: true, heartbeat: true });
  await socket.until(({ reader }) => reader.sequences.size === 1);
  const [[id, count]] = socket.reader.sequences;
  await socket.close();
  return { id, count };
}

test('new markets are a stream of their own that can be resumed', async () => {
  const { id, count: at } = await catalogStanding();
  for (const command of foundingCommands(6).slice(4, 6)) await server.exchange.submit(command);
  const again = await TestSocket.open(server.url, '/ws/market');
  const resume = { stream_id: id, sequence: at };
  again.send({ type: 'market', assets_ids: [], custom_feature_enabled: true, resume });
  await again.until(({ reader }) => reader.counts.get('new_market') === 2);
  expect(again.events('new_market').map(({ sequence }) => sequence)).toEqual([at + 1, at + 2]);
  expect(again.events('new_market').map(({ market }) => market)).toEqual([conditionOf(4), conditionOf(5)]);
  await again.close();
});

test('a resume of new markets from another log gives a gap from 1, one from ahead a gap from there on', async () => {
  const { id, count } = await catalogStanding();
  for (const [point, missedFrom] of [
    [{ stream_id: `${id.slice(0, -9)}zzzzzzzzz`, sequence: 1 }, 1],
    [{ stream_id: id, sequence: count + 7 }, count + 8],
  ] as const) {
    const resumed = await TestSocket.open(server.url, '/ws/market');
    resumed.send({ type: 'market', assets_ids: [], custom_feature_enabled: true, resume: point });
    await resumed.until(({ reader }) => reader.gapCount > 0);
    expect(resumed.events('gap')).toMatchObject([{ stream_id: id, sequence: count, missed_from: missedFrom }]);
    expect(resumed.reader.faults).toEqual([]);
    await resumed.close();
  }
});
