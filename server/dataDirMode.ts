// Whether a data directory is a development's or a venue's: the file `mode` in it says so. Called by openServices.ts, before
// the journal is opened and once it is. A directory of one mode is never opened in the other.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../engine/index.ts';
import type { ServerConfig } from './config.ts';
import { fatal } from './fatal.ts';
import type { Views } from './views/index.ts';

const modeFileOf = (dataDir: string): string => join(dataDir, 'mode');

/**
 * Refuses a data directory of the other mode: development credits wallets whose keys everybody knows, and their money
 * must never become a venue's. Asked before the journal is opened, since opening it already writes to it.
 */
export function requireOwnMode({ dataDir, mode }: ServerConfig): void {
  if (dataDir === undefined) return;
  if (existsSync(dataDir) && statSync(dataDir).isFile()) {
    fatal('data', `The data directory cannot be used: ${dataDir} is a file, not a folder.`);
  }
  if (!existsSync(modeFileOf(dataDir))) return;
  const found = readFileSync(modeFileOf(dataDir), 'utf8').trim();
  if (found === mode) {
    requireJournal(dataDir);
    return;
  }
  if (found === '') refuseWithoutMode(dataDir, 'empty');
  const sentence = `The data directory ${dataDir} was made for ${found}, and this is ${mode}.`;
  fatal('data', `${sentence} The two never share one, because development hands out money: choose another --data-dir.`);
}

/** The mode is written after the first durable record: a directory that has it has lost its journal if there is none. */
function requireJournal(dataDir: string): void {
  const file = join(dataDir, 'journal', 'data.mdb');
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  const sentence = `The data directory ${dataDir} was used before, but its journal ${file} is missing or empty.`;
  fatal('data', `${sentence} Restore that file, or choose another --data-dir to begin anew.`);
}

/**
 * Written once: what is there has been found to be the same. It is there before the first account, event or market, so that a
 * journal that has one without it was copied without it.
 */
export function keepMode(dataDir: string, mode: ServerConfig['mode'], { accounts, markets }: Views): void {
  const file = modeFileOf(dataDir);
  if (existsSync(file)) return;
  const isUsed = accounts.isAnyOpened() || markets.eventList().length > 0 || markets.list().length > 0;
  if (isUsed) refuseWithoutMode(dataDir, 'missing');
  writeWhole(file, `${mode}\n`);
}

function refuseWithoutMode(dataDir: string, what: 'empty' | 'missing'): never {
  const sentence = `The file ${modeFileOf(dataDir)} is ${what}, so whether development or production is nowhere to be read.`;
  fatal('data', `${sentence} Write into it which of the two the directory was made for.`);
}
