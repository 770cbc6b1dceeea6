// Checks and creates the folder that a command copies into: it must be outside of the source, and new or empty. Problems
// are reported before anything is read.
import { readdirSync } from 'node:fs';
import { isWithin, makeFolders, reasonOf } from '../../engine/index.ts';
import { fatal } from '../process/fatal.ts';

/** Ends with a sentence if the folder is inside a data directory, where the exchange creates and removes its own files. */
export function requireOutside(folder: string, dataDir: string): void {
  if (!isWithin(folder, dataDir)) return;
  fatal('usage', `The folder ${folder} lies within the data directory ${dataDir}: name one outside of it.`);
}

/** Creates the folder and its parents. Ends with a sentence unless it is new or empty. */
export function makeTarget(folder: string): void {
  try {
    makeFolders(folder);
    if (readdirSync(folder).length === 0) return;
  } catch (error) {
    fatal('usage', `The folder ${folder} cannot be made: ${reasonOf(error)}.`);
  }
  fatal('usage', `The folder ${folder} is not empty: a copy is only ever made into a new one.`);
}
