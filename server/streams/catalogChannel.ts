// The stream of new markets of one socket: whether it follows it, and which of them it is owed before it hears more live, after
// a resume, because its client did not read, or because they were many. Owned by the market channel, which asks it to pay
// when there is room.
import { newMarketText } from '../wire/marketEvents.ts';
import { gapText, heartbeatText, type StreamRequest } from '../wire/streamRequests.ts';
import type { Connection } from './connection.ts';
import type { StreamFeed } from './feed.ts';
import { catalogStreamId, isCatalogStream } from './ids.ts';
import type { PayTurns } from './payTurns.ts';

/** Most new markets that a replay sends. */
const NEW_MARKETS_MAX = 256;

/** What the streams of new markets of all sockets share. */
export interface CatalogHost {
  readonly feed: StreamFeed;
  /** The exchange's time, ms. */
  now(): number;
  /** Sockets that follow new markets. */
  catalogCount: number;
  /** Who may render what is owed, and when. */
  readonly turns: PayTurns;
}

export class CatalogSubscription {
  private readonly connection: Connection;
  private readonly host: CatalogHost;
  private readonly topic: string;
  private isLive = false;
  /** The number after which new markets are owed; undefined when none are. */
  private from: number | undefined;
  /** What is said before anything else: where the stream stands, or after which number it misses what. */
  private owed: 'mark' | { readonly after: number } | undefined;

  constructor(connection: Connection, host: CatalogHost) {
    this.connection = connection;
    this.host = host;
    this.topic = catalogStreamId(host.feed.log);
  }

  /** Whether something waits for room, or for its client to read. */
  get isOwed(): boolean {
    return this.from !== undefined;
  }

  /** Owes where the stream stands, and follows it from there. */
  begin(): void {
    this.from = this.host.feed.announcedCount;
    this.owed = 'mark';
  }

  end(): void {
    this.leave();
    this.from = undefined;
    this.owed = undefined;
  }

  /** Owes the new markets after a number that the client has seen, or a gap. */
  resume({ resume }: StreamRequest): void {
    const points = resume.filter(({ streamId }) => isCatalogStream(streamId));
    const point = points.find(({ streamId }) => streamId === this.topic) ?? points.at(0);
    if (point === undefined || (!this.isLive && this.from === undefined)) return;
    const count = this.host.feed.announcedCount;
    const isKnown = point.streamId === this.topic && point.sequence <= count;
    this.leave();
    this.from = isKnown ? point.sequence : count;
    if (!isKnown) this.owed = { after: point.streamId === this.topic ? point.sequence : 0 };
    else this.owed = point.sequence === count ? 'mark' : undefined;
  }

  /** New markets are owed from now on; returns whether they were not before. */
  hold(): boolean {
    if (!this.isLive) return false;
    this.leave();
    this.from = this.host.feed.announcedCount;
    return true;
  }

  /** Sends what is owed as far as there is room, and goes live when that is all; false when the turn has no time for all of it. */
  pay(): boolean {
    const { connection, host } = this;
    if (this.from === undefined || connection.isFull) return true;
    const count = host.feed.announcedCount;
    if (count - this.from > NEW_MARKETS_MAX) {
      if (this.owed === undefined || this.owed === 'mark') this.owed = { after: this.from };
      this.from = count;
    }
    this.payOwed(this.from);
    while (this.from < count && !connection.isFull) {
      if (!host.turns.hasTime()) return false;
      const text = this.textOf(this.from);
      this.from += 1;
      if (text !== undefined) connection.send(text);
    }
    if (this.from === count) this.goLive();
    return true;
  }

  /** @param number where the stream stands for the client once it is told */
  private payOwed(number: number): void {
    const { connection, host, owed, topic } = this;
    if (owed === undefined) return;
    const nowMs = host.now();
    const reason = 'read GET /markets for what is missing';
    this.owed = undefined;
    connection.send(
      owed === 'mark' ? heartbeatText(topic, number, nowMs) : gapText(topic, number, nowMs, owed.after, reason),
    );
  }

  /** The message behind so many others. */
  private textOf(before: number): string | undefined {
    const { feed } = this.host;
    const { markets } = feed.views;
    const { marketIndex, tMs } = feed.markets.newMarkets[before];
    const market = markets.byIndex(marketIndex);
    if (market === undefined) return undefined;
    return newMarketText(market, markets.eventByNumber(market.eventNumber), this.topic, before + 1, tMs);
  }

  private goLive(): void {
    this.from = undefined;
    this.isLive = true;
    this.connection.follow(this.topic);
    this.host.catalogCount += 1;
  }

  private leave(): void {
    if (!this.isLive) return;
    this.isLive = false;
    this.connection.leave(this.topic);
    this.host.catalogCount -= 1;
  }
}
