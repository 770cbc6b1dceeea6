// Reads the journal of a data directory without touching it: for whatever reads beside the exchange (verification, copies, the
// maker of snapshots, the historian, old messages of streams), for the read-ahead thread and for first looks. It takes no lock
// and may read while an exchange writes: it sees what is durable.
import { existsSync } from 'node:fs';
import { checkFormat } from './dataDirectory.ts';
import { journalFileIn } from './files.ts';
import { cursorsOf, hashAt, lastBatchSequenceOf, lastSequenceOf, readBatches, storedCursors } from './journal.ts';
import { type JournalAccess, PartedStore } from './partedStore.ts';
import type { JournalRecord } from './record.ts';
import type { RecordCursor } from './recordCursor.ts';
import type { StoredBatch } from './store.ts';

export class JournalReader {
  private readonly store: PartedStore;

  /** Throws FormatUnsupported, JournalDamaged or JournalArchived, or a plain error when the directory has no journal. */
  constructor(dataDir: string, access: Exclude<JournalAccess, 'write'> = 'read') {
    if (!existsSync(journalFileIn(dataDir))) throw new Error(`There is no journal in ${dataDir}.`);
    checkFormat(dataDir);
    this.store = new PartedStore(dataDir, access);
  }

  /**
   * The verified records from a sequence on, portion by portion. Throws JournalDamaged naming the first unsound record, or
   * JournalArchived where records were archived and are not at hand.
   */
  read(fromSequence = 1): Generator<readonly JournalRecord[]> {
    return readBatches(this.store, fromSequence);
  }

  /** The same as cursors, see cursorsOf. */
  cursors(fromSequence: number): Generator<RecordCursor> {
    return storedCursors(this.store, fromSequence);
  }

  /** The same without copies: each is valid until anything else is read from this reader. */
  lentCursors(fromSequence: number): Generator<RecordCursor> {
    return cursorsOf(fromSequence, this.store.lentBatches(fromSequence), lastBatchSequenceOf(this.store));
  }

  /** The running hash (hex) after a record; undefined when there is none of this sequence. Throws JournalDamaged. */
  hashAt(sequence: number): string | undefined {
    if (sequence === 1 && this.store.journalHash !== undefined) return this.store.journalHash;
    return hashAt(this.store, sequence);
  }

  /** The last durable sequence, 0 for none. Throws JournalDamaged when the last batch is not sound. */
  lastSequence(): number {
    return lastSequenceOf(this.store);
  }

  /**
   * The stored batches from the one that holds a sequence on, not verified: for following the journal of a running exchange,
   * whose recovery has verified what it opened with. The bytes of a batch are lent: they are valid until anything else is read
   * from this reader.
   */
  batches(fromSequence: number): Generator<StoredBatch> {
    this.store.refresh();
    return this.store.lentBatches(fromSequence);
  }

  close(): Promise<void> {
    return this.store.close();
  }
}
