// The index on disk: opens, checks, commits and closes an LMDB environment of its own. Used by the historian's thread alone. A
// commit, the cursor included, is one transaction. The index can always be rebuilt from the journal, so an index that looks
// wrong is dropped, never repaired.
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { open, type RootDatabase } from 'lmdb';
import {
  assertFileIsWhole,
  codeOf,
  commitCauseOf,
  DiskSpace,
  dataFileIn,
  isRefusedBySystem,
  PRIVATE_FOLDER,
  prepareToWrite,
  reasonOf,
  syncFile,
  syncFolder,
  writeWhole,
} from '../../engine/index.ts';
import { CommitFailed } from './errors.ts';

/** Version of the layout of the whole index; an index of another version is dropped. */
export const INDEX_FORMAT = 3;
/** Holds the data file's checksum: written on a clean close, absent while the index is open. */
const CHECKSUM_FILE = 'sum.json';
const READ_BYTES = 4 * 1024 * 1024;
/** A larger file gets no checksum, to keep stopping fast; it is then treated like the file of a killed process. */
const CHECKSUM_BYTES_MAX = 2 * 1024 ** 3;

/**
 * Puts an entry. The key is copied; the value must not change until the commit completes. The value is all of `bytes`, or its
 * part from `start` to `end`; for a part, `bytes` must begin at the start of its ArrayBuffer.
 */
export type Put = (key: Buffer, bytes: PutBytes, start?: number, end?: number) => void;
/** lmdb writes only the part between these properties of a buffer (its write.js), so a part needs no view of its own. */
export type PutBytes = Buffer & { start?: number; end?: number };
/** The most disk space that a commit takes: bytes, and the number of entries that hold them, anywhere in the B-tree. */
export interface SpaceNeed {
  readonly bytes: number;
  readonly entries: number;
}

/** Removes a key, which is copied; a missing key is no error. */
export type Remove = (key: Buffer) => void;

/** CRC32 and length of a file, as text. */
function checksumOf(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    let sum = 0;
    let length = 0;
    for (let read = readSync(descriptor, buffer); read > 0; read = readSync(descriptor, buffer)) {
      sum = crc32(buffer.subarray(0, read), sum);
      length += read;
    }
    return JSON.stringify({ format: INDEX_FORMAT, crc32: sum, length });
  } finally {
    closeSync(descriptor);
  }
}

/** Leaves the checksum of the folder's data file. Its file is flushed first: a power loss must not leave a checksum of more. */
function leaveChecksum(folder: string): void {
  const file = dataFileIn(folder);
  if (!existsSync(file) || statSync(file).size > CHECKSUM_BYTES_MAX) return;
  const checksumFile = join(folder, CHECKSUM_FILE);
  try {
    syncFile(file);
    writeWhole(checksumFile, checksumOf(file));
  } catch {
    rmSync(checksumFile, { force: true }); // without it, the index is opened like one that a killed process left
  }
}

/** Removes the checksum durably: the data file, once changed, must not be found beside the sum of what it was. */
function removeChecksum(folder: string): void {
  const checksumFile = join(folder, CHECKSUM_FILE);
  if (!existsSync(checksumFile)) return;
  rmSync(checksumFile);
  syncFolder(folder);
}

/**
 * Why the folder's data file is unusable; undefined if it is usable or absent. Throws the system's error if it cannot be
 * looked at now, for example because too many files are open: that says nothing about its content.
 */
function faultOf(folder: string): string | undefined {
  const file = dataFileIn(folder);
  const checksumFile = join(folder, CHECKSUM_FILE);
  if (!existsSync(file)) return existsSync(checksumFile) ? 'its file is missing' : undefined;
  try {
    // Without content and checksum, the process was killed as it created the file.
    if (statSync(file).size === 0 && !existsSync(checksumFile)) return undefined;
    assertFileIsWhole(folder);
    // Without a checksum the process was killed; LMDB then has the state of its last commit.
    if (existsSync(checksumFile) && readFileSync(checksumFile, 'utf8') !== checksumOf(file))
      return 'its file is not as it was left';
    return undefined;
  } catch (error) {
    if (isRefusedBySystem(error)) throw error;
    return reasonOf(error);
  }
}

