// One socket's subscription to one market: the tokens it follows, the stream for them, whether it is live, and what is owed
// before it goes live: a dump, a replay, a gap, or a heartbeat. Held by marketChannel.ts, which pays what is owed. Nothing here
// sends a message.
import type { Market } from '../views/index.ts';
import { FORM_COUNT, type Form, formOf } from '../wire/streamIds.ts';
import type { Gap } from '../wire/streamRequests.ts';
import type { MarketResumePoint } from './askedMarkets.ts';
import type { Connection } from './connection.ts';
import type { MarketStream } from './marketStream.ts';

/** The form that gets a message for every change: its number shows whether anything happened. */
const FORM_OF_ALL = FORM_COUNT - 1;

/** How many sockets get the heartbeats of each form of a market, for the markets with any. */
export type HeartbeatCounts = Map<MarketStream, number[]>;

export class MarketSubscription {
  readonly market: Market;
  readonly stream: MarketStream;
  /** The followed tokens, as bits. */
  tokens = 0;
  /** The form for `tokens`; meaningless while there are none. */
  form: Form = 0;
  isLive = false;
  /** Whether it waits in the channel's queue to be paid. */
  isQueued = false;
  /** Tokens whose books are owed, as bits. */
  dump = 0;
  /** The number after which messages are owed; undefined if none are. */
  from: number | undefined;
  /** Whether the client asked for them: it gets a heartbeat if there are none. */
  isResumed = false;
  /** The gap that is owed. */
  gap: Gap | undefined;
  /** FORM_OF_ALL's number when the socket left one of the market's streams for another; set until the new one is live. */
  private movedAt: number | undefined;
  private readonly connection: Connection;
  private readonly heartbeatCounts: HeartbeatCounts;

  constructor(market: Market, stream: MarketStream, connection: Connection, heartbeatCounts: HeartbeatCounts) {
    this.market = market;
    this.stream = stream;
    this.connection = connection;
    this.heartbeatCounts = heartbeatCounts;
  }

  /**
   * Moves to the stream of these tokens, with or without custom features. Books stay owed; a replay or a gap that is owed
   * becomes a gap of the new stream if that is another one.
   */
  move(tokens: number, isCustom: boolean): void {
    if (this.isLive) this.movedAt = this.stream.numbers[FORM_OF_ALL];
    this.leave();
    const form = formOf(tokens, isCustom);
    const isOtherStream = form !== this.form;
    this.tokens = tokens;
    this.form = form;
    this.dump &= tokens;
    if (!isOtherStream) return;
    // What is owed by number counts the messages of the stream that the socket has left.
    if (this.from !== undefined) this.oweGap(0, 'the socket changed its tokens or features during the replay');
    else if (this.gap !== undefined) this.oweGap(0, this.gap.reason);
  }

  /** Owes the messages after the client's resume point, or a gap; in place of whatever else was owed. */
  resumeAt({ form, sequence, isOfThisLog }: MarketResumePoint): void {
    if (isOfThisLog && form === this.form) {
      this.from = sequence;
      this.isResumed = true;
      this.dump = 0;
      this.gap = undefined;
      return;
    }
    const reason = isOfThisLog
      ? 'the socket subscribes to other tokens or features than those of the resumed stream'
      : 'the stream belongs to another log';
    this.oweGap(0, reason);
  }

  /** Leaves the live stream and owes the messages after a number. */
  oweFrom(number: number): void {
    this.leave();
    this.from = number;
    this.isResumed = false;
  }

  /** Owes a gap and new book dumps in place of the messages after a number. */
  oweGap(after: number, reason: string): void {
    this.from = undefined;
    this.dump = this.tokens;
    this.gap = { after, reason };
  }

  /** Owes a gap for messages of the market while the socket was between two of its streams and got neither. */
  checkMove(): void {
    const { gap, movedAt, stream } = this;
    if (gap !== undefined || movedAt === undefined || movedAt === stream.numbers[FORM_OF_ALL]) return;
    this.oweGap(0, 'the market changed while the socket changed its tokens or features');
    this.movedAt = undefined;
  }

  /** Receives the stream live from now on. @param isTold whether the client has just been sent the stream's number */
  goLive(isTold: boolean): void {
    this.movedAt = undefined;
    if (this.isLive) return;
    const { stream, form, connection } = this;
    this.isLive = true;
    connection.follow(stream.ids[form]);
    stream.changeSubscribers(form, 1);
    if (!connection.wantsHeartbeats) return;
    // Only the first may begin the time of silence anew: others would postpone the heartbeats of those before them.
    if (this.countHeartbeats(1) === 1 && isTold) stream.publishedMs[form] = performance.now();
  }

  /** Stops receiving the stream live. */
  leave(): void {
    if (!this.isLive) return;
    const { stream, form, connection } = this;
    this.isLive = false;
    connection.leave(stream.ids[form]);
    stream.changeSubscribers(form, -1);
    if (connection.wantsHeartbeats) this.countHeartbeats(-1);
  }

  /** Counts a socket that starts (+1) or stops (−1) getting the stream's heartbeats; returns how many now get them. */
  private countHeartbeats(by: 1 | -1): number {
    const { heartbeatCounts, stream, form } = this;
    const counts = heartbeatCounts.get(stream) ?? new Array<number>(FORM_COUNT).fill(0);
    counts[form] += by;
    if (counts.some((count) => count > 0)) heartbeatCounts.set(stream, counts);
    else heartbeatCounts.delete(stream);
    return counts[form];
  }
}
