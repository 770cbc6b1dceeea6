// The replay's bookkeeping: the levels according to the recording, which orders are cancelled to shrink a level, which rows
// may be sent together, and how many levels of two books agree.
import { expect, test } from 'vitest';
import type { FlowRow, LevelRow } from '../../server/dev/replay/flowFile.ts';
import { compareBooks, mirrored, RecordedBook } from '../../server/dev/replay/recordedBook.ts';
import { RestingOrders } from '../../server/dev/replay/restingOrders.ts';
import { STEP_ROWS_MAX, takeStep } from '../../server/dev/replay/steps.ts';
import { percentText, summaryLines } from '../../server/dev/replay/summary.ts';
import { Tally } from '../../server/dev/replay/tally.ts';

const level = (op: LevelRow['op'], side: 'B' | 'A', pricePips: number, levelLots: number): LevelRow => ({
  op,
  tMs: 0,
  market: 0,
  side,
  pricePips,
  levelLots,
});
const print: FlowRow = { op: 'T', tMs: 0, market: 0, side: 'B', pricePips: 5_000, sizeLots: 10 };
const placed = (rows: readonly FlowRow[]) => rows.map((row, index) => ({ row, index }));
const never = (): boolean => false;

function restingAt(...orders: readonly [id: string, wallet: number, side: 'B' | 'A', pips: number, lots: number][]) {
  const resting = new RestingOrders();
  for (const [id, wallet, side, pricePips, remainingLots] of orders) {
    resting.add({ id, wallet, side, pricePips, remainingLots });
  }
  return resting;
}

const ids = (orders: readonly { readonly id: string }[]): string[] => orders.map(({ id }) => id);

test('a recorded level has the size of its latest row and is absent before its first', () => {
  const book = new RecordedBook();
  expect(book.levels.bids.size).toBe(0);
  book.apply(level('+', 'B', 5_000, 300));
  book.apply(level('+', 'A', 5_200, 70));
  book.apply(level('-', 'B', 5_000, 120));
  expect([...book.levels.bids]).toEqual([[5_000, 120]]);
  book.apply(level('X', 'B', 5_000, 0));
  expect(book.levels.bids.size).toBe(0);
  expect([...book.levels.asks]).toEqual([[5_200, 70]]);
});

test('levels agree when price and size are equal, and each level of the union counts once', () => {
  const left = {
    bids: new Map([
      [5_000, 10],
      [4_900, 20],
    ]),
    asks: new Map([[5_100, 5]]),
  };
  const right = {
    bids: new Map([
      [5_000, 10],
      [4_900, 21],
      [4_800, 1],
    ]),
    asks: new Map(),
  };
  expect(compareBooks(left, right)).toEqual({ agreeing: 1, all: 4 });
  expect(compareBooks(left, left)).toEqual({ agreeing: 3, all: 3 });
});

test("the second token's book is the mirror of the first's", () => {
  const book = { bids: new Map([[3_000, 10]]), asks: new Map([[3_010, 5]]) };
  expect(mirrored(book)).toEqual({ bids: new Map([[6_990, 5]]), asks: new Map([[7_000, 10]]) });
  expect(mirrored(mirrored(book))).toEqual(book);
});

test('shrinking a level cancels the newest order of exactly the missing size, else the newest orders', () => {
  const resting = restingAt(
    ['a', 0, 'B', 5_000, 30],
    ['b', 1, 'B', 5_000, 10],
    ['c', 2, 'B', 5_000, 10],
    ['d', 3, 'B', 5_000, 25],
  );
  expect(resting.lotsAt('B', 5_000)).toBe(75);
  expect(ids(resting.pickForCancel('B', 5_000, 10))).toEqual(['c']);
  expect(ids(resting.pickForCancel('B', 5_000, 30))).toEqual(['a']);
  expect(ids(resting.pickForCancel('B', 5_000, 26))).toEqual(['d', 'c']);
  expect(ids(resting.pickForCancel('B', 5_000, 75))).toEqual(['d', 'c', 'b', 'a']);
  expect(resting.pickForCancel('A', 5_000, 1)).toEqual([]);
});

test('fills and cancels reduce a level, and an empty level disappears', () => {
  const resting = restingAt(['a', 0, 'A', 5_000, 30], ['b', 1, 'A', 5_000, 10]);
  expect(resting.reduce('a', 12)).toBe(true);
  expect(resting.lotsAt('A', 5_000)).toBe(28);
  expect(resting.reduce('a', 18)).toBe(true);
  expect(resting.reduce('a', 1)).toBe(false);
  expect(resting.remove('b')).toBe(true);
  expect(resting.remove('b')).toBe(false);
  expect(resting.levels.asks.size).toBe(0);
});

