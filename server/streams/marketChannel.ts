// The market channel of one socket: which tokens it follows, in which streams, and what it is still owed before it hears
// a stream live: a dump, a replay, or where the stream stands. What is owed is paid in turn, and only while there is
// room in front of the socket. It renders nothing that is published to all who follow.
import { isListed, type Market } from '../views/index.ts';
import { bookJson } from '../wire/books.ts';
import { bookMessage } from '../wire/marketEvents.ts';
import { gapText, heartbeatText, NO_NEW_ASSETS, refuseUnknown, type StreamRequest } from '../wire/streamRequests.ts';
import { type CatalogHost, CatalogSubscription } from './catalogChannel.ts';
import type { Connection, Subscriber } from './connection.ts';
import { CloseCode } from './connection.ts';
import {
  FORM_COUNT,
  type Form,
  formOf,
  isCatalogStream,
  isCustomForm,
  parseMarketStreamId,
  tokensOfForm,
} from './ids.ts';
import { streamLimits } from './limits.ts';
import type { MarketStream } from './marketStream.ts';
import { FrameWriter, MessageBatch } from './messages.ts';
import { messagesSince } from './rebuild.ts';

/** What the channels of all sockets share. */
export interface ChannelHost extends CatalogHost {
  /** Publishes what waits, so that nothing of it comes after a snapshot that holds it already. */
  flush(): void;
  /** Markets that anybody follows, for heartbeats. */
  readonly followed: Set<MarketStream>;
}

/** One market of a socket. */
interface Subscription {
  readonly stream: MarketStream;
  readonly market: Market;
  tokens: number;
  form: Form;
  isLive: boolean;
  isQueued: boolean;
  /** Tokens whose books are owed. */
  dump: number;
  /** The number after which messages are owed; undefined when none are. */
  from: number | undefined;
  /** Owes a gap: the number after which messages are missing, and why. */
  gap: { readonly after: number; readonly reason: string } | undefined;
  /** How many messages the market had had when the socket left one of its streams for another, until that one is live. */
  movedAt: number | undefined;
}

/** The form that hears of every change, so that its number says whether anything happened. */
const FORM_OF_ALL = FORM_COUNT - 1;

/** Where a client stands in one of a market's streams, as it says. */
interface Place {
  readonly form: Form;
  readonly sequence: number;
  readonly isOfThisLog: boolean;
}

const countTokens = (tokens: number): number => (tokens === 3 ? 2 : tokens === 0 ? 0 : 1);

export class MarketSubscriber implements Subscriber {
  private readonly connection: Connection;
  private readonly host: ChannelHost;
  private readonly subscriptions = new Map<number, Subscription>();
  private queue: Subscription[] = [];
  private tokenCount = 0;
  private isCustom = false;
  private isScheduled = false;
  private readonly catalog: CatalogSubscription;
  private readonly writer: FrameWriter;

  constructor(connection: Connection, host: ChannelHost) {
    this.connection = connection;
    this.host = host;
    this.catalog = new CatalogSubscription(connection, host);
    this.writer = new FrameWriter((frame) => connection.send(frame));
  }

  /** @throws BadStreamRequest with a sentence; the rest of the request has been followed */
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
   * Owes what is about to be published, instead of hearing it live, if that is more than a socket takes at once; returns
   * whether it is.
   *
   * @param bytesOf the bytes that wait, of each stream that has any: its tokens' together
   * @param hasManyNew whether new markets are too many, whatever they hold
   */
  owe(bytesOf: ReadonlyMap<MarketStream, number>, hasManyNew: boolean): boolean {
    const isCatalogOwed = hasManyNew && this.catalog.hold();
    let bytes = 0;
    for (const { stream, isLive } of this.subscriptions.values()) {
      if (isLive) bytes += bytesOf.get(stream) ?? 0;
    }
    if (bytes <= streamLimits.burstBytesMax) return isCatalogOwed;
    for (const subscription of this.subscriptions.values()) {
      const { stream, form, isLive } = subscription;
      if (isLive && bytesOf.has(stream)) this.oweFrom(subscription, stream.pending[0].before[form]);
    }
    return true;
  }

