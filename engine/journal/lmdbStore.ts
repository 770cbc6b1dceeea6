// The store on disk: one LMDB environment of its own, one value a batch. Used by the journal only. Flags that matter:
// overlappingSync off (a resolved write is durable, a rejected one absent), never useWritemap or noSync, append only.
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { reasonOf } from '../protocol/index.ts';
import { commitCauseOf } from './commitCause.ts';
import { withDeadline } from './deadline.ts';
import { DiskSpace } from './diskSpace.ts';
import { prepareToRead, prepareToWrite } from './environment.ts';
import { JournalDamaged } from './errors.ts';
import { dataFileIn, PRIVATE_FOLDER, syncFolder } from './files.ts';
import { assertEndIsWhole } from './lastPages.ts';
import { type BatchStore, copyOf, requireSequence, type StoredBatch } from './store.ts';

/** LMDB may hang in close() while the disk is full: after this long (ms) it is left open until the process ends. */
const CLOSE_DEADLINE_MS = 1_000;
/** Keys of batches read at a time. */
const KEYS_PER_READ = 256;

/** How many environments of this process are being closed; one stays among them while a call to its disk hangs. */
let closingCount = 0;

/** Whether an orderly end of this process would wait for a call to a journal's disk that hangs. */
export const wouldWaitForJournal = (): boolean => closingCount > 0;

export class LmdbStore implements BatchStore {
  isLeftOpen = false;
  private readonly folder: string;
  private readonly isReadOnly: boolean;
  private database: RootDatabase<Uint8Array, number>;
  private readonly space: DiskSpace;
  private readonly releaseReaders: () => Promise<void>;
  /** LMDB has failed to write, and must be opened anew before it is used again. */
  private isBroken = false;
  /** Which file was opened. */
  private readonly identity: string | undefined;

  /**
   * Opens (creates) the environment in this folder. Throws JournalDamaged when its file is shorter than it says, or
   * its end is not as it was written.
   * @param releaseReaders makes all other readers of the file in this process close it: LMDB's binding shares one environment
   * per file, and one that has failed can only be opened anew once everybody has closed it
   */
  constructor(folder: string, isReadOnly = false, releaseReaders: () => Promise<void> = async () => {}) {
    this.folder = folder;
    this.isReadOnly = isReadOnly;
    this.releaseReaders = releaseReaders;
    this.space = new DiskSpace(dataFileIn(folder));
    if (!isReadOnly) mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
    this.database = this.openDatabase();
    this.identity = identityOf(dataFileIn(folder));
    if (isReadOnly) return;
    // For an existing file too: whoever made it or put it in place may have ended before its name was durable.
    syncFolder(folder);
    syncFolder(dirname(resolve(folder)));
  }

  async write(firstSequence: number, batch: Uint8Array): Promise<void> {
    this.requireInPlace();
    await this.space.reserve(batch.length);
    let isWritten: boolean;
    try {
      isWritten = await this.database.put(firstSequence, batch);
    } catch (error) {
      this.isBroken = true;
      const cause = await commitCauseOf(error);
      throw new Error(reasonOf(cause ?? error));
    }
    if (isWritten) return;
    this.isBroken = true;
    throw new Error('LMDB did not accept the batch');
  }

  last(): StoredBatch | undefined {
    const [last] = readSound(1, () => [...this.database.getRange({ reverse: true, limit: 1 })]);
    return last === undefined ? undefined : { firstSequence: requireSequence(last.key, 1), bytes: last.value };
  }

  lastBatchSequence(): number {
    const [last] = readSound(1, () => [...this.database.getKeys({ reverse: true, limit: 1 })]);
    return last === undefined ? 0 : requireSequence(last, 1);
  }

  /** The first sequence of the first batch, if there is one. */
  firstBatchSequence(): number | undefined {
    const [first] = readSound(1, () => [...this.database.getKeys({ limit: 1 })]);
    return first === undefined ? undefined : requireSequence(first, 1);
  }

