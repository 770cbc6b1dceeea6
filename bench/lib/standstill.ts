// Measures stalls of an event loop: each time a timer fired later than it was due, on a clock shared by all processes. A
// machine without a free processor stalls an idle process as well (idle.ts): time in which both stalled is the machine's,
// unless the measured process itself occupied the processors; the rest is due to that process. Used by main processes and
// by the idle child.
import { availableParallelism } from 'node:os';

/** A timer that fired late: when it was due and when it fired (ms), on the machine's own clock (CLOCK_MONOTONIC). */
interface Late {
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface Standstill extends Late {
  /** Processor time (ms) that the process itself did not use meanwhile: the most that others can have had. */
  readonly othersMs: number;
}

const SAMPLE_MS = 1;
/** Timers are this late (ms) by themselves; a delay up to that is no stall. */
const USUAL_DELAY_MS = 0.5;

/** Offset of the machine's clock from this process's, read once because a sample must leave no garbage. */
const OFFSET_MS = Number(process.hrtime.bigint()) / 1e6 - performance.now();
const nowMs = (): number => OFFSET_MS + performance.now();

/** Processor time of all threads of this process so far, ms. */
function processMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}

/**
 * Samples this thread's event loop every millisecond while `work` runs, and returns its stalls; calls `onSample` at each sample.
 */
export async function standstillsDuring(work: () => Promise<unknown>, onSample?: () => void): Promise<Standstill[]> {
  const found: Standstill[] = [];
  let dueMs = nowMs() + SAMPLE_MS;
  let ownMs = processMs();
  const timer = setInterval(() => {
    const atMs = nowMs();
    const ownBeforeMs = ownMs;
    ownMs = processMs();
    if (atMs > dueMs + USUAL_DELAY_MS) {
      const processorsMs = availableParallelism() * (atMs - dueMs + SAMPLE_MS);
      found.push({ fromMs: dueMs, untilMs: atMs, othersMs: Math.max(0, processorsMs - (ownMs - ownBeforeMs)) });
    }
    onSample?.();
    dueMs = atMs + SAMPLE_MS;
  }, SAMPLE_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return found;
}

/** The longest, ms; 0 for none. */
export const longestMs = (found: readonly Late[]): number =>
  found.reduce((most, { fromMs, untilMs }) => Math.max(most, untilMs - fromMs), 0);

/**
 * The longest of our stalls without the time in which the other loop stalled too, ms, unless our own process took the
 * processors from both. Both lists are in time order.
 */
export function longestAloneMs(ours: readonly Standstill[], others: readonly Late[]): number {
  let longest = 0;
  for (const { fromMs, untilMs, othersMs } of ours) {
    const shared = others.reduce(
      (sum, other) => sum + Math.max(0, Math.min(untilMs, other.untilMs) - Math.max(fromMs, other.fromMs)),
      0,
    );
    longest = Math.max(longest, untilMs - fromMs - Math.min(shared, othersMs));
  }
  return longest;
}
