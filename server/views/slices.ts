// Long lists of rows in snapshots, in slices of bounded weight, a section each: a stop asks between any two sections whether it
// still has time for its snapshot, and serializing a million rows at once would take ten seconds. Used by the views of orders
// and trades.
import type { Sections } from '../../engine/index.ts';

/** The weight from which a slice is full: some milliseconds to serialize. */
const SLICE_WEIGHT = 4_096;

/**
 * Saves rows, or returns those of a snapshot, which are loaded slice by slice as they are taken.
 * @param weightOf how much of a slice a row fills
 */
export function visitSlices<Row>(
  sections: Sections,
  rows: Iterable<Row>,
  weightOf: (row: Row) => number,
): Iterable<Row> {
  if (sections.isLoading) return loadedRows<Row>(sections);
  let count = 0;
  for (const slice of slicesOf(rows, weightOf)) {
    sections.plain(`slice ${count}`, slice);
    count += 1;
  }
  sections.number('slices', count);
  return [];
}

function* loadedRows<Row>(sections: Sections): Generator<Row> {
  const count = sections.number('slices', 0);
  for (let number = 0; number < count; number += 1) yield* sections.plain<readonly Row[]>(`slice ${number}`, []);
}

function* slicesOf<Row>(rows: Iterable<Row>, weightOf: (row: Row) => number): Generator<readonly Row[]> {
  let slice: Row[] = [];
  let weight = 0;
  for (const row of rows) {
    slice.push(row);
    weight += weightOf(row);
    if (weight < SLICE_WEIGHT) continue;
    yield slice;
    slice = [];
    weight = 0;
  }
  if (slice.length > 0) yield slice;
}
