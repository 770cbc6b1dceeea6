// A journal whose old parts may have been archived, read as one: the environment in the data directory, and before it the
// parts that archive.json lists, each opened when its records are first asked for. Used wherever a journal is opened; only the
// environment in the data directory is ever written to.
import { reasonOf } from '../protocol/index.ts';
import { JournalArchived } from './errors.ts';
import { isExhausted, journalFolderIn } from './files.ts';
import { LmdbStore } from './lmdbStore.ts';
import { PageReader } from './pageReader.ts';
import { type ArchivedPart, type ArchiveList, readArchiveList } from './parts.ts';
import type { BatchStore, StoredBatch } from './store.ts';

type BatchesOf = (store: LmdbStore | PageReader, sequence: number) => Generator<StoredBatch>;

/**
 * How a journal is opened: by LMDB for writing; from its pages for reading, even while another process writes it; or by LMDB
 * for reading while nobody writes it, only to see whether LMDB can.
 */
export type JournalAccess = 'write' | 'read' | 'readByLmdb';

export class PartedStore implements BatchStore {
  private readonly live: LmdbStore | PageReader;
  private readonly archive: ArchiveList;
  /** Archived parts that are open, by folder. */
  private readonly opened = new Map<string, PageReader>();

  /** @param releaseReaders see LmdbStore */
  constructor(dataDir: string, access: JournalAccess, releaseReaders: () => Promise<void> = async () => {}) {
    const listed = readArchiveList(dataDir);
    const folder = journalFolderIn(dataDir);
    this.live =
      access === 'read' ? new PageReader(folder) : new LmdbStore(folder, access === 'readByLmdb', releaseReaders);
    // A reader holds no lock: records may have been archived out of the file since. They were listed before the new file was
    // put in place.
    this.archive = access === 'write' ? listed : readArchiveList(dataDir);
  }

  /** The running hash (hex) after the first record if its part was archived: known without reading the part. */
  get journalHash(): string | undefined {
    return this.archive.parts.length === 0 ? undefined : this.archive.journal;
  }

  get isLeftOpen(): boolean {
    return this.live.isLeftOpen;
  }

  write(firstSequence: number, batch: Uint8Array): Promise<void> {
    return this.live.write(firstSequence, batch);
  }

  last(): StoredBatch | undefined {
    return this.live.last();
  }

  lastBatchSequence(): number {
    return this.live.lastBatchSequence();
  }

  /** Throws JournalArchived when the records asked for lie in a part that cannot be read. */
  batches(sequence: number): Generator<StoredBatch> {
    return this.read(sequence, (store, from) => store.batches(from));
  }

  /** The same without copies, see LmdbStore. */
  lentBatches(sequence: number): Generator<StoredBatch> {
    return this.read(sequence, (store, from) => store.lentBatches(from));
  }

  refresh(): void {
    this.live.refresh();
  }

  reopen(): Promise<void> {
    return this.live.reopen();
  }

  async close(): Promise<void> {
    for (const part of this.opened.values()) await part.close();
    this.opened.clear();
    await this.live.close();
  }

  private *read(sequence: number, batchesOf: BatchesOf): Generator<StoredBatch> {
    const liveFirst =
      this.archive.parts.length === 0 ? 0 : (this.live.firstBatchSequence() ?? Number.POSITIVE_INFINITY);
    for (const part of this.archive.parts) {
      if (part.lastSequence < sequence || part.lastSequence >= liveFirst) continue;
      yield* batchesOf(this.storeOf(part), Math.max(sequence, part.firstSequence));
    }
    yield* batchesOf(this.live, sequence);
  }

  private storeOf(part: ArchivedPart): PageReader {
    const { folder, firstSequence, lastSequence } = part;
    const unreadable = (reason: string): JournalArchived =>
      new JournalArchived(
        `The records ${firstSequence} to ${lastSequence} of the journal were archived to ${folder} and cannot be read ` +
          `there: ${reason}. Put that folder back, or set its new path in archive.json of the data directory.`,
      );
    let store = this.opened.get(folder);
    try {
      store ??= new PageReader(journalFolderIn(folder));
    } catch (error) {
      if (isExhausted(error)) throw error;
      throw unreadable(reasonOf(error));
    }
    this.opened.set(folder, store);
    const found = store.firstBatchSequence();
    if (found === undefined) throw unreadable('it has no records');
    if (found !== firstSequence) throw unreadable(`its records begin at ${found}`);
    return store;
  }
}
