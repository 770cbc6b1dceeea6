// The data directory: its format number, the lock that keeps a second process out, and the folder for crash dumps.
// Opened by the pipeline before the journal; released after it. It never touches the journal's own files.
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DataDirectoryLocked, FormatUnsupported } from './errors.ts';
import { codeOf, makeFolders, syncFolder, writeWhole } from './files.ts';

/** Number of the layout of the data directory and its records: raised by every change that older programs cannot read. */
export const DATA_FORMAT = 2;
/** The oldest that this program still reads: format 1 was never released. */
const OLDEST_FORMAT = 2;

/** Directories that this process holds: a lock that names our own pid is another's, of a pid used again, if not in here. */
const held = new Set<string>();

interface LockHolder {
  readonly pid: number;
  /** When the process started, as the system counts it; undefined where that cannot be read. */
  readonly startedAt: string | undefined;
}

export class DataDirectory {
  readonly path: string;
  private readonly lockPath: string;

  /**
   * Creates the directory if need be, locks it and checks its format.
   * Throws DataDirectoryLocked with the holder's pid, or FormatUnsupported.
   */
  constructor(path: string) {
    this.path = path;
    this.lockPath = join(path, 'lock');
    makeFolders(path);
    takeLock(path, this.lockPath);
    try {
      settleFormat(path);
    } catch (error) {
      this.release();
      throw error;
    }
  }

  /** Where the journal's environment lies. */
  get journalPath(): string {
    return join(this.path, 'journal');
  }

  /** Keeps a file for whoever looks into a crash; returns its path. */
  dumpCrash(name: string, text: string): string {
    const folder = join(this.path, 'crash');
    mkdirSync(folder, { recursive: true });
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  }

  /** Lets the next process in. */
  release(): void {
    if (!held.delete(this.lockPath)) return;
    rmSync(this.lockPath, { force: true });
  }
}

/** A new directory gets the current format's number; that of an old one is checked. */
function settleFormat(path: string): void {
  const file = join(path, 'format.json');
  if (existsSync(file) || existsSync(join(path, 'journal', 'data.mdb'))) {
    checkFormat(path);
    return;
  }
  writeWhole(file, `${JSON.stringify({ format: DATA_FORMAT })}\n`);
  syncFolder(dirname(resolve(path)));
}

/** Throws FormatUnsupported when a directory was written by a newer program, or says nothing that can be understood. */
export function checkFormat(path: string): void {
  const file = join(path, 'format.json');
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

/** Whether the last process that had a directory did not release it, so that its files may be anything. */
export function wasLeftBehind(directory: string): boolean {
  const lockPath = join(directory, 'lock');
  if (!existsSync(lockPath)) return false;
  const holder = readHolder(lockPath);
  return holder === undefined || !isAlive(holder, lockPath);
}

function takeLock(directory: string, lockPath: string): void {
  const text = JSON.stringify({ pid: process.pid, startedAt: startOf(process.pid) });
  // Three rounds: one to take over a stale lock, one more if somebody else was faster and is already gone.
  for (let round = 0; round < 3; round += 1) {
    if (createLock(lockPath, text)) {
      held.add(lockPath);
      return;
    }
    removeStaleLock(directory, lockPath);
  }
  throw new DataDirectoryLocked(directory, readHolder(lockPath)?.pid ?? 0);
}

/** Whether the lock was free and now is ours. It appears with its text in it: nobody ever reads half a lock. */
function createLock(lockPath: string, text: string): boolean {
  const draft = `${lockPath}.new.${process.pid}`;
  try {
    writeFileSync(draft, text);
    linkSync(draft, lockPath);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
  } finally {
    rmSync(draft, { force: true });
  }
  // A file system without hard links: created first, filled right after.
  try {
    writeFileSync(lockPath, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Removes the lock of a process that is no more; throws DataDirectoryLocked when it lives. */
function removeStaleLock(directory: string, lockPath: string): void {
  const holder = readHolder(lockPath);
  if (holder === undefined) {
    if (!existsSync(lockPath)) return;
  } else if (isAlive(holder, lockPath)) {
    throw new DataDirectoryLocked(directory, holder.pid);
  }
  // Moved before it is removed, so that of two processes that both saw a stale lock none removes the other's new one.
  const aside = `${lockPath}.stale.${process.pid}`;
  try {
    renameSync(lockPath, aside);
  } catch {
    return;
  }
  const moved = readHolder(aside);
  if (moved !== undefined && isAlive(moved, lockPath)) {
    if (!existsSync(lockPath)) renameSync(aside, lockPath);
    throw new DataDirectoryLocked(directory, moved.pid);
  }
  rmSync(aside, { force: true });
}

function readHolder(lockPath: string): LockHolder | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(lockPath, 'utf8'));
    if (typeof value !== 'object' || value === null || !('pid' in value) || typeof value.pid !== 'number')
      return undefined;
    const startedAt = 'startedAt' in value && typeof value.startedAt === 'string' ? value.startedAt : undefined;
    return { pid: value.pid, startedAt };
  } catch {
    return undefined;
  }
}

function isAlive({ pid, startedAt }: LockHolder, lockPath: string): boolean {
  if (pid === process.pid) return held.has(lockPath);
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Not permitted to signal it means that it exists.
    if (codeOf(error) !== 'EPERM') return false;
  }
  const current = startOf(pid);
  if (current === 'ended') return false;
  return startedAt === undefined || current === undefined || current === startedAt;
}

/**
 * Boot and start time of a process where the system tells (Linux), so that a pid that is used again is not mistaken for
 * its earlier owner; `ended` for one that has ended and only waits for its parent to notice.
 */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return 'ended';
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${fields[19]}`;
  } catch {
    return undefined;
  }
}
