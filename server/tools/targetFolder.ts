// The folder that a command copies into: outside of what it reads, new or empty, and one that can be made. What it cannot be is
// said before anything is read.
import { readdirSync } from 'node:fs';
import { isWithin, makeFolders, reasonOf } from '../../engine/index.ts';
import { fatal } from '../process/fatal.ts';

/** Ends with a sentence where the folder lies in a data directory: its own files come and go there. */
export function requireOutside(folder: string, dataDir: string): void {
  if (!isWithin(folder, dataDir)) return;
  fatal('usage', `The folder ${folder} lies within the data directory ${dataDir}: name one outside of it.`);
}

/** Makes the folder, and those above it. Ends with a sentence unless it is new or empty. */
export function makeTarget(folder: string): void {
  try {
    makeFolders(folder);
    if (readdirSync(folder).length === 0) return;
  } catch (error) {
    fatal('usage', `The folder ${folder} cannot be made: ${reasonOf(error)}.`);
  }
  fatal('usage', `The folder ${folder} is not empty: a copy is only ever made into a new one.`);
}
