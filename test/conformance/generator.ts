// Seeded random numbers, so that a run can be repeated from the seed that it printed. Used by the tests of restarts and
// balances and by the fuzz of bad input. It never reads a clock or any other source.

/** A small seeded generator of numbers in [0, 1) (mulberry32): the same numbers on every run. */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
