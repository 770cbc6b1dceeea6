// The file `mode` of a data directory: whether it is development's or a venue's. Development credits wallets whose keys everybody
// knows, and their money must never become a venue's, so that the two never share a directory. Called by openServices.ts, before the
// journal is opened, which already writes to it, and again once it is.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { commandLayouts, JournalReader, journalFileIn, writeWhole } from '../../engine/index.ts';
import type { ServerConfig } from '../config/config.ts';
import { fatal } from '../process/fatal.ts';
import { requireReadable } from './firstLook.ts';

type Mode = ServerConfig['mode'];

const modeFileOf = (dataDir: string): string => join(dataDir, 'mode');

/** Ends with a sentence unless a data directory is new or of this mode. */
export async function requireOwnMode(dataDir: string, mode: Mode): Promise<void> {
  if (existsSync(dataDir) && statSync(dataDir).isFile()) {
    fatal('data', `The data directory cannot be used: ${dataDir} is a file, not a folder.`);
  }
  if (!existsSync(modeFileOf(dataDir))) {
    if (await isUsed(dataDir)) refuseWithoutMode(dataDir, 'missing');
    return;
  }
  const found = readFileSync(modeFileOf(dataDir), 'utf8').trim();
  if (found === mode) {
    requireJournal(dataDir);
    return;
  }
  if (found === '') refuseWithoutMode(dataDir, 'empty');
  const sentence = `The data directory ${dataDir} was made for ${found}, and this is ${mode}.`;
  fatal('data', `${sentence} The two never share one, because development hands out money: choose another --data-dir.`);
}

const hasJournal = (dataDir: string): boolean =>
  (statSync(journalFileIn(dataDir), { throwIfNoEntry: false })?.size ?? 0) > 0;

/**
 * Whether a journal holds more than starts. The mode is there before the first account, event or market, so that one that holds
 * more without it was copied without it; with starts alone, a crash came between the first of them and the mode.
 */
async function isUsed(dataDir: string): Promise<boolean> {
  if (!hasJournal(dataDir)) return false;
  await requireReadable(dataDir);
  const reader = new JournalReader(dataDir);
  try {
    for (const records of reader.read()) {
      if (records.some(({ command }) => command[1] !== commandLayouts.Started.type)) return true;
    }
    return false;
  } finally {
    await reader.close();
  }
}

function refuseWithoutMode(dataDir: string, what: 'empty' | 'missing'): never {
  const sentence = `The file ${modeFileOf(dataDir)} is ${what}, so whether development or production is nowhere to be read.`;
  fatal('data', `${sentence} Write into it which of the two the directory was made for.`);
}

/** The mode is written after the first durable record: a directory that has it has lost its journal if there is none. */
function requireJournal(dataDir: string): void {
  if (hasJournal(dataDir)) return;
  const sentence = `The data directory ${dataDir} was used before, but its journal ${journalFileIn(dataDir)} is missing or empty.`;
  fatal('data', `${sentence} Restore that file, or choose another --data-dir to begin anew.`);
}

/** Written once: what is there has been found to be the same. */
export function keepMode(dataDir: string, mode: Mode): void {
  const file = modeFileOf(dataDir);
  if (!existsSync(file)) writeWhole(file, `${mode}\n`);
}
