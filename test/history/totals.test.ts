// The board on which the historian's thread publishes totals of markets: values read from it are as of a sequence, and only
// values that it shows are read.
import { expect, test } from 'vitest';
import { type MarketTotals, TotalsBoard, TotalsReader } from '../../server/history/totals.ts';

const marketOf = (index: number, volumeMicro: number): MarketTotals => {
  return { index, conditionId: `0x${index}`, volumeMicro, vaultMicro: volumeMicro * 2 };
};

test('totals are readable only if the board shows the market at the requested sequence or later', () => {
  let reader: TotalsReader | undefined;
  const board = new TotalsBoard((memory) => {
    reader = new TotalsReader(memory);
  });
  const all = [marketOf(0, 5), marketOf(1, 6)];
  board.show(all, all, 10);
  expect(reader?.read([all[1], all[0]], 10)).toEqual([all[1], all[0]]);
  expect(reader?.read(all, 11)).toBeUndefined();
  expect(reader?.read([marketOf(2, 0)], 10)).toBeUndefined();
  const later = [all[0], marketOf(1, 7)];
  board.show([later[1]], later, 12);
  expect(reader?.read(all, 11)).toEqual(later);
});

test('a full board is replaced, and the old one returns nothing', () => {
  const memories: SharedArrayBuffer[] = [];
  const board = new TotalsBoard((memory) => memories.push(memory));
  const few = [marketOf(0, 1)];
  board.show(few, few, 1);
  const many = Array.from({ length: 10_000 }, (_, index) => marketOf(index, index));
  board.show([], many, 2);
  expect(memories.length).toBe(2);
  expect(new TotalsReader(memories[0]).read(few, 0)).toBeUndefined();
  expect(new TotalsReader(memories[1]).read(many, 2)).toEqual(many);
});

test('reads return nothing while the board is being written', () => {
  const memories: SharedArrayBuffer[] = [];
  const board = new TotalsBoard((memory) => memories.push(memory));
  const all = [marketOf(0, 1)];
  board.show(all, all, 1);
  const versions = new Int32Array(memories[0]);
  versions[0] += 1;
  expect(new TotalsReader(memories[0]).read(all, 1)).toBeUndefined();
});

test('totals that change while they are read are not returned', () => {
  const memories: SharedArrayBuffer[] = [];
  const board = new TotalsBoard((memory) => memories.push(memory));
  const all = [marketOf(0, 1), marketOf(1, 1)];
  board.show(all, all, 1);
  function* changingMeanwhile() {
    yield all[0];
    const later = [marketOf(0, 2), marketOf(1, 2)];
    board.show(later, later, 2);
    yield all[1];
  }
  expect(new TotalsReader(memories[0]).read(changingMeanwhile(), 1)).toBeUndefined();
});
