// When a data directory was made as a copy of another one. The two go on differently from there, while their journals begin
// alike: names of streams take this time instead of the first record's. Written by the tools that copy, read at a start.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf, writeWhole } from '../../engine/index.ts';
import { fatal } from '../process/fatal.ts';
import { parseWhole } from '../wire/numbers.ts';

const fileOf = (dataDir: string): string => join(dataDir, 'copied');

/** Says of a folder that it is made as a copy now; durable when this returns. */
export function markCopied(folder: string): void {
  writeWhole(fileOf(folder), `${Date.now()}\n`);
}

/**
 * When a data directory was made as a copy, ms; 0 for one that is none, and where there is no directory.
 * @throws FatalError where the file does not say it
 */
export function readCopiedMs(dataDir: string | undefined): number {
  if (dataDir === undefined || !existsSync(fileOf(dataDir))) return 0;
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
    `The file ${file} must say in ms when this directory was copied. Delete it only if nobody followed it.`,
  );
}
