// Files and folders as a data directory needs them: their paths, making them durably and whole, and where a path really leads.
// Used by the journal and by everything else that keeps a file in a data directory or copies one.
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';

/** Code of a system error, such as ENOENT; empty for any other error. */
export const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** Whether the system refused something, as on a full disk or without permission. */
export const isOfSystem = (error: unknown): error is Error => /^E[A-Z]+$/.test(codeOf(error));

/** What the system says of a file that will not be readable later either: the disk cannot read it, or it is a folder. */
const UNREADABLE: readonly string[] = ['EIO', 'EISDIR'];

/** Whether the system does not let us use a file now, as when too many are open: that says nothing about its content. */
export const isRefusedBySystem = (error: unknown): boolean => isOfSystem(error) && !UNREADABLE.includes(codeOf(error));

/** Whether the process or the system has nothing left to open a file with at present: that says nothing about the file. */
export const isExhausted = (error: unknown): boolean => ['EMFILE', 'ENFILE', 'ENOMEM'].includes(codeOf(error));

/** The folder of a data directory, or of an archived part of one, that holds its records. */
export const journalFolderIn = (directory: string): string => join(directory, 'journal');

/** The file in which LMDB keeps all that it stores in a folder. */
export const dataFileIn = (folder: string): string => join(folder, 'data.mdb');

/** The file of a data directory that holds its records. */
export const journalFileIn = (directory: string): string => dataFileIn(journalFolderIn(directory));

/** The folder of a data directory that holds its snapshots. */
export const snapshotFolderIn = (directory: string): string => join(directory, 'snapshots');

/** The folder of a data directory into which archiving copies the records that stay, until they replace its journal. */
export const keptFolderIn = (directory: string): string => join(directory, 'journal-kept');

/** The name of a data directory's file that says which format it has. */
export const FORMAT_FILE = 'format.json';

/** The file that names the holder of a data directory. */
export const lockPathIn = (directory: string): string => join(directory, 'lock');

/**
 * Modes of the folders and files that are made here: they are for their user alone. A read-only API key needs no signature, and
 * its id is in the journal, in snapshots and in dumped commands.
 */
export const PRIVATE_FOLDER = 0o700;
export const PRIVATE_FILE = 0o600;

/** Makes the content of a file durable, or the names in a folder. */
export function syncFile(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes the names of new files in a folder durable: a power loss may otherwise remove the files, even flushed ones. */
export function syncFolder(path: string): void {
  try {
    syncFile(path);
  } catch (error) {
    // A file system that cannot sync folders answers EINVAL.
    if (codeOf(error) !== 'EINVAL') throw error;
  }
}

/**
 * Makes the name of a folder durable that an earlier process or an operator may have made. A parent that this user may not
 * list cannot be synced: then that is left to whoever made the folder.
 */
export function syncNameOf(folder: string): void {
  try {
    syncFolder(dirname(resolve(folder)));
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error;
  }
}

/** Copies a file, for its user alone, and makes its content durable; syncFolder makes its name durable too. */
export function copyDurably(from: string, to: string): void {
  copyFileSync(from, to);
  chmodSync(to, PRIVATE_FILE);
  syncFile(to);
}

/** Replaces a file atomically and durably: a crash or a full disk leaves the old file or the new one, whole. */
export function writeWhole(path: string, text: string): void {
  const draft = `${path}.new`;
  try {
    writeFileSync(draft, text, { flush: true, mode: PRIVATE_FILE });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/**
 * Makes a folder and its missing parents, one by one and durably; a folder whose name cannot be made durable is removed again,
 * since the next call would take it for one that is. Node's own recursive form never returns below a folder that exists but
 * refuses new ones with "not found", as /proc does.
 */
export function makeFolders(path: string): void {
  const missing: string[] = [];
  for (let folder = resolve(path); !existsSync(folder); folder = dirname(folder)) missing.push(folder);
  for (const folder of missing.reverse()) {
    try {
      mkdirSync(folder, { mode: PRIVATE_FOLDER });
    } catch (error) {
      // Another process made it in between.
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    try {
      syncFolder(dirname(folder));
    } catch (error) {
      rmdirSync(folder);
      throw error;
    }
  }
}

/** A path with its links resolved, as far as it exists. */
function realPath(path: string): string {
  let [real, rest] = [resolve(path), ''];
  while (!existsSync(real)) [real, rest] = [dirname(real), join(basename(real), rest)];
  return join(realpathSync(real), rest);
}

/** Whether a path is a folder itself or lies somewhere below it, with links resolved. */
export function isWithin(path: string, folder: string): boolean {
  const [inner, outer] = [realPath(path), realPath(folder)];
  return `${inner}${sep}`.startsWith(outer.endsWith(sep) ? outer : `${outer}${sep}`);
}