/**
 * Removes the folder if its index is unusable or if `isFresh`; returns the reason, or undefined if nothing was removed. Throws
 * the system's error if it cannot be checked now.
 */
export function dropUnusable(folder: string, isFresh: boolean): string | undefined {
  const fault = isFresh ? 'the historian failed repeatedly' : faultOf(folder);
  if (fault !== undefined) rmSync(folder, { recursive: true, force: true });
  return fault;
}

/**
 * The error of a failed commit by its cause: CommitFailed if the system refused it, any other if LMDB did, as it does when it
 * meets a damaged page.
 */
async function commitErrorOf(error: unknown): Promise<unknown> {
  const cause = await commitCauseOf(error);
  if (cause === undefined) return error;
  // The system's error numbers are positive, LMDB's own are negative.
  return Number(codeOf(cause)) > 0 ? new CommitFailed(cause.message) : cause;
}

export class IndexStore {
  /** Whether the store was empty when the tables opened it, so that they know all of its content (set by tables.ts). */
  wasEmpty = false;
  private readonly folder: string;
  private readonly isTemporary: boolean;
  private readonly space: DiskSpace;
  private readonly database: RootDatabase<Uint8Array, Buffer>;
  /** Created once: V8 inlines them into the tables' loops, and deoptimizes these if it meets another function. */
  private readonly put: Put;
  private readonly remove: Remove;

  /** Opens the environment, creating it if absent. `isTemporary`: it need not survive a crash of the machine. */
  constructor(folder: string, isTemporary: boolean) {
    this.folder = folder;
    this.isTemporary = isTemporary;
    this.space = new DiskSpace(dataFileIn(folder));
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
    removeChecksum(folder);
    prepareToWrite(folder);
    this.database = open<Uint8Array, Buffer>({
      path: folder,
      encoding: 'binary',
      keyEncoding: 'binary',
      overlappingSync: false,
      noSync: isTemporary,
      maxDbs: 1,
    });
    const { database } = this;
    this.put = (key, bytes, start, end) => {
      if (start !== undefined) {
        bytes.start = start;
        bytes.end = end ?? bytes.length;
      }
      void database.put(key, bytes);
    };
    this.remove = (key) => void database.remove(key);
  }

  /** The value of a key; valid until the next call of any method here. */
  get(key: Buffer): Uint8Array | undefined {
    const value = this.database.getBinaryFast(key);
    return value?.subarray(0, value.length); // what lmdb returns is longer than its `length` says
  }

  /** Up to `limit` entries with keys in [start, end), read at once. */
  range(start: Buffer, end: Buffer, limit: number): readonly { readonly key: Buffer; readonly value: Uint8Array }[] {
    return [...this.database.getRange({ start, end, limit })];
  }

  /** Reserves disk space for a commit; false if the disk is full. */
  async reserve({ bytes, entries }: SpaceNeed): Promise<boolean> {
    return this.space.reserve(bytes, entries).then(
      () => true,
      () => false,
    );
  }

  /** Reserves the space if the file has it already; returns whether it has. */
  tryReserve({ bytes, entries }: SpaceNeed): boolean {
    return this.space.tryReserve(bytes, entries);
  }

  /**
   * Writes everything that `write` puts and removes in one transaction. `write` has run when this returns; the bytes must not
   * change until the promise resolves. Rejects with CommitFailed if the system refuses it.
   */
  async commit(write: (put: Put, remove: Remove) => void): Promise<void> {
    const { database, put, remove } = this;
    try {
      await database.batch(() => write(put, remove));
    } catch (error) {
      throw await commitErrorOf(error);
    }
    database.resetReadTxn();
  }

  /**
   * @param leavesChecksum whether to leave a checksum, by which a change of the file is detected when it is opened. A temporary
   * index, which nobody opens again, gets none.
   */
  async close(leavesChecksum = true): Promise<void> {
    this.space.close();
    await this.database.close();
    if (leavesChecksum && !this.isTemporary) leaveChecksum(this.folder);
  }
}
