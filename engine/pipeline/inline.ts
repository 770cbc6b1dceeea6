// The inline deployment: all stages of the topology on one thread. submit() runs the phases before the flush at once; the
// journal calls back when a batch is durable, and the phases after it follow. Opened by open.ts; followers, answers and
// readers never see what is not durable.
import {
  type BatchStore,
  type DataDirectory,
  Journal,
  type JournalFigures,
  type PackedRecords,
  packedAfter,
  type RetryPolicy,
  readAhead,
  recordsOf,
  type SnapshotFolder,
  StorageUnavailable,
  storedCursors,
} from '../journal/index.ts';
import { commandName, encodeCommand, RULES_VERSION, reasonOf } from '../protocol/index.ts';
import { type Answer, Answers } from './answers.ts';
import { systemClock } from './clock.ts';
import { defectOf, releaseDirectory } from './directory.ts';
import { Pauses } from './pauses.ts';
import { applyToFollowers, DecodedRecord } from './record.ts';
import { replayAfter } from './recovery.ts';
import { Reducers } from './reducers.ts';
import { Sequencer } from './sequencer.ts';
import { canSnapshot, isSnapshotDue, type RestoredState, restoreNewest, writeSnapshot } from './snapshot.ts';
import { Ticker } from './ticker.ts';
import { type CommandPhase, commandPhases, type DurablePhase, durablePhases } from './topology.ts';
import type { ExchangeOptions, Log, LogRecord, RunningExchange, StateHashes } from './types.ts';
import { assertWellFormed } from './wellFormed.ts';

/** How long (ms) close() waits for accepted commands to become durable: with the store's own close less than 5 s. */
const CLOSE_DEADLINE_MS = 2_500;
/** A snapshot that is not written by then (ms after close() began) is given up, since stopping the exchange waits for it. */
const CLOSE_SNAPSHOT_MS = 2_000;
/** How long (ms) an accepted command waits for a journal that cannot be written before its submitter is told. */
const ANSWER_MS_MAX = 15_000;
/** After a pause, heartbeats that would lapse within this time (ms) are renewed: those that wait in sockets come first. */
const LAPSE_MS_MIN = 1_000;
/** Commands are refused while the records that are not durable take more bytes than this. */
const PENDING_BYTES_MAX = 64 * 1024 * 1024;

/** Parts that tests may substitute for those that an exchange makes itself. */
export interface InlineParts {
  readonly store?: BatchStore;
  /** The state to start from instead of a snapshot; followers must hold everything up to its sequence (0: nothing). */
  readonly restored?: RestoredState;
  readonly retry?: RetryPolicy;
  /** How long (ms) an accepted command waits for a journal that cannot be written; 15 s unless given. */
  readonly answerMsMax?: number;
  /** Bytes of records that may wait for the journal; 64 MiB unless given. */
  readonly pendingBytesMax?: number;
  /** How long (ms) after close() began a snapshot is still written; 2 s unless given. */
  readonly snapshotMsMax?: number;
  /** How many records of a replay are read before those that a thread reads ahead, see readAhead; no effect with `store`. */
  readonly readHere?: number;
}

export class InlineExchange implements RunningExchange {
  readonly isFresh: boolean;
  private readonly options: ExchangeOptions;
  private readonly parts: InlineParts;
  private readonly log: Log;
  private readonly directory: DataDirectory | undefined;
  private readonly snapshots: SnapshotFolder | undefined;
  readonly snapshotSequence: number;
  private readonly journal: Journal;
  private readonly reducers: Reducers;
  private readonly sequencer: Sequencer;
  private readonly ticker: Ticker;
  private readonly pauses: Pauses;
  private readonly commandSteps: readonly ((command: Uint8Array) => void)[];
  private readonly durableSteps: readonly ((record: DecodedRecord) => void)[];
  private readonly answers: Answers;
  /** Whether followers still get new records. */
  private isFollowed = true;
  private readonly pendingBytesMax: number;
  private stoppedReason: string | undefined;
  private isFatal = false;
  private closing: Promise<void> | undefined;

