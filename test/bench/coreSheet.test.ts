// The figure sheet of the core: which ops of a file are timed in a row and which one by one, when the bound on garbage
// collections counts as broken, and that an engine's results are compared with those of the model. No test depends on how
// long anything takes.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Sheet, SheetRequest } from '../../bench/core/child.ts';
import { SINGLE_OPS, SINGLE_WARM_UP_OPS, timeOps } from '../../bench/core/timeOps.ts';
import { collectionsText, resultFaults } from '../../bench/core/verdicts.ts';
import { askNode } from '../../bench/lib/askNode.ts';
import { makeOpFile, mixes, OP_BYTES, OpType } from '../../bench/opFile.ts';

const childPath = join(import.meta.dirname, '../../bench/core/child.ts');

/** The same ops, but half of the cancels name an op that is no order: the results are those of an engine that ignores them. */
function withHalfOfTheCancels(bytes: Uint8Array): Uint8Array {
  const changed = bytes.slice();
  const view = new DataView(changed.buffer);
  for (let op = 0; op < changed.length / OP_BYTES; op += 2) {
    const at = op * OP_BYTES;
    if (changed[at] === OpType.CANCEL) view.setUint32(at + 12, op, true);
  }
  return changed;
}

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

test('a sheet has the results of its engine, and wrong ones are a fault', { timeout: 120_000 }, async () => {
  const mix = { ...mixes.small, books: 10, restingOrders: 1_000 };
  const timedOps = 1_000;
  const laterOps = timedOps + SINGLE_WARM_UP_OPS + SINGLE_OPS;
  const file = makeOpFile({ mix, seed: 1, settleOps: 0, timedOps: laterOps, checkpoints: [laterOps] });
  const [{ totals }] = file.expected;
  const folder = mkdtempSync(join(tmpdir(), 'outcry-core-sheet-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const sheetOf = async (bytes: Uint8Array): Promise<Sheet> => {
    const request: SheetRequest = {
      engine: 'book core',
      opFilePath: join(folder, 'ops'),
      singlesPath: join(folder, 'singles'),
      ticks: mix.ticks,
      books: mix.books,
      orders: mix.restingOrders,
      untimedOps: file.prefillOps,
      timedOps,
    };
    writeFileSync(request.opFilePath, bytes);
    // The child prints one Sheet.
    return (await askNode(childPath, request)) as Sheet;
  };
  const right = await sheetOf(file.bytes);
  expect(right.totals).toEqual(totals);
  const wrong = await sheetOf(withHalfOfTheCancels(file.bytes));
  const faults = resultFaults({ mix, engine: 'book core', sheets: [right, wrong] }, laterOps, totals);
  expect(faults).toEqual([
    expect.stringMatching(/^small: After 251000 timed ops .* resting orders of \d+ lots; right are /),
  ]);
});
