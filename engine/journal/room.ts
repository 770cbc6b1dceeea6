// Room for what LMDB is about to write: the file is filled with zeros beyond what LMDB uses, by calls of our own. A disk that
// is full, a file system that became read-only or a limit on a file's size so fails here, with its name and nothing
// half-done; where LMDB itself fails to write a page, its binding writes past the end of the text that it makes of the
// failure, and the process may end. Used by the stores of journal and historian, never while LMDB writes.
import { closeSync, openSync, write } from 'node:fs';
import { promisify } from 'node:util';
import { readMetas } from './meta.ts';

/**
 * The file is filled so far (bytes) beyond what is asked for, so that this is seldom to be done: half of what it holds, within
 * these bounds. A flush into filled room is much faster than one that makes a file longer. For what is large itself, only the
 * least: its zeros are overwritten before they reach the disk, those ahead would be written for nothing.
 */
const AHEAD_BYTES = { least: 128 * 1024, most: 4 * 1024 * 1024 } as const;
const LARGE_BYTES = 256 * 1024;
/** Pages that a commit may copy besides what it was asked to write, with entries at the end of the tree alone. */
const COPIED_PAGES_MAX = 32;
const ZEROS = Buffer.alloc(1024 * 1024);
const writeAt = promisify(write);

export class Room {
  private readonly file: string;
  private descriptor = -1;
  /** From the start of the file on it has its space so far. */
  private filledBytes = 0;
  /** As far as LMDB may use the file by now: more than it does, since what a commit takes is reckoned at the most. */
  private usedBytesMax = Number.POSITIVE_INFINITY;
  private pageBytes = 0;

  /** @param file LMDB's data file */
  constructor(file: string) {
    this.file = file;
  }

  /**
   * Makes room for so many bytes, which change or add so many entries anywhere in LMDB's tree, besides a few at its end:
   * LMDB copies every page that it changes. Throws the system's error when there is none.
   */
  async make(bytes: number, scatteredEntries = 0): Promise<void> {
    const { usedBytes, neededBytes } = this.need(bytes, scatteredEntries);
    if (neededBytes > this.filledBytes) {
      const { least, most } = AHEAD_BYTES;
      const end = neededBytes + (bytes >= LARGE_BYTES ? least : Math.max(least, Math.min(most, usedBytes / 2)));
      for (let at = Math.max(usedBytes, this.filledBytes); at < end; ) {
        const { bytesWritten } = await writeAt(this.descriptor, ZEROS, 0, Math.min(ZEROS.length, end - at), at);
        at += bytesWritten;
      }
      this.filledBytes = end;
    }
    this.usedBytesMax = neededBytes;
  }

  /** Whether there is room already, which is then taken. */
  take(bytes: number, scatteredEntries: number): boolean {
    const { neededBytes } = this.need(bytes, scatteredEntries);
    if (neededBytes > this.filledBytes) return false;
    this.usedBytesMax = neededBytes;
    return true;
  }

  /**
   * How far LMDB uses the file now, and how far at most after the next commit. LMDB's own figures are read when what is
   * reckoned would not fit: to read them every time costs a small commit as much as LMDB itself.
   */
  private need(bytes: number, scatteredEntries: number): { readonly usedBytes: number; readonly neededBytes: number } {
    const { usedBytesMax, pageBytes } = this;
    const reckonedBytes = usedBytesMax + bytes + (COPIED_PAGES_MAX + 2 * scatteredEntries) * pageBytes;
    if (reckonedBytes <= this.filledBytes) return { usedBytes: usedBytesMax, neededBytes: reckonedBytes };
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
