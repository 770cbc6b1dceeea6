// The running exchange while its journal cannot be written: what submitters are told and when, what still falls due, and that an
// exchange which could not start leaves nothing behind.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { encodeCommand, openExchange } from '../../engine/index.ts';
import { quickRetry } from '../journal/support.ts';
import { heartbeat, notebook, optionsOf, RefusingStore, tick } from './exchangeParts.ts';
import { foundingCommands, START_MS } from './workload.ts';

test('an exchange that failed to start closes its store and writes nothing later', async () => {
  const store = new RefusingStore();
  store.isRefusing = true;
  const retry = { ...quickRetry, triesMax: 1_000 };
  const opening = openExchange(optionsOf(), { store, retry, answerMsMax: 5 });
  await expect(opening).rejects.toThrow('Input/output error');
  store.isRefusing = false;
  for (let turns = 0; turns < 20; turns += 1) await sleep(quickRetry.largestDelayMs);
  expect([store.isClosed, store.last()]).toEqual([true, undefined]);
});

test('in a second outage of the journal too, a submitter is told that its command is undecided', async () => {
  const store = new RefusingStore();
  const retry = { ...quickRetry, triesMax: 1_000 };
  const exchange = await openExchange(optionsOf(), { store, retry, answerMsMax: 5 });
  for (let outage = 0; outage < 2; outage += 1) {
    store.isRefusing = true;
    await expect(exchange.submit(tick)).rejects.toThrow('It is not known whether the command was accepted');
    store.isRefusing = false;
    while (exchange.unavailableReason !== undefined) await sleep(quickRetry.largestDelayMs);
  }
  await exchange.close();
});

test('a submitter waits its time for a journal that cannot be written, however often that is tried', async () => {
  const store = new RefusingStore();
  const retry = { firstDelayMs: 1, largestDelayMs: 1, triesMax: Number.POSITIVE_INFINITY };
  const exchange = await openExchange(optionsOf(), { store, retry, answerMsMax: 200 });
  store.isRefusing = true;
  await expect(exchange.submit(tick)).rejects.toThrow('It is not known whether the command was accepted');
  store.isRefusing = false;
  await exchange.close();
});

test('what falls due in an outage of the journal is looked for once a second, and settled when the outage has ended', async () => {
  vi.useFakeTimers({ now: START_MS });
  try {
    const [store, { lines, follower }] = [new RefusingStore(), notebook()];
    const retry = { firstDelayMs: 500, largestDelayMs: 500, triesMax: Number.POSITIVE_INFINITY };
    let looks = 0;
    const now = (): number => {
      looks += 1;
      return Date.now();
    };
    const clock = { now, monotonicMs: () => performance.now() };
    const opening = openExchange(optionsOf({ clock, followers: [follower] }), { store, retry });
    await vi.advanceTimersByTimeAsync(1_000);
    const exchange = await opening;
    const founding = [...foundingCommands(), encodeCommand(heartbeat)].map((command) => exchange.submit(command));
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all(founding);
    store.isRefusing = true;
    const undecided = exchange.submit(tick);
    undecided.catch(() => {});
    await vi.advanceTimersByTimeAsync(5_000);
    looks = 0;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(looks).toBeLessThan(60 * 10);
    store.isRefusing = false;
    const told = lines.length;
    await vi.advanceTimersByTimeAsync(20_000);
    const types = lines.slice(told).map((line) => line.split(' ')[1]);
    // The command that was undecided; the heartbeat, renewed since nobody could be heard; and its lapse.
    expect(types).toEqual(['Tick', 'Started', 'Tick']);
    await exchange.close();
  } finally {
    vi.useRealTimers();
  }
});
