// One market of a socket: which of its tokens the socket follows and in which stream, whether it hears that live, and what it is
// owed before it does: a dump, a replay, a gap, or where the stream stands. Held by marketChannel.ts, which pays what is owed.
// Nothing here sends a message.
import type { Market } from '../views/index.ts';
import type { Place } from './askedMarkets.ts';
import type { Connection } from './connection.ts';
import { FORM_COUNT, type Form, formOf } from './ids.ts';
import type { MarketStream } from './marketStream.ts';

/** The form that hears of every change, so that its number says whether anything happened. */
const FORM_OF_ALL = FORM_COUNT - 1;

export class MarketSubscription {
  readonly market: Market;
  readonly stream: MarketStream;
  /** Those that are followed, as bits. */
  tokens = 0;
  /** The form of the tokens, once there are any. */
  form: Form = 0;
  isLive = false;
  /** Waits for its turn to be paid. */
  isQueued = false;
  /** Tokens whose books are owed. */
  dump = 0;
  /** The number after which messages are owed; undefined when none are. */
  from: number | undefined;
  /** Owes a gap: the number after which messages are missing, and why. */
  gap: { readonly after: number; readonly reason: string } | undefined;
  /** How many messages the market had had when the socket left one of its streams for another, until that one is live. */
  private movedAt: number | undefined;
  private readonly connection: Connection;
  private readonly followed: Set<MarketStream>;

  /** @param followed markets that anybody follows */
  constructor(market: Market, stream: MarketStream, connection: Connection, followed: Set<MarketStream>) {
    this.market = market;
    this.stream = stream;
    this.connection = connection;
    this.followed = followed;
  }

  /** Moves to the stream of these tokens, with custom features or without; what was owed goes along. */
  move(tokens: number, isCustom: boolean): void {
    if (this.isLive) this.movedAt = this.stream.numbers[FORM_OF_ALL];
    this.leave();
    const form = formOf(tokens, isCustom);
    const isReplaying = this.from !== undefined && form !== this.form;
    this.tokens = tokens;
    this.form = form;
    this.dump &= tokens;
    if (isReplaying) this.oweGap(0, 'the socket changed its tokens or features during the replay');
  }

  /** Owes what comes after the place where the client stands, or a gap. */
  resumeAt({ form, sequence, isOfThisLog }: Place): void {
    if (isOfThisLog && form === this.form) {
      this.from = sequence;
      return;
    }
    const reason = isOfThisLog
      ? 'the socket now follows other tokens or features than the stream it resumes'
      : 'the stream belongs to another log';
    this.oweGap(0, reason);
  }

  /** What comes after a number is owed from now on. */
  oweFrom(number: number): void {
    this.leave();
    this.from = number;
  }

  /** Owes the books anew in place of the messages after a number. */
  oweGap(after: number, reason: string): void {
    this.from = undefined;
    this.dump = this.tokens;
    this.gap = { after, reason };
  }

  /** Owes a gap for what the market told while the socket was between two of its streams: neither told the socket. */
  checkMove(): void {
    const { gap, movedAt, stream } = this;
    if (gap !== undefined || movedAt === undefined || movedAt === stream.numbers[FORM_OF_ALL]) return;
    this.oweGap(0, 'the market went on while the socket changed its tokens or features');
    this.movedAt = undefined;
  }

  /** Hears the stream live from now on. */
  goLive(): void {
    this.movedAt = undefined;
    if (this.isLive) return;
    const { stream, form } = this;
    this.isLive = true;
    this.connection.follow(stream.ids[form]);
    stream.changeSubscribers(form, 1);
    stream.publishedMs[form] = performance.now();
    this.followed.add(stream);
  }

  /** Hears nothing live any more. */
  leave(): void {
    if (!this.isLive) return;
    const { stream, form } = this;
    this.isLive = false;
    this.connection.leave(stream.ids[form]);
    stream.changeSubscribers(form, -1);
    if (stream.subscriberCount === 0) this.followed.delete(stream);
  }
}
