// Whose turn it is: requests that place or cancel orders go on in the order in which they arrived, each once the signers of
// all orders before it and of its own are known. Made by openServices.ts; used by the routes of trading. It drives the
// recoverers once a turn of the loop, after everything that had arrived was read, and holds nobody up for longer.
// Requests that go on together go through the same code one after another, which keeps it in the processor's cache.
import type { Recoverers } from './recoverers.ts';

/** So many go on together while others are still waited for: they then share a flush of the journal, too. */
const TOGETHER_MIN = 8;

interface Waiting {
  /** Goes on once so many jobs of the recoverers are done. */
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

  /** Resolves when it is the request's turn: the signers of all jobs that were taken until now are known by then. */
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

  /** Lets those go on whose turn it is; a few wait for more, unless there is nothing else to do meanwhile. */
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
