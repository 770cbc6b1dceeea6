// Growth of typed arrays off the heap by copying into larger ones, at an amortised cost. Used by the packed stores of the views,
// whose snapshots hold some of these arrays as they lie.

/** The same array if it has this length, otherwise a copy at least twice as long as the array; new cells are 0. */
export function int32WithRoom(array: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  if (length <= array.length) return array;
  const larger = new Int32Array(Math.max(length, 2 * array.length));
  larger.set(array);
  return larger;
}

/** The same for an array of floats. */
export function float64WithRoom(array: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  if (length <= array.length) return array;
  const larger = new Float64Array(Math.max(length, 2 * array.length));
  larger.set(array);
  return larger;
}
