// The slices of long questions: one ends soon after its time is over, so that others have their turn. What questions answer,
// sliced or not, is seen in histories.test.ts.
import { expect, test } from 'vitest';
import { beginSlice, isSliceOver } from '../../server/history/slice.ts';

/** More rows than are looked at between two looks at the clock. */
const ROWS = 100;
/** Longer than a slice may be, and than nobody who waits would notice. */
const HELD_MS = 15;

test('a slice that has taken long is over within a few rows, and each that begins anew', () => {
  for (let round = 0; round < 3; round += 1) {
    beginSlice();
    const heldMs = performance.now() + HELD_MS;
    while (performance.now() < heldMs);
    expect(Array.from({ length: ROWS }, isSliceOver)).toContain(true);
  }
});
