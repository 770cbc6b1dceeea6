// The market channel of one socket: the markets it follows, and the queue of those that are owed something before they go live.
// The queue is paid in order, and only while the socket has room. It does not render the messages published to all subscribers
// of a stream.
import { bookJson } from '../wire/books.ts';
import { formOf, isCatalogStream, isCustomForm } from '../wire/streamIds.ts';
import { NO_NEW_ASSETS, refuseUnknown, type StreamRequest } from '../wire/streamRequests.ts';
import { askedStreams, askedTokens, type MarketResumePoint } from './askedMarkets.ts';
import { BookFrame } from './bookFrame.ts';
import { type CatalogHost, CatalogSubscription } from './catalogChannel.ts';
import type { Connection, Subscriber } from './connection.ts';
import { streamLimits } from './limits.ts';
import type { MarketStream } from './marketStream.ts';
import { type HeartbeatCounts, MarketSubscription } from './marketSubscription.ts';
import { messagesSince } from './rebuild.ts';

/** What the market channels of all sockets share. */
export interface ChannelHost extends CatalogHost {
  /** Publishes waiting messages, to keep them from following a snapshot that already includes them. */
  flush(): void;
  readonly heartbeatCounts: HeartbeatCounts;
}

const countTokens = (tokens: number): number => (tokens === 3 ? 2 : tokens === 0 ? 0 : 1);

export class MarketSubscriber implements Subscriber {
  private readonly connection: Connection;
  private readonly host: ChannelHost;
  private readonly subscriptions = new Map<number, MarketSubscription>();
  private queue: MarketSubscription[] = [];
  private tokenCount = 0;
  private isCustom = false;
  private isScheduled = false;
  private readonly catalog: CatalogSubscription;
  private readonly bookFrame = new BookFrame();

  constructor(connection: Connection, host: ChannelHost) {
    this.connection = connection;
    this.host = host;
    this.catalog = new CatalogSubscription(connection, host);
  }

  request(request: StreamRequest): void {
    this.host.flush();
    if (request.isUnsubscribe) this.unsubscribe(request.assetIds);
    else this.subscribe(request);
  }

  drained(): void {
    this.pay();
  }

  held(): void {
    this.host.flush();
    this.catalog.hold();
    for (const subscription of this.subscriptions.values()) {
      if (subscription.isLive) this.oweFrom(subscription, subscription.stream.numbers[subscription.form]);
    }
  }

  /**
   * Owes what is about to be published instead of receiving it live, if it is more than a socket takes at once; returns whether
   * anything is now owed.
   *
   * @param bytesOf bytes that wait, by stream, for each that has any; both tokens together
   * @param newBytes bytes of the messages about new markets; Infinity if these are too many, whatever their bytes
   */
  owe(bytesOf: ReadonlyMap<MarketStream, number>, newBytes: number): boolean {
    const isCatalogOwed = newBytes > streamLimits.burstBytesMax && this.catalog.hold();
    let bytes = this.catalog.isLive ? newBytes : 0;
    for (const { stream } of this.liveAmong(bytesOf)) bytes += bytesOf.get(stream) ?? 0;
    if (bytes <= streamLimits.burstBytesMax) return isCatalogOwed;
    for (const subscription of this.liveAmong(bytesOf)) {
      const { stream, form } = subscription;
      this.oweFrom(subscription, stream.pending[0].before[form]);
    }
    return true;
  }

  /** The live subscriptions to any of these streams. A busy flush asks every socket, so the shorter list is searched. */
  private *liveAmong(streams: ReadonlyMap<MarketStream, unknown>): Generator<MarketSubscription> {
    const { subscriptions } = this;
    if (streams.size < subscriptions.size) {
      for (const { index } of streams.keys()) {
        const subscription = subscriptions.get(index);
        if (subscription?.isLive) yield subscription;
      }
      return;
    }
    for (const subscription of subscriptions.values()) {
      if (subscription.isLive && streams.has(subscription.stream)) yield subscription;
    }
  }

  ended(): void {
    for (const subscription of this.subscriptions.values()) subscription.leave();
    this.subscriptions.clear();
    this.queue = [];
    this.catalog.end();
  }

