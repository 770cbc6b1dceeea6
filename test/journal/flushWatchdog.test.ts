// When the watchdog reports and gives up a flush that does not end: never too early and at most one check late, whatever
// flushes came before it. Waiting for it ends although nothing else keeps the process alive. Time is moved by hand here.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { nodeOptions } from '../../.ci/nodeOptions.mjs';
import { FlushWatchdog } from '../../engine/journal/flushWatchdog.ts';
import { Journal } from '../../engine/journal/index.ts';
import { appendRange, HeldStore, recordingListener } from './support.ts';

const FLUSH_MS = 15_000;
/** The interval of checks (ms), by which a report may be late. */
const LOOK_MS = 1_000;
const MAX_MS = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** How much more time passes (ms, in steps of 100) until the listener has received `count` calls. */
async function msUntil(calls: readonly string[], count: number): Promise<number> {
  let waitedMs = 0;
  while (calls.length < count && waitedMs < 2 * MAX_MS) {
    await vi.advanceTimersByTimeAsync(100);
    waitedMs += 100;
  }
  return waitedMs;
}

test.each([0, 300, 1_000, 14_900, 40_000])(
  'a hung flush begun %i ms after another is reported and given up on time',
  async (pauseMs) => {
    const listener = recordingListener();
    const store = new HeldStore();
    const retry = { firstDelayMs: 1, largestDelayMs: 1, triesMax: 1, flushMs: FLUSH_MS, flushMsMax: MAX_MS };
    const journal = new Journal(store, listener, retry);
    if (pauseMs > 0) {
      appendRange(journal, 1, 1);
      await vi.advanceTimersByTimeAsync(0);
      await store.endNext();
      await vi.advanceTimersByTimeAsync(pauseMs);
    }
    const before = listener.calls.length;
    appendRange(journal, before + 1, before + 1);
    await vi.advanceTimersByTimeAsync(0);
    const reportedMs = await msUntil(listener.calls, before + 1);
    expect(listener.calls.slice(before)).toEqual([`unavailable: the journal's flush has not ended for ${FLUSH_MS} ms`]);
    expect(reportedMs).toBeGreaterThanOrEqual(FLUSH_MS);
    expect(reportedMs).toBeLessThanOrEqual(FLUSH_MS + LOOK_MS);
    const givenUpMs = reportedMs + (await msUntil(listener.calls, before + 2));
    expect(listener.calls.slice(before + 1)).toEqual([`fatal: The journal's flush has not ended for ${MAX_MS} ms.`]);
    expect(givenUpMs).toBeGreaterThanOrEqual(MAX_MS);
    expect(givenUpMs).toBeLessThanOrEqual(MAX_MS + LOOK_MS);
  },
);

test('a flush given up at a stop is reported with the time that was waited for it', async () => {
  const watchdog = new FlushWatchdog(new HeldStore(), { flushMs: FLUSH_MS, flushMsMax: MAX_MS }, () => {});
  const end = watchdog.write(1, new Uint8Array(1)).catch((error: Error) => error.message);
  await vi.advanceTimersByTimeAsync(2 * LOOK_MS + 100);
  watchdog.stop();
  await vi.advanceTimersByTimeAsync(LOOK_MS);
  expect(await end).toBe(`The journal's flush has not ended for ${3 * LOOK_MS} ms.`);
  watchdog.close();
});

test('close ends despite a flush that never does, in a process with nothing else to do', async () => {
  vi.useRealTimers();
  const child = join(import.meta.dirname, './hungChild.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [...nodeOptions, child]);
  expect(stdout).toBe('closed, and the store with it\n');
});
