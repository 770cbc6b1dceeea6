// Pauses of the exchange: while its process is stopped or its journal cannot be written, nobody can send it a heartbeat, so
// none may lapse for that. Silence of a key while the exchange runs still cancels its orders.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  type Clock,
  type Command,
  type EngineEvent,
  encodeCommand,
  type LogRecord,
  openExchange,
  type RunningExchange,
} from '../../engine/index.ts';
import { RefusingStore, tick } from './exchangeParts.ts';
import { keyOf, ownerOf, START_MS, settings, submitFounding } from './workload.ts';

/** How long (ms) the process was stopped so far: its clocks ran on, its timers did not. */
let stoppedMs = 0;

beforeEach(() => {
  stoppedMs = 0;
  vi.useFakeTimers({ now: START_MS, toFake: ['Date', 'setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const machine: Clock = {
  now: () => Date.now() + stoppedMs,
  monotonicMs: () => performance.now() + stoppedMs,
};

const beat = (index: number): Uint8Array => {
  const ids = { given: `0x${'0'.repeat(32)}`, next: `0x${'1'.repeat(32)}` } as const;
  const command: Command = { type: 'Heartbeat', owner: ownerOf(index), keyId: keyOf(index), refresh: 1, ...ids };
  return encodeCommand(command);
};

interface World {
  readonly exchange: RunningExchange;
  readonly store: RefusingStore;
  /** Types of the events so far. */
  readonly seen: () => readonly EngineEvent['type'][];
  /** Number of Started commands so far. */
  readonly starts: () => number;
  readonly warnings: readonly string[];
}

async function openWorld(): Promise<World> {
  const [store, records, warnings]: [RefusingStore, LogRecord[], string[]] = [new RefusingStore(), [], []];
  const follower = { name: 'notebook', apply: (record: LogRecord) => void records.push(record) };
  const log = (level: string, text: string): void => void (level === 'warn' && warnings.push(text));
  const options = { dataDir: undefined, clock: machine, settings, followers: [follower], log };
  const exchange = await openExchange(options, { store });
  await submitFounding(exchange);
  return {
    exchange,
    store,
    warnings,
    seen: () => records.flatMap(({ events }) => events.map(({ type }) => type)),
    starts: () => records.filter(({ command }) => command.type === 'Started').length,
  };
}

const lapses = ({ seen }: World): number => seen().filter((type) => type === 'HeartbeatLapsed').length;
const HEARD_NOBODY = 'The exchange heard nobody for a while, or its clock was set ahead: all heartbeats start anew.';

for (const firstHeard of [0, 1]) {
  test(`heartbeats that wait while the process is stopped are in time, also if key ${firstHeard} is heard first`, async () => {
    const world = await openWorld();
    for (const index of [0, 1]) await world.exchange.submit(beat(index));
    await vi.advanceTimersByTimeAsync(4_500);
    stoppedMs += 3_600_000;
    await world.exchange.submit(beat(firstHeard));
    await vi.advanceTimersByTimeAsync(9_000);
    await world.exchange.submit(beat(1 - firstHeard));
    expect([lapses(world), world.starts(), world.warnings]).toEqual([0, 2, [HEARD_NOBODY]]);
    await world.exchange.close();
  });
}

test('heartbeats are also renewed if commands of one operation are the first after a stop', async () => {
  const world = await openWorld();
  await world.exchange.submit(beat(0));
  stoppedMs += 20_000;
  await world.exchange.submitTogether([tick, tick]);
  expect([lapses(world), world.starts()]).toEqual([0, 2]);
  await world.exchange.close();
});

test('a key that stays silent after a stop of the process lapses a whole window later', async () => {
  const world = await openWorld();
  await world.exchange.submit(beat(0));
  await vi.advanceTimersByTimeAsync(4_500);
  stoppedMs += 20_000;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(lapses(world)).toBe(0);
  await vi.advanceTimersByTimeAsync(1_000);
  expect([lapses(world), world.starts()]).toEqual([1, 2]);
  await world.exchange.close();
});

test('silence while the process runs cancels in time, however long nobody else sends anything', async () => {
  const world = await openWorld();
  await vi.advanceTimersByTimeAsync(3_600_000);
  await world.exchange.submit(beat(0));
  await vi.advanceTimersByTimeAsync(9_999);
  expect(lapses(world)).toBe(0);
  await vi.advanceTimersByTimeAsync(2);
  expect([lapses(world), world.starts(), world.warnings]).toEqual([1, 1, []]);
  await vi.advanceTimersByTimeAsync(3_600_000);
  await world.exchange.submit(beat(0));
  expect([world.starts(), world.warnings]).toEqual([1, []]);
  await world.exchange.close();
});

test('keys that beat at different times lapse each in time, also if commands of one operation brought their heartbeats', async () => {
  const world = await openWorld();
  await world.exchange.submitTogether([beat(0)]);
  await vi.advanceTimersByTimeAsync(300);
  await world.exchange.submitTogether([beat(1)]);
  await vi.advanceTimersByTimeAsync(9_701);
  expect(lapses(world)).toBe(1);
  await vi.advanceTimersByTimeAsync(300);
  expect(lapses(world)).toBe(2);
  await world.exchange.close();
});

test('a replay is no pause, however long it takes: a start appends one Started', async () => {
  const { exchange, store } = await openWorld();
  await exchange.submit(beat(0));
  await exchange.close();
  let starts = 0;
  const apply = ({ command }: LogRecord): void => {
    if (command.type === 'Started') starts += 1;
    else stoppedMs += 20_000;
  };
  const options = { dataDir: undefined, clock: machine, settings, followers: [{ name: 'slow', apply }] };
  const next = await openExchange(options, { store });
  await next.close();
  expect(starts).toBe(2);
});

test('a stop after which no heartbeat is due yet changes nothing', async () => {
  const world = await openWorld();
  await world.exchange.submit(beat(0));
  stoppedMs += 6_000;
  await vi.advanceTimersByTimeAsync(3_900);
  expect([lapses(world), world.starts()]).toEqual([0, 1]);
  await vi.advanceTimersByTimeAsync(200);
  expect([lapses(world), world.starts()]).toEqual([1, 1]);
  await world.exchange.close();
});

test('heartbeats that were refused while the journal could not be written do not count as missed', async () => {
  const world = await openWorld();
  await world.exchange.submit(beat(0));
  world.store.isRefusing = true;
  const waiting = world.exchange.submit(tick).catch(() => {});
  await vi.advanceTimersByTimeAsync(2_000);
  await expect(world.exchange.submit(beat(0))).rejects.toThrow('Commands are not accepted');
  await vi.advanceTimersByTimeAsync(9_500);
  world.store.isRefusing = false;
  await vi.advanceTimersByTimeAsync(5_000);
  await waiting;
  await world.exchange.submit(beat(0));
  await vi.advanceTimersByTimeAsync(9_000);
  expect([lapses(world), world.starts()]).toEqual([0, 2]);
  await world.exchange.close();
});
