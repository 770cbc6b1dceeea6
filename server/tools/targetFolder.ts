// The folder that a command copies into: checked and created before anything is read, since it must be outside of the source and
// new or empty, and emptied again if the copy fails.
import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isWithin, makeFolders, reasonOf } from '../../engine/index.ts';
import { fatal } from '../process/fatal.ts';

/** Ends with a sentence if the folder is inside a data directory, where the exchange creates and removes its own files. */
export function requireOutside(folder: string, dataDir: string): void {
  if (!isWithin(folder, dataDir)) return;
  fatal('usage', `The folder ${folder} lies within the data directory ${dataDir}: name one outside of it.`);
}

/** Creates the folder and its parents. Ends with a sentence unless it is new or empty. */
export function createTarget(folder: string): void {
  try {
    makeFolders(folder);
    if (readdirSync(folder).length === 0) return;
  } catch (error) {
    fatal('usage', `The folder ${folder} cannot be made: ${reasonOf(error)}.`);
  }
  fatal('usage', `The folder ${folder} is not empty: a copy is only ever made into a new one.`);
}

/** Removes a partial copy, and its folder unless the system forbids that: it may be a mount, or in a folder of somebody else. */
export function discardTarget(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
  try {
    rmdirSync(folder);
  } catch {
    // It existed before, and is as empty as it was.
  }
}
