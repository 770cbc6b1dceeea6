// The append-only log: gathers records into batches, writes one batch after the other, and reports each once it is durable;
// and the functions that read a store's batches back verified. Used by the pipeline; recovery and tools read. It never
// acknowledges before the store does, and never hands over batch n+1 before n is durable: a failed batch is retried with the
// same bytes, or everything stops.
import { dataViewOf, errorOf, reasonOf } from '../protocol/index.ts';
import { JournalDamaged } from './errors.ts';
import { JournalFigures } from './figures.ts';
import { FlushHung, type FlushLimits, FlushWatchdog } from './flushWatchdog.ts';
import { GENESIS_HASH, hashAfter, type JournalRecord, recordBytes, sealRecords, writeRecord } from './record.ts';
import { type ReadPosition, RecordCursor, verifyBatch } from './recordCursor.ts';
import type { BatchStore, StoredBatch } from './store.ts';

/** A batch is handed over at this size (bytes) at the latest, which keeps a flush short. */
const BATCH_BYTES_MAX = 8 * 1024 * 1024;
/** The size at first of the buffer that a batch is gathered in. */
const GATHERED_BYTES_MIN = 1 << 16;

export interface JournalListener {
  /** The records of this batch are durable. Called in order, once for each batch. */
  onDurable(batch: Uint8Array, recordCount: number): void;
  /** A batch could not be written; it will be retried. */
  onUnavailable(reason: string): void;
  /** The batch that could not be written is now durable. */
  onAvailable(): void;
  /** A batch can never be written: nothing more will be appended. */
  onFatal(error: Error): void;
}

export interface RetryPolicy extends FlushLimits {
  readonly firstDelayMs: number;
  readonly largestDelayMs: number;
  readonly triesMax: number;
}

/** Tries for about ten minutes: long enough to free a full disk by hand. */
const RETRY_DEFAULT: RetryPolicy = { firstDelayMs: 100, largestDelayMs: 5_000, triesMax: 125 };
/** Records handed out at a time: they are still in the processor's cache when the reader uses them. */
const PORTION_RECORDS = 128;

interface Batch {
  readonly firstSequence: number;
  readonly bytes: Uint8Array;
  readonly recordCount: number;
  readonly lastTMs: number;
}

/** The position before the first record. */
const START: ReadPosition = { sequence: 1, tMs: 0, hash: GENESIS_HASH };

export class Journal {
  /** The last sequence that is durable, 0 for none, and its time (ms). */
  durableSequence: number;
  durableTMs: number;
  /** Why nothing can be written at present; undefined while all is well. */
  unavailableReason: string | undefined;
  readonly figures = new JournalFigures();
  private readonly store: BatchStore;
  private readonly listener: JournalListener;
  private readonly retry: RetryPolicy;
  private readonly watchdog: FlushWatchdog;
  /** The running hash after the last closed batch. */
  private hash: string;
  private nextSequence: number;
  private lastTMs: number;
  private lastBatchSequence: number;
  private gathered: Buffer = Buffer.alloc(GATHERED_BYTES_MIN);
  private gatheredView = dataViewOf(this.gathered);
  private gatheredBytes = 0;
  private gatheredCount = 0;
  private readonly waiting: Batch[] = [];
  /** Bytes of the batches that are closed but not durable. */
  private waitingBytes = 0;
  private isFlushing = false;
  private isTogether = false;
  private isStopped = false;
  private wakeRetry: (() => void) | undefined;
  private idle: Promise<void> = Promise.resolve();

  /** Opens the journal that a store holds, verifying its last batch. Throws JournalDamaged. */
  constructor(store: BatchStore, listener: JournalListener, retry: RetryPolicy = RETRY_DEFAULT) {
    this.store = store;
    this.listener = listener;
    this.retry = retry;
    this.watchdog = new FlushWatchdog(store, retry, (reason) => this.becomeUnavailable(reason));
    const last = store.last();
    this.lastBatchSequence = last?.firstSequence ?? 0;
    const end = positionAfter(last);
    this.hash = end.hash ?? GENESIS_HASH;
    this.nextSequence = end.sequence;
    this.lastTMs = end.tMs;
    this.durableSequence = end.sequence - 1;
    this.durableTMs = end.tMs;
  }

