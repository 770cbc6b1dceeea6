// The numbers of a list of the views, which are read one by one, as an array. Used by tests that compare such lists.
// Production never copies one.
import type { NumberList } from '../../server/views/index.ts';

export const numbersOf = (list: NumberList): number[] =>
  Array.from({ length: list.length }, (_, index) => list.at(index));