  ended(): void {
    for (const subscription of this.subscriptions.values()) this.leave(subscription);
    this.subscriptions.clear();
    this.queue = [];
    this.catalog.end();
  }

  private subscribe(request: StreamRequest): void {
    const unknown: string[] = [];
    const lost: string[] = [];
    const wanted = this.wantedOf(request.assetIds, unknown);
    const resumes = this.resumesOf(request, wanted, lost);
    const isResumed =
      [...resumes.values()].flat().some(({ form }) => isCustomForm(form)) ||
      request.resume.some(({ streamId }) => isCatalogStream(streamId));
    const isCustom = request.isCustom ?? (this.isCustom || isResumed);
    let isNew = isCustom !== this.isCustom || request.resume.length > 0;
    if (isCustom !== this.isCustom) this.changeCustom(isCustom, wanted);
    this.catalog.resume(request);
    for (const [marketIndex, tokens] of wanted) {
      const added = this.add(marketIndex, tokens, request.hasDump, resumes.get(marketIndex));
      isNew ||= added;
    }
    if (this.tokenCount > streamLimits.subscriptionsMax) {
      const reason = `${this.tokenCount} tokens asked for; one socket follows at most ${streamLimits.subscriptionsMax}`;
      this.connection.end(CloseCode.POLICY, reason);
      return;
    }
    this.pay();
    refuseUnknown('token', unknown, lost);
    if (!isNew && request.assetIds.length > 0) this.connection.reply(NO_NEW_ASSETS);
  }

  private wantedOf(assetIds: readonly string[], unknown: string[]): Map<number, number> {
    const wanted = new Map<number, number>();
    for (const assetId of assetIds) {
      const place = this.host.feed.views.markets.byToken(assetId);
      if (place === undefined || !isListed(place.market)) unknown.push(assetId);
      else wanted.set(place.market.index, (wanted.get(place.market.index) ?? 0) | (place.outcome + 1));
    }
    return wanted;
  }

  /** Resume points by market; streams that no token asks for are asked for by their names, unless they are `lost`. */
  private resumesOf({ resume }: StreamRequest, wanted: Map<number, number>, lost: string[]): Map<number, Place[]> {
    const resumes = new Map<number, Place[]>();
    const asked = new Set(wanted.keys());
    for (const { streamId, sequence } of resume) {
      const name = parseMarketStreamId(streamId);
      if (name === undefined) {
        if (!isCatalogStream(streamId)) lost.push(streamId);
        continue;
      }
      const { marketIndex, form, log } = name;
      const market = this.host.feed.views.markets.byIndex(marketIndex);
      const isOfThisLog = log === this.host.feed.log && market !== undefined && isListed(market);
      if (!asked.has(marketIndex)) {
        if (!isOfThisLog) {
          lost.push(streamId);
          continue;
        }
        wanted.set(marketIndex, (wanted.get(marketIndex) ?? 0) | tokensOfForm(form));
      }
      const places = resumes.get(marketIndex) ?? [];
      places.push({ form, sequence, isOfThisLog });
      resumes.set(marketIndex, places);
    }
    return resumes;
  }

  /** Custom features hold for the whole socket: every market moves to its other stream. */
  private changeCustom(isCustom: boolean, wanted: ReadonlyMap<number, number>): void {
    this.isCustom = isCustom;
    if (isCustom) this.catalog.begin();
    else this.catalog.end();
    for (const [marketIndex, subscription] of this.subscriptions) {
      if (wanted.has(marketIndex)) continue;
      this.reform(subscription, subscription.tokens);
      this.enqueue(subscription);
    }
  }

