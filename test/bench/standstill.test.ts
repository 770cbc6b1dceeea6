// What a bench says of standstills: those that an idle process had as well at the same time are the machine's. No loop
// is watched here: the times are made up.
import { expect, test } from 'vitest';
import { longestAloneMs, longestMs } from '../../bench/lib/standstill.ts';

const ours = [
  { fromMs: 100, untilMs: 112 },
  { fromMs: 200, untilMs: 204 },
] as const;

test('time in which the other loop stood still too is not counted', () => {
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
