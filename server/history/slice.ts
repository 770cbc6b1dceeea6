// Splits long questions into slices: they are generators that yield at the end of each slice, and the thread gives each its
// turn. Used by everything in this folder that may visit many rows.

/** A question at work: yields at the end of each slice and returns its answer. */
export type Sliced<Answer> = Generator<undefined, Answer>;

/** How long (ms) a question works before another has its turn. */
const SLICE_MS = 2;
/** Steps between two looks at the clock. */
const CLOCK_CHECK_STEPS = 32;

let endsMs = 0;
let steps = 0;

/** Begins a slice. */
export function beginSlice(): void {
  endsMs = performance.now() + SLICE_MS;
  steps = 0;
}

/** Whether the slice is over; must be called once per row visited. */
export function isSliceOver(): boolean {
  steps += 1;
  return steps % CLOCK_CHECK_STEPS === 0 && performance.now() > endsMs;
}
