// The WebSocket side of the exchange: takes sockets in, hands their messages to the channels, publishes what the feed has
// rendered when a flush is over, says where silent streams stand, and lets go of sockets that are too slow. One publish a
// topic and flush, since a publish costs one send a socket. Started by start.ts; it must be closed before its app.
import type { HttpRequest, HttpResponse, TemplatedApp, us_socket_context_t } from 'uWebSockets.js';
import { ApiKeyKind, type RunningExchange } from '../../engine/index.ts';
import { deriveCredentials } from '../auth/apiKeys.ts';
import { equalSecretTexts } from '../auth/l2.ts';
import type { ServerConfig } from '../config.ts';
import { newMarketText } from '../wire/marketEvents.ts';
import { RETRY_SECONDS } from '../wire/rejections.ts';
import {
  BadCredentials,
  BadStreamRequest,
  heartbeatText,
  parseStreamRequest,
  type StreamCredentials,
  type StreamRequest,
  streamErrorText,
} from '../wire/streamRequests.ts';
import { Admission } from './admission.ts';
import { CloseCode, Connection, type Socket, type SocketData } from './connection.ts';
import type { StreamFeed } from './feed.ts';
import { catalogStreamId, FORM_COUNT, type Form } from './ids.ts';
import { streamLimits } from './limits.ts';
import { type ChannelHost, MarketSubscriber } from './marketChannel.ts';
import type { MarketStream } from './marketStream.ts';
import { FrameWriter } from './messages.ts';
import { PayTurns } from './payTurns.ts';
import { QUESTION, ReaderCheck } from './readerCheck.ts';
import { type UserHost, type UserLog, UserSubscriber } from './userChannel.ts';
import type { UserStream } from './userFeed.ts';
import { makeUserLog } from './userLog.ts';

const WRONG_CREDENTIALS = 'Unauthorized/Invalid api key';
const PATHS = [
  ['/ws/market', 'market'],
  ['/ws/user', 'user'],
  ['/ws/', undefined],
  ['/ws', undefined],
] as const;

/** What has happened to sockets since the start. */
interface StreamCounts {
  opened: number;
  /** Turned away: of another host, or too many from one address. */
  refused: number;
  /** Lost a message, since their reader was too slow, and are closed for it. */
  tooSlow: number;
  /** Frames that were published to all who follow a market. */
  published: number;
}

/** What the hub needs of a server. */
interface HubServices {
  readonly exchange: RunningExchange;
  readonly config: ServerConfig;
  /** The server's secret, from which API credentials derive. */
  readonly secret: Uint8Array;
}

/**
 * Runs a step once the journal has handed its next batch to the disk, which it does before the loop's next turn: the disk
 * works while thousands of sockets are written to. Called in the middle of a batch that has become durable.
 */
export function afterNextFlushBegins(step: () => void): void {
  process.nextTick(() => setImmediate(step));
}

export class StreamHub implements ChannelHost, UserHost {
  readonly feed: StreamFeed;
  readonly followed = new Set<MarketStream>();
  readonly listeners = new Map<UserStream, Set<UserSubscriber>>();
  readonly userLog: UserLog;
  readonly turns = new PayTurns();
  /** Sockets that are open. */
  readonly connections = new Set<Connection>();
  catalogCount = 0;
  readonly counts: StreamCounts = { opened: 0, refused: 0, tooSlow: 0, published: 0 };
  private readonly services: HubServices;
  private readonly onDefect: (error: unknown) => void;
  private readonly admission: Admission;
  private readonly lost = new Map<Connection, number>();
  private app: TemplatedApp | undefined;
  private topic = '';
  private readonly writer = new FrameWriter((frame) => this.emit(frame));
  readonly readers: ReaderCheck;
  private timers: readonly NodeJS.Timeout[] = [];
  private catalogMs = 0;

  /** @param onDefect called with what no client can have caused: must stop the process in an orderly way */
  constructor(feed: StreamFeed, services: HubServices, onDefect: (error: unknown) => void) {
    this.feed = feed;
    this.services = services;
    this.onDefect = onDefect;
    this.userLog = makeUserLog(services.config.dataDir);
    this.readers = new ReaderCheck(this.connections, services.config.streams);
    this.admission = new Admission(services.config);
  }

  now(): number {
    return this.services.exchange.now();
  }

