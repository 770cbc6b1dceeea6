// The table of the matching bench: no engine is shown with a time for ops that it did not run. The answers of the engines'
// processes are made up; no clock is read here.
import { expect, test } from 'vitest';
import type { ChildAnswer } from '../../bench/engines/child.ts';
import { emptyTotals } from '../../bench/lib/totals.ts';
import { rowOf, summarize, toRun } from '../../bench/matching.ts';
import { mixes } from '../../bench/opFile.ts';

const answer = (timedOps: number, nanosecondsAnOp: number): ChildAnswer => ({
  timedOps,
  nanoseconds: timedOps * nanosecondsAnOp,
  totals: emptyTotals(),
});

test('the peer, which ran the first ops only, has no time for all of them', () => {
  const peer = toRun('nodejs-order-book', [answer(200_000, 5_000)], 2_000_000);
  const ours = toRun('book core', [answer(200_000, 40), answer(2_000_000, 50)], 2_000_000);
  const [peerSummary, ourSummary] = [peer, ours].map(({ engine }) => summarize(engine, [[peer, ours]]));
  expect(peerSummary.allNs).toBeUndefined();
  expect(rowOf(mixes.mix, peerSummary)).toEqual([
    'mix, 99 ticks',
    'nodejs-order-book',
    '5,000 (5,000 to 5,000)',
    '',
    '',
  ]);
  expect(rowOf(mixes.mix, ourSummary)).toEqual([
    'mix, 99 ticks',
    'book core',
    '40 (40 to 40)',
    '50',
    '125.0 (125.0 to 125.0)×',
  ]);
});

test('the peer has a time for all ops where there are no more than it runs', () => {
  const peer = toRun('nodejs-order-book', [answer(200_000, 5_000)], 200_000);
  expect(rowOf(mixes.mix, summarize('nodejs-order-book', [[peer]]))[3]).toBe('5,000');
});
