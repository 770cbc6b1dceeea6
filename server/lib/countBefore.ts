// Binary search over any sorted list, used to find out whether it holds an entry, where that is, and how many entries
// precede it. Ladders of prices have their own search, without a function call in each step.

/**
 * The index of the first entry for which `isBefore` is false: the number of entries for which it is true.
 * @param count length of the list
 * @param isBefore true for the first entries of the list, then false for all others
 */
export function countBefore(count: number, isBefore: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
