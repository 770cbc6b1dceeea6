// Growth of the core's tables, which are typed arrays, by copying into larger ones. The cost is amortised: the hot path pays
// only when a table is fuller than ever before.

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

/** Large allocations begin with 16 bytes of the allocator's own: from here on, records of 64 bytes fill whole cache lines. */
const LINE_START_BYTES = 48;
const LARGE_PAGE_BYTES = 2 ** 21;
/** No less than what the allocator adds to a block. */
const ALLOCATOR_BYTES = 64;

/**
 * The bytes to ask for so that a table of this many lies on whole large pages: Linux (from 6.7 on) starts a block of whole ones at
 * the border of one, and no record is left to small pages. What is asked for beyond the table's end is never touched.
 */
const wholePages = (bytes: number): number => {
  if (bytes < LARGE_PAGE_BYTES) return bytes;
  return Math.ceil((bytes + ALLOCATOR_BYTES) / LARGE_PAGE_BYTES) * LARGE_PAGE_BYTES - ALLOCATOR_BYTES;
};

/** Zeroed words for records of 64 bytes, each on its own cache line; those of `old` are copied to the front. */
export function newRecords(words: number, old?: Int32Array): Int32Array<ArrayBuffer> {
  const buffer = new ArrayBuffer(wholePages(words * 4 + LINE_START_BYTES));
  const records = new Int32Array(buffer, LINE_START_BYTES, words);
  if (old !== undefined) records.set(old);
  return records;
}

/** A view of the same records as 64-bit floats. */
export function doublesOf(records: Int32Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  return new Float64Array(records.buffer, records.byteOffset, records.length / 2);
}
