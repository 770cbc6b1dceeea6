// Publishes what the feed has rendered at each flush, and sends heartbeats on silent streams. Each message is published once per
// topic, as a frame of its own; uWebSockets writes up to 32 frames of one event-loop turn to a socket at once. Owned and called
// by the hub, and shared by the channels of all sockets: it knows the subscribers of each stream. It deals with single sockets
// only to owe them what would be too much at once.
import type { Logger } from 'pino';
import type { RunningExchange } from '../../engine/index.ts';
import type { ServerConfig } from '../config/config.ts';
import { catalogStreamId, FORM_COUNT, type Form, heartbeatTopic } from '../wire/streamIds.ts';
import { heartbeatText } from '../wire/streamRequests.ts';
import { newMarketAt } from './catalogChannel.ts';
import type { Connection } from './connection.ts';
import type { StreamFeed } from './feed.ts';
import { streamLimits } from './limits.ts';
import { type ChannelHost, MarketSubscriber } from './marketChannel.ts';
import type { MarketStream } from './marketStream.ts';
import type { HeartbeatCounts } from './marketSubscription.ts';
import { PayTurns } from './payTurns.ts';
import type { UserHost, UserSubscriber } from './userChannel.ts';
import type { UserStream } from './userFeed.ts';
import { makeUserLog, type UserLog } from './userLog.ts';

interface PublisherParts {
  readonly feed: StreamFeed;
  readonly exchange: Pick<RunningExchange, 'now'>;
  readonly config: Pick<ServerConfig, 'dataDir' | 'streams'>;
  readonly log: Pick<Logger, 'warn'>;
  /** Open sockets. */
  readonly connections: ReadonlySet<Connection>;
  /** Sends a message, which it copies, to all subscribers of a topic. */
  readonly send: (topic: string, message: Buffer | string) => void;
}

export class Publisher implements ChannelHost, UserHost {
  readonly feed: StreamFeed;
  readonly heartbeatCounts: HeartbeatCounts = new Map();
  readonly listeners = new Map<UserStream, Set<UserSubscriber>>();
  catalogCount = 0;
  catalogHeartbeatCount = 0;
  catalogMs = 0;
  readonly turns = new PayTurns();
  readonly userLog: UserLog | undefined;
  /** Frames published on market streams. */
  frameCount = 0;
  private readonly parts: PublisherParts;

  constructor(parts: PublisherParts) {
    this.parts = parts;
    this.feed = parts.feed;
    this.userLog = makeUserLog(parts.config.dataDir, (reason) => {
      parts.log.warn(`Old messages of user streams cannot be read, and clients get gaps instead: ${reason}`);
    });
  }

  now(): number {
    return this.parts.exchange.now();
  }

  /** Publishes everything that waits. */
  flush(): void {
    const { feed } = this;
    if (!feed.isWaiting) return;
    const { markets, users } = feed;
    const owners = users.dirty;
    users.dirty = [];
    let characters = 0;
    for (const owner of owners) {
      owner.isWaiting = false;
      for (const subscriber of this.listeners.get(owner) ?? []) {
        const mayRender = characters < streamLimits.liveCharactersMax;
        characters += subscriber.entriesAdded(owner.changed, mayRender);
      }
      owner.changed.clear();
    }
    const { texts, bytes } = this.newMarketTexts();
    const owed = this.oweBurst(bytes);
    for (const stream of markets.dirty) this.publish(stream);
    markets.published();
    this.publishNewMarkets(texts);
    for (const subscriber of owed) subscriber.drained();
  }

  /** The messages about new markets that wait, and their bytes: no messages, and Infinity, if they are too many or too long. */
  private newMarketTexts(): { readonly texts: readonly string[]; readonly bytes: number } {
    const { feed } = this;
    const { announcedCount, markets } = feed;
    const end = markets.newMarkets.length;
    const { burstBytesMax, newMarketsMax } = streamLimits;
    const texts: string[] = [];
    let bytes = 0;
    if (this.catalogCount === 0 || end === announcedCount) return { texts, bytes };
    const isFew = end - announcedCount <= newMarketsMax;
    const topic = catalogStreamId(feed.log);
    for (let before = announcedCount; isFew && before < end && bytes <= burstBytesMax; before += 1) {
      const text = newMarketAt(feed, topic, before);
      if (text === undefined) continue;
      texts.push(text);
      bytes += Buffer.byteLength(text);
    }
    return isFew && bytes <= burstBytesMax ? { texts, bytes } : { texts: [], bytes: Number.POSITIVE_INFINITY };
  }

  /**
   * A publish cannot be paced: sockets to which it would send more than may fit are owed it instead.
   *
   * @param newBytes bytes of the messages about new markets
   */
  private oweBurst(newBytes: number): readonly MarketSubscriber[] {
    const { markets } = this.feed;
    if (markets.messages.byteLength + newBytes <= streamLimits.burstBytesMax) return [];
    const bytesOf = new Map(markets.dirty.map((stream) => [stream, stream.pendingBytes] as const));
    const owed: MarketSubscriber[] = [];
    for (const { subscriber } of this.parts.connections) {
      if (subscriber instanceof MarketSubscriber && subscriber.owe(bytesOf, newBytes)) owed.push(subscriber);
    }
    return owed;
  }

  private publish(stream: MarketStream): void {
    const { pending } = stream;
    const { messages } = this.feed.markets;
    stream.pending = [];
    stream.pendingBytes = 0;
    for (let form = 0; form < FORM_COUNT; form += 1) {
      const hasMessages = stream.numbers[form] > pending[0].before[form];
      if (stream.subscribers[form] === 0 || !hasMessages) continue;
      stream.publishedMs[form] = performance.now();
      const topic = stream.ids[form];
      const idBytes = stream.idBytes[form];
      for (const { first, end, before } of pending) {
        let sequence = before[form];
        for (let index = first; index < end; index += 1) {
          if (!messages.isFor(index, form as Form)) continue; // below FORM_COUNT
          sequence += 1;
          this.frameCount += 1;
          this.parts.send(topic, messages.filled(index, idBytes, sequence));
        }
      }
    }
  }

  private publishNewMarkets(texts: readonly string[]): void {
    const { feed } = this;
    feed.announcedCount = feed.markets.newMarkets.length;
    if (texts.length === 0) return;
    const topic = catalogStreamId(feed.log);
    for (const text of texts) this.parts.send(topic, text);
    this.catalogMs = performance.now();
  }

  /** Sends heartbeats on streams that were silent, to the sockets that want them. @param nowMs of the monotonic clock */
  beat(nowMs: number): void {
    this.flush();
    const { heartbeatMs } = this.parts.config.streams;
    for (const [stream, counts] of this.heartbeatCounts) {
      for (let form = 0; form < FORM_COUNT; form += 1) {
        if (counts[form] === 0 || nowMs - stream.publishedMs[form] < heartbeatMs) continue;
        stream.publishedMs[form] = nowMs;
        this.sendHeartbeat(stream.ids[form], stream.numbers[form]);
      }
    }
    for (const subscribers of this.listeners.values()) {
      for (const subscriber of subscribers) subscriber.beat(nowMs, heartbeatMs);
    }
    if (this.catalogHeartbeatCount > 0 && nowMs - this.catalogMs >= heartbeatMs) {
      this.catalogMs = nowMs;
      this.sendHeartbeat(catalogStreamId(this.feed.log), this.feed.announcedCount);
    }
  }

  private sendHeartbeat(streamId: string, sequence: number): void {
    this.parts.send(heartbeatTopic(streamId), heartbeatText(streamId, sequence, this.now()));
  }
}
