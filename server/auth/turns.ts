// Keeps requests that place or cancel orders in order of arrival: each continues once the signers of its own orders and of
// all earlier ones are known. Created by openServices.ts, used by the routes of trading. It drives the recoverers once in
// each turn of the loop, after all input that had arrived was read. Requests continue in groups, one after the other
// through the same code, which keeps that code in the processor's cache.
import type { Recoverers } from './recoverers.ts';

/** Smallest group of requests that continues while signers are still being recovered; a group shares a flush of the journal. */
const TOGETHER_MIN = 8;

interface Waiting {
  /** The request continues once this many of the recoverers' jobs are done. */
  readonly jobCount: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class Turns {
  private readonly recoverers: Recoverers;
  /** In order of arrival. */
  private readonly waiting: Waiting[] = [];
  private isScheduled = false;
  /** Whether requests have come or continued since the last run; the loop is idle otherwise. */
  private hasNews = false;

  constructor(recoverers: Recoverers) {
    this.recoverers = recoverers;
  }

  /** Resolves when it is the request's turn: the signers of all jobs added to the recoverers so far are then known. */
  next(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ jobCount: this.recoverers.addedCount, resolve, reject });
      this.hasNews = true;
      this.runSoon();
    });
  }

  private runSoon(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => this.run());
  }

  private run(): void {
    this.isScheduled = false;
    const isIdle = !this.hasNews;
    this.hasNews = false;
    try {
      this.recoverers.advance(isIdle);
      this.release(isIdle);
    } catch (error) {
      for (const { reject } of this.waiting.splice(0)) reject(error);
    }
    if (this.waiting.length > 0) this.runSoon();
  }

  /** Releases requests whose signers are known. Fewer than a group wait, unless the loop is idle or no others are waiting. */
  private release(isIdle: boolean): void {
    const { waiting } = this;
    const { doneCount } = this.recoverers;
    let count = 0;
    while (count < waiting.length && waiting[count].jobCount <= doneCount) count += 1;
    if (count === 0 || (count < TOGETHER_MIN && count < waiting.length && !isIdle)) return;
    this.hasNews = true;
    for (const { resolve } of waiting.splice(0, count)) resolve();
  }
}
