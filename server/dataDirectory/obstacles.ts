// What keeps a start from using a data directory, said so that an operator knows what to do: a file, a folder or a dangling link
// in the place of something else, and what the system refuses. Called by openServices.ts before anything is read or written, and
// for errors of the system after that.
import { lstatSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOf, FORMAT_FILE, journalFolderIn, lockPathIn, reasonOf, snapshotFolderIn } from '../../engine/index.ts';
import { historyFolderIn } from '../history/historian.ts';
import { fatal } from '../process/fatal.ts';
import { MODE_FILE } from './modeFile.ts';

/** What a start reads or writes in a data directory, except files whose own readers say what is wrong with them. */
const foldersOf = (dataDir: string): string[] => [
  journalFolderIn(dataDir),
  snapshotFolderIn(dataDir),
  historyFolderIn(dataDir),
];
const filesOf = (dataDir: string): string[] => [
  lockPathIn(dataDir),
  join(dataDir, FORMAT_FILE),
  join(dataDir, MODE_FILE),
];

const OTHER = 'or choose another --data-dir';
const NO_ACCESS = `The user that runs this program lacks access: change the owner or the mode of that path, ${OTHER}`;
const FULL = `There is no space left: free some, ${OTHER}`;

/** What to do, by the system's code. */
const ADVICE: Readonly<Record<string, string>> = {
  EACCES: NO_ACCESS,
  EPERM: NO_ACCESS,
  EROFS: `Its disk is read-only: mount it for writing, ${OTHER}`,
  ENOSPC: FULL,
  EDQUOT: FULL,
};

/** Why the system does not let us use a data directory, and what to do. */
export function refusalOf(error: Error): string {
  const advice = ADVICE[codeOf(error)];
  return `The data directory cannot be used: ${reasonOf(error)}.${advice === undefined ? '' : ` ${advice}.`}`;
}

/** @throws FatalError (data) if something else stands where a data directory, a parent, a file or a folder of it belongs */
export function requireFreeOfObstacles(dataDir: string): void {
  for (const path of [...pathsTo(dataDir), ...foldersOf(dataDir)]) requireKind(path, 'folder');
  for (const path of filesOf(dataDir)) requireKind(path, 'file');
}

/** The parents of a path, from the outermost, and the path itself. */
function pathsTo(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...pathsTo(parent), path];
}

function requireKind(path: string, kind: 'file' | 'folder'): void {
  const found = statsOf(path);
  if (found === undefined) return;
  const is = `The data directory cannot be used: ${path} is`;
  if (found === 'dangling') {
    fatal('data', `${is} a link to ${readlinkSync(path)}, which is missing. Make that ${kind} or mount it, ${OTHER}.`);
  }
  const foundKind = found.isDirectory() ? 'folder' : 'file';
  if (foundKind !== kind) fatal('data', `${is} a ${foundKind}, not a ${kind}. Move it away, ${OTHER}.`);
}

/** Undefined if there is nothing, or if the system does not say: whoever uses the path then fails with its reason. */
function statsOf(path: string): Stats | 'dangling' | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined) return stats;
    return lstatSync(path, { throwIfNoEntry: false }) === undefined ? undefined : 'dangling';
  } catch {
    return undefined;
  }
}
