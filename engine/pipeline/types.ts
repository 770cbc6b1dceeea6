// The types that the pipeline takes and returns: records, followers, clocks, options, the running exchange. Types only;
// engine/index.ts re-exports them for the server, tests and benches.
import type { JournalFigures, ReadAheadThread } from '../journal/index.ts';
import type { Command, EngineEvent, Sections } from '../protocol/index.ts';

/** One durable record: a command with its place in the log and its events. Decoded once, shared by all followers. */
export interface LogRecord {
  readonly sequence: number;
  readonly tMs: number;
  readonly command: Command;
  readonly events: readonly EngineEvent[];
}

/** Builds a readable view from the log. It sees durable records only, in the order of their sequences. */
export interface Follower {
  readonly name: string;
  /** Must not throw: a follower that does stops the exchange, because its view would be wrong from then on. */
  apply(record: LogRecord): void;
  /** Its part of snapshots. An exchange with a follower that has none reads its whole journal. */
  readonly snapshot?: FollowerSnapshot;
}

/** A follower's part of a snapshot. */
interface FollowerSnapshot {
  /** Raised whenever the sections that `visit` lists change, or their meaning: an older snapshot is then no longer loaded. */
  readonly version: number;
  /** Saves or loads its state, between two records; only a follower that has seen none may load. */
  visit(sections: Sections): void;
}

/** Milliseconds since the epoch. */
export interface Clock {
  now(): number;
  /**
   * Milliseconds of a clock that nobody can set, from an arbitrary start. now() is checked against it, since it may be set
   * wrong. A clock without it is a virtual one and believed as it is.
   */
  monotonicMs?(): number;
  /** The same kind of clock, but one that runs on while the machine sleeps; undefined where there is none. */
  bootMs?(): number | undefined;
  /**
   * Clocks that only move when they are told to: adds an alarm, woken when the clock passes its time, and now and then before,
   * as by a timer, if it has a monotonic one; returns the function that removes the alarm. No timer is then set.
   */
  attach?(alarm: Alarm): () => void;
}

/** An alarm on a clock that only moves when it is told to. */
export interface Alarm {
  /** When it wants to be woken (ms), Infinity for never. */
  nextDueMs(): number;
  wake(): void;
}

/** Every setting that results depend on. They arrive in the command Started and are state from then on. */
export interface EngineSettings {
  readonly orderWindowMs: number;
  readonly heartbeatWindowMs: number;
  readonly minedDelayMs: number;
  readonly confirmedDelayMs: number;
  /** Collateral that an owner's first API key credits to each of its wallets; 0 outside development. */
  readonly creditMicro: number;
}

type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type Log = (level: LogLevel, text: string, figures?: Readonly<Record<string, unknown>>) => void;

export interface ExchangeOptions {
  /** Undefined: in memory, nothing survives. */
  readonly dataDir: string | undefined;
  readonly clock?: Clock | undefined;
  readonly settings: EngineSettings;
  readonly followers: readonly Follower[];
  readonly log?: Log | undefined;
  /** A thread that was started to read the journal ahead, used where that pays; its starter ends it, used or not. */
  readonly readAheadThread?: ReadAheadThread | undefined;
  /** Called during the replay of the journal: records done, of how many. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** How many records a snapshot must save the next start for close() to write one; never unless given. */
  readonly snapshotFrom?: number | undefined;
  /** Start although the journal's last time is more than a minute ahead of the clock. */
  readonly acceptClock?: boolean | undefined;
  /** A random whole number below 2^31: keeps secret where ids of orders lie in memory, see Exchange.hideIds. */
  readonly salt?: number | undefined;
  /**
   * Called with the bytes of each batch of records that becomes durable while the exchange runs, before followers see
   * them, and with its last sequence. It must neither throw nor change the bytes.
   */
  readonly onDurable?: ((batch: Uint8Array, lastSequence: number) => void) | undefined;
  /**
   * Makes all other readers of the journal in this process close it until the next batch is durable: it must be opened anew
   * after a failed write.
   */
  readonly releaseReaders?: (() => Promise<void>) | undefined;
  /** The exchange has stopped for good (a defect, or storage that stays unwritable): called once, with the cause. */
  readonly onFatal?: ((error: Error) => void) | undefined;
}

export interface StateHashes {
  readonly core: string;
  readonly registry: string;
  readonly ids: string;
}

export interface RunningExchange {
  /**
   * Stamps, applies and journals an encoded command; resolves with its durable record after every follower has applied it.
   * A rejection is an event of the record. Throws StorageUnavailable when nothing is accepted, CodecError on bytes that are
   * no well-formed command.
   */
  submit(command: Uint8Array): Promise<LogRecord>;
  /**
   * The same, for reading from followers: `read` is called when they have applied the command's record and none after it. The
   * callbacks of a promise run only after all records of a flush. Also rejects with what `read` throws.
   */
  submitAndRead<Result>(command: Uint8Array, read: (record: LogRecord) => Result): Promise<Result>;
  /**
   * Submits several commands as one act: they are durable together, or none is. Meant for operators' commands that were made
   * by encodeCommand and that the caller knows to be acceptable: one that is refused is a defect and stops the exchange. The
   * exchange stands still meanwhile. Resolves when followers have applied all. Throws like submit.
   */
  submitTogether(commands: readonly Uint8Array[]): Promise<void>;
  /** The numbers of the next event (from 1) and the next market (from 0), after everything that was submitted. */
  readonly nextEventNumber: number;
  readonly nextMarketIndex: number;
  /** The last sequence that is durable and its time (ms). Followers apply a batch in the turn in which it becomes durable. */
  readonly durableSequence: number;
  readonly durableTMs: number;
  /** The last record in the snapshot that it started from, 0 when the whole journal was read. */
  readonly snapshotSequence: number;
  /** Whether the journal was empty when it was opened. */
  readonly isFresh: boolean;
  /** Why commands are not accepted at present; undefined while they are. */
  readonly unavailableReason: string | undefined;
  /** What the journal has written since it was opened. */
  readonly journalFigures: JournalFigures;
  /** Bytes of records that were accepted and are not durable yet. */
  readonly pendingBytes: number;
  /** The sequencer's time (ms): never before the last command's. */
  now(): number;
  /** The clock as far as it is believed (ms), which may lie before the last command's time: what clients sign against. */
  clockMs(): number;
  /** Time that nobody can set and that never falls (whole ms, from an arbitrary start): for measuring spans. */
  elapsedMs(): number;
  /** When the next due item must be settled (ms), Infinity when none. */
  nextDueMs(): number;
  stateHash(): StateHashes;
  /** Throws naming the invariant of core or registry that does not hold. */
  checkInvariants(): void;
  /**
   * Gives followers no more records: for a process that reads nothing after its last commands. No snapshot is written then,
   * since followers no longer match the log.
   */
  endFollowing(): void;
  /** Accepts nothing more, makes accepted commands durable, writes a snapshot, closes the journal, releases the directory. */
  close(): Promise<void>;
  /** Whether closing had to be given up, since a call to the disk hangs: an orderly end of the process would wait for it. */
  readonly isLeftOpen: boolean;
}
