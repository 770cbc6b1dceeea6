// A radix sort of places by keys that are stored elsewhere: no comparisons, since commits sort many thousand entries into key
// order. Used by positions.ts.

/** Bits of a digit: keys are sorted by one digit at a time, least significant first. */
const DIGIT_BITS = 14;
const DIGITS = 2 ** DIGIT_BITS;
const KEY_BITS = 32;

/** The places sorted by ascending `keys[place]`; the sort is stable. The array `places` is overwritten. */
export function inOrder(places: Uint32Array, keys: Uint32Array): Uint32Array {
  let largestKey = 0;
  for (const place of places) largestKey = Math.max(largestKey, keys[place]);
  let from = places;
  let to: Uint32Array = new Uint32Array(places.length);
  const ends = new Uint32Array(DIGITS);
  for (let shift = 0; shift < KEY_BITS && largestKey >>> shift > 0; shift += DIGIT_BITS) {
    ends.fill(0);
    for (const place of from) ends[(keys[place] >>> shift) % DIGITS] += 1;
    for (let digit = 1; digit < DIGITS; digit += 1) ends[digit] += ends[digit - 1];
    for (let index = from.length - 1; index >= 0; index -= 1) {
      const digit = (keys[from[index]] >>> shift) % DIGITS;
      ends[digit] -= 1;
      to[ends[digit]] = from[index];
    }
    [from, to] = [to, from];
  }
  return from;
}
