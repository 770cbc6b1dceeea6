// The submitters that wait for the records of their commands: one entry for each record that was appended and is not answered
// yet, in the order of sequences. The exchange answers each once its record is durable. A rejected entry keeps its place, since
// its record may still become durable.
import { StorageUnavailable } from '../journal/index.ts';
import type { LogRecord } from './types.ts';

export interface Answer {
  readonly resolve: (record: LogRecord) => void;
  readonly reject: (error: Error) => void;
}

const UNANSWERED: Answer = { resolve: () => {}, reject: () => {} };

export class Answers {
  private readonly waiting: Answer[] = [];
  /** How many entries, from the first on, the current batch has answered. */
  private answeredCount = 0;
  private readonly msMax: number;
  private rejection: NodeJS.Timeout | undefined;

  /** @param msMax how long (ms) submitters wait for a journal that cannot be written */
  constructor(msMax: number) {
    this.msMax = msMax;
  }

  add(answer: Answer): void {
    this.waiting.push(answer);
  }

  /** Answers the first unanswered entry. */
  answer(record: LogRecord): void {
    this.waiting[this.answeredCount].resolve(record);
    this.answeredCount += 1;
  }

  /** Removes the answered entries, once all records of a batch were answered. */
  removeAnswered(): void {
    this.waiting.splice(0, this.answeredCount);
    this.answeredCount = 0;
  }

  /** Rejects all entries that wait: it is not known whether their commands were taken. */
  rejectAll(reason: string): void {
    const rejected = this.waiting.slice(this.answeredCount);
    this.waiting.fill(UNANSWERED, this.answeredCount);
    for (const { reject } of rejected) reject(new StorageUnavailable(reason, true));
  }

  /** The same after `msMax`, unless keepWaiting is called before. */
  rejectLater(reason: string): void {
    this.rejection ??= setTimeout(() => this.rejectAll(reason), this.msMax);
  }

  /** Cancels the rejection that rejectLater has scheduled. */
  keepWaiting(): void {
    clearTimeout(this.rejection);
    this.rejection = undefined;
  }
}
