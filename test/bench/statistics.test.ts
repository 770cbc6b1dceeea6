// The figures that every bench prints: medians, percentiles, the verdict on a floor, and options that say how much is
// measured. Nothing is measured here.
import { expect, test } from 'vitest';
import { wholeNumber } from '../../bench/lib/options.ts';
import { median, percentile, spread } from '../../bench/lib/statistics.ts';
import { floorText, table } from '../../bench/lib/table.ts';

test('a median is the middle value or the mean of the two, whatever the order; of no values it is none', () => {
  expect(spread([100, 9, 20])).toEqual({ median: 20, min: 9, max: 100 });
  expect(median([100, 9, 20, 3])).toBe(14.5);
  expect(median([])).toBeNaN();
});

test('a percentile is a value below which that share of all lies, or the greatest', () => {
  const thousand = Array.from({ length: 1_000 }, (_, index) => index + 1);
  expect([0, 0.5, 0.99, 0.999, 1].map((share) => percentile(thousand, share))).toEqual([1, 501, 991, 1_000, 1_000]);
  expect(percentile([], 0.5)).toBeNaN();
});

test('a floor is reached by the median, not by every round, and also if it is met exactly', () => {
  const line = (median: number): string => floorText('ours / bare', 0.7, '×', { median, min: 0.5, max: 0.9 }, 2);
  expect(line(0.7)).toBe('ours / bare: 0.70 (0.50 to 0.90)×; floor 0.7×: reached');
  expect(line(0.69)).toBe('ours / bare: 0.69 (0.50 to 0.90)×; floor 0.7×: not reached');
});

test('the columns of a table are as wide as their widest cell', () => {
  expect(
    table(
      ['', 'ns'],
      [
        ['book', '1,234'],
        ['a', '5'],
      ],
    ),
  ).toEqual(['         ns', '----  -----', 'book  1,234', 'a         5']);
});

test('an option that is no whole number from its least is refused', () => {
  expect(wholeNumber('rounds', '5')).toBe(5);
  for (const text of ['0', '-1', '1.5', '', 'five', '9007199254740993']) {
    expect(() => wholeNumber('rounds', text)).toThrow(`--rounds must be a whole number from 1, not ${text}.`);
  }
});
