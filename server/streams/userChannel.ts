// The user channel of one socket: its owner, the markets it asked for, and how far each of its streams has been sent. Live
// events, events missed while disconnected and events that a slow reader has yet to take are treated alike: they are the
// entries after the last number sent. An owner's entries are sent to no socket without that owner's credentials.
import { isListed } from '../views/index.ts';
import { marketOfUserStream, userStreamId } from '../wire/streamIds.ts';
import { type Opening, type ResumePoint, refuseUnknown, type StreamRequest } from '../wire/streamRequests.ts';
import type { Connection, Subscriber } from './connection.ts';
import type { StreamFeed } from './feed.ts';
import { streamLimits } from './limits.ts';
import type { PayTurns } from './payTurns.ts';
import type { UserStream } from './userFeed.ts';
import type { UserLog } from './userLog.ts';
import { userFrame } from './userMessage.ts';

/** Entries sent at a time. */
const ENTRIES_PER_STEP = 64;
/** How long, ms in total, one reading of the log waits for room in its socket: other sockets wait for the log meanwhile. */
const ROOM_WAIT_MS_MAX = 2_000;

export interface UserHost {
  readonly feed: StreamFeed;
  now(): number;
  flush(): void;
  /** Undefined if there is no log on disk. */
  readonly userLog: UserLog | undefined;
  /** Grants turns to render what is owed. */
  readonly turns: PayTurns;
  /** The sockets subscribed to each owner's streams. */
  readonly listeners: Map<UserStream, Set<UserSubscriber>>;
}

/** Key of the stream of all markets, in place of a market index. */
const EVERYTHING = -1;

/** A client's resume points, by market index or EVERYTHING. */
type ResumePoints = ReadonlyMap<number, ResumePoint>;

/** One stream that the socket follows. */
interface Cursor {
  readonly streamId: string;
  readonly marketIndex: number | undefined;
  /** The number of the last message sent. */
  sent: number;
  /** The number, among all entries of the owner, of the last one sent from memory; 0 if none was yet. */
  sentOfAll: number;
  /** When anything was last sent, ms of the monotonic clock; 0 if nothing was yet. */
  sentMs: number;
  /** What is sent first, as soon as there is room: a heartbeat with the stream's number (if the client wants it) or a gap. */
  owed: Opening | undefined;
  /** Whether the next entry is no longer in memory and not yet being read from the log. */
  needsLog: boolean;
}

export class UserSubscriber implements Subscriber {
  readonly keyId: string;
  readonly connection: Connection;
  private readonly host: UserHost;
  private readonly stream: UserStream;
  /** By market index, or EVERYTHING. */
  private readonly cursors = new Map<number, Cursor>();
  private waitingForRoom: (() => void) | undefined;
  private isEnded = false;
  private isScheduled = false;
  /** Where an interrupted round over the streams continues. */
  private round: Iterator<Cursor> | undefined;
  /** Whether a stream has more entries than one step may send. */
  private hasMore = false;
  /** No stream can be due for a heartbeat before this time, ms. */
  private nextHeartbeatMs = 0;
  /** The one stream being read from the log or waiting for that; other streams that need the log come after it. */
  private reading: Cursor | undefined;
  /** Takes the reading out of the line if it still waits there. */
  private leaving: AbortController | undefined;

  constructor(connection: Connection, host: UserHost, owner: string, keyId: string) {
    this.connection = connection;
    this.host = host;
    this.keyId = keyId;
    this.stream = host.feed.users.stream(owner);
    this.stream.listenerCount += 1;
    const listeners = host.listeners.get(this.stream);
    if (listeners === undefined) host.listeners.set(this.stream, new Set([this]));
    else listeners.add(this);
  }

  request(request: StreamRequest): void {
    this.host.flush();
    const unknownMarkets: string[] = [];
    // Resume points for streams of other owners or of markets that do not exist.
    const unknownStreams = request.resume.map(({ streamId }) => streamId).filter((id) => this.keyOf(id) === undefined);
    const indexes: number[] = [];
    for (const conditionId of request.markets) {
      const market = this.host.feed.views.markets.byCondition(conditionId);
      if (market === undefined || !isListed(market)) unknownMarkets.push(conditionId);
      else indexes.push(market.index);
    }
    if (request.isUnsubscribe) this.unsubscribe(indexes);
    else this.subscribe(request, indexes);
    if (this.connection.endIfTooMany(this.cursors.size, 'markets')) return;
    this.pump();
    refuseUnknown('market', unknownMarkets, unknownStreams);
  }