  private subscribe(request: StreamRequest): void {
    const { tokens, resumePoints, unknownTokens, unknownStreams } = askedStreams(this.host.feed, request);
    const isResumed =
      [...resumePoints.values()].flat().some(({ form }) => isCustomForm(form)) ||
      request.resume.some(({ streamId }) => isCatalogStream(streamId));
    const isCustom = request.isCustom ?? (this.isCustom || isResumed);
    let isNew = isCustom !== this.isCustom || request.resume.length > 0;
    if (isCustom !== this.isCustom) this.changeCustom(isCustom, tokens);
    this.catalog.resume(request);
    for (const [marketIndex, ofMarket] of tokens) {
      const added = this.add(marketIndex, ofMarket, request.hasDump, resumePoints.get(marketIndex));
      isNew ||= added;
    }
    if (this.connection.endIfTooMany(this.tokenCount, 'tokens')) return;
    if (request.wantsHeartbeats) this.startHeartbeats();
    this.pay();
    refuseUnknown('token', unknownTokens, unknownStreams);
    if (!isNew && request.assetIds.length > 0) this.connection.reply(NO_NEW_ASSETS);
  }

  /** Lets the client have heartbeats. What is live is held for a moment, and owed nothing, to go live with heartbeats. */
  private startHeartbeats(): void {
    if (this.connection.wantsHeartbeats) return;
    this.held();
    this.connection.wantsHeartbeats = true;
  }

  /** Custom features apply to the whole socket: every market moves to its other stream; those in `asked` move when added. */
  private changeCustom(isCustom: boolean, asked: ReadonlyMap<number, number>): void {
    this.isCustom = isCustom;
    if (isCustom) this.catalog.begin();
    else this.catalog.end();
    for (const [marketIndex, subscription] of this.subscriptions) {
      if (!asked.has(marketIndex)) this.move(subscription, subscription.tokens);
    }
  }

  /** Adds tokens of a market; returns whether anything changed. */
  private add(
    marketIndex: number,
    tokens: number,
    hasDump: boolean,
    resumePoints: readonly MarketResumePoint[] = [],
  ): boolean {
    const subscription = this.subscriptionOf(marketIndex);
    if (subscription === undefined) return false;
    const all = subscription.tokens | tokens;
    const added = tokens & ~subscription.tokens;
    const form = formOf(all, this.isCustom);
    const resume = resumePoints.find((point) => point.isOfThisLog && point.form === form) ?? resumePoints.at(0);
    if (added === 0 && form === subscription.form && resume === undefined) return false;
    this.move(subscription, all);
    if (resume !== undefined) subscription.resumeAt(resume);
    else if (hasDump) subscription.dump |= added;
    return true;
  }

  /** The subscription of a market, created if necessary; undefined if there is no such market. */
  private subscriptionOf(marketIndex: number): MarketSubscription | undefined {
    const known = this.subscriptions.get(marketIndex);
    if (known !== undefined) return known;
    const { feed, heartbeatCounts } = this.host;
    const market = feed.views.markets.byIndex(marketIndex);
    if (market === undefined) return undefined;
    const stream = feed.markets.stream(marketIndex);
    const subscription = new MarketSubscription(market, stream, this.connection, heartbeatCounts);
    this.subscriptions.set(marketIndex, subscription);
    return subscription;
  }

  private unsubscribe(assetIds: readonly string[]): void {
    const { tokens: asked, unknownTokens } = askedTokens(this.host.feed.views, assetIds);
    for (const [marketIndex, tokens] of asked) {
      const subscription = this.subscriptions.get(marketIndex);
      const left = (subscription?.tokens ?? 0) & ~tokens;
      if (subscription === undefined || left === subscription.tokens) continue;
      if (left === 0) this.remove(marketIndex, subscription);
      else this.move(subscription, left);
    }
    // Once for all removed markets: a client that does not read can leave 2,000 of them again and again.
    this.queue = this.queue.filter(({ isQueued }) => isQueued);
    this.pay();
    refuseUnknown('token', unknownTokens);
  }

  /** Removes a market; the caller takes it off the queue. */
  private remove(marketIndex: number, subscription: MarketSubscription): void {
    subscription.leave();
    subscription.isQueued = false;
    this.tokenCount -= countTokens(subscription.tokens);
    this.subscriptions.delete(marketIndex);
  }

