// Whose turn it is: requests that place or cancel orders go on in the order in which they arrived, each once the signers of
// all orders before it and of its own are known. Made by start.ts; used by the routes of trading. It drives the recoverers:
// once a turn of the loop, after everything that had arrived was read. It never holds anybody up for longer than that takes.
// Requests that go on together go through the same code one after another, which keeps it in the processor's cache.
import type { Recoverers } from './auth/recoverers.ts';

interface Waiting {
  /** Goes on once so many jobs of the recoverers are done. */
  readonly jobCount: number;
  readonly goOn: () => void;
}

export class Turns {
  private readonly recoverers: Recoverers;
  /** In the order of arrival, from `first` on. */
  private waiting: Waiting[] = [];
  private first = 0;
  private isDue = false;
  private hasNews = false;

  constructor(recoverers: Recoverers) {
    this.recoverers = recoverers;
  }

  /** Resolves when it is the request's turn: the signers of all jobs that were taken until now are known by then. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push({ jobCount: this.recoverers.takenCount, goOn: resolve });
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
    const { recoverers, waiting, hasNews } = this;
    this.hasNews = false;
    recoverers.advance(!hasNews);
    const { doneCount } = recoverers;
    const { first } = this;
    while (this.first < waiting.length && waiting[this.first].jobCount <= doneCount) {
      waiting[this.first].goOn();
      this.first += 1;
    }
    if (this.first > first) this.hasNews = true;
    if (this.first < waiting.length) this.runSoon();
    else {
      this.waiting = [];
      this.first = 0;
    }
  }
}
