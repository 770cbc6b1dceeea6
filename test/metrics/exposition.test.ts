// The parser in the tests of metrics is strict: it refuses whatever Prometheus would refuse or misread. And distributions
// put each value into the bucket that its bounds say.
import { expect, test } from 'vitest';
import { Distribution } from '../../engine/index.ts';
import { readExposition } from './exposition.ts';

const about = (name: string, type: string): string => `# HELP ${name} What it is.\n# TYPE ${name} ${type}\n`;
const histogram = (lines: readonly string[]): string =>
  `${about('outcry_a_seconds', 'histogram')}${lines.map((line) => `outcry_a_seconds_${line}\n`).join('')}`;

test('a valid exposition is parsed completely', () => {
  const text = `${about('outcry_a', 'gauge')}outcry_a{b="c \\"d\\" \\\\",e=""} 1e-7\noutcry_a -2\n`;
  expect(readExposition(text).get('outcry_a')?.samples).toEqual([
    { name: 'outcry_a', labels: { b: 'c \\"d\\" \\\\', e: '' }, value: 1e-7 },
    { name: 'outcry_a', labels: {}, value: -2 },
  ]);
});

test.each([
  ['a sample without HELP and TYPE', 'outcry_a 1\n'],
  ['a family without TYPE', '# HELP outcry_a A.\noutcry_a 1\n'],
  ['a missing final newline', `${about('outcry_a', 'gauge')}outcry_a 1`],
  ['a sample whose name differs from its family', `${about('outcry_a', 'gauge')}outcry_b 1\n`],
  ['a name without the outcry_ prefix', `${about('node_a', 'gauge')}node_a 1\n`],
  ['a metric in milliseconds', `${about('outcry_a_ms', 'gauge')}outcry_a_ms 1\n`],
  ['a counter without _total', `${about('outcry_a', 'counter')}outcry_a 1\n`],
  ['a gauge with _total', `${about('outcry_a_total', 'gauge')}outcry_a_total 1\n`],
  ['a duplicate family', `${about('outcry_a', 'gauge')}outcry_a 1\n${about('outcry_a', 'gauge')}`],
  ['a duplicate series', `${about('outcry_a', 'gauge')}outcry_a{b="c"} 1\noutcry_a{b="c"} 1\n`],
  ['a label value without quotes', `${about('outcry_a', 'gauge')}outcry_a{b=c} 1\n`],
  ['an unescaped quote in a label value', `${about('outcry_a', 'gauge')}outcry_a{b="c"d"} 1\n`],
  ['a value that is not a number', `${about('outcry_a', 'gauge')}outcry_a undefined\n`],
  ['decreasing bucket counts', histogram(['bucket{le="1"} 2', 'bucket{le="+Inf"} 1', 'sum 1', 'count 1'])],
  ['a histogram without a +Inf bucket', histogram(['bucket{le="1"} 2', 'sum 1', 'count 2'])],
  ['a histogram whose count differs from its +Inf bucket', histogram(['bucket{le="+Inf"} 1', 'sum 1', 'count 2'])],
  ['a histogram without a sum', histogram(['bucket{le="+Inf"} 1', 'count 1'])],
])('the parser rejects %s', (_name, text) => {
  expect(() => readExposition(text)).toThrow();
});

test('a distribution counts each value once, in the first bucket whose inclusive bound covers it', () => {
  const distribution = new Distribution([0.1, 1, 10]);
  for (const value of [0, 0.1, 0.11, 1, 9, 10.5, 1_000]) distribution.add(value);
  expect([...distribution.counts]).toEqual([2, 2, 1, 2]);
  expect(distribution.sum).toBeCloseTo(1_020.71, 9);
  expect(() => new Distribution([1, 1])).toThrow('rising bounds');
});