  constructor(
    options: ExchangeOptions,
    directory: DataDirectory | undefined,
    snapshots: SnapshotFolder | undefined,
    store: BatchStore,
    parts: InlineParts,
  ) {
    const clock = options.clock ?? systemClock;
    this.options = options;
    this.parts = parts;
    this.log = options.log ?? (() => {});
    this.directory = directory;
    this.snapshots = snapshots;
    snapshots?.removeDrafts();
    const restored = parts.restored ?? (snapshots && restoreNewest(snapshots, store, options.followers, this.log));
    this.snapshotSequence = restored?.sequence ?? 0;
    if (this.snapshotSequence > 0)
      this.log('info', 'The state was loaded from a snapshot.', { sequence: this.snapshotSequence });
    this.reducers = restored?.reducers ?? new Reducers();
    if (options.salt !== undefined) this.reducers.core.hideIds(options.salt);
    this.answers = new Answers(parts.answerMsMax ?? ANSWER_MS_MAX);
    this.pendingBytesMax = parts.pendingBytesMax ?? PENDING_BYTES_MAX;
    const listener = {
      onDurable: (batch: Uint8Array) => this.answerBatch(batch),
      onUnavailable: (reason: string) => this.becomeUnavailable(reason),
      onAvailable: () => {
        this.answers.keepWaiting();
        this.log('info', 'The journal can be written again.');
      },
      onFatal: (error: Error) => {
        this.answers.rejectAll(error.message); // a journal that has stopped answers nobody
        this.stopForGood(error);
      },
    };
    this.journal = new Journal(store, listener, parts.retry);
    this.isFresh = this.journal.durableSequence === 0;
    const { durableSequence, durableTMs } = this.journal;
    this.sequencer = new Sequencer(clock, durableSequence, durableTMs, options.acceptClock ?? false, this.log);
    const clockMs = (): number => this.sequencer.clockMs();
    this.pauses = new Pauses(clock, clockMs);
    this.ticker = new Ticker(clock, clockMs, {
      nextDueMs: () => this.reducers.core.nextDueMs(),
      onWake: () => this.endPause(),
      tick: () => this.submitTick(),
    });
    this.commandSteps = this.commandStepsOf();
    this.durableSteps = this.durableStepsOf();
  }

  get durableSequence(): number {
    return this.journal.durableSequence;
  }

  get durableTMs(): number {
    return this.journal.durableTMs;
  }

  get journalFigures(): JournalFigures {
    return this.journal.figures;
  }

  get pendingBytes(): number {
    return this.journal.pendingBytes;
  }

  get unavailableReason(): string | undefined {
    const { pendingBytes, unavailableReason } = this.journal;
    const reason = this.stoppedReason ?? unavailableReason;
    if (reason !== undefined || pendingBytes <= this.pendingBytesMax) return reason;
    return `the journal is ${pendingBytes} bytes behind, and at most ${this.pendingBytesMax} may wait`;
  }

  /**
   * Replays the journal after the snapshot, then submits Started, which is thus the first command after each start.
   * @param store holds the journal
   */
  async start(store: BatchStore): Promise<void> {
    const { followers, onProgress } = this.options;
    const { durableSequence: total, snapshotSequence: from } = this;
    await replayAfter(from, this.recordsAfter(store, from, total), this.reducers, followers, { total, onProgress });
    this.pauses.look(); // the replay is none
    await this.submit(this.startedCommand());
  }

  /** Ends an exchange whose start has failed. It writes nothing later unless it is left open: the directory may be another's. */
  async abandon(): Promise<void> {
    this.ticker.close();
    this.answers.keepWaiting();
    await this.journal.close(0);
  }

  submit(command: Uint8Array): Promise<LogRecord> {
    return new Promise((resolve, reject) => this.take(command, { resolve, reject }));
  }