  *batches(sequence: number): Generator<StoredBatch> {
    for (const batch of this.lentBatches(sequence)) yield copyOf(batch);
  }

  /**
   * The same without copies: the bytes of a batch are valid until anything else is read from LMDB in this thread, which
   * overwrites them.
   */
  *lentBatches(sequence: number): Generator<StoredBatch> {
    let start = this.startOf(sequence);
    for (let isFirst = true; ; isFirst = false) {
      const options = { start, exclusiveStart: !isFirst, limit: KEYS_PER_READ };
      const keys = readSound(Math.max(sequence, start), () => [...this.database.getKeys(options)]);
      for (const key of keys) {
        const value = readSound(requireSequence(key, start), () => this.database.getBinaryFast(key));
        if (value === undefined) throw new JournalDamaged(key, 'LMDB lists a batch that it does not contain');
        yield { firstSequence: key, bytes: value.subarray(0, value.length) }; // it is longer than its `length` says
      }
      if (keys.length < KEYS_PER_READ) return;
      start = keys[keys.length - 1];
    }
  }

  /** The key of the batch that holds a sequence, 0 if there is none. */
  private startOf(sequence: number): number {
    const before = { start: sequence, reverse: true, limit: 1 } as const;
    const [start] = readSound(sequence, () => [...this.database.getKeys(before)]);
    return start === undefined ? 0 : requireSequence(start, sequence);
  }

  /** Lets the next read see what others have written until now. */
  refresh(): void {
    this.database.resetReadTxn();
  }

  async reopen(): Promise<void> {
    if (!this.isBroken) return;
    this.requireInPlace();
    await this.releaseReaders();
    await this.close();
    this.database = this.openDatabase();
    this.isBroken = false;
  }

  async close(): Promise<void> {
    this.space.close();
    closingCount += 1;
    const closed = this.database.close().finally(() => {
      closingCount -= 1;
    });
    try {
      const isClosed = await withDeadline(
        closed.then(() => true),
        CLOSE_DEADLINE_MS,
      );
      this.isLeftOpen = isClosed === undefined;
    } catch {
      // An environment whose last write failed may report it again while it closes; that failure has been handled.
    }
  }

  /**
   * Throws unless the file that was opened is still there: a write to one that was removed succeeds, and is lost when this process
   * ends. One that was moved can be moved back.
   */
  private requireInPlace(): void {
    if (identityOf(dataFileIn(this.folder)) === this.identity) return;
    throw new Error(
      'its file data.mdb was moved, removed or replaced while in use: move it back, or stop the exchange',
    );
  }

  private openDatabase(): RootDatabase<Uint8Array, number> {
    if (this.isReadOnly) prepareToRead(this.folder);
    else prepareToWrite(this.folder);
    assertEndIsWhole(this.folder);
    return open<Uint8Array, number>({
      path: this.folder,
      encoding: 'binary',
      overlappingSync: false,
      // One put at a time needs no batching; with it, a failed commit would also reject a promise that nobody can reach.
      eventTurnBatching: false,
      readOnly: this.isReadOnly,
      maxDbs: 1,
    });
  }
}

/** Tells a file from all others of the machine; undefined if there is none. */
function identityOf(file: string): string | undefined {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}/${stats.ino}`;
}

/** The messages of LMDB on a page that it cannot read, and of its binding on a key. */
const UNREADABLE = /^MDB_(CORRUPTED|PAGE_NOTFOUND|INVALID|BAD_TXN)|converted to a BigInt|Invalid key size/;

/** Turns LMDB's or its binding's error on an unreadable page or key into damage from the requested sequence on. */
function readSound<T>(sequence: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error && UNREADABLE.test(error.message))) throw error;
    throw new JournalDamaged(sequence, `LMDB cannot read the file data.mdb (${error.message})`);
  }
}
