// Doubling of typed arrays: the one way in which the core's tables grow. Amortised; the hot path only pays when a table
// has never been this full before.

/** A larger copy of an Int32Array, new cells filled with `fill`. */
export function growInt32(array: Int32Array, length: number, fill = 0): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(length);
  larger.set(array);
  if (fill !== 0) larger.fill(fill, array.length);
  return larger;
}

/** A larger copy of a Float64Array, new cells 0. */
export function growFloat64(array: Float64Array, length: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(length);
  larger.set(array);
  return larger;
}

/** A larger copy of a Uint8Array, new cells 0. */
export function growUint8(array: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(length);
  larger.set(array);
  return larger;
}
