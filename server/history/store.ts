// The index on disk: one LMDB environment of its own, opened, checked, committed and closed here. Used by the historian's
// thread alone. Everything of a commit, the cursor included, is one transaction. The index can always be built anew from
// the journal, so whatever looks wrong with it is dropped, never repaired.
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { open, type RootDatabase } from 'lmdb';
import { assertFileIsWhole, DiskSpace, dataFileIn, prepareToWrite, reasonOf } from '../../engine/index.ts';

/** Number of the layout of everything in the index: an index of another number is dropped. */
export const INDEX_FORMAT = 3;
/** Checksum of the data file, written when it was closed in order and gone while it is open. */
const SUM_FILE = 'sum.json';
const READ_BYTES = 4 * 1024 * 1024;
/** A larger file is not summed up, so that stopping never takes long: it is then taken as one that was killed is. */
const SUM_BYTES_MAX = 2 * 1024 ** 3;

/**
 * Takes a copy of the key; the value must not change until the commit is through. It is all of the bytes, or the part of
 * them from `start` to `end`: then they are the beginning of an ArrayBuffer.
 */
export type Put = (key: Buffer, bytes: PutBytes, start?: number, end?: number) => void;
/** lmdb writes the part of a buffer that these name (its write.js), so that a part needs no view of its own. */
export type PutBytes = Buffer & { start?: number; end?: number };
/** What a commit takes of the disk at most: bytes, and entries anywhere in the tree that hold them. */
export interface Need {
  readonly bytes: number;
  readonly entries: number;
}

/** Takes a copy of the key; one that is not there is no mistake. */
export type Remove = (key: Buffer) => void;

/** CRC32 and length of a file, as text. */
function sumOf(file: string): string {
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

/** Why the folder's data file cannot be used; undefined when it can, or when there is none. */
function faultOf(folder: string): string | undefined {
  const file = dataFileIn(folder);
  const sumFile = join(folder, SUM_FILE);
  if (!existsSync(file)) return existsSync(sumFile) ? 'its file is missing' : undefined;
  try {
    assertFileIsWhole(folder);
    // Without the sum the process was killed: LMDB is then as it was at its last commit.
    if (existsSync(sumFile) && readFileSync(sumFile, 'utf8') !== sumOf(file)) return 'its file is not as it was left';
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** Removes whatever lies in the folder if it cannot be used, or if asked to; returns why it did, undefined if not. */
export function dropUnusable(folder: string, isFresh: boolean): string | undefined {
  const fault = isFresh ? 'a new one was asked for' : faultOf(folder);
  if (fault !== undefined) rmSync(folder, { recursive: true, force: true });
  return fault;
}

export class IndexStore {
  /** Nothing was stored before the tables that use it were made: all that is there went through them (tables.ts states it). */
  wasEmpty = false;
  private readonly folder: string;
  private readonly space: DiskSpace;
  private readonly database: RootDatabase<Uint8Array, Buffer>;
  /** Made once: V8 builds them into the loops of the tables, and throws that code away when it meets another function. */
  private readonly put: Put;
  private readonly remove: Remove;

  /** Opens the environment, making it if need be; `isPassing`: it need not survive the machine. */
  constructor(folder: string, isPassing: boolean) {
    this.folder = folder;
    this.space = new DiskSpace(dataFileIn(folder));
    mkdirSync(folder, { recursive: true });
    rmSync(join(folder, SUM_FILE), { force: true });
    prepareToWrite(folder);
    this.database = open<Uint8Array, Buffer>({
      path: folder,
      encoding: 'binary',
      keyEncoding: 'binary',
      overlappingSync: false,
      noSync: isPassing,
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

  /** The value of a key; valid until the next call of anything here. */
  get(key: Buffer): Uint8Array | undefined {
    const value = this.database.getBinaryFast(key);
    return value?.subarray(0, value.length); // what lmdb returns is longer than its `length` says
  }

  /** Up to `limit` entries from a key on and before another, read at once. */
  range(start: Buffer, end: Buffer, limit: number): readonly { readonly key: Buffer; readonly value: Uint8Array }[] {
    return [...this.database.getRange({ start, end, limit })];
  }

  /** Reserves disk space for a commit; false when the disk is full. */
  async reserve({ bytes, entries }: Need): Promise<boolean> {
    return this.space.reserve(bytes, entries).then(
      () => true,
      () => false,
    );
  }

  /** Reserves the space if it is filled already; returns whether it is. */
  tryReserve({ bytes, entries }: Need): boolean {
    return this.space.tryReserve(bytes, entries);
  }

  /**
   * Writes everything that the function puts and removes, as one transaction. The function has run when this returns; the
   * bytes must not change until it resolves.
   */
  async commit(write: (put: Put, remove: Remove) => void): Promise<void> {
    const { database, put, remove } = this;
    await database.batch(() => write(put, remove));
    database.resetReadTxn();
  }

  /** @param isSummed whether to leave a checksum that tells whether the file is still the same when it is opened */
  async close(isSummed = true): Promise<void> {
    this.space.close();
    await this.database.close();
    if (!isSummed) return;
    const file = dataFileIn(this.folder);
    if (existsSync(file) && statSync(file).size <= SUM_BYTES_MAX)
      writeFileSync(join(this.folder, SUM_FILE), sumOf(file));
  }
}