  /** Whether the socket now follows what it did not before. */
  private add(marketIndex: number, tokens: number, hasDump: boolean, places: readonly Place[] = []): boolean {
    const market = this.host.feed.views.markets.byIndex(marketIndex);
    if (market === undefined) return false;
    let subscription = this.subscriptions.get(marketIndex);
    const before = subscription?.tokens ?? 0;
    const added = tokens & ~before;
    if (subscription === undefined) {
      const stream = this.host.feed.markets.stream(marketIndex);
      const form = formOf(tokens, this.isCustom);
      const nothing = { isLive: false, isQueued: false, dump: 0, from: undefined, gap: undefined, movedAt: undefined };
      subscription = { stream, market, tokens: 0, form, ...nothing };
      this.subscriptions.set(marketIndex, subscription);
    }
    const form = formOf(before | tokens, this.isCustom);
    const resume = places.find((place) => place.isOfThisLog && place.form === form) ?? places.at(0);
    if (added === 0 && form === subscription.form && resume === undefined) return false;
    this.reform(subscription, before | tokens);
    if (resume !== undefined) this.resumeAt(subscription, resume);
    else if (hasDump) subscription.dump |= added;
    this.enqueue(subscription);
    return true;
  }

  private resumeAt(subscription: Subscription, { form, sequence, isOfThisLog }: Place): void {
    if (isOfThisLog && form === subscription.form) {
      subscription.from = sequence;
      return;
    }
    const reason = isOfThisLog
      ? 'the socket now follows other tokens or features than the stream it resumes'
      : 'the stream belongs to another log';
    this.oweGap(subscription, 0, reason);
  }

  private oweGap(subscription: Subscription, after: number, reason: string): void {
    subscription.from = undefined;
    subscription.dump = subscription.tokens;
    subscription.gap = { after, reason };
  }

  /** Moves a market to the stream of these tokens and the socket's features; what it owed goes along. */
  private reform(subscription: Subscription, tokens: number): void {
    if (subscription.isLive) subscription.movedAt = subscription.stream.numbers[FORM_OF_ALL];
    this.leave(subscription);
    const form = formOf(tokens, this.isCustom);
    this.tokenCount += countTokens(tokens) - countTokens(subscription.tokens);
    const isReplaying = subscription.from !== undefined && form !== subscription.form;
    subscription.tokens = tokens;
    subscription.form = form;
    subscription.dump &= tokens;
    if (isReplaying) this.oweGap(subscription, 0, 'the socket changed its tokens or features during the replay');
  }

  private unsubscribe(assetIds: readonly string[]): void {
    const unknown: string[] = [];
    for (const [marketIndex, tokens] of this.wantedOf(assetIds, unknown)) {
      const subscription = this.subscriptions.get(marketIndex);
      const left = (subscription?.tokens ?? 0) & ~tokens;
      if (subscription === undefined || left === subscription.tokens) continue;
      if (left === 0) {
        this.leave(subscription);
        this.tokenCount -= countTokens(subscription.tokens);
        this.subscriptions.delete(marketIndex);
        this.queue = this.queue.filter((queued) => queued !== subscription);
      } else {
        this.reform(subscription, left);
        this.enqueue(subscription);
      }
    }
    this.pay();
    refuseUnknown('token', unknown);
  }

  /** What comes after a number is owed from now on. */
  private oweFrom(subscription: Subscription, number: number): void {
    this.leave(subscription);
    subscription.from = number;
    this.enqueue(subscription);
  }

  private enqueue(subscription: Subscription): void {
    if (subscription.isQueued) return;
    subscription.isQueued = true;
    this.queue.push(subscription);
  }

