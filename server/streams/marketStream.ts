// One market's streams: the numbers at which its six forms stand, the changes kept for those who resume, and what waits
// to be published. Changed by the market feed and, as far as subscribers go, by the hub. It renders nothing by itself
// until somebody listens or asks for what it missed.
import type { MarketTerms } from '../views/index.ts';
import { countChange, type MarketChange } from './changes.ts';
import { FORM_COUNT, type Form, marketStreamId } from './ids.ts';
import type { Message } from './messages.ts';

/** Messages of one change that wait for the end of the flush, with the numbers of the streams before them. */
export interface PendingChange {
  readonly messages: readonly Message[];
  readonly before: readonly number[];
}

/** Where a market's streams stand, and what was known of it. */
export interface Standing {
  readonly numbers: ArrayLike<number>;
  readonly terms: MarketTerms;
  readonly negRisk: boolean;
  readonly isAnnounced: boolean;
}

export class MarketStream {
  readonly index: number;
  /** Names of the six forms, as text and as bytes; the topics of the sockets are the names. */
  readonly ids: readonly string[];
  readonly idBytes: readonly Buffer[];
  /** The number of the latest message of each form. */
  readonly numbers: number[] = new Array<number>(FORM_COUNT).fill(0);
  /** Sockets that get each form as it happens. */
  readonly subscribers: number[] = new Array<number>(FORM_COUNT).fill(0);
  subscriberCount = 0;
  /** When each form was last published (ms of the machine's clock): silent ones get heartbeats. */
  readonly publishedMs: number[] = new Array<number>(FORM_COUNT).fill(0);
  pending: PendingChange[] = [];
  /** What the feed knew of the market before the record at hand. */
  terms: MarketTerms | undefined;
  negRisk = false;
  isAnnounced = false;
  private changes: MarketChange[] = [];
  private head = 0;

  constructor(index: number, log: string) {
    this.index = index;
    this.ids = Array.from({ length: FORM_COUNT }, (_, form) => marketStreamId(index, form as Form, log)); // 0 to 5
    this.idBytes = this.ids.map((id) => Buffer.from(id, 'latin1'));
  }

  /** Whether any of its forms has ever had a message. */
  get hasSpoken(): boolean {
    return this.numbers.some((number) => number > 0);
  }

  /** Goes on from where it stood in a snapshot. */
  load({ numbers, terms, negRisk, isAnnounced }: Standing): void {
    for (let form = 0; form < FORM_COUNT; form += 1) this.numbers[form] = numbers[form];
    this.terms = terms;
    this.negRisk = negRisk;
    this.isAnnounced = isAnnounced;
  }

  /** Keeps a change that is counted already. */
  keep(change: MarketChange): void {
    this.changes.push(change);
  }

  /** A kept change, −1 the newest; undefined where none is kept. */
  changeAt(place: number): MarketChange | undefined {
    return -place > this.changeCount ? undefined : this.changes.at(place);
  }

  get changeCount(): number {
    return this.changes.length - this.head;
  }

  /** Counts a change and keeps it. */
  push(change: MarketChange): void {
    countChange(this.numbers, change);
    this.keep(change);
  }

  /** Forgets the oldest change. */
  dropOldest(): void {
    this.head += 1;
    if (this.head < 64 || this.head * 2 < this.changes.length) return;
    this.changes = this.changes.slice(this.head);
    this.head = 0;
  }

  /**
   * The kept changes from the first that holds a message of this form after `number`, with all forms' numbers before
   * each; undefined when some of what came after it is forgotten, or `number` lies ahead of the stream.
   */
  since(
    form: Form,
    number: number,
  ): { readonly changes: readonly MarketChange[]; readonly before: number[] } | undefined {
    if (number > this.numbers[form] || number < 0) return undefined;
    const before = [...this.numbers];
    let at = this.changes.length;
    while (before[form] > number) {
      at -= 1;
      if (at < this.head) return undefined;
      countChange(before, this.changes[at], -1);
    }
    return { changes: this.changes.slice(at), before };
  }
}
