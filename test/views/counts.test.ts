// The counters of the metrics start anew with each start of the exchange, every one of them. What feeds them, and how they are
// shown, is tested in test/metrics.
import { expect, test } from 'vitest';
import { rejections } from '../../engine/index.ts';
import { CountsView } from '../../server/views/counts.ts';

const all = (counts: CountsView) => [
  counts.tradeCount,
  counts.tradedMicro,
  ...[...counts.commands].flatMap(({ accepted, refused }) => [accepted, refused]),
  ...[...counts.rejections, ...counts.cancels].map(([, count]) => count),
];

test('a reset sets every counter to 0', () => {
  const counts = new CountsView();
  const atFirst = all(counts);
  counts.traded(5_000_000);
  counts.commandApplied({ type: 'Tick' }, undefined);
  counts.commandApplied({ type: 'Tick' }, rejections.FUNDS.code);
  counts.orderCanceled(1);
  expect(all(counts).filter((count) => count !== 0)).toEqual([1, 5_000_000, 1, 1, 1, 1]);
  counts.reset();
  expect(all(counts)).toEqual(atFirst);
  expect(new Set(atFirst)).toEqual(new Set([0]));
});
