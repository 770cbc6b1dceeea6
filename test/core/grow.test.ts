// The tables of records: what they hold after growing, and where in their memory they begin. How that memory is found by the
// processor is timed by the benches.
import { expect, test } from 'vitest';
import { doublesOf, newRecords } from '../../engine/core/grow.ts';

const LARGE_PAGE = 2 ** 21;
const LINE_WORDS = 16;
const LARGE_PAGE_WORDS = LARGE_PAGE / 4;

test('records keep their words when they grow, and what is new is zero', () => {
  const old = newRecords(2 * LINE_WORDS).map((_, at) => at - 5);
  const records = newRecords(3 * LINE_WORDS, old);
  expect([...records]).toEqual([...old, ...Array<number>(LINE_WORDS).fill(0)]);
});

test.each([
  LINE_WORDS,
  LARGE_PAGE_WORDS - LINE_WORDS,
  LARGE_PAGE_WORDS,
  LARGE_PAGE_WORDS + LINE_WORDS,
  2 * LARGE_PAGE_WORDS,
])('%i words begin 16 bytes before the end of a cache line of their buffer, whole floats too', (words) => {
  const records = newRecords(words);
  expect(records.length).toBe(words);
  expect(records.byteOffset % 64).toBe(48);
  const doubles = doublesOf(records);
  expect([doubles.length, doubles.byteOffset]).toEqual([words / 2, records.byteOffset]);
});