  /**
   * Adds a record to the batch that gathers; it is durable when the listener says so. Copies `command` and the first
   * `eventsBytes` of `events`. Throws on a sequence that does not follow the last.
   */
  append(sequence: number, tMs: number, command: Uint8Array, events: Uint8Array, eventsBytes: number): void {
    if (sequence !== this.nextSequence)
      throw new Error(`journal: ${sequence} does not follow ${this.nextSequence - 1}`);
    if (this.isStopped) throw new Error('journal: it no longer accepts records');
    const length = recordBytes(command.length, eventsBytes);
    const isFull = this.gatheredBytes > 0 && this.gatheredBytes + length > BATCH_BYTES_MAX;
    if (isFull && !this.isTogether) this.closeBatch();
    if (this.gatheredBytes + length > this.gathered.length) this.grow(this.gatheredBytes + length);
    const { gathered, gatheredView, gatheredBytes } = this;
    writeRecord(gathered, gatheredView, gatheredBytes, sequence, tMs, command, events, eventsBytes);
    this.gatheredBytes += length;
    this.gatheredCount += 1;
    this.nextSequence += 1;
    this.lastTMs = tMs;
    if (!this.isFlushing) {
      this.isFlushing = true;
      this.idle = this.flush();
    }
  }

  /**
   * Runs appends that must stay together: their records become durable in one batch, however large, so that after a crash
   * all of them are there or none is. `appends` must be synchronous; if it throws, none of them is appended.
   */
  together(appends: () => void): void {
    const { gatheredBytes, gatheredCount, nextSequence, lastTMs } = this;
    this.isTogether = true;
    try {
      appends();
    } catch (error) {
      // No batch was closed meanwhile: all that was appended follows what had been gathered before.
      this.gatheredBytes = gatheredBytes;
      this.gatheredCount = gatheredCount;
      this.nextSequence = nextSequence;
      this.lastTMs = lastTMs;
      throw error;
    } finally {
      this.isTogether = false;
    }
  }

  /** The running hash (hex) after the last appended record; valid only once drained() has resolved. */
  get endHash(): string {
    return Buffer.from(this.hash, 'latin1').toString('hex');
  }

  /** Bytes of records that were appended but are not durable. */
  get pendingBytes(): number {
    return this.gatheredBytes + this.waitingBytes;
  }

  /** Resolves when everything that was appended is durable, or nothing more will be. */
  async drained(): Promise<void> {
    while (this.isFlushing) await this.idle;
  }

  /** Whether the store could not be closed, since a call to the disk hangs. */
  get isLeftOpen(): boolean {
    return this.store.isLeftOpen;
  }

  /**
   * Waits up to `deadlineMs` for what was appended to become durable, then closes the store. Takes no more records. A write
   * that waits for its next retry is retried at once.
   */
  async close(deadlineMs: number): Promise<void> {
    const timer = setTimeout(() => this.stop(), deadlineMs);
    this.wakeRetry?.();
    await this.drained();
    clearTimeout(timer);
    this.watchdog.close();
    this.stop();
    await this.store.close();
  }

  private async flush(): Promise<void> {
    await undefined; // what is appended in the same turn belongs to the same batch
    for (let batch = this.takeBatch(); batch !== undefined && !this.isStopped; batch = this.takeBatch()) {
      const beganMs = performance.now();
      try {
        if (!(await this.writeUntilDurable(batch))) break;
        this.figures.wrote(batch.recordCount, batch.bytes.length, performance.now() - beganMs);
        this.waitingBytes -= batch.bytes.length;
        this.durableSequence = batch.firstSequence + batch.recordCount - 1;
        this.durableTMs = batch.lastTMs;
        this.lastBatchSequence = batch.firstSequence;
        this.listener.onDurable(batch.bytes, batch.recordCount);
      } catch (error) {
        this.stop();
        this.unavailableReason = reasonOf(error);
        this.listener.onFatal(errorOf(error));
      }
    }
    this.isFlushing = false;
  }