  /** Pays what is owed, in turn, as long as there is room and the loop is not held for long. */
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
    this.writer.end(true);
  }

  private payLater(): void {
    this.isScheduled = true;
    this.host.turns.later(() => {
      this.isScheduled = false;
      this.pay();
    });
  }

  /** Pays for the first market of the queue; returns how many messages that took. */
  private payNext(): number {
    const [subscription] = this.queue;
    if (subscription.from !== undefined) return this.replay(subscription, subscription.from);
    this.checkMove(subscription);
    const { stream, form, market, dump, gap } = subscription;
    const { connection, host } = this;
    const nowMs = host.now();
    if ((gap !== undefined || dump === 0) && this.endFrame()) return 0;
    if (gap !== undefined) {
      connection.send(gapText(stream.ids[form], stream.numbers[form], nowMs, gap.after, gap.reason));
    } else if (dump === 0) {
      connection.send(heartbeatText(stream.ids[form], stream.numbers[form], nowMs));
    }
    const books = new MessageBatch();
    for (const outcome of [0, 1] as const) {
      if ((dump & (outcome + 1)) === 0) continue;
      bookMessage(books, bookJson(host.feed.views, market, outcome), outcome, nowMs);
      this.writer.add(books, books.count - 1, stream.idBytes[form], stream.numbers[form]);
    }
    if (this.writer.bytes > streamLimits.dumpFrameBytes) this.writer.end(true);
    subscription.dump = 0;
    subscription.gap = undefined;
    this.goLive(subscription);
    return 2;
  }

  /** What a market told while the socket was between two of its streams, neither told the socket. */
  private checkMove(subscription: Subscription): void {
    const { gap, movedAt, stream } = subscription;
    if (gap !== undefined || movedAt === undefined || movedAt === stream.numbers[FORM_OF_ALL]) return;
    this.oweGap(subscription, 0, 'the market went on while the socket changed its tokens or features');
    subscription.movedAt = undefined;
  }

  /** Sends the frame at hand; whether what comes next must wait for room. */
  private endFrame(): boolean {
    this.writer.end(true);
    return this.connection.isFull;
  }

  /** Sends some of the messages after `number`, in one frame: another one might find no room. Live once there are no more. */
  private replay(subscription: Subscription, number: number): number {
    const { stream, form, market } = subscription;
    const { connection, host } = this;
    if (this.endFrame()) return 0;
    const { markets, views } = host.feed;
    const missed = messagesSince(markets, views, stream, market, form, number, streamLimits.replayStep);
    if (missed === undefined) {
      const isAhead = number > stream.numbers[form];
      const reason = isAhead ? 'the stream has not come that far' : 'what is missing is older than what is kept';
      this.oweGap(subscription, number, reason);
      return 1;
    }
    const { messages, indexes, sequences } = missed;
    if (indexes.length === 0) connection.send(heartbeatText(stream.ids[form], stream.numbers[form], host.now()));
    let last = number;
    for (const [at, index] of indexes.entries()) {
      const isAlone = messages.isAlone(index);
      if (at > 0 && (isAlone || this.writer.bytes > streamLimits.replayFrameBytes)) break;
      this.writer.add(messages, index, stream.idBytes[form], sequences[at]);
      last = sequences[at];
      if (isAlone) break;
    }
    this.writer.end();
    subscription.from = last;
    if (last >= stream.numbers[form]) {
      subscription.from = undefined;
      this.goLive(subscription);
    }
    return indexes.length + 1;
  }

  private goLive(subscription: Subscription): void {
    const { stream, form } = subscription;
    this.queue.shift();
    subscription.isQueued = false;
    subscription.movedAt = undefined;
    if (subscription.isLive) return;
    subscription.isLive = true;
    this.connection.follow(stream.ids[form]);
    stream.changeSubscribers(form, 1);
    stream.publishedMs[form] = performance.now();
    this.host.followed.add(stream);
  }

  private leave(subscription: Subscription): void {
    if (!subscription.isLive) return;
    const { stream, form } = subscription;
    subscription.isLive = false;
    this.connection.leave(stream.ids[form]);
    stream.changeSubscribers(form, -1);
    if (stream.subscriberCount === 0) this.host.followed.delete(stream);
  }
}
