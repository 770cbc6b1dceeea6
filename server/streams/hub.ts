// The WebSocket side of the exchange: accepts sockets, passes their messages to the channels, closes sockets that are too slow
// or silent, and tells the publisher when to flush. Started by start.ts; it must be closed before its app.

import type { HttpRequest, HttpResponse, TemplatedApp, us_socket_context_t } from 'uWebSockets.js';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ApiKeyKind, type RunningExchange } from '../../engine/index.ts';
import { deriveCredentials } from '../auth/apiKeys.ts';
import { equalSecretTexts } from '../auth/l2.ts';
import type { ServerConfig } from '../config/config.ts';
import { statusLine } from '../http/statusLine.ts';
import { streamPaths } from '../http/streamPaths.ts';
import { RETRY_SECONDS } from '../wire/rejections.ts';
import {
  BadCredentials,
  BadStreamRequest,
  parseStreamRequest,
  type StreamCredentials,
  type StreamRequest,
  streamErrorText,
} from '../wire/streamRequests.ts';
import { Admission } from './admission.ts';
import { CloseCode, Connection, type Socket, type SocketData } from './connection.ts';
import type { StreamFeed } from './feed.ts';
import { streamLimits } from './limits.ts';
import { MarketSubscriber } from './marketChannel.ts';
import { Publisher } from './publisher.ts';
import { PING_PAYLOAD, ReaderCheck } from './readerCheck.ts';
import { UserSubscriber } from './userChannel.ts';

const WRONG_CREDENTIALS = 'Unauthorized/Invalid api key';

/** Socket counters since the start. */
interface StreamCounts {
  opened: number;
  /** Refused at the upgrade: a foreign host name, or too many sockets from one address. */
  refused: number;
  /** Sockets that are closed because a message was dropped: their reader was too slow. */
  tooSlow: number;
}

/** The services of the server that the hub needs. */
interface HubServices {
  readonly exchange: RunningExchange;
  readonly config: ServerConfig;
  /** The server's secret, from which API credentials derive. */
  readonly secret: Uint8Array;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Runs a step once the journal has handed its next batch to the disk, which happens before the event loop's next turn: the disk
 * then works while thousands of sockets are written to. Called in the middle of a batch that has become durable.
 */
export function afterNextFlushBegins(step: () => void): void {
  process.nextTick(() => setImmediate(step));
}

export class StreamHub {
  /** Open sockets. */
  readonly connections = new Set<Connection>();
  readonly counts: StreamCounts = { opened: 0, refused: 0, tooSlow: 0 };
  readonly publisher: Publisher;
  readonly readers: ReaderCheck;
  private readonly feed: StreamFeed;
  private readonly services: HubServices;
  private readonly onDefect: (error: unknown) => void;
  private readonly admission: Admission;
  private app: TemplatedApp | undefined;
  private timers: readonly NodeJS.Timeout[] = [];
  /** Connections that have lost a message and may still be subscribed. */
  private lost: Connection[] = [];

  /** @param onDefect called with an error that no client can have caused; it must shut the process down cleanly */
  constructor(feed: StreamFeed, services: HubServices, onDefect: (error: unknown) => void) {
    this.feed = feed;
    this.services = services;
    this.onDefect = onDefect;
    const { connections } = this;
    const send = (topic: string, message: Buffer | string): void => {
      if (this.lost.length > 0) this.unsubscribeLost();
      this.app?.publish(topic, message, false, false);
    };
    this.publisher = new Publisher({ feed, ...services, connections, send });
    this.readers = new ReaderCheck(connections, services.config.streams);
    this.admission = new Admission(services.config);
  }