  drained(): void {
    this.waitingForRoom?.();
    this.pump();
  }

  /** Nothing needs to be marked as owed, since each cursor knows how far it was sent; only the wait for room must end. */
  held(): void {
    this.waitingForRoom?.();
  }

  ended(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.leaving?.abort();
    this.stream.listenerCount -= 1;
    const listeners = this.host.listeners.get(this.stream);
    listeners?.delete(this);
    if (listeners?.size === 0) this.host.listeners.delete(this.stream);
    this.waitingForRoom?.();
  }

  /**
   * Sends the new entries at once, except on streams that were behind before: what these are owed comes first, in its turn.
   *
   * @param changed the streams with new entries, each with its number before them
   * @param mayRender false if the flush has sent so much that these are owed too
   * @returns the characters sent
   */
  entriesAdded(changed: UserStream['changed'], mayRender: boolean): number {
    let characters = 0;
    for (const [marketIndex, before] of changed) {
      const cursor = this.cursors.get(marketIndex ?? EVERYTHING);
      if (cursor === undefined) continue;
      if (mayRender && cursor.sent >= before) characters += this.pumpCursor(cursor);
      else if (this.canSend(cursor)) this.hasMore = true;
    }
    if (this.hasMore) this.pumpLater();
    return characters;
  }

  /** Sends all unsent entries while the socket has room and the turn has time; the rest follows later. */
  private pump(): void {
    if (this.isScheduled) {
      this.hasMore = true; // the interrupted round may have passed a stream that can go on only now
      return;
    }
    this.connection.cork(() => {
      if (this.round === undefined) {
        this.round = this.cursors.values();
        this.hasMore = false;
      }
      while (!this.connection.isFull) {
        if (!this.host.turns.hasTime()) return this.pumpLater();
        const { done, value } = this.round.next();
        if (done === true) break;
        this.pumpCursor(value);
      }
      this.round = undefined; // when there is room again, a new round begins
      if (this.hasMore) this.pumpLater();
    });
  }

  /** Sends heartbeats on silent streams, if the client wants them. */
  beat(nowMs: number, silentMs: number): void {
    if (!this.connection.wantsHeartbeats || nowMs < this.nextHeartbeatMs) return;
    this.nextHeartbeatMs = nowMs + silentMs;
    for (const cursor of this.cursors.values()) {
      const isSilent = nowMs - cursor.sentMs >= silentMs && this.reading !== cursor;
      if (isSilent) cursor.owed ??= 'heartbeat';
      else this.nextHeartbeatMs = Math.min(this.nextHeartbeatMs, cursor.sentMs + silentMs);
    }
    this.pump();
  }

  private subscribe(request: StreamRequest, indexes: readonly number[]): void {
    this.connection.wantsHeartbeats ||= request.wantsHeartbeats;
    const resumePoints = this.resumePointsOf(request);
    const named = [...indexes, ...resumePoints.keys()].filter((key) => key !== EVERYTHING);
    if (request.markets.length === 0 && (named.length === 0 || resumePoints.has(EVERYTHING))) {
      // A request that names no market means all markets, whatever was named before.
      const isBehind = this.leave([...this.cursors.keys()].filter((key) => key !== EVERYTHING));
      this.follow(EVERYTHING, resumePoints, isBehind);
      return;
    }
    // Naming markets narrows a socket that followed everything.
    const isBehind = named.length > 0 && this.leave([EVERYTHING]);
    for (const index of named) this.follow(index, resumePoints, isBehind);
  }

  /** The client's resume points in this owner's streams; one of this log is preferred to one of another. */
  private resumePointsOf({ resume }: StreamRequest): ResumePoints {
    const resumePoints = new Map<number, ResumePoint>();
    for (const point of resume) {
      const key = this.keyOf(point.streamId);
      if (key === undefined) continue;
      if (!resumePoints.has(key) || point.streamId === this.nameOf(key)) resumePoints.set(key, point);
    }
    return resumePoints;
  }

