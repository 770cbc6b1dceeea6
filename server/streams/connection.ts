// One socket: its allowances, the frames sent to it, and its end. Created by the hub when a socket opens; the channels
// attach their subscriptions to it. Nothing is sent to a socket that is closed, is to be closed or has lost a message.
import type { WebSocket } from 'uWebSockets.js';
import { heartbeatTopic } from '../wire/streamIds.ts';
import { type Channel, type Opening, openingText, type StreamRequest } from '../wire/streamRequests.ts';
import { Allowance } from './allowance.ts';
import { streamLimits } from './limits.ts';

/** Close codes (RFC 6455, and the registered ones above 1011). */
export const CloseCode = { POLICY: 1008, TOO_BIG: 1009, RESTART: 1012, TRY_LATER: 1013 } as const;

/** A channel's side of a socket. */
export interface Subscriber {
  /**
   * Carries out a request of the client.
   * @throws BadStreamRequest with a sentence; the rest of the request has been carried out
   */
  request(request: StreamRequest): void;
  /** The socket has room again, or its client reads again. */
  drained(): void;
  /** The client does not read: it must be sent nothing live any more. */
  held(): void;
  /** The socket is closed or lost: nothing may be sent to it any more. */
  ended(): void;
}

/** The user data that uWebSockets keeps for a socket. */
export interface SocketData {
  /** The client's network, as reported by trusted proxies. */
  readonly ip: string;
  /** The channel named by the path; undefined if the first message decides. */
  readonly channel: Channel | undefined;
  connection: Connection | undefined;
}

/** The frames of a client that are counted together. */
type CountedFrames = 'messages' | 'pings and pongs';

export type Socket = WebSocket<SocketData>;

const REASON_BYTES_MAX = 123;
/** Most replies that wait for room: a client that asks for more without reading them loses a message. */
const REPLIES_MAX = 64;

export class Connection {
  readonly socket: Socket;
  readonly openedMs: number;
  subscriber: Subscriber | undefined;
  channel: Channel | undefined;
  isOpen = true;
  /** The socket only waits to be closed, after a message was dropped or for another reason. */
  isLost = false;
  /** How it is closed once there is room, and since when that waits, ms of the monotonic clock. */
  ending: { readonly code: number; readonly reason: string; readonly sinceMs: number } | undefined;
  /** The client has answered a ping at least once. */
  hasAnswered = false;
  /** How long the latest answer took, in beats of the reader check, if no longer than an answer may ever take. */
  answerBeats = 0;
  /** The client does not read: its messages are owed until it answers a ping. */
  isHeld = false;
  /**
   * The client knows heartbeats, which production does not send: it has resumed a stream, or asked for them. Set by its channel,
   * once and for all streams, while it follows none.
   */
  wantsHeartbeats = false;
  /** What its client may send; pings and pongs have an allowance of their own, so that answers to our pings cost no message. */
  private readonly allowances: Readonly<Record<CountedFrames, Allowance>>;
  private readonly replies: string[] = [];

  constructor(socket: Socket, channel: Channel | undefined, nowMs: number) {
    this.socket = socket;
    this.channel = channel;
    this.openedMs = nowMs;
    this.allowances = { messages: new Allowance(nowMs), 'pings and pongs': new Allowance(nowMs) };
  }

  /** Takes a frame of the client from its allowance. Ends the connection of a client that exceeds it; returns whether it does. */
  endIfFlooded(what: CountedFrames): boolean {
    if (this.allowances[what].take(performance.now())) return false;
    const { messagesBurst, messagesPerSecond } = streamLimits;
    const reason = `too many ${what}: the limit is ${messagesBurst} at once, then ${messagesPerSecond} per second`;
    this.end(CloseCode.POLICY, reason);
    return true;
  }

  /** Sends a frame; uWebSockets copies it, and reports a dropped one to the hub. */
  send(frame: string | Buffer): void {
    if (this.isOpen && !this.isLost) this.socket.send(frame, false, false);
  }

