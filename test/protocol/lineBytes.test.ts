// Memory for tables of records: where it begins, and what is asked of the allocator for it. How the processor finds it is timed
// by the benches.
import { expect, test } from 'vitest';
import { lineBytes } from '../../engine/protocol/index.ts';

const LARGE_PAGE = 2 ** 21;
/** How far into a block of the allocator the bytes begin to fill cache lines. */
const LINE_START = 48;

test.each([0, 1, 63, 64, LARGE_PAGE - 64, LARGE_PAGE + 1])(
  '%i bytes are given, zeroed, 48 bytes into their buffer',
  (length) => {
    const bytes = lineBytes(length);
    expect([bytes.length, bytes.byteOffset]).toEqual([length, LINE_START]);
    expect(bytes.every((byte) => byte === 0)).toBe(true);
  },
);

test.each([
  LARGE_PAGE - LINE_START,
  LARGE_PAGE,
  LARGE_PAGE + 64,
  2 * LARGE_PAGE - LINE_START - 64,
  2 * LARGE_PAGE - LINE_START - 63,
  5 * LARGE_PAGE - 192,
])('with what the allocator adds, %i bytes fill whole large pages, and not one more than they need', (length) => {
  const { byteLength } = lineBytes(length).buffer;
  expect((byteLength + 64) % LARGE_PAGE).toBe(0);
  expect(byteLength).toBeGreaterThanOrEqual(length + LINE_START);
  expect(byteLength - LARGE_PAGE).toBeLessThan(length + LINE_START);
});

test('few bytes take no more than themselves and the way to the next line', () => {
  for (const length of [0, 64, LARGE_PAGE - LINE_START - 1]) {
    expect(lineBytes(length).buffer.byteLength).toBe(length + LINE_START);
  }
});
