// The heartbeat sessions of API keys: the id each key must send next, and when its orders are cancelled if it does not.
// A session is numbered by the first accepted heartbeat of its key and keeps that number for ever.
import { bytesToHex } from '../protocol/bytes.ts';
import type { Message } from '../protocol/message.ts';
import type { Sections } from '../protocol/sections.ts';
import { type Alarm, DueHeap, type HeapPlaces } from './dueHeap.ts';
import { NONE } from './orderPool.ts';

const ID_BYTES = 16;

interface Session {
  readonly key: number;
  readonly owner: number;
  expected: string;
  deadlineMs: number;
  isActive: boolean;
  heapPlace: number;
}

export class Heartbeats implements HeapPlaces {
  sessions: Session[] = [];
  readonly due: DueHeap;
  private readonly byKey = new Map<number, number>();

  constructor(alarm: Alarm) {
    this.due = new DueHeap(alarm, this);
  }

  /** Its part of a snapshot. */
  visit(sections: Sections): void {
    this.sessions = sections.plain('sessions', this.sessions);
    this.due.visit(sections.part('due'));
    for (const [number, { key }] of this.sessions.entries()) this.byKey.set(key, number);
  }

  heapPlace(session: number): number {
    return this.sessions[session].heapPlace;
  }

  setHeapPlace(session: number, place: number): void {
    this.sessions[session].heapPlace = place;
  }

  sessionOf(key: number): Session | undefined {
    const session = this.byKey.get(key);
    return session === undefined ? undefined : this.sessions[session];
  }

  /** Starts or renews a key's session: the next heartbeat must carry `expected`. */
  renew(key: number, owner: number, expected: string, deadlineMs: number): void {
    let number = this.byKey.get(key);
    if (number === undefined) {
      number = this.sessions.length;
      this.sessions.push({ key, owner, expected, deadlineMs, isActive: false, heapPlace: NONE });
      this.byKey.set(key, number);
    }
    const session = this.sessions[number];
    session.expected = expected;
    session.deadlineMs = deadlineMs;
    session.isActive = true;
    this.due.withdraw(number);
    this.due.push(deadlineMs, number, 0, number);
  }

  /** Ends the session that is due next and returns it. */
  lapseNext(): Session {
    const session = this.sessions[this.due.topItem()];
    this.due.pop();
    session.isActive = false;
    return session;
  }

  /** Gives every active session the same new deadline: nobody loses orders to the exchange's own pause. */
  postponeAll(deadlineMs: number): void {
    for (const session of this.sessions) {
      if (session.isActive) this.renew(session.key, session.owner, session.expected, deadlineMs);
    }
  }
}

/** A heartbeat id of a message as text. */
export function readHeartbeatId(message: Message, offset: number): string {
  return bytesToHex(message.bytes, offset, ID_BYTES);
}
