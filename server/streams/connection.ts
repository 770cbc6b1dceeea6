// One socket: what it may send, what it is sent, and how it ends. Made by the hub at the upgrade; the channels hang their
// subscriptions on it. Nothing is sent to a socket that is closed or has lost a message.
import type { WebSocket } from 'uWebSockets.js';
import { streamLimits } from './limits.ts';

/** Close codes (RFC 6455, and the registered ones above 1011). */
export const CloseCode = { POLICY: 1008, TOO_BIG: 1009, RESTART: 1012, TRY_LATER: 1013 } as const;

/** What a channel does for a socket. */
export interface Subscriber {
  /** There is room again in front of the socket, or its client reads again. */
  drained(): void;
  /** The client does not read: nothing more is sent to it as it happens. */
  held(): void;
  /** The socket is gone, or lost: nothing may be sent any more. */
  ended(): void;
}

/** What uWebSockets keeps with a socket. */
export interface SocketData {
  /** The network it comes from, as trusted proxies say. */
  readonly ip: string;
  /** What the path says; undefined where the first message decides. */
  readonly channel: 'market' | 'user' | undefined;
  connection: Connection | undefined;
}

export type Socket = WebSocket<SocketData>;

const REASON_BYTES_MAX = 123;
/** Replies that wait for room, at most: who asks for more without reading them loses one. */
const REPLIES_MAX = 64;

export class Connection {
  readonly socket: Socket;
  readonly openedMs: number;
  subscriber: Subscriber | undefined;
  channel: 'market' | 'user' | undefined;
  isOpen = true;
  /** A message was dropped: the socket only waits for its end. */
  isLost = false;
  /** The client answered a ping once. */
  hasAnswered = false;
  /** The client does not read: what it follows is owed to it until it answers a ping. */
  isHeld = false;
  private readonly replies: string[] = [];
  private allowance: number = streamLimits.messagesBurst;
  private allowanceMs: number;

  constructor(socket: Socket, channel: 'market' | 'user' | undefined, nowMs: number) {
    this.socket = socket;
    this.channel = channel;
    this.openedMs = nowMs;
    this.allowanceMs = nowMs;
  }

  /** Whether the socket may still send a message now; takes it from its allowance. */
  takeAllowance(nowMs: number): boolean {
    const { messagesBurst, messagesPerSecond } = streamLimits;
    const gained = ((nowMs - this.allowanceMs) / 1000) * messagesPerSecond;
    this.allowance = Math.min(messagesBurst, this.allowance + gained) - 1;
    this.allowanceMs = nowMs;
    return this.allowance >= 0;
  }

  /** Sends a frame; uWebSockets copies it. A dropped one is told to the hub by uWebSockets itself. */
  send(frame: string | Buffer): void {
    if (this.isOpen && !this.isLost) this.socket.send(frame, false, false);
  }

  /** What a step sends leaves in as few packets as it fills. */
  cork(step: () => void): void {
    if (this.isOpen) this.socket.cork(step);
  }

  /** Answers a message of the client, behind other answers and as soon as there is room. */
  reply(text: string): void {
    this.replies.push(text);
    if (this.replies.length > REPLIES_MAX) this.send(this.replies.shift() ?? '');
    this.sendReplies();
  }

  /** There is room again. */
  drained(): void {
    this.sendReplies();
    this.subscriber?.drained();
  }

  private sendReplies(): void {
    while (this.replies.length > 0 && !this.isFull) this.send(this.replies.shift() ?? '');
  }

  /** Whether a paced frame should wait. */
  get isFull(): boolean {
    const mayNot = !this.isOpen || this.isLost || this.isHeld;
    return mayNot || this.socket.getBufferedAmount() > streamLimits.pacedBytesMax;
  }

  /** Asks whether the client reads; a client answers by a pong with the same words. */
  ping(words: string): void {
    if (this.isOpen && !this.isLost) this.socket.ping(words);
  }

  /** Owes to the client what happens from now on, until `release`. */
  hold(): void {
    if (!this.isOpen || this.isLost || this.isHeld) return;
    this.isHeld = true;
    this.subscriber?.held();
  }

  /** The client reads: what is owed to it is paid. */
  release(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    if (!this.isLost) this.drained();
  }

  follow(topic: string): void {
    if (this.isOpen) this.socket.subscribe(topic);
  }

  leave(topic: string): void {
    if (this.isOpen) this.socket.unsubscribe(topic);
  }

  /** Closes with a code and a sentence, behind what was sent before. */
  end(code: number, reason: string): void {
    if (!this.isOpen) return;
    this.detach();
    const text = Buffer.byteLength(reason) <= REASON_BYTES_MAX ? reason : `${reason.slice(0, 100)}…`;
    this.socket.end(code, text);
  }

  /** Ends a connection whose client asks for more than one socket follows; whether it does. */
  endIfTooMany(count: number, what: 'markets' | 'tokens'): boolean {
    const { subscriptionsMax } = streamLimits;
    if (count <= subscriptionsMax) return false;
    this.end(CloseCode.POLICY, `${count} ${what} asked for; one socket follows at most ${subscriptionsMax}`);
    return true;
  }

  /** Ends the connection without a word. */
  destroy(): void {
    if (this.isOpen) this.socket.close();
  }

  /** Takes the subscriptions off. */
  detach(): void {
    const { subscriber } = this;
    this.subscriber = undefined;
    subscriber?.ended();
  }
}
