// When the house acts: a schedule calls its step at the times that the step asks for. The one here runs on timers; tests
// and simulations drive the house by a virtual clock with one of their own. It knows nothing of what a step does.

import { LoopTurn } from '../../../engine/index.ts';

/** Runs a step again and again, never twice at once. */
export interface Schedule {
  /**
   * Calls `step` soon, then each time when the exchange's time has reached what it resolved with (ms).
   * `step` must not reject.
   */
  run(step: () => Promise<number>): void;
  /** What a step is to wait for before it goes on, so that others have their turn; undefined while it may still go on. */
  pause(): Promise<void> | undefined;
  /** Calls no more; resolves when the step that runs has ended. */
  stop(): Promise<void>;
}

/** How long (ms) a step may go on before requests have their turn. */
const TURN_MS = 0.5;
/** A timer is set for at most this long (ms), so that a clock that was set is noticed. */
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
