// Preallocates disk space for what LMDB is about to write: the file is filled with zeros beyond what LMDB uses. A full disk, a
// read-only file system or a limit on a file's size then fails here, with the system's error and nothing half-done. When
// LMDB itself fails to write a page, its binding overruns the buffer of its error text, and the process may crash. Used by the
// stores of journal and historian, never while LMDB writes.
import { closeSync, openSync, write } from 'node:fs';
import { promisify } from 'node:util';
import { readMetas } from './meta.ts';

/**
 * How much more than needed (bytes) is filled at a time, so that it is rarely done: half of what the file holds, within these
 * bounds. Writing into filled space is much faster than making a file longer. Large writes get only the least: their own
 * zeros are overwritten before they reach the disk, and more ahead of them would be written for nothing.
 */
const AHEAD_BYTES = { min: 128 * 1024, max: 4 * 1024 * 1024 } as const;
const LARGE_BYTES = 256 * 1024;
/** Pages that a commit may copy besides what it writes, if it only appends entries at the end of the tree. */
const COPIED_PAGES_MAX = 32;
const ZEROS = Buffer.alloc(1024 * 1024);
const writeAt = promisify(write);

export class DiskSpace {
  private readonly file: string;
  private descriptor = -1;
  /** The file has its space on disk up to here. */
  private filledBytes = 0;
  /** How far LMDB may use the file by now: an upper bound, since each commit is counted with the most that it can take. */
  private usedBytesMax = Number.POSITIVE_INFINITY;
  private pageBytes = 0;

  /** @param file LMDB's data file */
  constructor(file: string) {
    this.file = file;
  }

  /**
   * Reserves space for the next commit, filling the file if need be. Throws the system's error when the disk has none.
   * @param bytes of the values
   * @param scatteredEntries entries that it changes or adds anywhere but at the end of the tree: LMDB copies each of their pages
   */
  async reserve(bytes: number, scatteredEntries = 0): Promise<void> {
    const { usedBytes, neededBytes } = this.need(bytes, scatteredEntries);
    if (neededBytes > this.filledBytes) {
      const { min, max } = AHEAD_BYTES;
      const end = neededBytes + (bytes >= LARGE_BYTES ? min : Math.max(min, Math.min(max, usedBytes / 2)));
      for (let at = Math.max(usedBytes, this.filledBytes); at < end; ) {
        const { bytesWritten } = await writeAt(this.descriptor, ZEROS, 0, Math.min(ZEROS.length, end - at), at);
        at += bytesWritten;
      }
      this.filledBytes = end;
    }
    this.usedBytesMax = neededBytes;
  }

  /** Reserves the space if the file has it already; returns whether it has. */
  tryReserve(bytes: number, scatteredEntries: number): boolean {
    const { neededBytes } = this.need(bytes, scatteredEntries);
    if (neededBytes > this.filledBytes) return false;
    this.usedBytesMax = neededBytes;
    return true;
  }

  /**
   * How far LMDB uses the file now, and how far at most after the next commit. LMDB's own figures are read only when the upper
   * bound would not fit: reading them costs as much as a small commit itself.
   */
  private need(bytes: number, scatteredEntries: number): { readonly usedBytes: number; readonly neededBytes: number } {
    const { usedBytesMax, pageBytes } = this;
    const boundBytes = usedBytesMax + bytes + (COPIED_PAGES_MAX + 2 * scatteredEntries) * pageBytes;
    if (boundBytes <= this.filledBytes) return { usedBytes: usedBytesMax, neededBytes: boundBytes };
    if (this.descriptor < 0) this.descriptor = openSync(this.file, 'r+');
    const metas = readMetas(this.descriptor);
    if (metas === undefined) throw new Error(`${this.file} has lost its first pages`);
    const meta = metas.newer;
    const copiedPages =
      COPIED_PAGES_MAX + Math.min(scatteredEntries, meta.leafPages) + Math.min(scatteredEntries, meta.branchPages);
    this.pageBytes = meta.pageBytes;
    const usedBytes = (meta.lastPage + 1) * meta.pageBytes;
    return { usedBytes, neededBytes: usedBytes + bytes + copiedPages * meta.pageBytes };
  }

  close(): void {
    if (this.descriptor >= 0) closeSync(this.descriptor);
    this.descriptor = -1;
    this.filledBytes = 0;
    this.usedBytesMax = Number.POSITIVE_INFINITY;
  }
}
