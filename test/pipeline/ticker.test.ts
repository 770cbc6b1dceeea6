// The timer for due items, under time that the test moves: a ticker closed by its own tick, as a defect closes it, never
// wakes anybody again.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Ticker } from '../../engine/pipeline/ticker.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

for (const isAccepted of [false, true]) {
  test(`no tick follows one that closes the ticker (${isAccepted ? 'accepted' : 'rejected'})`, () => {
    let ticks = 0;
    const tick = (): boolean => {
      ticks += 1;
      ticker.close();
      return isAccepted;
    };
    const ticker = new Ticker(
      { now: () => Date.now() },
      () => Date.now(),
      () => 1_000,
      tick,
    );
    vi.setSystemTime(0);
    ticker.arm();
    vi.advanceTimersByTime(10_000);
    ticker.arm();
    vi.advanceTimersByTime(10_000);
    expect([ticks, vi.getTimerCount()]).toEqual([1, 0]);
  });
}