  /** Sends what precedes the messages of a stream: a heartbeat to a client that wants it, a gap to every client. */
  sendOpening(opening: Opening, streamId: string, sequence: number, nowMs: number): void {
    if (opening !== 'heartbeat' || this.wantsHeartbeats) this.send(openingText(opening, streamId, sequence, nowMs));
  }

  /** Corks the socket during a step: what the step sends leaves in as few packets as possible. */
  cork(step: () => void): void {
    if (this.isOpen) this.socket.cork(step);
  }

  /** Queues an answer to a message of the client; it is sent in order, once the socket has room. */
  reply(text: string): void {
    this.replies.push(text);
    if (this.replies.length > REPLIES_MAX) this.send(this.replies.shift() ?? '');
    this.sendReplies();
  }

  /** The socket has room again. */
  drained(): void {
    if (this.isLost) {
      this.sendEnding();
      return;
    }
    this.sendReplies();
    this.subscriber?.drained();
  }

  private sendReplies(): void {
    while (this.replies.length > 0 && !this.isFull) this.send(this.replies.shift() ?? '');
  }

  /** Whether a paced frame must wait. */
  get isFull(): boolean {
    const mayNot = !this.isOpen || this.isLost || this.isHeld;
    return mayNot || this.socket.getBufferedAmount() > streamLimits.pacedBytesMax;
  }

  /** Pings the client to check that it reads; it answers with a pong that repeats the payload. */
  ping(payload: string): void {
    if (this.isOpen && !this.isLost) this.socket.ping(payload);
  }

  /** Owes the client its messages from now on, until `release`. */
  hold(): void {
    if (!this.isOpen || this.isLost || this.isHeld) return;
    this.isHeld = true;
    this.subscriber?.held();
  }

  /** The client reads again: pays what is owed to it. */
  release(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    if (!this.isLost) this.drained();
  }

  /** Receives what is published on a stream, and its heartbeats if the client wants them. */
  follow(streamId: string): void {
    if (!this.isOpen) return;
    this.socket.subscribe(streamId);
    if (this.wantsHeartbeats) this.socket.subscribe(heartbeatTopic(streamId));
  }

  leave(streamId: string): void {
    if (!this.isOpen) return;
    this.socket.unsubscribe(streamId);
    if (this.wantsHeartbeats) this.socket.unsubscribe(heartbeatTopic(streamId));
  }

  /**
   * Closes the socket with a code and a sentence, after the messages already sent: at once, or when its client has read enough
   * for the close frame to fit. The hub cuts off a client that does not.
   */
  end(code: number, reason: string): void {
    if (!this.isOpen || this.ending !== undefined) return;
    this.detach();
    this.isLost = true;
    const text = Buffer.byteLength(reason) <= REASON_BYTES_MAX ? reason : `${reason.slice(0, 100)}…`;
    this.ending = { code, reason: text, sinceMs: performance.now() };
    this.sendEnding();
  }

  /** Sends the close frame if there is room. Otherwise uWebSockets would drop it, and cut off the messages sent before. */
  private sendEnding(): void {
    const { socket, ending } = this;
    if (ending === undefined || socket.getBufferedAmount() > streamLimits.backpressureBytesMax) return;
    socket.end(ending.code, ending.reason);
  }

  /** Ends the connection if its client follows more than one socket may; returns whether it does. */
  endIfTooMany(count: number, what: 'markets' | 'tokens'): boolean {
    const { subscriptionsMax } = streamLimits;
    if (count <= subscriptionsMax) return false;
    this.end(CloseCode.POLICY, `${count} ${what} requested; one socket may subscribe to at most ${subscriptionsMax}`);
    return true;
  }

  /** Ends the connection without a close frame. */
  destroy(): void {
    if (this.isOpen) this.socket.close();
  }

  /** Removes the subscriptions. */
  detach(): void {
    const { subscriber } = this;
    this.subscriber = undefined;
    subscriber?.ended();
  }
}
