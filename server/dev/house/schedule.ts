// When the house acts: a schedule calls the house's step at the times that the step requests. The one here runs on timers;
// tests and simulations use their own on a virtual clock. It knows nothing about the contents of a step.

import { LoopTurn } from '../../../engine/index.ts';

/** Runs a step repeatedly, never concurrently. */
export interface Schedule {
  /**
   * Calls `step` soon, then each time the exchange's time reaches the value (ms) that the last call resolved with. `step`
   * must not reject.
   */
  run(step: () => Promise<number>): void;
  /** A promise that a step must await to give others their turn; undefined if it may continue at once. */
  pause(): Promise<void> | undefined;
  /** Stops calling; resolves when the running step has ended. */
  stop(): Promise<void>;
}

/** How long (ms) a step may run before requests get their turn. */
const TURN_MS = 0.5;
/** Longest timer (ms), so that a changed clock is noticed. */
const LONGEST_WAIT_MS = 1_000;

/** A schedule on timers. They do not keep the process alive. */
export function timerSchedule(now: () => number): Schedule {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const turn = new LoopTurn(TURN_MS);
  let running: Promise<void> = Promise.resolve();

  const wait = (dueMs: number, step: () => Promise<number>): void => {
    if (isStopped) return;
    const waitMs = Math.min(Math.max(dueMs - now(), 1), LONGEST_WAIT_MS);
    timer = setTimeout(() => {
      if (now() < dueMs) wait(dueMs, step);
      else {
        turn.begin();
        running = step().then((nextMs) => wait(nextMs, step));
      }
    }, waitMs);
    timer.unref();
  };

  return {
    run: (step) => wait(now(), step),
    pause: () => (turn.isOver ? turn.next() : undefined),
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
      return running;
    },
  };
}
