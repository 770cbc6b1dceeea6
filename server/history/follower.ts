// Keeps the index up with the log: opens it and checks it against the journal, indexes in slices, commits now and then, and
// rebuilds an unusable index. Owned by the historian's thread, which schedules it.
import { rmSync } from 'node:fs';
import { reasonOf } from '../../engine/index.ts';
import { Indexer } from './indexer.ts';
import type { ThreadSettings } from './messages.ts';
import { BatchReader, type RecordSource } from './source.ts';
import { dropUnusable, IndexStore } from './store.ts';
import { type Cursor, Tables } from './tables.ts';

/** How long (ms) a slice of indexing lasts before questions have their turn. */
const SLICE_MS = 8;
/** Records indexed between two looks at the clock. */
const CLOCK_CHECK_RECORDS = 64;
/** The longest time (ms) between commits while nothing more urgent is to be done. */
const COMMIT_MS = 2_000;

export class LogFollower {
  private readonly settings: ThreadSettings;
  private readonly source: RecordSource;
  private readonly onDropped: (reason: string) => void;
  private indexer: Indexer;
  /** The batch being indexed. The last one is kept, since a commit stores its last record's hash. */
  private batch: BatchReader | undefined;
  private isBatchDone = true;
  private journalHash = '';
  /** Everything up to this sequence is committed or being written. */
  private flushedSequence = 0;
  private committing: Promise<void> | undefined;
  /** The last commit found no space on the disk. */
  private isDiskFull = false;
  private lastCommitMs = performance.now();

  /** @param onDropped called with the reason why an existing index is rebuilt */
  constructor(settings: ThreadSettings, source: RecordSource, onDropped: (reason: string) => void) {
    this.settings = settings;
    this.source = source;
    this.onDropped = onDropped;
    const reason = dropUnusable(settings.indexPath, settings.isFresh);
    if (reason !== undefined) onDropped(reason);
    this.indexer = this.openIndexer();
  }

  get tables(): Tables {
    return this.indexer.tables;
  }

  /** The last indexed sequence. */
  get sequence(): number {
    return this.tables.sequence;
  }

  get isCommitting(): boolean {
    return this.committing !== undefined;
  }

  get hasUncommitted(): boolean {
    return this.tables.sequence > this.tables.committedSequence;
  }

  /** Drops an index of another journal and begins a new one. */
  async checkJournal(): Promise<void> {
    const { stored } = this.tables;
    if (stored !== undefined && !this.isOfJournal(stored)) await this.rebuild('it is not of this journal');
  }

  /**
   * Indexes for a slice, or until everything is indexed. Returns whether to continue at once; false if the log has nothing
   * more, or if a commit is due while the one before is still being written or the disk is full.
   * @param durableSequence the end of the last durable batch: nothing after it is indexed. Without it, all is.
   */
  index(durableSequence = Number.POSITIVE_INFINITY): boolean {
    const endsMs = performance.now() + SLICE_MS;
    const { recordsPerCommit } = this.settings;
    for (;;) {
      const { tables } = this;
      if (tables.isCommitDue || tables.sequence - this.flushedSequence >= recordsPerCommit) {
        if (this.isCommitting) return false;
        if (this.isHeldUp) {
          this.commitIfOverdue();
          return false;
        }
        void this.commit();
      }
      if (!this.indexSome(durableSequence)) {
        this.commitIfOverdue();
        return false;
      }
      if (performance.now() > endsMs) return true;
    }
  }

  /** Commits everything indexed so far, or joins the commit being written; resolves when it is written. */
  commit(): Promise<void> {
    this.committing ??= this.commitOnce();
    return this.committing;
  }

  /** Rebuilds the index from the beginning of the log. @throws Error if the log cannot be read from there */
  async rebuild(reason: string): Promise<void> {
    if (!this.source.canRewind) throw new Error(`the index cannot be rebuilt: ${reason}`);
    this.onDropped(reason);
    await this.committing?.catch(() => {}); // a failed commit of a dropped index does not matter
    await this.tables.close(false);
    rmSync(this.settings.indexPath, { recursive: true, force: true });
    this.indexer = this.openIndexer();
  }

