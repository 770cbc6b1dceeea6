// The figure sheet of the core: which ops of a file are timed in a row and which one by one, and when the bound on garbage
// collections counts as broken. No test depends on how long anything takes.
import { expect, test } from 'vitest';
import { SINGLE_OPS, SINGLE_WARM_UP_OPS, timeOps } from '../../bench/core/timeOps.ts';
import { collectionsText } from '../../bench/core/verdicts.ts';
import { OP_BYTES } from '../../bench/opFile.ts';

test('all timed ops run in a row, and those timed one by one come after them', () => {
  const untimedOps = 20_000;
  const timedOps = 40_000;
  const singlesFrom = untimedOps + timedOps;
  const end = singlesFrom + SINGLE_WARM_UP_OPS + SINGLE_OPS;
  const runs: { readonly from: number; readonly to: number }[] = [];
  const engine = {
    prepare(): void {},
    run(from: number, to: number): void {
      runs.push({ from, to });
    },
  };
  const { windows, singles } = timeOps(engine, new Uint8Array(end * OP_BYTES), { untimedOps, timedOps });
  const gaps = runs.filter(({ from }, index) => from !== (runs[index - 1]?.to ?? 0));
  expect(gaps).toEqual([]);
  expect(runs.at(-1)?.to).toBe(end);
  const inARow = runs.filter(({ from }) => from >= untimedOps && from < singlesFrom);
  expect(inARow[0]?.from).toBe(untimedOps);
  expect(inARow.at(-1)?.to).toBe(singlesFrom);
  expect(inARow.length).toBeLessThan(timedOps / 1_000);
  expect(windows).toHaveLength(inARow.length);
  const oneByOne = runs.filter(({ from }) => from >= singlesFrom);
  expect(oneByOne.filter(({ from, to }) => to - from !== 1)).toEqual([]);
  expect(singles).toHaveLength(SINGLE_OPS);
});

test('one collection in two rounds of five breaks the bound, though the median is 0', () => {
  const none = [0, 0, 0, 0, 0];
  expect(collectionsText([none, [0, 0, 0, 1, 1], none], 2_000_000)).toBe(
    'Garbage collections in 2,000,000 ops: at most 1 in a round, bound 0: does not hold.',
  );
  expect(collectionsText([none, none], 2_000_000)).toBe(
    'Garbage collections in 2,000,000 ops: at most 0 in a round, bound 0: holds.',
  );
});
