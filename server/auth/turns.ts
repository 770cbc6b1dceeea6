// Keeps requests that place or cancel orders in the order of their arrival: each goes on once the signers of its own orders and of
// all orders before it are known. Made by openServices.ts; used by the routes of trading. It drives the recoverers once in each
// turn of the loop, after everything that had arrived was read. Requests go on in groups, one after the other through the same
// code, which keeps that code in the processor's cache.
import type { Recoverers } from './recoverers.ts';

/** While signers are still being found, requests go on in groups of at least this many, which then share a flush of the journal. */
const TOGETHER_MIN = 8;

interface Waiting {
  /** The request goes on once this many jobs of the recoverers are done. */
  readonly jobCount: number;
  readonly goOn: () => void;
  readonly fail: (error: unknown) => void;
}

export class Turns {
  private readonly recoverers: Recoverers;
  /** In the order of arrival. */
  private readonly waiting: Waiting[] = [];
  private isDue = false;
  private hasNews = false;

  constructor(recoverers: Recoverers) {
    this.recoverers = recoverers;
  }

  /** Resolves when it is the request's turn: the signers of all jobs that the recoverers have taken by now are then known. */
  next(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ jobCount: this.recoverers.takenCount, goOn: resolve, fail: reject });
      this.hasNews = true;
      this.runSoon();
    });
  }

  private runSoon(): void {
    if (this.isDue) return;
    this.isDue = true;
    setImmediate(() => this.run());
  }

  private run(): void {
    this.isDue = false;
    const isIdle = !this.hasNews;
    this.hasNews = false;
    try {
      this.recoverers.advance(isIdle);
      this.release(isIdle);
    } catch (error) {
      for (const { fail } of this.waiting.splice(0)) fail(error);
    }
    if (this.waiting.length > 0) this.runSoon();
  }

  /** Lets requests go on whose signers are known; fewer than a group wait for more, unless the loop is idle or none are left. */
  private release(isIdle: boolean): void {
    const { waiting } = this;
    const { doneCount } = this.recoverers;
    let count = 0;
    while (count < waiting.length && waiting[count].jobCount <= doneCount) count += 1;
    if (count === 0 || (count < TOGETHER_MIN && count < waiting.length && !isIdle)) return;
    this.hasNews = true;
    for (const { goOn } of waiting.splice(0, count)) goOn();
  }
}