  /** Takes sockets from now on. Call it once, before the app listens. */
  attach(app: TemplatedApp): void {
    this.app = app;
    for (const [path, channel] of PATHS) {
      app.ws<SocketData>(path, {
        maxPayloadLength: streamLimits.payloadBytesMax,
        maxBackpressure: streamLimits.backpressureBytesMax,
        idleTimeout: this.services.config.streams.idleSecondsMax,
        sendPingsAutomatically: true,
        compression: 0,
        upgrade: (res, req, context) => this.upgrade(res, req, context, channel),
        open: (socket) => this.open(socket),
        message: (socket, message) => this.guard(() => this.message(socket, message)),
        dropped: (socket) => this.dropped(socket),
        drain: (socket) => this.guard(() => this.drained(socket)),
        pong: (socket, words) => this.guard(() => this.answered(socket, words)),
        close: (socket) => this.guard(() => this.closed(socket)),
      });
    }
    const { feed } = this;
    feed.announcedCount = feed.markets.newMarkets.length;
    feed.onWaiting = () => afterNextFlushBegins(() => this.guard(() => this.flush()));
    feed.onKeyDeleted = (keyId) => this.endKey(keyId);
    const { heartbeatMs } = this.services.config.streams;
    this.timers = [
      setInterval(() => this.guard(() => this.beat()), Math.max(10, Math.min(1_000, heartbeatMs / 4))).unref(),
      setInterval(() => this.guard(() => this.readers.step()), streamLimits.askEveryMs).unref(),
    ];
  }

