// How a bench attributes stalls: those that an idle process had at the same time are the machine's, unless the measured
// process itself occupied the processors.
import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { longestAloneMs, longestMs, standstillsDuring } from '../../bench/lib/standstill.ts';

const ours = [
  { fromMs: 100, untilMs: 112, othersMs: 24 },
  { fromMs: 200, untilMs: 204, othersMs: 8 },
] as const;

test('time in which the other loop stalled as well is not counted', () => {
  expect(longestMs(ours)).toBe(12);
  expect(longestAloneMs(ours, [])).toBe(12);
  expect(longestAloneMs(ours, [{ fromMs: 90, untilMs: 111 }])).toBe(4);
  const twice = [
    { fromMs: 101, untilMs: 103 },
    { fromMs: 105, untilMs: 150 },
  ];
  expect(longestAloneMs(ours, twice)).toBe(4);
  expect(longestAloneMs(ours.slice(0, 1), twice)).toBe(3);
});

test('time in which our own process used the processors counts even if the other loop stalled too', () => {
  const whole = [{ fromMs: 90, untilMs: 130 }];
  const standstillOf = (othersMs: number) => [{ fromMs: 100, untilMs: 112, othersMs }];
  expect(longestAloneMs(standstillOf(0), whole)).toBe(12);
  expect(longestAloneMs(standstillOf(5), whole)).toBe(7);
  expect(longestAloneMs(standstillOf(24), whole)).toBe(0);
});

test('when a process blocks its own loop, its processor time does not count as available to others', async () => {
  const clockMs = (): number => Number(process.hrtime.bigint()) / 1e6;
  let [fromMs, untilMs] = [0, 0];
  const block = (): void => {
    const start = process.cpuUsage();
    fromMs = clockMs();
    for (let spent = { user: 0, system: 0 }; spent.user + spent.system < 40_000; spent = process.cpuUsage(start));
    untilMs = clockMs();
  };
  const found = await standstillsDuring(async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    block();
    await new Promise((resolve) => setTimeout(resolve, 20));
  });
  // Whatever else stalled on a busy machine, this one spans the whole block.
  const middleMs = (fromMs + untilMs) / 2;
  const own = found.filter((one) => one.fromMs < middleMs && middleMs < one.untilMs);
  expect(own).toHaveLength(1);
  const lengthMs = own[0].untilMs - own[0].fromMs;
  expect(own[0].othersMs).toBeLessThanOrEqual(availableParallelism() * (lengthMs + 1) - 30);
});
