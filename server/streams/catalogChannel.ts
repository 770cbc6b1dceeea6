// One socket's subscription to the stream of new markets: whether it is live, and which new markets it is owed first, after a
// resume, because its client did not read, or because they were many at once. Owned by the market channel, which calls pay when
// the socket has room; the publisher sends the same messages to those that are live.
import { newMarketText } from '../wire/marketEvents.ts';
import { catalogStreamId, isCatalogStream } from '../wire/streamIds.ts';
import type { Gap, Opening, StreamRequest } from '../wire/streamRequests.ts';
import type { Connection } from './connection.ts';
import type { StreamFeed } from './feed.ts';
import type { PayTurns } from './payTurns.ts';

/** The most new markets that a replay sends; beyond it, the client gets a gap. */
export const NEW_MARKETS_MAX = 256;
const gapAfter = (after: number): Gap => ({ after, reason: 'read the missing markets with GET /markets' });

/** The message of the stream of new markets that follows its first `before` ones. */
export function newMarketAt(feed: StreamFeed, streamId: string, before: number): string | undefined {
  const { markets } = feed.views;
  const { marketIndex, tMs } = feed.markets.newMarkets[before];
  const market = markets.byIndex(marketIndex);
  if (market === undefined) return undefined;
  return newMarketText(market, markets.eventByNumber(market.eventNumber), streamId, before + 1, tMs);
}

/** What the new-market subscriptions of all sockets share. */
export interface CatalogHost {
  readonly feed: StreamFeed;
  /** The exchange's time, ms. */
  now(): number;
  /** How many sockets receive new markets live. */
  catalogCount: number;
  /** How many of them get heartbeats. */
  catalogHeartbeatCount: number;
  /** When these were last told the stream's number, ms of the monotonic clock. */
  catalogMs: number;
  /** Grants turns to render what is owed. */
  readonly turns: PayTurns;
}

export class CatalogSubscription {
  private readonly connection: Connection;
  private readonly host: CatalogHost;
  private readonly topic: string;
  /** Whether it receives new markets as they are published. */
  isLive = false;
  /** The number after which new markets are owed; undefined if none are. */
  private from: number | undefined;
  /** What is sent first: a heartbeat with the stream's number, or a gap after the last number that the client has. */
  private owed: Opening | undefined;

  constructor(connection: Connection, host: CatalogHost) {
    this.connection = connection;
    this.host = host;
    this.topic = catalogStreamId(host.feed.log);
  }

  /** Whether messages wait for room in the socket or for its client to read. */
  get isOwed(): boolean {
    return this.from !== undefined;
  }

  /** Starts the subscription at the stream's current number; a heartbeat with it is owed first. */
  begin(): void {
    this.from = this.host.feed.announcedCount;
    this.owed = 'heartbeat';
  }

  end(): void {
    this.leave();
    this.from = undefined;
    this.owed = undefined;
  }

  /** Owes the new markets after the number that the client has seen, or a gap. */
  resume({ resume }: StreamRequest): void {
    const points = resume.filter(({ streamId }) => isCatalogStream(streamId));
    const point = points.find(({ streamId }) => streamId === this.topic) ?? points.at(0);
    if (point === undefined || (!this.isLive && this.from === undefined)) return;
    const count = this.host.feed.announcedCount;
    const isKnown = point.streamId === this.topic && point.sequence <= count;
    this.leave();
    this.from = isKnown ? point.sequence : count;
    if (!isKnown) this.owed = gapAfter(point.streamId === this.topic ? point.sequence : 0);
    else this.owed = point.sequence === count ? 'heartbeat' : undefined;
  }

  /** Owes new markets from now on instead of sending them live; returns whether they were live. */
  hold(): boolean {
    if (!this.isLive) return false;
    this.leave();
    this.from = this.host.feed.announcedCount;
    return true;
  }

  /** Sends what is owed while the socket has room, and goes live once all is sent; false if the turn has no time for all. */
  pay(): boolean {
    const { connection, host } = this;
    if (this.from === undefined || connection.isFull) return true;
    const count = host.feed.announcedCount;
    if (count - this.from > NEW_MARKETS_MAX) {
      if (this.owed === undefined || this.owed === 'heartbeat') this.owed = gapAfter(this.from);
      this.from = count;
    }
    const isTold = this.owed !== undefined || this.from < count;
    this.payOwed(this.from);
    while (this.from < count && !connection.isFull) {
      if (!host.turns.hasTime()) return false;
      const text = newMarketAt(host.feed, this.topic, this.from);
      this.from += 1;
      if (text !== undefined) connection.send(text);
    }
    if (this.from === count) this.goLive(isTold);
    return true;
  }

  /** @param number the stream's number for the client after this message */
  private payOwed(number: number): void {
    const { connection, host, owed, topic } = this;
    if (owed === undefined) return;
    this.owed = undefined;
    connection.sendOpening(owed, topic, number, host.now());
  }

  /** Receives new markets live from now on. @param isTold whether the client has just been sent the stream's number */
  private goLive(isTold: boolean): void {
    const { connection, host, topic } = this;
    this.from = undefined;
    this.isLive = true;
    connection.follow(topic);
    host.catalogCount += 1;
    if (!connection.wantsHeartbeats) return;
    // Only the first may begin the time of silence anew, as in a stream of a market.
    if (isTold && host.catalogHeartbeatCount === 0) host.catalogMs = performance.now();
    host.catalogHeartbeatCount += 1;
  }

  private leave(): void {
    if (!this.isLive) return;
    const { connection, host } = this;
    this.isLive = false;
    connection.leave(this.topic);
    host.catalogCount -= 1;
    if (connection.wantsHeartbeats) host.catalogHeartbeatCount -= 1;
  }
}
