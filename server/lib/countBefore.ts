// Binary search, once for every sorted list of the server that is not looked into with each command: for what a list holds,
// for where something stands or would, for how many come before it. Lists of prices have their own, without a call a step.

/** How many of the indexes 0 to `count` − 1 come before a place: those, the first ones, for which `isBefore` holds. */
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
