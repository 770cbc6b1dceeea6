// Archiving: moves the records that no kept snapshot needs from the data directory to a folder that the operator names. Nothing
// is removed before the archived records and the kept ones have both been read back, record by record. LMDB never gives space
// back, so the journal's file is replaced atomically by a new one with the kept records. Called by the command `archive`, while
// no exchange runs. A crash at any moment leaves a data directory that is whole; the next call goes on from there.
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SnapshotUnusable } from '../protocol/index.ts';
import { copyRecords } from './copy.ts';
import { DataDirectory } from './dataDirectory.ts';
import { SnapshotOfAnotherVersion } from './errors.ts';
import {
  copyDurably,
  dataFileIn,
  FORMAT_FILE,
  isWithin,
  journalFolderIn,
  keptFolderIn,
  makeFolders,
  PRIVATE_FOLDER,
  syncFolder,
} from './files.ts';
import { hashAt, lastSequenceOf, readBatches } from './journal.ts';
import { LmdbStore } from './lmdbStore.ts';
import { type ArchivedPart, readArchiveList, writeArchiveList } from './parts.ts';
import { hashAfter, type JournalRecord } from './record.ts';
import { type SnapshotFacts, SnapshotFile } from './snapshotFile.ts';
import { SnapshotFolder } from './snapshots.ts';

/** Points at which a crash may come, in order. */
export type ArchiveStep = 'copied' | 'kept' | 'listed' | 'cut';

interface ArchiveOptions {
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Called after each step. */
  readonly onStep?: ((step: ArchiveStep) => void) | undefined;
}

