// Clients that stop reading for a while: they are held without being closed, and get exactly what they missed when they
// read again; those that never answered a ping are left alone. Also the turns of the pings by themselves, beat by beat.
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import WebSocket from 'ws';
import { streamSettings } from '../../server/config/streamSettings.ts';
import { Connection, type Socket } from '../../server/streams/connection.ts';
import { streamLimits } from '../../server/streams/limits.ts';
import { ReaderCheck } from '../../server/streams/readerCheck.ts';
import { PATIENCE } from '../support/patience.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { TestSocket } from './socket.ts';
import { authOf, foundingCommands, StreamWorkload, tokenOf } from './workload.ts';

const ANSWER_MS_MAX = 200;
const ASSETS = [0, 1].flatMap((market) => [tokenOf(market, 0), tokenOf(market, 1)]);
const hold = vi.spyOn(Connection.prototype, 'hold');
const answered = vi.spyOn(ReaderCheck.prototype, 'answered');
const workload = new StreamWorkload(11, 2);
let server: TestServer;

beforeAll(async () => {
  const streams = { ...streamSettings, answerMsMax: ANSWER_MS_MAX };
  server = await startTestServer({ config: { streams } });
  for (const command of foundingCommands(2)) await server.exchange.submit(command);
});
beforeEach(() => {
  hold.mockClear();
  answered.mockClear();
});
afterAll(async () => {
  hold.mockRestore();
  await server.close();
});

