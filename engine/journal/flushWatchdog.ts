// The watchdog over the journal's flushes: reports a late one, and gives up one that never ends. The journal writes its batches
// through it. One timer serves all flushes: a timer for each would cost a flush as much as a few orders. It never holds a batch
// back, and never says that one is durable: only the store does.

import type { BatchStore } from './store.ts';

export interface FlushLimits {
  /** A flush that takes longer (ms) stops the intake until it ends; 15 s unless given. */
  readonly flushMs?: number;
  /** A flush that takes longer (ms) ends the journal, since nothing can be done about it; ten minutes unless given. */
  readonly flushMsMax?: number;
}

const FLUSH_MS = 15_000;
const FLUSH_MS_MAX = 600_000;
/** Number of checks of a flush before it is late. A halt of the whole process counts as one check at most. */
const CHECKS_UNTIL_LATE = 15;

/** A flush has not ended in its time, or was given up at a stop: whether its batch is durable is not known. */
export class FlushHung extends Error {
  override readonly name = 'FlushHung';

  constructor(waitedMs: number) {
    super(`The journal's flush has not ended for ${Math.floor(waitedMs)} ms.`);
  }
}

export class FlushWatchdog {
  private readonly store: BatchStore;
  private readonly flushMs: number;
  private readonly flushMsMax: number;
  private readonly onLate: (reason: string) => void;
  /** Runs from the first flush until a check finds none in progress. */
  private timer: NodeJS.Timeout | undefined;
  /** The number of the next check of the flush in progress. */
  private checks = 0;
  /** Ends the wait for the flush in progress; undefined when there is none. */
  private abandon: ((reason: FlushHung) => void) | undefined;
  private isStopped = false;

  /** @param onLate called once for each late flush, with the reason for accepting nothing more */
  constructor(store: BatchStore, limits: FlushLimits, onLate: (reason: string) => void) {
    this.store = store;
    this.flushMs = limits.flushMs ?? FLUSH_MS;
    this.flushMsMax = limits.flushMsMax ?? FLUSH_MS_MAX;
    this.onLate = onLate;
  }

  /**
   * Writes a batch to the store, one at a time: ended() must be called after each, successful or not. Rejects as the store
   * does, or with FlushHung when the flush does not end in its time, or is still in progress at the first check after stop().
   */
  write(firstSequence: number, batch: Uint8Array): Promise<void> {
    // A timer that already runs may fire right after the flush has begun: its first check does not count.
    this.checks = this.timer === undefined ? 1 : 0;
    this.timer ??= setInterval(() => this.check(), this.flushMs / CHECKS_UNTIL_LATE);
    return new Promise((resolve, reject) => {
      this.abandon = reject;
      this.store.write(firstSequence, batch).then(resolve, reject);
    });
  }

  /** The flush in progress has ended. Separate from write(), which saves a second promise per flush. */
  ended(): void {
    this.abandon = undefined;
  }

  /** Gives up the flush in progress at the next check. */
  stop(): void {
    this.isStopped = true;
  }

  /** Ends the checks, so that the timer does not keep the process alive. */
  close(): void {
    clearInterval(this.timer);
  }

  private check(): void {
    if (this.abandon === undefined) {
      clearInterval(this.timer);
      this.timer = undefined;
      return;
    }
    const waitedMs = (this.checks * this.flushMs) / CHECKS_UNTIL_LATE;
    if (this.checks === CHECKS_UNTIL_LATE) this.onLate(`the journal's flush has not ended for ${this.flushMs} ms`);
    if (waitedMs >= this.flushMsMax || this.isStopped) this.abandon(new FlushHung(waitedMs));
    this.checks += 1;
  }
}
