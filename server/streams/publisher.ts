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
    const owed = this.oweBurst();
    for (const stream of markets.dirty) this.publish(stream);
    markets.published();
    this.publishNewMarkets();
    for (const subscriber of owed) subscriber.drained();
  }

  /** A publish cannot be paced: sockets to which it would send more than may fit are owed it instead. */
  private oweBurst(): readonly MarketSubscriber[] {
    const { markets, announcedCount } = this.feed;
    const { messages } = markets;
    const { burstBytesMax, newMarketsMax } = streamLimits;
    const hasManyNew = markets.newMarkets.length - announcedCount > newMarketsMax;
    if (messages.byteLength <= burstBytesMax && !hasManyNew) return [];
    const bytesOf = new Map(markets.dirty.map((stream) => [stream, stream.pendingBytes] as const));
    const owed: MarketSubscriber[] = [];
    for (const { subscriber } of this.parts.connections) {
      if (subscriber instanceof MarketSubscriber && subscriber.owe(bytesOf, hasManyNew)) owed.push(subscriber);
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

  private publishNewMarkets(): void {
    const { feed } = this;
    const { newMarkets } = feed.markets;
    if (feed.announcedCount === newMarkets.length) return;
    const topic = catalogStreamId(feed.log);
    while (feed.announcedCount < newMarkets.length) {
      const text = this.catalogCount === 0 ? undefined : newMarketAt(feed, topic, feed.announcedCount);
      feed.announcedCount += 1;
      if (text === undefined) continue;
      this.parts.send(topic, text);
      this.catalogMs = performance.now();
    }
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