  /** The market index, or EVERYTHING, of one of this owner's streams, of any log; undefined for every other name. */
  private keyOf(streamId: string): number | undefined {
    const { owner } = this.stream;
    if (streamId.startsWith(userStreamId(owner, undefined, ''))) return EVERYTHING;
    const index = marketOfUserStream(streamId, owner) ?? -1;
    return this.host.feed.views.markets.byIndex(index) === undefined ? undefined : index;
  }

  private nameOf(key: number): string {
    return userStreamId(this.stream.owner, key === EVERYTHING ? undefined : key, this.host.feed.log);
  }

  /** A socket that leaves its last market follows everything again, as the official client expects. */
  private unsubscribe(indexes: readonly number[]): void {
    const isBehind = this.leave(indexes);
    if (this.cursors.size === 0) this.follow(EVERYTHING, new Map(), isBehind);
  }

  /** Leaves streams; returns whether messages or a gap of any of them wait to be sent, which now never will be. */
  private leave(keys: readonly number[]): boolean {
    let isBehind = false;
    for (const key of keys) {
      const cursor = this.cursors.get(key);
      if (cursor === undefined) continue;
      this.cursors.delete(key);
      const isGapOwed = cursor.owed !== undefined && cursor.owed !== 'heartbeat';
      isBehind ||= isGapOwed || cursor.sent < this.stream.numberOf(cursor.marketIndex);
    }
    return isBehind;
  }

  /**
   * Follows a stream from the client's resume point, or from its current number.
   *
   * @param isBehind whether a stream that this one replaces had messages waiting: without a resume point, they become a gap
   */
  private follow(key: number, resumePoints: ResumePoints, isBehind: boolean): void {
    const { feed } = this.host;
    const streamId = this.nameOf(key);
    const marketIndex = key === EVERYTHING ? undefined : key;
    const point = resumePoints.get(key) ?? resumePoints.get(EVERYTHING);
    if (this.cursors.has(key) && point === undefined) return;
    const number = this.stream.numberOf(marketIndex);
    const owed = openingOf(point, isBehind, streamId, number, feed.log);
    const sent = owed === undefined && point !== undefined ? point.sequence : number;
    this.cursors.set(key, { streamId, marketIndex, sent, sentOfAll: 0, sentMs: 0, owed, needsLog: false });
    this.nextHeartbeatMs = 0;
  }

  private payOwed(cursor: Cursor): void {
    const { owed, streamId, sent } = cursor;
    if (owed === undefined) return;
    cursor.owed = undefined;
    cursor.sentMs = performance.now();
    this.connection.sendOpening(owed, streamId, sent, this.host.now());
  }

  /**
   * Whether entries of a stream wait and could be sent now. A stream that waits for its turn to read the log is not searched
   * again at each event: that can take milliseconds.
   */
  private canSend(cursor: Cursor): boolean {
    const mustWait = this.reading === cursor || (cursor.needsLog && this.reading !== undefined);
    return !mustWait && cursor.sent < this.stream.numberOf(cursor.marketIndex) && !this.connection.isFull;
  }

  /** Sends a stream what it is owed, as far as a step may. Returns the characters of the entries sent. */
  private pumpCursor(cursor: Cursor): number {
    const { stream, connection, host } = this;
    const { marketIndex } = cursor;
    if (cursor.owed !== undefined && this.reading !== cursor && !connection.isFull) this.payOwed(cursor);
    if (cursor.owed !== undefined) return 0;
    if (!this.canSend(cursor)) return 0;
    const entries = stream.since(marketIndex, cursor.sent, ENTRIES_PER_STEP, cursor.sentOfAll);
    if (entries === undefined) {
      this.catchUp(cursor);
      return 0;
    }
    let characters = 0;
    connection.socket.cork(() => {
      for (const entry of entries) {
        if (connection.isFull || characters > streamLimits.replayBytes) return;
        const sequence = marketIndex === undefined ? entry.number : entry.marketNumber;
        const frame = userFrame(host.feed.views, entry, stream.owner, cursor.streamId, sequence);
        if (frame !== undefined) {
          connection.send(frame);
          characters += frame.length;
        }
        cursor.sent += 1;
        cursor.sentOfAll = entry.number;
      }
    });
    cursor.sentMs = performance.now();
    if (this.canSend(cursor)) this.hasMore = true;
    return characters;
  }