/** The result of archiving. */
export interface Archived {
  readonly part: ArchivedPart;
  /** The first record that is still in the data directory. */
  readonly keptFrom: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/**
 * Moves the records before the oldest kept snapshot into a new folder below `toFolder`.
 * @returns undefined when there is nothing to archive
 * @throws DataDirectoryLocked while an exchange runs, JournalDamaged, a plain error when the oldest snapshot is not sound or a
 * copy differs from its source: the data directory is then as it was
 */
export async function archiveJournal(
  dataDir: string,
  toFolder: string,
  options: ArchiveOptions = {},
): Promise<Archived | undefined> {
  // Files in there could be taken for drafts, and removed.
  if (isWithin(toFolder, dataDir))
    throw new Error(`The archive folder ${toFolder} must not be inside the data directory ${dataDir}.`);
  const directory = new DataDirectory(dataDir);
  let store: LmdbStore | undefined;
  try {
    store = new LmdbStore(directory.journalPath, true);
    return await archiveRecords(directory, store, resolve(toFolder), options);
  } finally {
    await store?.close();
    directory.release();
  }
}

async function archiveRecords(
  { path: dataDir, journalPath }: DataDirectory,
  store: LmdbStore,
  toFolder: string,
  { onProgress, onStep = () => {} }: ArchiveOptions,
): Promise<Archived | undefined> {
  const needed = neededFrom(dataDir, store);
  const list = readArchiveList(dataDir);
  const liveFirst = store.firstBatchSequence() ?? 1;
  if (needed === undefined || needed <= liveFirst) return undefined;
  // A listed part that the journal still holds is of a call that was cut off, or the journal was put back from a copy of its
  // file. The part may be gone or damaged since, so its records are archived again.
  const before = list.parts.filter(({ lastSequence }) => lastSequence < liveFirst);
  const first = (before.at(-1)?.lastSequence ?? 0) + 1;
  const total = lastSequenceOf(store);
  const part = await archivePart(dataDir, store, toFolder, { first, last: needed - 1, total, onProgress });
  onStep('copied');
  const file = dataFileIn(journalPath);
  const bytesBefore = statSync(file).size;
  const draft = keptFolderIn(dataDir);
  try {
    await copyChecked(store, draft, { first: needed, last: total, total, onProgress });
    onStep('kept');
    writeArchiveList(dataDir, { journal: list.journal || (hashAt(store, 1) ?? ''), parts: [...before, part] });
    onStep('listed');
    renameSync(dataFileIn(draft), file);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
  // Processes that still read the old file keep its reader table: the new file gets a new one.
  rmSync(join(journalPath, 'lock.mdb'), { force: true });
  syncFolder(journalPath);
  rmSync(draft, { recursive: true, force: true });
  onStep('cut');
  return { part, keptFrom: needed, bytesBefore, bytesAfter: statSync(file).size };
}

/** The first record of the batch that holds the oldest kept snapshot's record: a start may need it and all after it. */
function neededFrom(dataDir: string, store: LmdbStore): number | undefined {
  for (const { path, sequence } of new SnapshotFolder(dataDir).list().toReversed()) {
    const facts = soundFacts(path);
    if (facts === undefined) continue;
    const isOfJournal = facts.sequence === sequence && hashAt(store, sequence) === facts.journalHash;
    if (!isOfJournal) refuse(path, 'it is not of this journal');
    const [batch] = store.batches(sequence);
    return batch.firstSequence;
  }
  return undefined;
}

/**
 * The facts of a snapshot, which is read to its end and must be sound; undefined for one in another version's file format. The
 * records that such a file needs are not known here: the version that reads it finds archived records where archive.json says.
 */
function soundFacts(path: string): SnapshotFacts | undefined {
  try {
    return new SnapshotFile(path).facts;
  } catch (error) {
    if (error instanceof SnapshotOfAnotherVersion) return undefined;
    if (error instanceof SnapshotUnusable) refuse(path, error.reason);
    throw error;
  }
}

function refuse(path: string, reason: string): never {
  throw new Error(`The snapshot ${path} cannot be used: ${reason}. No start needs it: remove it, and archive again.`);
}

interface Range {
  readonly first: number;
  readonly last: number;
  /** The last record of the journal, where the work ends: the total for progress. */
  readonly total: number;
  readonly onProgress: ((done: number, total: number) => void) | undefined;
}

async function archivePart(dataDir: string, store: LmdbStore, toFolder: string, range: Range): Promise<ArchivedPart> {
  const { first, last } = range;
  const folder = join(toFolder, `records-${first}-${last}`);
  const partOf = (hash: string): ArchivedPart => ({ folder, firstSequence: first, lastSequence: last, hash });
  // Left by a call that was cut off after it had copied, perhaps before the names were durable: verified again, and used.
  if (existsSync(folder)) {
    const hash = await readBack(store, journalFolderIn(folder), first, last);
    for (const left of [journalFolderIn(folder), folder, toFolder]) syncFolder(left);
    return partOf(hash);
  }
  const draft = `${folder}.draft`;
  makeFolders(toFolder);
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: PRIVATE_FOLDER });
  let hash: string;
  try {
    copyDurably(join(dataDir, FORMAT_FILE), join(draft, FORMAT_FILE));
    hash = await copyChecked(store, journalFolderIn(draft), range);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
  renameSync(draft, folder);
  syncFolder(toFolder);
  return partOf(hash);
}

/** Compares a copy with the journal. Returns the running hash after the copy's last record. */
async function readBack(source: LmdbStore, folder: string, first: number, last: number): Promise<string> {
  const copy = new LmdbStore(folder, true);
  try {
    return compareRecords(source, copy, first, last, folder);
  } finally {
    await copy.close();
  }
}

/** Copies records into a new environment, reads them back and compares them. Returns the running hash after the last. */
async function copyChecked(source: LmdbStore, folder: string, range: Range): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  try {
    const onProgress = (done: number): void => range.onProgress?.(done, range.total);
    const last = await copyRecords(readBatches(source, range.first), folder, { ...range, onProgress });
    return await readBack(source, folder, range.first, last);
  } catch (error) {
    // A full disk needs its space back.
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Throws when the copy differs from its source. Returns the running hash after its last record. */
function compareRecords(source: LmdbStore, copy: LmdbStore, first: number, last: number, folder: string): string {
  const copied = recordsFrom(copy, first);
  let hash = '';
  for (const record of recordsFrom(source, first)) {
    if (record.sequence > last) break;
    const { value, done } = copied.next();
    if (done === true || Buffer.compare(value.bytes, record.bytes) !== 0) {
      throw new Error(
        `The copy in ${folder} differs from the original from record ${record.sequence} on. Nothing was removed.`,
      );
    }
    if (record.sequence === last) hash = hashAfter(value);
  }
  if (hash === '' || copied.next().done !== true) throw new Error(`The copy in ${folder} holds different records.`);
  return hash;
}

function* recordsFrom(store: LmdbStore, first: number): Generator<JournalRecord> {
  for (const records of readBatches(store, first)) yield* records;
}
