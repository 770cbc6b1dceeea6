// Memory whose first byte begins a cache line of the processor, for the core's tables of records, whether they grow or are loaded
// from a snapshot. Each record of 64 bytes then takes one line in place of two.

/** Large allocations begin with 16 bytes of the allocator's own: what lies this far into them begins a cache line. */
const LINE_START_BYTES = 48;
const LARGE_PAGE_BYTES = 2 ** 21;
/** No less than what the allocator adds to a block. */
const ALLOCATOR_BYTES = 64;

/**
 * The bytes to ask for so that this many lie on whole large pages: Linux (from 6.7 on) starts a block of whole ones at the border
 * of one, and nothing is left to small pages. What is asked for beyond the end is not touched.
 */
const wholePages = (bytes: number): number => {
  if (bytes < LARGE_PAGE_BYTES) return bytes;
  return Math.ceil((bytes + ALLOCATOR_BYTES) / LARGE_PAGE_BYTES) * LARGE_PAGE_BYTES - ALLOCATOR_BYTES;
};

/** This many zeroed bytes that begin a cache line, where the allocator places large blocks as glibc does. */
export function lineBytes(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(wholePages(length + LINE_START_BYTES)), LINE_START_BYTES, length);
}
