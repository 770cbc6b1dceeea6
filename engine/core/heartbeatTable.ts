// The heartbeat sessions of API keys: the id each key must send next, and when its orders are cancelled if it does not.
// A key's first accepted heartbeat gives its session a number, which never changes. Used by lifecycle.ts and exchange.ts.
import { readHex } from '../protocol/bytes.ts';
import type { Message } from '../protocol/message.ts';
import type { Sections } from '../protocol/sections.ts';
import { RulesVersion } from '../protocol/terms.ts';
import { type Alarm, DueHeap, type HeapPlaces } from './dueHeap.ts';
import { NONE } from './orderPool.ts';

const ID_BYTES = 16;

interface Session {
  readonly key: number;
  readonly owner: number;
  expected: string;
  deadlineMs: number;
  isActive: boolean;
  /** Ordinal of its latest heartbeat among all accepted ones. */
  beat: number;
  heapPlace: number;
}

export class Heartbeats implements HeapPlaces {
  sessions: Session[] = [];
  readonly due: DueHeap;
  private beatCount = 0;
  private readonly byKey = new Map<number, number>();

  constructor(alarm: Alarm) {
    this.due = new DueHeap(alarm, this);
  }

  /** Saves or loads its part of a snapshot. */
  visit(sections: Sections): void {
    this.sessions = sections.plain('sessions', this.sessions);
    this.due.visit(sections.part('due'));
    for (const [number, { key, beat }] of this.sessions.entries()) {
      this.byKey.set(key, number);
      this.beatCount = Math.max(this.beatCount, beat);
    }
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

  /** Starts or renews a key's session after an accepted heartbeat. The next one must carry `expected`. */
  renew(key: number, owner: number, expected: string, deadlineMs: number, rulesVersion: number): void {
    let number = this.byKey.get(key);
    if (number === undefined) {
      number = this.sessions.length;
      this.sessions.push({ key, owner, expected, deadlineMs, isActive: false, beat: 0, heapPlace: NONE });
      this.byKey.set(key, number);
    }
    const session = this.sessions[number];
    this.beatCount += 1;
    session.beat = this.beatCount;
    session.expected = expected;
    session.isActive = true;
    this.setDeadline(number, deadlineMs, rulesVersion);
  }

  /** Ends the session that is due next and returns it. */
  lapseNext(): Session {
    const session = this.sessions[this.due.topItem()];
    this.due.pop();
    session.isActive = false;
    return session;
  }

  /** Gives every active session the same new deadline: the exchange's own downtime must not cost anyone its orders. */
  postponeAll(deadlineMs: number, rulesVersion: number): void {
    for (const [number, { isActive }] of this.sessions.entries()) {
      if (isActive) this.setDeadline(number, deadlineMs, rulesVersion);
    }
  }

  private setDeadline(number: number, deadlineMs: number, rulesVersion: number): void {
    const session = this.sessions[number];
    session.deadlineMs = deadlineMs;
    this.due.withdraw(number);
    this.due.push(deadlineMs, rulesVersion < RulesVersion.FOURTH ? number : session.beat, 0, number);
  }
}

/** A heartbeat id of a message as hex text. */
export function readHeartbeatId(message: Message, offset: number): string {
  return readHex(message.bytes, offset, ID_BYTES);
}