  /** Moves a market to the stream of these tokens and the socket's features. */
  private move(subscription: MarketSubscription, tokens: number): void {
    this.tokenCount += countTokens(tokens) - countTokens(subscription.tokens);
    subscription.move(tokens, this.isCustom);
    this.enqueue(subscription);
  }

  /** Owes a market's messages after a number. */
  private oweFrom(subscription: MarketSubscription, number: number): void {
    subscription.oweFrom(number);
    this.enqueue(subscription);
  }

  private enqueue(subscription: MarketSubscription): void {
    if (subscription.isQueued) return;
    subscription.isQueued = true;
    this.queue.push(subscription);
  }

  /** Pays what is owed, in queue order, while the socket has room and the turn has time. */
  private pay(): void {
    if (this.isScheduled) return;
    const { host } = this;
    if (this.catalog.isOwed || this.queue.length > 0) host.flush();
    if (!this.catalog.pay()) {
      this.payLater();
      return;
    }
    let rendered = 0;
    while (this.queue.length > 0 && !this.connection.isFull) {
      if (rendered >= streamLimits.replayStep || !host.turns.hasTime()) {
        this.payLater();
        break;
      }
      rendered += this.payNext();
    }
    this.endFrame();
  }

  private payLater(): void {
    this.isScheduled = true;
    this.host.turns.later(() => {
      this.isScheduled = false;
      this.pay();
    });
  }

  /** Pays the first market of the queue; returns how many messages that took. */
  private payNext(): number {
    const [subscription] = this.queue;
    if (subscription.from !== undefined) return this.replay(subscription, subscription.from);
    subscription.checkMove();
    const { stream, form, market, dump, gap } = subscription;
    const { connection, host } = this;
    const nowMs = host.now();
    if (gap !== undefined || dump === 0) {
      if (this.endFrame()) return 0;
      connection.sendOpening(gap ?? 'heartbeat', stream.ids[form], stream.numbers[form], nowMs);
    }
    for (const outcome of [0, 1] as const) {
      if ((dump & (outcome + 1)) === 0) continue;
      const text = bookJson(host.feed.views, market, outcome);
      this.bookFrame.add(text, outcome, stream.idBytes[form], stream.numbers[form], nowMs);
    }
    if (this.bookFrame.byteLength > streamLimits.dumpFrameBytes) this.endFrame();
    subscription.dump = 0;
    subscription.gap = undefined;
    this.paid(subscription, true);
    return 2;
  }

  /** Sends the current frame of books; returns whether the next message must wait for room. */
  private endFrame(): boolean {
    const frame = this.bookFrame.take();
    if (frame !== undefined) this.connection.send(frame);
    return this.connection.isFull;
  }

  /** Sends some messages after `number`, as many as the socket has room for. Goes live once none are left. */
  private replay(subscription: MarketSubscription, number: number): number {
    const { stream, form } = subscription;
    const { connection, host } = this;
    if (this.endFrame()) return 0;
    const { replayStep, replayBytes } = streamLimits;
    const missed = messagesSince(host.feed, subscription, number, replayStep, replayBytes);
    if (missed === undefined) {
      const isAhead = number > stream.numbers[form];
      const reason = isAhead ? 'the sequence is ahead of the stream' : 'the missing messages are no longer kept';
      subscription.oweGap(number, reason);
      return 1;
    }
    const { messages, indexes, sequences } = missed;
    const hasHeartbeat = indexes.length === 0 && subscription.isResumed;
    if (hasHeartbeat) connection.sendOpening('heartbeat', stream.ids[form], stream.numbers[form], host.now());
    let last = number;
    connection.cork(() => {
      for (const [at, index] of indexes.entries()) {
        if (connection.isFull) return;
        connection.send(messages.filled(index, stream.idBytes[form], sequences[at]));
        last = sequences[at];
      }
    });
    subscription.from = last;
    if (last >= stream.numbers[form]) {
      subscription.from = undefined;
      this.paid(subscription, indexes.length > 0 || hasHeartbeat);
    }
    return indexes.length + 1;
  }

  /** Takes the first market, which is owed nothing more, off the queue and makes it live. @param isTold see goLive */
  private paid(subscription: MarketSubscription, isTold: boolean): void {
    this.queue.shift();
    subscription.isQueued = false;
    subscription.goLive(isTold);
  }
}