  /** Closes every socket with a reason; what is published later reaches nobody. */
  async close(): Promise<void> {
    this.admission.close();
    for (const timer of this.timers) clearInterval(timer);
    this.flush();
    for (const connection of this.connections) connection.end(CloseCode.RESTART, 'the exchange is stopping');
    // One turn of the loop, so that the close frames leave before the app takes its sockets down.
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** What is thrown into uWebSockets ends the process without a word: it becomes an orderly stop. */
  private guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.onDefect(error);
    }
  }

  /** Publishes everything that waits: one publish a topic. */
  flush(): void {
    const { feed } = this;
    if (!feed.isWaiting) return;
    const { markets, users } = feed;
    const owners = users.dirty;
    users.dirty = [];
    for (const owner of owners) {
      owner.isWaiting = false;
      for (const subscriber of this.listeners.get(owner) ?? []) subscriber.told(owner.changed);
      owner.changed.clear();
    }
    const owed = this.oweBurst();
    for (const stream of markets.dirty) this.publish(stream);
    markets.published();
    this.publishNewMarkets();
    for (const subscriber of owed) subscriber.drained();
  }

  /** A publish has no pace: sockets that get more by this one than there may be room for are owed it. */
  private oweBurst(): readonly MarketSubscriber[] {
    const { markets, announcedCount } = this.feed;
    const { messages } = markets;
    const { burstBytesMax, newMarketsMax } = streamLimits;
    const hasManyNew = markets.newMarkets.length - announcedCount > newMarketsMax;
    if (messages.byteLength <= burstBytesMax && !hasManyNew) return [];
    const bytesOf = new Map<MarketStream, number>();
    for (const stream of markets.dirty) {
      const bytes = stream.pending.reduce((sum, { first, end }) => sum + messages.bytesBetween(first, end), 0);
      bytesOf.set(stream, bytes);
    }
    const owed: MarketSubscriber[] = [];
    for (const { subscriber } of this.connections) {
      if (subscriber instanceof MarketSubscriber && subscriber.owe(bytesOf, hasManyNew)) owed.push(subscriber);
    }
    return owed;
  }

  private emit(frame: Buffer): void {
    this.counts.published += 1;
    this.app?.publish(this.topic, frame, false, false);
  }

  private publish(stream: MarketStream): void {
    const { pending } = stream;
    const { messages } = this.feed.markets;
    stream.pending = [];
    for (let form = 0; form < FORM_COUNT; form += 1) {
      if (stream.subscribers[form] === 0) continue;
      this.topic = stream.ids[form];
      stream.publishedMs[form] = performance.now();
      const idBytes = stream.idBytes[form];
      for (const { first, end, before } of pending) {
        let sequence = before[form];
        for (let index = first; index < end; index += 1) {
          if (!messages.isFor(index, form as Form)) continue; // below FORM_COUNT
          sequence += 1;
          this.writer.add(messages, index, idBytes, sequence);
        }
      }
      this.writer.end();
    }
  }

  private publishNewMarkets(): void {
    const { feed } = this;
    const { newMarkets } = feed.markets;
    if (feed.announcedCount === newMarkets.length) return;
    const { markets } = feed.views;
    const topic = catalogStreamId(feed.log);
    while (feed.announcedCount < newMarkets.length) {
      const { marketIndex, tMs } = newMarkets[feed.announcedCount];
      feed.announcedCount += 1;
      const market = markets.byIndex(marketIndex);
      if (market === undefined || this.catalogCount === 0) continue;
      const event = markets.eventByNumber(market.eventNumber);
      this.app?.publish(topic, newMarketText(market, event, topic, feed.announcedCount, tMs), false, false);
      this.catalogMs = performance.now();
    }
  }

  /** Streams that were silent say where they stand; sockets that outstayed a limit go. */
  private beat(): void {
    this.flush();
    const { heartbeatMs } = this.services.config.streams;
    const nowMs = performance.now();
    for (const stream of this.followed) {
      for (let form = 0; form < FORM_COUNT; form += 1) {
        if (stream.subscribers[form] === 0 || nowMs - stream.publishedMs[form] < heartbeatMs) continue;
        stream.publishedMs[form] = nowMs;
        const text = heartbeatText(stream.ids[form], stream.numbers[form], this.now());
        this.app?.publish(stream.ids[form], text, false, false);
      }
    }
    for (const subscribers of this.listeners.values()) {
      for (const subscriber of subscribers) subscriber.beat(nowMs, heartbeatMs);
    }
    if (this.catalogCount > 0 && nowMs - this.catalogMs >= heartbeatMs) {
      const topic = catalogStreamId(this.feed.log);
      this.app?.publish(topic, heartbeatText(topic, this.feed.announcedCount, this.now()), false, false);
      this.catalogMs = nowMs;
    }
    this.endLate(nowMs);
  }

  private endLate(nowMs: number): void {
    const { authMsMax, lostMsMax } = this.services.config.streams;
    for (const [connection, sinceMs] of this.lost) {
      if (nowMs - sinceMs >= lostMsMax) connection.destroy();
    }
    for (const connection of this.connections) {
      const { channel, subscriber, openedMs } = connection;
      if (channel !== 'user' || subscriber !== undefined || connection.isLost) continue;
      if (nowMs - openedMs < authMsMax) continue;
      connection.end(CloseCode.POLICY, `no credentials within ${authMsMax / 1000} s`);
    }
  }

  private upgrade(
    res: HttpResponse,
    req: HttpRequest,
    context: us_socket_context_t,
    channel: SocketData['channel'],
  ): void {
    const ip = this.admission.networkOf(res, req);
    const refusal = this.admission.refusal(req, ip);
    if (refusal !== undefined) {
      this.counts.refused += 1;
      res.writeStatus(refusal.status).writeHeader('content-type', 'application/json; charset=utf-8');
      if (!refusal.status.startsWith('4')) res.writeHeader('retry-after', String(RETRY_SECONDS.unavailable));
      res.end(JSON.stringify({ error: refusal.sentence }));
      return;
    }
    const data: SocketData = { ip, channel, connection: undefined };
    const header = (name: string): string => req.getHeader(name);
    const key = header('sec-websocket-key');
    res.upgrade(data, key, header('sec-websocket-protocol'), header('sec-websocket-extensions'), context);
  }

  private open(socket: Socket): void {
    const data = socket.getUserData();
    const connection = new Connection(socket, data.channel, performance.now());
    data.connection = connection;
    this.connections.add(connection);
    this.counts.opened += 1;
    this.admission.opened(data.ip);
    this.readers.ask(connection);
  }

  private closed(socket: Socket): void {
    const { connection, ip } = socket.getUserData();
    if (connection === undefined) return;
    connection.isOpen = false;
    connection.detach();
    this.connections.delete(connection);
    this.lost.delete(connection);
    this.readers.forget(connection);
    this.admission.ended(ip);
  }

  /** A message was dropped: a gap. Inside a publish nothing may be unsubscribed, so the rest follows in a turn. */
  private dropped(socket: Socket): void {
    const { connection } = socket.getUserData();
    if (connection === undefined || connection.isLost) return;
    connection.isLost = true;
    this.counts.tooSlow += 1;
    setImmediate(() => {
      if (!connection.isOpen) return;
      connection.detach();
      this.lost.set(connection, performance.now());
      this.endLost(connection);
    });
  }

  /** Tells a lost socket why, as soon as it has read enough for the close frame to fit in. */
  private endLost(connection: Connection): void {
    if (!connection.isOpen || connection.socket.getBufferedAmount() > streamLimits.pacedBytesMax) return;
    this.lost.delete(connection);
    connection.end(CloseCode.TRY_LATER, 'too slow: a message was dropped; resume by stream_id and sequence');
  }

  private answered(socket: Socket, words: ArrayBuffer): void {
    const { connection } = socket.getUserData();
    if (connection === undefined) return;
    // A client may answer the latest of several pings alone (RFC 6455, 5.5.3): then uWebSockets' own, which has no words.
    const isAnswer = connection.isHeld || Buffer.from(words).toString('latin1') === QUESTION;
    if (isAnswer) this.readers.answered(connection);
  }

  private drained(socket: Socket): void {
    const { connection } = socket.getUserData();
    if (connection === undefined) return;
    if (connection.isLost) this.endLost(connection);
    else connection.drained();
  }

  private message(socket: Socket, bytes: ArrayBuffer): void {
    const { connection } = socket.getUserData();
    if (connection === undefined || connection.isLost) return;
    const { messageBytesMax, messagesPerSecond, messagesBurst } = streamLimits;
    if (bytes.byteLength > messageBytesMax) {
      connection.end(CloseCode.TOO_BIG, `a message of ${bytes.byteLength} bytes; at most ${messageBytesMax} are taken`);
      return;
    }
    if (!connection.takeAllowance(performance.now())) {
      const reason = `too many messages: ${messagesBurst} at once, then ${messagesPerSecond} a second`;
      connection.end(CloseCode.POLICY, reason);
      return;
    }
    const text = Buffer.from(bytes).toString('utf8').trim();
    if (text.length === 4 && text.toLowerCase() === 'ping') {
      connection.reply(text === 'ping' ? 'pong' : 'PONG');
      return;
    }
    try {
      this.follow(connection, parseStreamRequest(text));
    } catch (error) {
      if (!(error instanceof BadStreamRequest)) throw error;
      connection.reply(streamErrorText(error.message));
      if (error instanceof BadCredentials) connection.end(CloseCode.POLICY, error.message);
    }
  }

  private follow(connection: Connection, request: StreamRequest): void {
    connection.channel ??= request.type ?? (request.credentials === undefined ? 'market' : 'user');
    if (request.type !== undefined && request.type !== connection.channel) {
      throw new BadStreamRequest(`this socket is of the ${connection.channel} channel`);
    }
    if (connection.channel === 'market') {
      connection.subscriber ??= new MarketSubscriber(connection, this);
    } else if (!this.admit(connection, request.credentials)) return;
    const { subscriber } = connection;
    if (subscriber instanceof MarketSubscriber || subscriber instanceof UserSubscriber) subscriber.request(request);
  }

  /** Whether the socket is a user's: by these credentials, or by those of an earlier message. */
  private admit(connection: Connection, credentials: StreamCredentials | BadCredentials | undefined): boolean {
    if (credentials instanceof BadCredentials) throw credentials;
    const { subscriber } = connection;
    if (credentials === undefined && subscriber !== undefined) return true;
    const key = credentials === undefined ? undefined : this.keyOf(credentials);
    const isOther = subscriber instanceof UserSubscriber && subscriber.keyId !== key?.keyId;
    if (key === undefined || isOther) {
      const sentence = key === undefined ? WRONG_CREDENTIALS : 'this socket belongs to another API key';
      connection.send(streamErrorText(sentence));
      connection.end(CloseCode.POLICY, sentence);
      return false;
    }
    connection.subscriber ??= new UserSubscriber(connection, this, key.owner, key.keyId);
    return true;
  }

  /** The active trading key whose three parts these are. */
  private keyOf({ apiKey, secret, passphrase }: StreamCredentials) {
    const key = this.feed.views.keys.byApiKey(apiKey.toLowerCase());
    if (key === undefined || !key.isActive || key.kind !== ApiKeyKind.TRADING) return undefined;
    const derived = deriveCredentials(this.services.secret, key);
    const isRight = equalSecretTexts(secret, derived.secret) && equalSecretTexts(passphrase, derived.passphrase);
    return isRight ? key : undefined;
  }

  /** In another turn, since this is told in the middle of a record. */
  private endKey(keyId: string): void {
    for (const connection of this.connections) {
      const { subscriber } = connection;
      if (!(subscriber instanceof UserSubscriber) || subscriber.keyId !== keyId) continue;
      setImmediate(() => connection.end(CloseCode.POLICY, 'the API key was deleted'));
    }
  }
}
