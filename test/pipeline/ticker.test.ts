// The timer for due items, under time that the test moves: when it submits a tick, whatever happens to the clock and to what
// is due, and that a ticker closed by its own tick, as a defect closes it, never wakes anybody again.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Ticker } from '../../engine/pipeline/ticker.ts';
import type { Alarm } from '../../engine/pipeline/types.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A ticker on the mocked clock, with the moments of its ticks. A tick takes what is due, unless it is rejected. */
function tickerOf(dues: number[], isAccepted = (): boolean => true) {
  const ticks: number[] = [];
  const now = () => Date.now();
  const nextDueMs = () => Math.min(...dues);
  const tick = (): boolean => {
    ticks.push(now());
    if (!isAccepted()) return false;
    dues.splice(0, dues.length, ...dues.filter((dueMs) => dueMs > now()));
    return true;
  };
  return { ticker: new Ticker({ now }, now, { nextDueMs, tick, onWake: () => {} }), ticks };
}

for (const isAccepted of [false, true]) {
  test(`no tick follows one that closes the ticker (${isAccepted ? 'accepted' : 'rejected'})`, () => {
    const { ticker, ticks } = tickerOf([1_000, 2_000], () => {
      ticker.close();
      return isAccepted;
    });
    ticker.arm();
    vi.advanceTimersByTime(10_000);
    ticker.arm();
    vi.advanceTimersByTime(10_000);
    expect([ticks.length, vi.getTimerCount()]).toEqual([1, 0]);
  });
}

test('each item is ticked at its due time, also one that comes up earlier than the others', () => {
  const dues = [700, 5_300];
  const { ticker, ticks } = tickerOf(dues);
  ticker.arm();
  vi.advanceTimersByTime(800);
  dues.push(900);
  ticker.arm();
  vi.advanceTimersByTime(10_000);
  expect(ticks).toEqual([700, 900, 5_300]);
  expect(vi.getTimerCount()).toBe(0);
});

test('a clock that is set ahead is noticed within a second', () => {
  const { ticker, ticks } = tickerOf([3_600_000]);
  ticker.arm();
  vi.advanceTimersByTime(2_500);
  vi.setSystemTime(3_600_000);
  vi.advanceTimersByTime(1_000);
  expect(ticks).toHaveLength(1);
});

test('a rejected tick is tried again a second later', () => {
  let rejections = 2;
  const { ticker, ticks } = tickerOf([100], () => {
    rejections -= 1;
    return rejections < 0;
  });
  ticker.arm();
  vi.advanceTimersByTime(10_000);
  expect(ticks).toEqual([100, 1_100, 2_100]);
});

test('a clock that wakes its alarms is asked what is due, after it was looked at for a pause, and needs no timer', () => {
  const [calls, dues]: [string[], number[]] = [[], [500]];
  let nowMs = 0;
  let wake = (): void => {};
  const attach = (alarm: Alarm): (() => void) => {
    wake = () => alarm.wake();
    return () => calls.push('detach');
  };
  const clock = { now: () => nowMs, attach };
  const parts = {
    nextDueMs: () => dues[0],
    onWake: () => calls.push(`look ${nowMs}`),
    tick: () => calls.push(`tick ${nowMs}`) > 0,
  };
  const ticker = new Ticker(clock, clock.now, parts);
  ticker.arm();
  for (nowMs of [0, 499, 500]) wake();
  expect(vi.getTimerCount()).toBe(0);
  ticker.close();
  expect(calls).toEqual(['look 0', 'look 499', 'look 500', 'tick 500', 'detach']);
});