  /** Accepts sockets from now on. Call it once, before the app listens. */
  attach(app: TemplatedApp): void {
    this.app = app;
    for (const [path, channel] of streamPaths) {
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
        ping: (socket) => this.guard(() => this.pinged(socket)),
        pong: (socket, payload) => this.guard(() => this.answered(socket, payload)),
        close: (socket) => this.guard(() => this.closed(socket)),
      });
    }
    const { feed } = this;
    feed.announcedCount = feed.markets.newMarkets.length;
    feed.onWaiting = () => afterNextFlushBegins(() => this.guard(() => this.publisher.flush()));
    feed.onKeyDeleted = (owner, keyId) => this.endKey(owner, keyId);
    const { heartbeatMs } = this.services.config.streams;
    this.timers = [
      setInterval(() => this.guard(() => this.beat()), Math.max(10, Math.min(1_000, heartbeatMs / 4))).unref(),
      setInterval(() => this.guard(() => this.readers.step()), streamLimits.pingEveryMs).unref(),
    ];
  }

  /** Closes every socket with a reason. Messages published later reach nobody. */
  async close(): Promise<void> {
    this.admission.close();
    for (const timer of this.timers) clearInterval(timer);
    this.publisher.flush();
    for (const connection of this.connections) connection.end(CloseCode.RESTART, 'the exchange is stopping');
    // One turn of the event loop lets the close frames leave before the app closes its sockets.
    await nextTurn();
  }

  /** An exception thrown into uWebSockets ends the process silently; this turns it into a clean shutdown. */
  private guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.onDefect(error);
    }
  }

  private beat(): void {
    const nowMs = performance.now();
    this.publisher.beat(nowMs);
    this.endLate(nowMs);
  }

  /** Ends sockets that exceeded a time limit. */
  private endLate(nowMs: number): void {
    const { authMsMax, lostMsMax } = this.services.config.streams;
    for (const connection of this.connections) {
      const { channel, subscriber, openedMs, ending } = connection;
      if (ending !== undefined && nowMs - ending.sinceMs >= lostMsMax) connection.destroy();
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
      res.writeStatus(statusLine(refusal.status));
      res.writeHeader('content-type', 'application/json; charset=utf-8');
      res.writeHeader('x-sequence', String(this.services.exchange.durableSequence));
      if (refusal.status === 503) res.writeHeader('retry-after', String(RETRY_SECONDS.unavailable));
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
    this.readers.ping(connection);
  }

  private closed(socket: Socket): void {
    const { connection, ip } = socket.getUserData();
    if (connection === undefined) return;
    connection.isOpen = false;
    connection.detach();
    this.connections.delete(connection);
    this.readers.forget(connection);
    this.admission.ended(ip);
  }

  /**
   * uWebSockets dropped a message: a gap. During a publish nothing may be unsubscribed; that follows in a later turn, or with the
   * next publish if that is earlier.
   */
  private dropped(socket: Socket): void {
    const { connection } = socket.getUserData();
    if (connection === undefined || connection.isLost) return;
    connection.isLost = true;
    this.lost.push(connection);
    this.counts.tooSlow += 1;
    const reason = 'too slow: a message was dropped; resume by stream_id and sequence';
    setImmediate(() => {
      this.unsubscribeLost();
      connection.end(CloseCode.TRY_LATER, reason);
    });
  }

  /**
   * Keeps what is published next from those that have lost a message: as soon as a client reads again there is room for it, and it
   * would arrive after a gap. Their subscribers are detached later, since this is called in the middle of what publishes.
   */
  private unsubscribeLost(): void {
    for (const { isOpen, socket } of this.lost) {
      if (isOpen) for (const topic of socket.getTopics()) socket.unsubscribe(topic);
    }
    this.lost = [];
  }

  /** uWebSockets answers each ping itself. */
  private pinged(socket: Socket): void {
    const { connection } = socket.getUserData();
    if (connection !== undefined && !connection.isLost) connection.endIfFlooded('pings and pongs');
  }

  private answered(socket: Socket, payload: ArrayBuffer): void {
    const { connection } = socket.getUserData();
    if (connection === undefined) return;
    if (!connection.isLost && connection.endIfFlooded('pings and pongs')) return;
    // A client may answer only the latest of several pings (RFC 6455, 5.5.3), here uWebSockets' own, which has no payload.
    const isAnswer = connection.isHeld || Buffer.from(payload).toString('latin1') === PING_PAYLOAD;
    if (isAnswer) this.readers.answered(connection);
  }

  private drained(socket: Socket): void {
    socket.getUserData().connection?.drained();
  }

  private message(socket: Socket, bytes: ArrayBuffer): void {
    const { connection } = socket.getUserData();
    if (connection === undefined || connection.isLost) return;
    const { messageBytesMax } = streamLimits;
    if (bytes.byteLength > messageBytesMax) {
      connection.end(CloseCode.TOO_BIG, `the message has ${bytes.byteLength} bytes; the maximum is ${messageBytesMax}`);
      return;
    }
    if (connection.endIfFlooded('messages')) return;
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
      const { channel } = connection;
      throw new BadStreamRequest(
        `this socket belongs to the ${channel} channel: open another one for the ${request.type} channel`,
      );
    }
    if (connection.channel === 'market') {
      connection.subscriber ??= new MarketSubscriber(connection, this.publisher);
    } else if (!this.admit(connection, request.credentials)) return;
    connection.subscriber?.request(request);
  }

  /** Whether the socket is authenticated, by these credentials or by those of an earlier message. */
  private admit(connection: Connection, credentials: StreamCredentials | BadCredentials | undefined): boolean {
    if (credentials instanceof BadCredentials) throw credentials;
    const { subscriber } = connection;
    if (credentials === undefined && subscriber !== undefined) return true;
    const key = credentials === undefined ? undefined : this.keyOf(credentials);
    const isOther = subscriber instanceof UserSubscriber && subscriber.keyId !== key?.keyId;
    if (key === undefined || isOther) {
      const sentence =
        key === undefined ? WRONG_CREDENTIALS : 'this socket belongs to another API key: open one for each key';
      connection.reply(streamErrorText(sentence));
      connection.end(CloseCode.POLICY, sentence);
      return false;
    }
    connection.subscriber ??= new UserSubscriber(connection, this.publisher, key.owner, key.keyId);
    return true;
  }

  /** The active trading key to which the credentials belong; undefined if they are wrong. */
  private keyOf({ apiKey, secret, passphrase }: StreamCredentials) {
    const key = this.feed.views.keys.byApiKey(apiKey.toLowerCase());
    if (key === undefined || !key.isActive || key.kind !== ApiKeyKind.TRADING) return undefined;
    const derived = deriveCredentials(this.services.secret, key);
    const isRight = equalSecretTexts(secret, derived.secret) && equalSecretTexts(passphrase, derived.passphrase);
    return isRight ? key : undefined;
  }

  /** Ends the key's sockets in a later turn, since the feed calls this in the middle of a record. */
  private endKey(owner: string, keyId: string): void {
    const stream = this.feed.users.known(owner);
    if (stream === undefined) return;
    for (const subscriber of this.publisher.listeners.get(stream) ?? []) {
      if (subscriber.keyId !== keyId) continue;
      setImmediate(() => subscriber.connection.end(CloseCode.POLICY, 'the API key was deleted'));
    }
  }
}
