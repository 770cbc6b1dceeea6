// The slices of long questions: a slice ends soon after its time is over, so that others have their turn. histories.test.ts
// covers the answers, sliced or not.
import { expect, test } from 'vitest';
import { beginSlice, isSliceOver } from '../../server/history/slice.ts';

/** More rows than are processed between two checks of the clock. */
const ROWS = 100;
/** Longer than a slice may last. */
const HELD_MS = 15;

test('a slice past its time ends within 100 rows, as does each later one', () => {
  for (let round = 0; round < 3; round += 1) {
    beginSlice();
    const heldMs = performance.now() + HELD_MS;
    while (performance.now() < heldMs);
    expect(Array.from({ length: ROWS }, isSliceOver)).toContain(true);
  }
});
