// The file `copied` of a data directory: when it was made as a copy of another one. The two journals begin alike and then
// diverge, so stream names contain this time instead of that of the first record. Written by the tools that copy, read at
// start-up.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf, writeWhole } from '../../engine/index.ts';
import { parseWhole } from '../lib/decimals.ts';
import { fatal } from '../process/fatal.ts';

const fileOf = (dataDir: string): string => join(dataDir, 'copied');

/** Records that a folder is made as a copy now; durable on return. */
export function markCopied(folder: string): void {
  writeWhole(fileOf(folder), `${Date.now()}\n`);
}

/**
 * When a data directory was made as a copy, ms; 0 if it is not a copy.
 * @throws FatalError if the file cannot be read or holds something else
 */
export function readCopiedMs(dataDir: string): number {
  if (!existsSync(fileOf(dataDir))) return 0;
  const file = fileOf(dataDir);
  let ms: number | undefined;
  try {
    ms = parseWhole(readFileSync(file, 'utf8').trim());
  } catch (error) {
    fatal('data', `The file ${file} cannot be read: ${reasonOf(error)}.`);
  }
  if (ms !== undefined) return ms;
  fatal(
    'data',
    `The file ${file} must contain the time of the copy of this directory in ms. Delete it only if no client has followed its streams.`,
  );
}
