// Radix sort compared with comparison sort, on keys of every length:
// the tests' worlds are too small to need more than one digit.
import { expect, test } from 'vitest';
import { inOrder } from '../../server/history/inOrder.ts';
import { Random } from '../model/random.ts';

test('inOrder sorts places by key and keeps those with equal keys in their original order', () => {
  const random = new Random(5);
  for (const below of [1, 2, 4_096, 4_097, 2 ** 24, 2 ** 24 + 5, 2 ** 32]) {
    for (const count of [0, 1, 2, 1_000]) {
      const keys = Uint32Array.from({ length: 2_000 }, () => random.int(0, below - 1));
      const places = Uint32Array.from({ length: count }, () => random.int(0, keys.length - 1));
      const expected = [...places].sort((left, right) => keys[left] - keys[right]);
      expect([...inOrder(places, keys)]).toEqual(expected);
    }
  }
});