  /**
   * Reopens index and journal after a long catch-up, which frees the memory of its commits and unmaps the pages of both files.
   */
  async reopen(): Promise<void> {
    await this.committing;
    if (this.hasUncommitted) await this.commit();
    if (this.hasUncommitted) return; // the disk is full: reopening would lose what is only in memory
    await Promise.all([this.tables.close(false), this.source.reopen()]);
    this.indexer = this.openIndexer();
  }

  /** Commits what is indexed and closes everything; if the commit fails, closes everything and rejects. */
  async close(): Promise<void> {
    try {
      await this.committing;
      if (this.hasUncommitted) await this.commit();
    } catch (error) {
      await this.abandon();
      throw error;
    }
    await this.tables.close();
    await this.source.close();
  }

  /** Closes index and journal as they are: a thread that ends with an open environment can crash the process. */
  async abandon(): Promise<void> {
    await Promise.allSettled([this.tables.close(false), this.source.close()]);
  }

  /** Opens the index as it is stored, to be continued from there. */
  private openIndexer(): Indexer {
    const tables = this.openTables();
    this.batch = undefined;
    this.isBatchDone = true;
    this.journalHash = tables.stored?.journal ?? '';
    this.flushedSequence = tables.committedSequence;
    return new Indexer(tables);
  }

  /** The stored tables, or new ones if those cannot be used. */
  private openTables(): Tables {
    const { indexPath, dataDir } = this.settings;
    const isTemporary = dataDir === undefined;
    const store = new IndexStore(indexPath, isTemporary);
    try {
      return new Tables(store);
    } catch (error) {
      this.onDropped(reasonOf(error));
    }
    void store.close(false); // a checksum would be written when the next index is already in this folder
    rmSync(indexPath, { recursive: true, force: true });
    return new Tables(new IndexStore(indexPath, isTemporary));
  }

  private isOfJournal({ sequence, hash, journal }: Cursor): boolean {
    return this.source.hashAt(1) === journal && this.source.hashAt(sequence) === hash;
  }

  /** Indexes some records; false if there are none. */
  private indexSome(durableSequence: number): boolean {
    const { tables, indexer } = this;
    if (this.batch === undefined || this.isBatchDone) {
      const bytes = this.source.next(tables.sequence, durableSequence);
      if (bytes === undefined) return false;
      this.batch = new BatchReader(bytes);
      this.isBatchDone = false;
    }
    const { batch } = this;
    for (let count = 0; count < CLOCK_CHECK_RECORDS; count += 1) {
      if (!batch.next()) {
        this.isBatchDone = true;
        return true;
      }
      const { sequence } = batch;
      if (sequence <= tables.sequence) continue;
      if (sequence !== tables.sequence + 1) throw new Error(`record ${sequence} does not follow ${tables.sequence}`);
      if (this.journalHash === '') this.journalHash = batch.hash();
      indexer.apply(batch);
    }
    return true;
  }

  /**
   * Whether more would only fill the memory until the disk has space again. Records that cannot be read a second time take
   * memory in any case.
   */
  private get isHeldUp(): boolean {
    return this.isDiskFull && this.tables.isCommitDue && this.source.canRewind;
  }

  private commitIfOverdue(): void {
    if (!this.isCommitting && this.hasUncommitted && performance.now() - this.lastCommitMs >= COMMIT_MS)
      void this.commit();
  }

  private async commitOnce(): Promise<void> {
    this.flushedSequence = this.tables.sequence;
    try {
      // On a full disk nothing is committed: what is indexed is answered from memory.
      this.isDiskFull = !(await this.tables.reserve());
      if (this.isDiskFull) return;
      // Read only now: indexing continued while space was reserved.
      const { batch, tables } = this;
      if (batch === undefined) return;
      this.flushedSequence = tables.sequence;
      // A batch that is read again, because records were added to it, may not have reached the last indexed record yet.
      while (batch.sequence < tables.sequence && batch.next());
      await tables.commit(batch.hash(), this.journalHash);
    } finally {
      this.lastCommitMs = performance.now();
      this.committing = undefined;
    }
  }
}