  /** Continues in another event-loop turn, to keep others from waiting for a long replay. */
  private pumpLater(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    this.host.turns.later(() => {
      this.isScheduled = false;
      if (!this.isEnded) this.pump();
    });
  }

  /** Provides for a stream whose next entry is no longer in memory. */
  private catchUp(cursor: Cursor): void {
    const { userLog } = this.host;
    if (userLog === undefined) {
      this.skip(cursor, 'the missing messages are no longer kept, and this exchange has no log on disk');
      this.payOwed(cursor);
    } else if (this.reading === undefined) this.readLog(cursor, userLog);
    else cursor.needsLog = true;
  }

  /** Lets a gap take the place of all entries that have not been sent. */
  private skip(cursor: Cursor, reason: string): void {
    cursor.owed = { after: cursor.sent, reason };
    cursor.sent = this.stream.numberOf(cursor.marketIndex);
  }

  /** Reads entries no longer in memory from the log. Those in memory follow; if room ran out, so does another reading. */
  private readLog(cursor: Cursor, userLog: UserLog): void {
    const { owner } = this.stream;
    const { marketIndex, streamId, sent: after } = cursor;
    this.reading = cursor;
    this.leaving = new AbortController();
    cursor.needsLog = false;
    let waitedMs = 0;
    const question = { owner, marketIndex, streamId, after, last: this.stream.numberOf(marketIndex) };
    const take = async (messages: readonly string[]): Promise<boolean> => {
      if (this.isEnded || !this.isCurrent(cursor)) return false;
      for (const message of messages) {
        if (this.connection.isFull) waitedMs += await this.room(ROOM_WAIT_MS_MAX - waitedMs);
        if (this.connection.isFull || this.isEnded || !this.isCurrent(cursor)) return false;
        this.connection.send(message);
        cursor.sent += 1;
      }
      return true;
    };
    const failed = (error: unknown): void => {
      const isArchived = error instanceof Error && error.name === 'JournalArchived';
      const reason = isArchived
        ? 'the archived messages cannot be read at present'
        : 'the log could not be read; resume again';
      this.skip(cursor, reason); // without effect if another cursor has replaced this one
    };
    const goOn = (): void => {
      this.reading = undefined;
      if (!this.isEnded) this.pump();
    };
    userLog.read(question, take, this.leaving.signal).catch(failed).then(goOn);
  }

  private isCurrent(cursor: Cursor): boolean {
    return this.cursors.get(cursor.marketIndex ?? EVERYTHING) === cursor;
  }

  /** Resolves once the socket has room, is closed or held, or the time is up; the result is how long that took, ms. */
  private async room(msMax: number): Promise<number> {
    const sinceMs = performance.now();
    const { connection } = this;
    while (connection.isFull && !connection.isHeld && !this.isEnded) {
      const leftMs = sinceMs + msMax - performance.now();
      if (leftMs <= 0) break;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs);
        this.waitingForRoom = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return performance.now() - sinceMs;
  }
}

/**
 * What a stream that a socket begins to follow is owed first; undefined if it is owed the messages after the resume point.
 *
 * @param number the stream's current number
 * @param log the log's name
 */
function openingOf(
  point: ResumePoint | undefined,
  isBehind: boolean,
  streamId: string,
  number: number,
  log: string,
): Opening | undefined {
  if (point === undefined) {
    if (!isBehind) return 'heartbeat';
    return { after: 0, reason: 'the socket changed its markets while messages waited to be sent' };
  }
  const { sequence } = point;
  if (!point.streamId.endsWith(log)) return { after: 0, reason: 'the stream belongs to another log' };
  if (point.streamId !== streamId) {
    return { after: 0, reason: 'the socket subscribes to other markets than those of the resumed stream' };
  }
  if (sequence > number) return { after: sequence, reason: 'the sequence is ahead of the stream' };
  return sequence === number ? 'heartbeat' : undefined;
}
