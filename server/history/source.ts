// Where the historian's thread gets the log from: the journal on disk, read beside the exchange that writes it, or batches
// handed over by an exchange that keeps nothing. Both give durable records only, batch by batch.
import { hash } from 'node:crypto';
import { JournalReader, RECORD_AT, RECORD_HEADER_BYTES } from '../../engine/index.ts';

export interface RecordSource {
  /**
   * The batch that holds the record after this sequence; undefined when nothing follows yet. Its bytes are valid until the
   * next one is asked for.
   */
  next(afterSequence: number): Uint8Array | undefined;
  /** The hash of a record (hex), undefined when there is none of this sequence. */
  hashAt(sequence: number): string | undefined;
  /** Whether the log can be read from its beginning again. */
  readonly canRewind: boolean;
  /** Gives back what reading has taken; nothing is being read. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

/** A batch, and the record in it that comes next: read in place, since this passes every record of the log. */
export class BatchReader {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  // The record that was read last: its numbers, and where it, its command and its events begin and end in the batch.
  sequence = 0;
  tMs = 0;
  start = 0;
  commandAt = 0;
  eventsAt = 0;
  end = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Goes on to the next record; false when there is none. */
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

  /** The journal's running hash after the record (hex): it covers the record and all before it. */
  hash(): string {
    return hash('sha256', this.bytes.subarray(this.start, this.end), 'hex');
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
    this.reader = new JournalReader(dataDir);
  }

  next(afterSequence: number): Uint8Array | undefined {
    if (this.batches === undefined || afterSequence < this.afterSequence) {
      this.batches = this.reader.batches(afterSequence + 1);
    }
    this.afterSequence = afterSequence;
    const batch = this.batches.next();
    if (batch.done !== true) return this.copyOf(batch.value.bytes);
    this.batches = undefined;
    return undefined;
  }

  /** A copy in memory that is used again: a log has gigabytes of batches. */
  private copyOf(lent: Uint8Array): Uint8Array {
    if (lent.length > this.copy.length) this.copy = Buffer.allocUnsafeSlow(2 * lent.length);
    this.copy.set(lent);
    return this.copy.subarray(0, lent.length);
  }

  hashAt(sequence: number): string | undefined {
    return this.reader.hashAt(sequence);
  }

  async reopen(): Promise<void> {
    this.batches = undefined;
    this.copy = Buffer.alloc(0);
    await this.reader.close();
    this.reader = new JournalReader(this.dataDir);
  }

  close(): Promise<void> {
    return this.reader.close();
  }
}

export class HandedSource implements RecordSource {
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