test('removing an order keeps the sequence of the others at its level', () => {
  const resting = restingAt(['a', 0, 'B', 5_000, 10], ['b', 1, 'B', 5_000, 20], ['c', 2, 'B', 5_000, 30]);
  expect(resting.remove('b')).toBe(true);
  expect(ids(resting.pickForCancel('B', 5_000, 40))).toEqual(['c', 'a']);
});

test('an order crosses resting orders at its price or better, and their wallets are known', () => {
  const resting = restingAt(['a', 4, 'A', 5_000, 30], ['b', 7, 'A', 5_100, 30], ['c', 9, 'B', 4_000, 30]);
  expect(resting.wouldCross('B', 4_999)).toBe(false);
  expect(resting.wouldCross('B', 5_000)).toBe(true);
  expect([...resting.walletsCrossed('B', 5_100)]).toEqual([4, 7]);
  expect([...resting.walletsCrossed('A', 4_000)]).toEqual([9]);
  expect(resting.wouldCross('A', 4_001)).toBe(false);
});

test('a step collects rows until a repeated level, a print, a checkpoint or the row limit', () => {
  const twice = placed([level('+', 'B', 5_000, 1), level('+', 'B', 4_900, 1), level('+', 'B', 5_000, 2)]);
  expect(takeStep(twice, 0, new RestingOrders(), never).rowCount).toBe(2);
  const printed = placed([level('+', 'B', 5_000, 1), print, level('+', 'B', 4_900, 1)]);
  expect(takeStep(printed, 0, new RestingOrders(), never).rowCount).toBe(1);
  expect(takeStep(printed, 1, new RestingOrders(), never)).toEqual({ kind: 'print', row: print, rowCount: 1 });
  const many = placed(Array.from({ length: 40 }, (_, index) => level('+', 'B', 100 + index * 10, 1)));
  expect(takeStep(many, 0, new RestingOrders(), never).rowCount).toBe(STEP_ROWS_MAX);
  expect(takeStep(many, 0, new RestingOrders(), (index) => index === 3).rowCount).toBe(4);
});

test('a row that crosses a resting order is sent alone, and rows that cross each other are sent apart', () => {
  const resting = restingAt(['a', 0, 'A', 5_000, 30]);
  const crossing = placed([level('+', 'B', 4_000, 1), level('+', 'B', 5_000, 1), level('+', 'B', 4_100, 1)]);
  expect(takeStep(crossing, 0, resting, never).rowCount).toBe(1);
  expect(takeStep(crossing, 1, resting, never).rowCount).toBe(1);
  const oneAnother = placed([level('+', 'B', 4_000, 1), level('+', 'A', 4_000, 1)]);
  expect(takeStep(oneAnother, 0, new RestingOrders(), never).rowCount).toBe(1);
  const freed = placed([level('-', 'A', 5_000, 0), level('+', 'B', 5_000, 1)]);
  expect(takeStep(freed, 0, resting, never).rowCount).toBe(1);
});

test('rejections are grouped by error message, ignoring ids and numbers', () => {
  const tally = new Tally();
  tally.countRejection('order 0xab12 is invalid. Size (0.5) lower than the minimum: 5');
  tally.countRejection('order 0xcd34 is invalid. Size (0.7) lower than the minimum: 5');
  expect([...tally.rejections]).toEqual([['order {id} is invalid. Size ({n}) lower than the minimum: {n}', 2]]);
});

test('the agreement percentage is rounded down', () => {
  const tally = new Tally();
  expect(tally.agreement).toBe(1);
  tally.levelsCompared = 100_000;
  tally.levelsAgreeing = 98_999;
  expect(percentText(tally.agreement)).toBe('98.99 %');
});

test('the summary of a replay writes counts of one in the singular', () => {
  const tally = new Tally();
  for (const key of ['rows', 'ordersSent', 'fills', 'crossingAdds', 'levelsUnreached', 'checkpoints'] as const)
    tally[key] = 1;
  for (const key of ['strangersFilled', 'levelsCompared', 'levelsUnexplained'] as const) tally[key] = 1;
  tally.wallets.add(0);
  tally.countRejection('no');
  const lines = summaryLines(tally, { elapsedMs: 1_000, recordedMs: 1_000, requests: 1, waits: 1 });
  expect(lines.filter((line) => /(?<!of )\b1 (row|time|wallet|fill|level|checkpoint)s\b(?!\/)/.test(line))).toEqual([]);
});