  submitAndRead<Result>(command: Uint8Array, read: (record: LogRecord) => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      const answer = (record: LogRecord): void => {
        try {
          resolve(read(record));
        } catch (error) {
          reject(error);
        }
      };
      this.take(command, { resolve: answer, reject });
    });
  }

  submitTogether(commands: readonly Uint8Array[]): Promise<void> {
    this.endPause();
    const reason = this.unavailableReason;
    if (reason !== undefined) return Promise.reject(new StorageUnavailable(reason));
    return new Promise((resolve, reject) => {
      const others: Answer = { resolve: () => {}, reject };
      const last: Answer = { resolve: () => resolve(), reject };
      this.journal.together(() => {
        for (const command of commands) this.takeAcceptable(command);
      });
      for (const at of commands.keys()) this.answers.add(at === commands.length - 1 ? last : others);
      if (commands.length === 0) resolve();
      this.ticker.arm();
    });
  }

  get nextEventNumber(): number {
    return this.reducers.registry.nextEventNumber;
  }

  get nextMarketIndex(): number {
    return this.reducers.registry.nextMarketIndex;
  }

  now(): number {
    return this.sequencer.now();
  }

  clockMs(): number {
    return this.sequencer.clockMs();
  }

  elapsedMs(): number {
    return this.sequencer.elapsedMs();
  }

  nextDueMs(): number {
    return this.reducers.core.nextDueMs();
  }

  stateHash(): StateHashes {
    return this.reducers.stateHash();
  }

  checkInvariants(): void {
    this.reducers.checkInvariants();
  }

  get isLeftOpen(): boolean {
    return this.journal.isLeftOpen;
  }

  endFollowing(): void {
    this.isFollowed = false;
  }

  close(): Promise<void> {
    this.closing ??= this.closeOnce();
    return this.closing;
  }

  /** The records to replay. */
  private recordsAfter(
    store: BatchStore,
    from: number,
    total: number,
  ): Iterable<PackedRecords> | AsyncIterable<PackedRecords> {
    const read = (sequence: number) => storedCursors(store, sequence);
    const { directory, options, parts } = this;
    if (directory === undefined || parts.store !== undefined) return packedAfter(from, total, read);
    return readAhead(directory.path, from, total, read, { thread: options.readAheadThread, readHere: parts.readHere });
  }

  /** Accepts a command; its record is the answer. */
  private take(command: Uint8Array, answer: Answer): void {
    this.endPause();
    const reason = this.unavailableReason;
    if (reason !== undefined) throw new StorageUnavailable(reason);
    assertWellFormed(command);
    try {
      for (const step of this.commandSteps) step(command);
    } catch (error) {
      throw this.stopOnDefect(command, error);
    }
    this.answers.add(answer);
    this.ticker.arm();
  }

  /** Accepts one of several commands, none of which may be refused. */
  private takeAcceptable(command: Uint8Array): void {
    try {
      for (const step of this.commandSteps) step(command);
      if (this.reducers.out.isRejected) throw new Error('one of several commands of one operation was refused');
    } catch (error) {
      throw this.stopOnDefect(command, error);
    }
  }

  private commandStepsOf(): ((command: Uint8Array) => void)[] {
    const { journal, reducers, sequencer } = this;
    const { out } = reducers;
    const steps: Record<CommandPhase, (command: Uint8Array) => void> = {
      stamp: () => sequencer.stamp(),
      reduce: (command) => reducers.reduce(sequencer.tMs, command),
      append: (command) => journal.append(sequencer.sequence, sequencer.tMs, command, out.bytes, out.length),
    };
    return commandPhases.map((phase) => steps[phase]);
  }

  private durableStepsOf(): ((record: DecodedRecord) => void)[] {
    const { followers } = this.options;
    const steps: Record<DurablePhase, (record: DecodedRecord) => void> = {
      apply: (record) => {
        if (this.isFollowed) applyToFollowers(followers, record);
      },
      answer: (record) => this.answers.answer(record),
    };
    return durablePhases.map((phase) => steps[phase]);
  }

  private answerBatch(batch: Uint8Array): void {
    this.options.onDurable?.(batch, this.journal.durableSequence);
    for (const source of recordsOf(batch)) {
      const record = new DecodedRecord(source);
      for (const step of this.durableSteps) step(record);
    }
    this.answers.removeAnswered();
  }

  private startedCommand(): Uint8Array {
    return encodeCommand({ type: 'Started', rulesVersion: RULES_VERSION, ...this.options.settings });
  }

  /**
   * Renews all heartbeats, as a start does, if a pause ends now and one of them would lapse because of it. Must come before any
   * command after the pause, since each first settles what is due.
   */
  private endPause(): void {
    if (this.unavailableReason !== undefined) return; // so heartbeats are refused: the pause goes on
    const pauseMs = this.pauses.look();
    if (pauseMs === 0 || this.reducers.core.nextLapseMs() > this.sequencer.clockMs() + LAPSE_MS_MIN) return;
    const text = 'The exchange heard nobody for a while, or its clock was set ahead: all heartbeats start anew.';
    this.log('warn', text, { pauseMs });
    this.submitOwn(this.startedCommand());
  }

  /** Submits a command that nobody waits for. */
  private submitOwn(command: Uint8Array): void {
    this.submit(command).catch((error: unknown) => {
      this.log('debug', `${commandName(command)} was not answered.`, { reason: reasonOf(error) });
    });
  }

  /** Submits a Tick; returns whether it was accepted. */
  private submitTick(): boolean {
    if (this.unavailableReason !== undefined) return false;
    this.submitOwn(encodeCommand({ type: 'Tick' }));
    return true;
  }

  /** Stops after a reducer has thrown half-way: the state in memory is no longer that of the log. Nothing is appended. */
  private stopOnDefect(command: Uint8Array, error: unknown): StorageUnavailable {
    const { sequence, tMs } = this.sequencer;
    const defect = defectOf(error, { sequence, tMs, command }, this.directory, this.log);
    this.stopForGood(defect);
    return new StorageUnavailable(defect.message);
  }

  /** Accepts nothing any more; appended records are still answered once they are durable. */
  private stopForGood(error: Error): void {
    this.stoppedReason = error.message;
    this.ticker.close();
    if (this.isFatal) return;
    this.isFatal = true;
    this.log('error', error.message);
    this.options.onFatal?.(error);
  }

  /** Rejects waiting submitters after a while; their commands stay in order and may still become durable. */
  private becomeUnavailable(reason: string): void {
    this.log('error', 'The journal cannot be written; trying again.', { reason });
    this.answers.rejectLater(reason);
  }

  private async closeOnce(): Promise<void> {
    const snapshotUntilMs = performance.now() + (this.parts.snapshotMsMax ?? CLOSE_SNAPSHOT_MS);
    this.stoppedReason ??= 'the exchange is closing';
    this.ticker.close();
    await this.journal.close(CLOSE_DEADLINE_MS);
    this.answers.keepWaiting();
    this.answers.rejectAll('the exchange has closed before the journal could be written');
    await this.writeSnapshot(snapshotUntilMs);
    if (this.directory !== undefined && !this.isLeftOpen) releaseDirectory(this.directory, this.log);
  }

  /** Writes a snapshot if the whole state is durable and that saves the next start enough; a failure is only logged. */
  private async writeSnapshot(untilMs: number): Promise<void> {
    const { snapshots, journal, sequencer, reducers } = this;
    const { followers, snapshotFrom = Number.POSITIVE_INFINITY } = this.options;
    const { durableSequence: sequence, durableTMs: tMs } = journal;
    if (snapshots === undefined || this.isFatal || sequencer.sequence !== sequence) return;
    if (sequence < snapshotFrom || !this.isFollowed || !canSnapshot(followers)) return;
    try {
      // Reading waits for the trial too, since it may hang as well; what the trial found matters only if we have to write.
      const [trial] = await Promise.allSettled([snapshots.tryDisk()]);
      if (!isSnapshotDue(snapshots.list(), sequence, snapshotFrom, followers)) return;
      if (trial.status === 'rejected') throw trial.reason;
      writeSnapshot(snapshots, { sequence, tMs, journalHash: journal.endHash }, reducers, followers, untilMs);
    } catch (error) {
      this.log('warn', 'No snapshot was written; the next start replays the journal from an older one.', {
        reason: reasonOf(error),
      });
    }
  }
}
