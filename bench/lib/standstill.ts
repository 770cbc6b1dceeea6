// When an event loop stood still: each time it came later than it was due, by a clock that all processes share. A machine
// that has no processor for anybody stops an idle process as well (idle.ts): what both stood still tells of the machine,
// the rest of the process that is measured. Used by main parts and by the idle child.

/** Later than it was due, ms; the clock is the machine's own (CLOCK_MONOTONIC). */
export interface Standstill {
  readonly fromMs: number;
  readonly untilMs: number;
}

const LOOK_MS = 1;
/** Timers come so much late (ms) by themselves; no more than that is no standstill. */
const USUAL_MS = 0.5;

const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Looks at this thread's loop every millisecond while some work goes on; `onLook` is called each time. */
export async function standstillsDuring(work: () => Promise<unknown>, onLook?: () => void): Promise<Standstill[]> {
  const found: Standstill[] = [];
  let dueMs = nowMs() + LOOK_MS;
  const timer = setInterval(() => {
    const atMs = nowMs();
    if (atMs > dueMs + USUAL_MS) found.push({ fromMs: dueMs, untilMs: atMs });
    onLook?.();
    dueMs = atMs + LOOK_MS;
  }, LOOK_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return found;
}

/** The longest, ms; 0 for none. */
export const longestMs = (found: readonly Standstill[]): number =>
  found.reduce((most, { fromMs, untilMs }) => Math.max(most, untilMs - fromMs), 0);

/** The longest of ours without the time in which the other loop stood still too, ms. Both are in the order of time. */
export function longestAloneMs(ours: readonly Standstill[], others: readonly Standstill[]): number {
  let longest = 0;
  for (const { fromMs, untilMs } of ours) {
    const shared = others.reduce(
      (sum, other) => sum + Math.max(0, Math.min(untilMs, other.untilMs) - Math.max(fromMs, other.fromMs)),
      0,
    );
    longest = Math.max(longest, untilMs - fromMs - shared);
  }
  return longest;
}
