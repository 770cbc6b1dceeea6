// The data directory: its format number, its lock, and the folder for crash dumps.
// Opened by the pipeline before the journal; released after it. It never touches the journal's own files.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DirectoryLock } from './directoryLock.ts';
import { FormatUnsupported } from './errors.ts';
import {
  FORMAT_FILE,
  journalFileIn,
  journalFolderIn,
  keptFolderIn,
  makeFolders,
  PRIVATE_FILE,
  PRIVATE_FOLDER,
  syncNameOf,
  writeWhole,
} from './files.ts';

/** Number of the layout of the data directory and its records: raised by every change that older programs cannot read. */
export const DATA_FORMAT = 2;
/** The oldest that this program still reads: format 1 was never released. */
const OLDEST_FORMAT = 2;

export class DataDirectory {
  readonly path: string;
  private readonly lock: DirectoryLock;

  /**
   * Creates the directory if need be, locks it, checks its format, and removes what a killed call of `archive` left in it.
   * Throws DataDirectoryLocked with the holder's pid, or FormatUnsupported.
   */
  constructor(path: string) {
    this.path = path;
    makeFolders(path);
    this.lock = new DirectoryLock(path);
    try {
      ensureFormat(path);
      rmSync(keptFolderIn(path), { recursive: true, force: true });
    } catch (error) {
      this.release();
      throw error;
    }
  }

  /** The folder of the journal's environment. */
  get journalPath(): string {
    return journalFolderIn(this.path);
  }

  /** Writes a file for the analysis of a crash; returns its path. */
  dumpCrash(name: string, text: string): string {
    const folder = join(this.path, 'crash');
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
    const file = join(folder, name);
    writeFileSync(file, text, { mode: PRIVATE_FILE });
    return file;
  }

  /** Lets the next process in. */
  release(): void {
    this.lock.release();
  }
}

/** A new directory gets the current format's number; that of an old one is checked. */
function ensureFormat(path: string): void {
  const file = join(path, FORMAT_FILE);
  if (existsSync(file) || existsSync(journalFileIn(path))) {
    checkFormat(path);
    return;
  }
  writeWhole(file, `${JSON.stringify({ format: DATA_FORMAT })}\n`);
  syncNameOf(path);
}

/** Throws FormatUnsupported when a directory was written by a newer program, or its format cannot be read. */
export function checkFormat(path: string): void {
  const file = join(path, FORMAT_FILE);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  let format: unknown;
  try {
    format = JSON.parse(text).format;
  } catch {
    format = undefined;
  }
  if (typeof format !== 'number' || !Number.isSafeInteger(format) || format < OLDEST_FORMAT || format > DATA_FORMAT) {
    throw new FormatUnsupported(path, format === undefined ? 'unknown' : String(format), DATA_FORMAT);
  }
}
