// The historian's log sources: the journal on disk, read while the exchange writes it, or batches handed over by an exchange
// without a journal. Both deliver durable records only, batch by batch. A log that cannot be read is a LogUnreadable, whatever
// the cause: it is no reason to drop the index.
import { hash } from 'node:crypto';
import { dataViewOf, JournalReader, RECORD_AT, RECORD_HEADER_BYTES, reasonOf } from '../../engine/index.ts';
import { LogUnreadable } from './errors.ts';

/** A larger batch, such as that of an import, is copied into memory of its own, which is not reused. */
const REUSED_BYTES_MAX = 8 * 1024 * 1024;

export interface RecordSource {
  /**
   * The batch that holds the record after this sequence; undefined if none follows yet. Its bytes are valid until the next
   * call.
   * @param durableSequence the end of a durable batch: none of the batches after it is delivered. Without it, all of a
   * log that nobody writes is.
   */
  next(afterSequence: number, durableSequence?: number): Uint8Array | undefined;
  /** The hash of a record (hex); undefined if there is no record with this sequence. */
  hashAt(sequence: number): string | undefined;
  /** Whether the log can be read again from its beginning. */
  readonly canRewind: boolean;
  /** Frees what reading has allocated. Must not be called during a read. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

/** A cursor over a batch's records. It reads them in place, since every record of the log passes through here. */
export class BatchReader {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  // The current record: its sequence and time, and the offsets in the batch of the record, its command, its events and its end.
  sequence = 0;
  tMs = 0;
  start = 0;
  commandAt = 0;
  eventsAt = 0;
  end = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = dataViewOf(bytes);
  }

  /** Advances to the next record; false if there is none. */
  next(): boolean {
    const { view, end: start } = this;
    if (start >= this.bytes.length) return false;
    this.start = start;
    this.sequence = view.getFloat64(start + RECORD_AT.sequence, true);
    this.tMs = view.getFloat64(start + RECORD_AT.tMs, true);
    this.commandAt = start + RECORD_HEADER_BYTES;
    this.eventsAt = this.commandAt + view.getUint32(start + RECORD_AT.commandBytes, true);
    this.end = start + view.getUint32(start + RECORD_AT.length, true);
    return true;
  }

  /** The journal's running hash (hex) after the current record; it covers the record and all before it. */
  hash(): string {
    return hash('sha256', this.bytes.subarray(this.start, this.end), 'hex');
  }
}

/** What `read` returns; whatever it throws is thrown as LogUnreadable. */
function fromLog<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new LogUnreadable(reasonOf(error));
  }
}

export class JournalSource implements RecordSource {
  readonly canRewind = true;
  private readonly dataDir: string;
  private reader: JournalReader;
  private batches: Generator<{ readonly bytes: Uint8Array }> | undefined;
  private afterSequence = -1;
  private copy = Buffer.alloc(0);

  constructor(dataDir: string) {
    this.dataDir = dataDir;
    this.reader = fromLog(() => new JournalReader(dataDir));
  }

  next(afterSequence: number, durableSequence = Number.POSITIVE_INFINITY): Uint8Array | undefined {
    if (afterSequence >= durableSequence) {
      // More may be in the file, but a batch can be read there before the device has it. The next read looks anew.
      this.batches = undefined;
      return undefined;
    }
    // What follows may have been written after an earlier call read the page on which the batches end.
    const mayHaveEndedEarly = this.batches !== undefined && afterSequence > this.afterSequence;
    if (this.batches === undefined || afterSequence < this.afterSequence) {
      this.batches = this.reader.batches(afterSequence + 1);
    }
    this.afterSequence = afterSequence;
    const batches = this.batches;
    const batch = fromLog(() => batches.next());
    if (batch.done !== true) return this.copyOf(batch.value.bytes);
    this.batches = undefined;
    return mayHaveEndedEarly ? this.next(afterSequence, durableSequence) : undefined;
  }

  /** Copies a batch into a reused buffer: a log has gigabytes of batches. */
  private copyOf(lent: Uint8Array): Uint8Array {
    if (lent.length > REUSED_BYTES_MAX) return Buffer.from(lent);
    if (lent.length > this.copy.length) this.copy = Buffer.allocUnsafeSlow(2 * lent.length);
    this.copy.set(lent);
    return this.copy.subarray(0, lent.length);
  }

  hashAt(sequence: number): string | undefined {
    return fromLog(() => this.reader.hashAt(sequence));
  }

  async reopen(): Promise<void> {
    this.batches = undefined;
    this.copy = Buffer.alloc(0);
    // Opened first: if that fails, this source still holds a reader that is open, and close() closes it for the first time.
    const reader = fromLog(() => new JournalReader(this.dataDir));
    await this.reader.close();
    this.reader = reader;
  }

  close(): Promise<void> {
    return this.reader.close();
  }
}

/** Its batches are handed over once they are durable, so it delivers all of them. */
export class BatchQueue implements RecordSource {
  readonly canRewind = false;
  private batches: Uint8Array[] = [];
  private nextIndex = 0;

  add(bytes: Uint8Array): void {
    this.batches.push(bytes);
  }

  next(): Uint8Array | undefined {
    const batch = this.batches[this.nextIndex];
    this.nextIndex += 1;
    if (this.nextIndex < this.batches.length) return batch;
    this.batches = [];
    this.nextIndex = 0;
    return batch;
  }

  hashAt(): string | undefined {
    return undefined;
  }

  async reopen(): Promise<void> {}

  async close(): Promise<void> {}
}
