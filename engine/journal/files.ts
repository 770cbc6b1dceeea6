// Files and folders as a data directory needs them: made durably and whole, and looked at for where they really lie. Used by the
// journal and by whatever else keeps a file in a data directory or copies one.
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';

/** Name of the system's error, such as ENOENT; empty for what is none of the system's. */
export const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** Whether the system refused something, as it does on a disk that is full or to a user who may not. */
export const isOfSystem = (error: unknown): error is Error => /^E[A-Z]+$/.test(codeOf(error));

/** The folder of a data directory, or of an archived part of one, that holds its records. */
export const journalFolderIn = (directory: string): string => join(directory, 'journal');

/** The file in which LMDB keeps all that it stores in a folder. */
export const dataFileIn = (folder: string): string => join(folder, 'data.mdb');

/** The file of a data directory that holds its records. */
export const journalFileIn = (directory: string): string => dataFileIn(journalFolderIn(directory));

/** The file that says who has a data directory. */
export const lockPathIn = (directory: string): string => join(directory, 'lock');

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes the names of new files in a folder durable: a loss of power may otherwise take them, whatever was flushed into them. */
export function syncFolder(path: string): void {
  try {
    sync(path);
  } catch (error) {
    // A file system that cannot do this for folders says so with EINVAL.
    if (codeOf(error) !== 'EINVAL') throw error;
  }
}

/** Copies a file, its mode too, and makes what is in it durable; its name is so after syncFolder. */
export function copyDurably(from: string, to: string): void {
  copyFileSync(from, to);
  sync(to);
}

/** A file that takes the place of the one before at once and durably: a crash or a full disk leaves one of them, whole. */
export function writeWhole(path: string, text: string, mode = 0o666): void {
  const draft = `${path}.new`;
  try {
    writeFileSync(draft, text, { flush: true, mode });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/**
 * Makes a folder and those above it that are missing, one by one and durably. Node's own recursive form never returns where a folder
 * exists but refuses to hold new ones with "not found", as /proc does.
 */
export function makeFolders(path: string): void {
  const missing: string[] = [];
  for (let folder = resolve(path); !existsSync(folder); folder = dirname(folder)) missing.push(folder);
  for (const folder of missing.reverse()) {
    try {
      mkdirSync(folder);
    } catch (error) {
      // Somebody else made it in between.
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    syncFolder(dirname(folder));
  }
}

/** Where a path leads once its links are followed, as far as it exists. */
function realPath(path: string): string {
  let [real, rest] = [resolve(path), ''];
  while (!existsSync(real)) [real, rest] = [dirname(real), join(basename(real), rest)];
  return join(realpathSync(real), rest);
}

/** Whether a path is a folder itself or lies somewhere below it, links followed. */
export function isWithin(path: string, folder: string): boolean {
  const [inner, outer] = [realPath(path), realPath(folder)];
  return `${inner}${sep}`.startsWith(outer.endsWith(sep) ? outer : `${outer}${sep}`);
}
