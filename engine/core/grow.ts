// Growth of the core's tables, which are typed arrays, by copying into larger ones. The cost is amortised: the hot path pays
// only when a table is fuller than ever before.
import { lineBytes } from '../protocol/lineBytes.ts';

/** A larger copy of an Int32Array, its new cells filled with `fill`. */
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

/** Zeroed words for records of 64 bytes, each on its own cache line; those of `old` are copied to the front. */
export function newRecords(words: number, old?: Int32Array): Int32Array<ArrayBuffer> {
  const { buffer, byteOffset } = lineBytes(words * 4);
  const records = new Int32Array(buffer, byteOffset, words);
  if (old !== undefined) records.set(old);
  return records;
}

/** A view of the same records as 64-bit floats. */
export function doublesOf(records: Int32Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  return new Float64Array(records.buffer, records.byteOffset, records.length / 2);
}
