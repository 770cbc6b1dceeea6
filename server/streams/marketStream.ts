// One market's streams: the numbers at which its six forms stand, where its latest change is kept, and what waits to be
// published. Changed by the market feed and, as far as subscribers go, by the channels. It renders nothing by itself
// until somebody listens or asks for what it missed.
import type { MarketTerms } from '../views/index.ts';
import type { BookTexts } from '../wire/bookText.ts';
import { type ChangeLog, NONE } from './changeLog.ts';
import { countChange, type MarketChange } from './changes.ts';
import { FORM_COUNT, type Form, marketStreamId } from './ids.ts';

/** Messages of one change that wait for the end of the flush, with the numbers of the streams before them. */
interface PendingChange {
  /** The first of the feed's messages, and the one after the last. */
  readonly first: number;
  readonly end: number;
  readonly before: readonly number[];
}

/** Where a market's streams stand, and what was known of it. */
export interface Standing {
  readonly numbers: ArrayLike<number>;
  /** Where its newest change lies in the log of changes. */
  readonly latestAt: number;
  readonly terms: MarketTerms;
  readonly negRisk: boolean;
  readonly isAnnounced: boolean;
}

export class MarketStream {
  readonly index: number;
  /** The number of the latest message of each form. */
  readonly numbers: number[] = new Array<number>(FORM_COUNT).fill(0);
  /** Sockets that get each form as it happens. */
  readonly subscribers: number[] = new Array<number>(FORM_COUNT).fill(0);
  subscriberCount = 0;
  /** Where its newest change lies in the log of changes. */
  latestAt = NONE;
  /** When each form was last published (ms of the machine's clock): silent ones get heartbeats. */
  readonly publishedMs: number[] = new Array<number>(FORM_COUNT).fill(0);
  pending: PendingChange[] = [];
  /** What the feed knew of the market before the record at hand. */
  terms: MarketTerms | undefined;
  negRisk = false;
  isAnnounced = false;
  /** The books as they were last rendered; only while somebody listens. */
  books: BookTexts | undefined;
  private readonly log: string;
  private names: { readonly texts: readonly string[]; readonly bytes: readonly Buffer[] } | undefined;

  /** @param log the log's name */
  constructor(index: number, log: string) {
    this.index = index;
    this.log = log;
  }

  /** Whether any of its forms has ever had a message. */
  get hasSpoken(): boolean {
    return this.numbers.some((number) => number > 0);
  }

  /** Goes on from where it stood in a snapshot. */
  load({ numbers, latestAt, terms, negRisk, isAnnounced }: Standing): void {
    for (let form = 0; form < FORM_COUNT; form += 1) this.numbers[form] = numbers[form];
    this.latestAt = latestAt;
    this.terms = terms;
    this.negRisk = negRisk;
    this.isAnnounced = isAnnounced;
  }

  /** Names of the six forms; the topics of the sockets are the names. */
  get ids(): readonly string[] {
    return this.named().texts;
  }

  /** The names as bytes. */
  get idBytes(): readonly Buffer[] {
    return this.named().bytes;
  }

  /** Counts a change and keeps it. */
  push(change: MarketChange, kept: ChangeLog): void {
    countChange(this.numbers, change);
    this.latestAt = kept.push(change, this.latestAt);
  }

  /** A socket follows a form from now on, or (−1) no longer does. */
  changeSubscribers(form: Form, by: 1 | -1): void {
    this.subscribers[form] += by;
    this.subscriberCount += by;
    if (this.subscriberCount === 0) this.books = undefined;
  }

  /**
   * The kept changes from the first that holds a message of this form after `number`, with all forms' numbers before
   * each; undefined when some of what came after it is forgotten or more than `most`, or `number` lies ahead.
   */
  since(
    form: Form,
    number: number,
    kept: ChangeLog,
    most: number,
  ): { readonly changes: readonly MarketChange[]; readonly before: number[] } | undefined {
    if (number > this.numbers[form] || number < 0) return undefined;
    const before = [...this.numbers];
    const changes: MarketChange[] = [];
    let at = this.latestAt;
    while (before[form] > number) {
      const entry = at === NONE || changes.length === most ? undefined : kept.read(at);
      if (entry === undefined) return undefined;
      countChange(before, entry.change, -1);
      changes.push(entry.change);
      at = entry.previousAt;
    }
    return { changes: changes.reverse(), before };
  }

  private named() {
    if (this.names === undefined) {
      const texts = Array.from({ length: FORM_COUNT }, (_, form) => marketStreamId(this.index, form as Form, this.log)); // 0 to 5
      this.names = { texts, bytes: texts.map((id) => Buffer.from(id, 'latin1')) };
    }
    return this.names;
  }
}