  /** Writes a batch, with retries, until it is durable; returns false when the journal was stopped before. */
  private async writeUntilDurable(batch: Batch): Promise<boolean> {
    for (let tries = 1; ; tries += 1) {
      try {
        if (tries > 1) {
          await this.store.reopen();
          this.assertEnd(batch);
        }
        await this.watchdog.write(batch.firstSequence, batch.bytes);
        this.watchdog.ended();
        break;
      } catch (error) {
        this.watchdog.ended();
        this.figures.failedWrites += 1;
        if (this.isStopped) return false;
        if (error instanceof JournalDamaged || error instanceof FlushHung) throw error;
        const reason = reasonOf(error);
        if (tries >= this.retry.triesMax) {
          throw new Error(`The journal could not be written after ${tries} tries: ${reason}.`, { cause: error });
        }
        this.becomeUnavailable(`the journal cannot be written: ${reason}`);
        await this.pause(Math.min(this.retry.firstDelayMs * 2 ** (tries - 1), this.retry.largestDelayMs));
        if (this.isStopped) return false;
      }
    }
    if (this.unavailableReason !== undefined) {
      this.unavailableReason = undefined;
      this.listener.onAvailable();
    }
    return true;
  }

  private becomeUnavailable(reason: string): void {
    this.unavailableReason = reason;
    this.listener.onUnavailable(reason);
  }

  /** After a reopen the store must end where it ended before, or with the failed batch itself. */
  private assertEnd(batch: Batch): void {
    const last = this.store.last();
    const lastSequence = last?.firstSequence ?? 0;
    if (lastSequence === this.lastBatchSequence) return;
    if (last !== undefined && lastSequence === batch.firstSequence && Buffer.compare(last.bytes, batch.bytes) === 0)
      return;
    throw new JournalDamaged(
      batch.firstSequence,
      `after a failed write its last batch starts at ${lastSequence}, not at ${this.lastBatchSequence}`,
    );
  }

  private pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, delayMs);
      this.wakeRetry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private stop(): void {
    this.isStopped = true;
    this.watchdog.stop();
    this.wakeRetry?.();
  }

  private takeBatch(): Batch | undefined {
    if (this.waiting.length === 0) this.closeBatch();
    return this.waiting.shift();
  }

  private closeBatch(): void {
    if (this.gatheredCount === 0) return;
    const bytes = Buffer.allocUnsafeSlow(this.gatheredBytes);
    this.gathered.copy(bytes, 0, 0, this.gatheredBytes);
    this.hash = sealRecords(bytes, this.hash);
    this.waitingBytes += bytes.length;
    this.waiting.push({
      firstSequence: this.nextSequence - this.gatheredCount,
      bytes,
      recordCount: this.gatheredCount,
      lastTMs: this.lastTMs,
    });
    this.gatheredBytes = 0;
    this.gatheredCount = 0;
    // Only what is kept together needs as much, such as an import: not worth keeping for the next one.
    if (this.gathered.length > BATCH_BYTES_MAX) this.gatherIn(Buffer.alloc(GATHERED_BYTES_MIN));
  }

  private grow(neededBytes: number): void {
    let capacity = this.gathered.length;
    while (capacity < neededBytes) capacity *= 2;
    const larger = Buffer.alloc(capacity);
    this.gathered.copy(larger, 0, 0, this.gatheredBytes);
    this.gatherIn(larger);
  }

  private gatherIn(buffer: Buffer): void {
    this.gathered = buffer;
    this.gatheredView = dataViewOf(buffer);
  }
}

