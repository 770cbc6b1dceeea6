// One market's streams: the numbers of its six forms, the place of its latest change in the change log, and what waits to be
// published. Changed by the market feed and, as far as subscribers go, by the channels. Nothing is rendered until a socket
// subscribes or asks for what it missed.
import type { MarketTerms } from '../views/index.ts';
import type { BookTexts } from '../wire/bookText.ts';
import { countChange, type MarketChange } from '../wire/marketChanges.ts';
import { FORM_COUNT, type Form, marketStreamId } from '../wire/streamIds.ts';
import { type ChangeLog, NONE } from './changeLog.ts';

/** Messages of one change that wait to be flushed, with the numbers of the streams before them. */
interface PendingChange {
  /** The range [first, end) of the feed's messages. */
  readonly first: number;
  readonly end: number;
  readonly before: readonly number[];
}

/** The state of a market's streams, and what the feed knew of the market. */
export interface StreamState {
  readonly numbers: ArrayLike<number>;
  /** Place of its newest change in the change log. */
  readonly latestAt: number;
  readonly terms: MarketTerms;
  readonly isAnnounced: boolean;
}

export class MarketStream {
  readonly index: number;
  /** The sequence of the latest message of each form. */
  readonly numbers: number[] = new Array<number>(FORM_COUNT).fill(0);
  /** How many sockets receive each form live. */
  readonly subscribers: number[] = new Array<number>(FORM_COUNT).fill(0);
  subscriberCount = 0;
  /** Place of its newest change in the change log. */
  latestAt = NONE;
  /** When each form last published a message (ms, monotonic clock); silent ones get heartbeats. */
  readonly publishedMs: number[] = new Array<number>(FORM_COUNT).fill(0);
  pending: PendingChange[] = [];
  /** Bytes of their messages, those of both tokens together. */
  pendingBytes = 0;
  /** The market's terms as the feed knew them before the current record. */
  terms: MarketTerms | undefined;
  isAnnounced = false;
  /** The books as last rendered; only while the market has subscribers. */
  books: BookTexts | undefined;
  private readonly log: string;
  private names: { readonly texts: readonly string[]; readonly bytes: readonly Buffer[] } | undefined;

  /** @param log the log's name */
  constructor(index: number, log: string) {
    this.index = index;
    this.log = log;
  }

  /** Whether any of its forms has ever had a message. */
  get hasMessages(): boolean {
    return this.numbers.some((number) => number > 0);
  }

  /** Restores the state from a snapshot. */
  load({ numbers, latestAt, terms, isAnnounced }: StreamState): void {
    for (let form = 0; form < FORM_COUNT; form += 1) this.numbers[form] = numbers[form];
    this.latestAt = latestAt;
    this.terms = terms;
    this.isAnnounced = isAnnounced;
  }

  /** Names of the six forms, which are also the sockets' topics. */
  get ids(): readonly string[] {
    return this.named().texts;
  }

  /** The names as bytes. */
  get idBytes(): readonly Buffer[] {
    return this.named().bytes;
  }

  /** Counts a change's messages and stores it in the change log. */
  push(change: MarketChange, kept: ChangeLog): void {
    countChange(this.numbers, change);
    this.latestAt = kept.push(change, this.latestAt);
  }

  /** Counts a socket that starts (+1) or stops (−1) following a form. */
  changeSubscribers(form: Form, by: 1 | -1): void {
    this.subscribers[form] += by;
    this.subscriberCount += by;
    if (this.subscriberCount === 0) this.books = undefined;
  }

  /**
   * The kept changes from the first that holds a message of this form after `number`, with all forms' numbers before that one.
   * Undefined if some of these changes are no longer kept, if they are more than `changesMax`, or if `number` lies ahead.
   */
  since(
    form: Form,
    number: number,
    kept: ChangeLog,
    changesMax: number,
  ): { readonly changes: readonly MarketChange[]; readonly before: number[] } | undefined {
    if (number > this.numbers[form] || number < 0) return undefined;
    const before = [...this.numbers];
    const changes: MarketChange[] = [];
    let at = this.latestAt;
    while (before[form] > number) {
      const entry = at === NONE || changes.length === changesMax ? undefined : kept.read(at);
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
