// The board on which the historian's thread publishes in how many markets each account has traded: values read from it are
// as of a sequence, and only values that it shows are read.
import { expect, test } from 'vitest';
import { TradedBoard, TradedReader } from '../../server/history/traded.ts';

const accountsOf = (numbers: readonly number[]) => ({
  count: numbers.length,
  tradedOf: (account: number): number => numbers[account],
});

test('numbers are readable only if the board shows the account at the requested sequence or later', () => {
  const readers: TradedReader[] = [];
  const board = new TradedBoard((memory) => readers.push(new TradedReader(memory)));
  board.show([], accountsOf([3, 4]), 10);
  expect([0, 1, 2].map((account) => readers[0].read(account, 10))).toEqual([3, 4, undefined]);
  expect(readers[0].read(0, 11)).toBeUndefined();
  board.show([1, 2], accountsOf([9, 5, 6]), 12);
  expect([0, 1, 2].map((account) => readers[0].read(account, 12))).toEqual([3, 5, 6]);
  board.show([], accountsOf(Array.from({ length: 10_000 }, (_, account) => account)), 13);
  expect(readers[0].read(0, 1)).toBeUndefined();
  expect(readers[1].read(9_999, 13)).toBe(9_999);
});