/** The running hash (hex) after a record of a store; undefined when it has none of this sequence. Throws JournalDamaged. */
export function hashAt(store: BatchStore, sequence: number): string | undefined {
  for (const records of readBatches(store, sequence)) {
    return records[0].sequence === sequence ? hashAfter(records[0]) : undefined;
  }
  return undefined;
}

/** The last sequence of a store, 0 for none. Throws JournalDamaged when its last batch is not sound. */
export function lastSequenceOf(store: BatchStore): number {
  return positionAfter(store.last()).sequence - 1;
}

/** The position after the last batch of a store, which is verified. */
function positionAfter(last: StoredBatch | undefined): ReadPosition {
  if (last === undefined) return START;
  return verifyBatch(last.bytes, { sequence: last.firstSequence, tMs: 0, hash: undefined });
}

/**
 * The records of a store from a sequence on, portion by portion, each checked against those before it from the first of its
 * batch on (from the very first if `fromSequence` is 1). Throws JournalDamaged naming the first record that is not sound.
 */
export function* readBatches(store: BatchStore, fromSequence: number): Generator<readonly JournalRecord[]> {
  for (const cursor of storedCursors(store, fromSequence)) {
    let records: JournalRecord[] = [];
    while (cursor.next()) {
      if (cursor.sequence < fromSequence) continue;
      if (records.length === PORTION_RECORDS) {
        yield records;
        records = [];
      }
      records.push(cursor.record);
    }
    if (records.length > 0) yield records;
  }
}

/** Cursors through the batches of a store, see cursorsOf. */
export function storedCursors(store: BatchStore, fromSequence: number): Generator<RecordCursor> {
  return cursorsOf(fromSequence, store.batches(fromSequence), lastBatchSequenceOf(store));
}

/**
 * A function that returns where the last batch of a store begins. The store is asked at once, since more may be written during
 * a read; an error that it throws is thrown when the answer is needed, so that everything before the damage can be read.
 */
export function lastBatchSequenceOf(store: Pick<BatchStore, 'lastBatchSequence'>): () => number {
  try {
    const lastBatchSequence = store.lastBatchSequence();
    return () => lastBatchSequence;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/**
 * A cursor for each batch, from the one that holds `fromSequence` on. A cursor must be read to its end before the next one is
 * asked for. Throws JournalDamaged naming the first record that is not sound, after all records before it were read.
 * @param askLastBatchSequence returns where the last batch of the store begins, see lastBatchSequenceOf
 */
export function* cursorsOf(
  fromSequence: number,
  batches: Iterable<StoredBatch>,
  askLastBatchSequence: () => number,
): Generator<RecordCursor> {
  let position = START;
  for (const { firstSequence, bytes } of batches) {
    if (position === START && firstSequence > 1 && firstSequence <= fromSequence) {
      position = { sequence: firstSequence, tMs: 0, hash: undefined };
    }
    if (firstSequence > position.sequence) {
      throw new JournalDamaged(position.sequence, `the records from it to ${firstSequence - 1} are missing`);
    }
    if (firstSequence < position.sequence) {
      throw new JournalDamaged(
        firstSequence,
        `a second batch starts there, after one that ends at ${position.sequence - 1}`,
      );
    }
    const cursor = new RecordCursor(bytes, position);
    yield cursor;
    if (cursor.damage !== undefined) throw cursor.damage;
    position = cursor.position;
  }
  // LMDB keeps no checksums of its pages: a damaged one can end the iteration early without an error.
  const lastBatchSequence = askLastBatchSequence();
  if (position.sequence <= lastBatchSequence) {
    const missing = position === START ? Math.min(fromSequence, lastBatchSequence) : position.sequence;
    throw new JournalDamaged(missing, `the records from it to ${lastBatchSequence - 1} are not found`);
  }
}
