// Long questions in slices: they are generators that stop whenever their slice is over, and the thread gives each its turn.
// Used by everything here that may look at many rows.

/** A question at work: stops at the end of each slice, returns its answer. */
export type Sliced<Answer> = Generator<undefined, Answer>;

/** How long (ms) a question works before another one has its turn. */
const SLICE_MS = 2;
/** The clock is looked at once in so many steps. */
const STEPS = 32;

let endsMs = 0;
let steps = 0;

/** Begins a slice. */
export function beginSlice(): void {
  endsMs = performance.now() + SLICE_MS;
  steps = 0;
}

/** Whether the slice is over; called once a row that was looked at. */
export function isSliceOver(): boolean {
  steps += 1;
  return steps % STEPS === 0 && performance.now() > endsMs;
}
