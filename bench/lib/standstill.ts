// When an event loop stood still: each time it came later than it was due, by a clock that all processes share. A machine
// that has no processor for anybody stops an idle process as well (idle.ts): what both stood still tells of the machine, as far
// as it was not the measured process itself that had the processors; the rest tells of that process. Used by main parts and
// by the idle child.
import { availableParallelism } from 'node:os';

/** Later than it was due, ms; the clock is the machine's own (CLOCK_MONOTONIC). */
interface Late {
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface Standstill extends Late {
  /** So much of the processors' time (ms) the process itself did not have meanwhile: the most that others can have had. */
  readonly othersMs: number;
}

const LOOK_MS = 1;
/** Timers come so much late (ms) by themselves; no more than that is no standstill. */
const USUAL_MS = 0.5;

/** Between the clock of this process and the machine's: read once, since a look must leave no garbage. */
const OFFSET_MS = Number(process.hrtime.bigint()) / 1e6 - performance.now();
const nowMs = (): number => OFFSET_MS + performance.now();

/** Processor time of all threads of this process so far, ms. */
function processMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}

/** Looks at this thread's loop every millisecond while some work goes on; `onLook` is called each time. */
export async function standstillsDuring(work: () => Promise<unknown>, onLook?: () => void): Promise<Standstill[]> {
  const found: Standstill[] = [];
  let dueMs = nowMs() + LOOK_MS;
  let ownMs = processMs();
  const timer = setInterval(() => {
    const atMs = nowMs();
    const ownBeforeMs = ownMs;
    ownMs = processMs();
    if (atMs > dueMs + USUAL_MS) {
      const processorsMs = availableParallelism() * (atMs - dueMs + LOOK_MS);
      found.push({ fromMs: dueMs, untilMs: atMs, othersMs: Math.max(0, processorsMs - (ownMs - ownBeforeMs)) });
    }
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
export const longestMs = (found: readonly Late[]): number =>
  found.reduce((most, { fromMs, untilMs }) => Math.max(most, untilMs - fromMs), 0);

/**
 * The longest of ours without the time in which the other loop stood still too, ms, unless our own process took the
 * processors from both. Both are in the order of time.
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
