// Who waits for the records of commands: one answer a record that was appended and is not answered yet, in order of their
// sequences. Held by the exchange, which answers each once its record is durable. What is rejected here may still become durable:
// its place is kept until then.
import { StorageUnavailable } from '../journal/index.ts';
import type { LogRecord } from './types.ts';

export interface Answer {
  readonly resolve: (record: LogRecord) => void;
  readonly reject: (error: Error) => void;
}

const UNANSWERED: Answer = { resolve: () => {}, reject: () => {} };

export class Answers {
  private readonly waiting: Answer[] = [];
  /** So many of them, from the first, were answered with the batch at hand. */
  private answeredCount = 0;
  private readonly msMax: number;
  private rejection: NodeJS.Timeout | undefined;

  /** @param msMax how long (ms) they wait for a journal that cannot be written */
  constructor(msMax: number) {
    this.msMax = msMax;
  }

  add(answer: Answer): void {
    this.waiting.push(answer);
  }

  /** Answers the first who waits. */
  answer(record: LogRecord): void {
    this.waiting[this.answeredCount].resolve(record);
    this.answeredCount += 1;
  }

  /** All records of a batch were answered. */
  batchAnswered(): void {
    this.waiting.splice(0, this.answeredCount);
    this.answeredCount = 0;
  }

  /** Tells all who wait that it is not known whether their commands were taken. */
  rejectAll(reason: string): void {
    const rejected = this.waiting.slice(this.answeredCount);
    this.waiting.fill(UNANSWERED, this.answeredCount);
    for (const { reject } of rejected) reject(new StorageUnavailable(reason, true));
  }

  /** The same after a while. */
  rejectLater(reason: string): void {
    this.rejection ??= setTimeout(() => this.rejectAll(reason), this.msMax);
  }

  /** Lets them wait on. */
  keepWaiting(): void {
    clearTimeout(this.rejection);
    this.rejection = undefined;
  }
}