async function drive(count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) {
    await server.exchange.submit(workload.next(Date.now()));
    if (done % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

async function follow(options?: WebSocket.ClientOptions): Promise<TestSocket> {
  const socket = await TestSocket.open(server.url, '/ws/market', options);
  socket.send({ type: 'market', assets_ids: ASSETS, heartbeat: true });
  await socket.until(({ reader }) => reader.counts.get('book') === 4);
  return socket;
}

/** Stops reading, and waits until the exchange has noticed. */
async function stop(socket: TestSocket): Promise<void> {
  socket.ws.pause();
  await vi.waitFor(() => expect(hold).toHaveBeenCalled(), PATIENCE);
}

const numbersOf = ({ reader }: TestSocket) => [...reader.sequences].sort().map(String);

/** Submits more commands and waits until both sockets have the same numbers. */
async function untilEqual(first: TestSocket, second: TestSocket): Promise<void> {
  await drive(20);
  await vi.waitFor(() => expect(numbersOf(first)).toEqual(numbersOf(second)), PATIENCE);
}

/** Expects both to have received the same, without a gap, and closes them. */
async function expectSameEvents(first: TestSocket, second: TestSocket): Promise<void> {
  const textsOf = ({ reader }: TestSocket) => reader.numberedEvents.map((event) => JSON.stringify(event)).sort();
  expect(textsOf(second)).toEqual(textsOf(first));
  expect(second.events('gap')).toEqual([]);
  for (const socket of [first, second]) {
    expect(socket.reader.faults).toEqual([]);
    expect(socket.closed).toBeUndefined();
    await socket.close();
  }
}

test('a client that stops reading is held, and later gets what it missed byte for byte', async () => {
  const [steady, stopped] = await Promise.all([follow(), follow()]);
  await drive(50);
  await stop(stopped);
  await drive(200);
  const before = stopped.reader.numberedEvents.length;
  stopped.ws.resume();
  await untilEqual(steady, stopped);
  expect(stopped.reader.numberedEvents.length).toBeGreaterThan(before + 100);
  await expectSameEvents(steady, stopped);
});

test('a distant client that answers every ping late gets every message exactly once', async () => {
  const [steady, far] = await Promise.all([follow(), follow({ autoPong: false })]);
  far.ws.on('ping', (words) => setTimeout(() => far.ws.pong(words), 2 * ANSWER_MS_MAX));
  await vi.waitFor(async () => {
    await drive(10);
    expect(hold.mock.calls.length).toBeGreaterThan(3);
  }, PATIENCE);
  await untilEqual(steady, far);
  await expectSameEvents(steady, far);
});

test('a held client that misses more than is kept gets gaps with whole books and stays connected', async () => {
  const [steady, stopped] = await Promise.all([follow(), follow()]);
  await stop(stopped);
  await drive(8_000);
  stopped.ws.resume();
  await untilEqual(steady, stopped);
  expect(stopped.events('gap').map(({ reason }) => reason)).toEqual([
    'the missing messages are no longer kept',
    'the missing messages are no longer kept',
  ]);
  expect(stopped.reader.faults).toEqual([]);
  expect(stopped.closed).toBeUndefined();
  for (const socket of [steady, stopped]) await socket.close();
});

test('a subscription by a held client is served when it reads again', async () => {
  const socket = await TestSocket.open(server.url, '/ws/market');
  socket.send({ type: 'market', assets_ids: ASSETS.slice(0, 2) });
  await socket.until(({ reader }) => reader.counts.get('book') === 2);
  await stop(socket);
  socket.send({ operation: 'subscribe', assets_ids: ASSETS.slice(2) });
  await drive(50);
  socket.ws.resume();
  const other = await follow();
  await untilEqual(socket, other);
  expect([...socket.reader.books.keys()].sort()).toEqual([...ASSETS].sort());
  expect(socket.reader.faults).toEqual([]);
  for (const each of [socket, other]) await each.close();
});

test('an owner that stops reading later gets each of its messages exactly once', async () => {
  const auth = authOf(server.services.secret, 0);
  const [steady, stopped] = await Promise.all([0, 1].map(() => TestSocket.open(server.url, '/ws/user')));
  for (const socket of [steady, stopped]) {
    socket.send({ type: 'user', auth, heartbeat: true });
    await socket.until(({ reader }) => reader.sequences.size === 1);
  }
  await stop(stopped);
  const before = stopped.reader.numberedEvents.length;
  await drive(2_000);
  stopped.ws.resume();
  await untilEqual(steady, stopped);
  expect(stopped.reader.numberedEvents.length).toBeGreaterThan(before + 100);
  expect(stopped.reader.numberedEvents).toEqual(steady.reader.numberedEvents);
  for (const socket of [steady, stopped]) {
    expect(socket.reader.faults).toEqual([]);
    await socket.close();
  }
});

test('a held client is released by a pong to any ping', async () => {
  const ws = new WebSocket(`${server.url.replace('http', 'ws')}/ws/market`, { autoPong: false });
  const answer = (words: Buffer): void => ws.pong(words);
  ws.on('ping', answer);
  await new Promise((resolve) => ws.once('open', resolve));
  await vi.waitFor(() => expect(answered).toHaveBeenCalled(), PATIENCE);
  ws.off('ping', answer);
  await vi.waitFor(() => expect(hold).toHaveBeenCalled(), PATIENCE);
  const [held] = hold.mock.contexts as Connection[];
  expect(held.isHeld).toBe(true);
  const shown = await (await fetch(`${server.url}/metrics`)).text();
  expect(shown).toMatch(/^outcry_stream_sockets_held 1$/m);
  expect(shown).toMatch(/^outcry_stream_holds_total [1-9]/m);
  ws.pong(''); // an answer to a ping of uWebSockets itself, which came after ours
  await vi.waitFor(() => expect(held.isHeld).toBe(false), PATIENCE);
  ws.terminate();
});

test('replies to a held client wait in order, in bounded memory', async () => {
  const socket = await follow();
  await stop(socket);
  const [held] = hold.mock.contexts as unknown as { replies: readonly string[] }[];
  const long = 'x'.repeat(250_000);
  const count = 40; // more than may wait
  for (let number = 0; number < count; number += 1) {
    socket.send('PING');
    socket.send({ assets_ids: [`${number}-${long}`] });
  }
  await vi.waitFor(() => expect(held.replies.at(-1)).toContain(`no such token: ${count - 1}-`), PATIENCE);
  expect(held.replies).toHaveLength(64);
  expect(held.replies.join('').length).toBeLessThan(10_000);
  socket.ws.resume();
  await vi.waitFor(() => expect(socket.frames.filter((frame) => frame === 'PONG')).toHaveLength(count), PATIENCE);
  await vi.waitFor(() => expect(socket.events('error')).toHaveLength(count), PATIENCE);
  const answers = socket.frames.flatMap((frame) =>
    frame === 'PONG' ? frame : (/no such token: (\d+)-/.exec(frame)?.[1] ?? []),
  );
  expect(answers).toEqual(Array.from({ length: count }, (_, number) => ['PONG', String(number)]).flat());
  await socket.close();
});

test.each([
  ['never answers pings', false],
  ['answers no pings but sends unsolicited pongs', true],
] as const)('a client that %s gets its streams live and is never held', async (_, sendsPongs) => {
  const ws = new WebSocket(`${server.url.replace('http', 'ws')}/ws/market`, { autoPong: false });
  let pings = 0;
  let frames = 0;
  ws.on('ping', () => {
    pings += 1;
  });
  ws.on('message', () => {
    frames += 1;
  });
  await new Promise((resolve) => ws.once('open', resolve));
  if (sendsPongs) ws.pong();
  ws.send(JSON.stringify({ type: 'market', assets_ids: ASSETS }));
  const step = vi.spyOn(ReaderCheck.prototype, 'step');
  await vi.waitFor(() => expect(step.mock.calls.length).toBeGreaterThan(40), PATIENCE);
  step.mockRestore();
  expect(pings).toBeGreaterThan(1);
  const before = frames;
  await drive(20);
  await vi.waitFor(() => expect(frames).toBeGreaterThan(before), PATIENCE);
  expect(hold).not.toHaveBeenCalled();
  ws.terminate();
});

/** Connections without clients, which count their pings, and a check over them whose beats the test gives. */
function world(count: number, answerMsMin: number, answerMsMax = answerMsMin) {
  const pings: number[] = new Array<number>(count).fill(0);
  const socketOf = (index: number) => ({
    ping: () => {
      pings[index] += 1;
    },
    getBufferedAmount: () => 0,
  });
  const connections = pings.map((_, index) => new Connection(socketOf(index) as unknown as Socket, 'market', 0));
  const open = new Set(connections);
  const check = new ReaderCheck(open, { answerMsMin, answerMsMax });
  const step = (beats: number): void => {
    for (let beat = 0; beat < beats; beat += 1) check.step();
  };
  const close = (connection: Connection): void => {
    connection.isOpen = false;
    open.delete(connection);
    check.forget(connection);
  };
  return { pings, connections, check, step, close };
}

const LAP_BEATS = streamLimits.pingLapMs / streamLimits.pingEveryMs;

test('each client is pinged once per lap, spread evenly over the beats, and never while a pong is due', () => {
  const count = LAP_BEATS + 1;
  const { pings, connections, check, step } = world(count, 60_000);
  step(1);
  expect(pings.filter((asked) => asked === 1)).toHaveLength(2);
  step(LAP_BEATS / 2);
  expect(pings).toEqual(new Array(count).fill(1));
  for (const connection of connections.slice(0, 10)) check.answered(connection);
  step(LAP_BEATS / 2 - 1);
  expect(pings).toEqual(new Array(count).fill(1));
  step(1 + LAP_BEATS / 2);
  expect(pings).toEqual(pings.map((_, index) => (index < 10 ? 2 : 1)));
});

test('a single client is pinged once per lap too, and with very many the pings per beat are capped', () => {
  const few = world(1, 60_000);
  few.step(1);
  few.check.answered(few.connections[0]);
  few.step(LAP_BEATS - 1);
  expect(few.pings).toEqual([1]);
  few.step(1);
  expect(few.pings).toEqual([2]);
  const { pings, step } = world((LAP_BEATS + 5) * streamLimits.pingsPerBeatMax, 60_000);
  step(1);
  expect(pings.filter((asked) => asked === 1)).toHaveLength(streamLimits.pingsPerBeatMax);
  step(LAP_BEATS + 4);
  expect(pings).toEqual(pings.map(() => 1));
});

test('open clients do not wait for the turns of closed ones', () => {
  const { pings, connections, check, step, close } = world(LAP_BEATS * streamLimits.pingsPerBeatMax, 60_000);
  step(1);
  const [left, ...gone] = connections;
  for (const connection of gone) close(connection);
  check.answered(left);
  const before = pings[0];
  step(2 * LAP_BEATS);
  expect(pings[0]).toBeGreaterThan(before);
});

test('a client that has answered before is held when a pong is overdue, and released by its pong', () => {
  const beatsMax = 5;
  const { connections, check, step } = world(3, beatsMax * streamLimits.pingEveryMs);
  const [answering, late, dumb] = connections;
  step(3);
  check.answered(answering);
  check.answered(late);
  step(7);
  check.ping(answering);
  check.ping(late);
  step(1);
  check.answered(answering);
  step(beatsMax - 1);
  expect(connections.map(({ isHeld }) => isHeld)).toEqual([false, false, false]);
  step(1);
  expect(connections.map(({ isHeld }) => isHeld)).toEqual([false, true, false]);
  expect(dumb.hasAnswered).toBe(false);
  check.answered(late);
  expect(late.isHeld).toBe(false);
});

test('a pong may take twice as long as the slowest recent one, within bounds', () => {
  const { connections, check, step } = world(3, streamSettings.answerMsMin, streamLimits.pingLapMs);
  const [slow, silent, other] = connections;
  /** Beats until the silent one is held, when `slow` answers after `answerBeats` and the other at once. */
  const patience = (answerBeats: number): number => {
    for (const connection of connections) check.answered(connection);
    for (const connection of connections) {
      check.ping(connection);
      check.answered(connection); // so that none may take longer because of its own latest answer
      check.ping(connection);
    }
    check.answered(other);
    let beats = 0;
    while (!silent.isHeld) {
      step(1);
      beats += 1;
      if (beats === answerBeats) check.answered(slow);
    }
    return beats;
  };
  const least = streamSettings.answerMsMin / streamLimits.pingEveryMs;
  expect(patience(1)).toBe(least + 1);
  expect(patience(least - 1)).toBeGreaterThan(least + 1);
  expect(slow.isHeld).toBe(false);
  for (let again = 0; again < 4; again += 1) patience(least + again);
  expect(patience(2 * least)).toBeGreaterThan(3 * least);
  for (let again = 0; again < 4; again += 1) expect(patience(3 * least)).toBeLessThanOrEqual(LAP_BEATS + 1);
  step(10 * LAP_BEATS);
  expect(patience(1)).toBe(least + 1);
});

test('a client that always takes longer than others is held once at most, and others that stop are held as soon', () => {
  const { connections, check, step } = world(2, streamSettings.answerMsMin, streamLimits.pingLapMs);
  const [far, near] = connections;
  const least = streamSettings.answerMsMin / streamLimits.pingEveryMs;
  for (const connection of connections) {
    check.ping(connection);
    check.answered(connection);
  }
  hold.mockClear();
  for (let lap = 0; lap < 20; lap += 1) {
    check.ping(far);
    for (let beat = 0; beat < least + 2; beat += 1) {
      step(1);
      check.answered(near);
    }
    check.answered(far);
  }
  expect(hold).toHaveBeenCalledTimes(1);
  expect(hold.mock.contexts[0]).toBe(far);
  for (const connection of connections) check.ping(connection);
  step(least + 1);
  expect([far.isHeld, near.isHeld]).toEqual([false, true]);
  step(least + 3);
  expect(far.isHeld).toBe(false);
  step(1);
  expect(far.isHeld).toBe(true);
});

test('an answer after the longest time allowed, or one in time again, lets the next one take no longer', () => {
  const { connections, check, step } = world(1, streamSettings.answerMsMin, streamLimits.pingLapMs);
  const [client] = connections;
  const least = streamSettings.answerMsMin / streamLimits.pingEveryMs;
  /** Whether the client is held when an answer takes this long. */
  const isHeldAfter = (beats: number): boolean => {
    check.ping(client);
    step(beats);
    const { isHeld } = client;
    check.answered(client);
    return isHeld;
  };
  expect(isHeldAfter(0)).toBe(false);
  expect(isHeldAfter(LAP_BEATS + 1)).toBe(true);
  expect(isHeldAfter(least + 1)).toBe(true);
  expect(isHeldAfter(least + 1)).toBe(false);
  expect(isHeldAfter(0)).toBe(false);
  expect(isHeldAfter(least + 1)).toBe(true);
});

test('a held client is not pinged again, and a forgotten one is never held', () => {
  const { pings, connections, check, step } = world(2, streamLimits.pingEveryMs);
  const [held, gone] = connections;
  for (const connection of connections) {
    check.ping(connection);
    check.answered(connection);
    check.ping(connection);
  }
  check.forget(gone);
  hold.mockClear();
  step(2);
  expect(held.isHeld).toBe(true);
  expect(hold).toHaveBeenCalledTimes(1);
  const before = pings[0];
  step(40);
  expect(pings[0]).toBe(before);
});

test('a client that has lost a message is not counted among those held', () => {
  const { connections, check, step } = world(1, streamLimits.pingEveryMs);
  const [lost] = connections;
  check.ping(lost);
  check.answered(lost);
  check.ping(lost);
  lost.isLost = true;
  step(2);
  expect([lost.isHeld, check.holdCount]).toEqual([false, 0]);
});
