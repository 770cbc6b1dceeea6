// The file `mode` of a data directory: whether it was made for development or for a venue. Development credits wallets
// whose keys are public, and that money must never reach a venue, so the two never share a directory. openServices.ts
// checks the file before it opens the journal (opening already writes to it), and writes the file afterwards.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { COMMAND_AT, commandLayouts, JournalReader, journalFileIn, reasonOf, writeWhole } from '../../engine/index.ts';
import type { ServerConfig } from '../config/config.ts';
import { fatal } from '../process/fatal.ts';
import { requireReadable } from './firstLook.ts';

type Mode = ServerConfig['mode'];

export const MODE_FILE = 'mode';
const modeFileOf = (dataDir: string): string => join(dataDir, MODE_FILE);

/**
 * @param stopped ends the reading of the journal, if it is needed, when it is aborted
 * @throws FatalError unless the data directory is new or was made for this mode
 */
export async function requireOwnMode(dataDir: string, mode: Mode, stopped?: AbortSignal): Promise<void> {
  if (!existsSync(modeFileOf(dataDir))) {
    if (await isUsed(dataDir, stopped)) refuseWithoutMode(dataDir, 'missing');
    return;
  }
  const found = readFileSync(modeFileOf(dataDir), 'utf8').trim();
  if (found === mode) {
    requireJournal(dataDir);
    return;
  }
  if (found === '') refuseWithoutMode(dataDir, 'empty');
  const sentence = `The data directory ${dataDir} was created for ${found}, but this is ${mode}.`;
  fatal(
    'data',
    `${sentence} They cannot share a data directory, because development gives out money: choose another --data-dir.`,
  );
}

const hasJournal = (dataDir: string): boolean =>
  (statSync(journalFileIn(dataDir), { throwIfNoEntry: false })?.size ?? 0) > 0;

/**
 * Whether a journal holds anything but Started commands. The file `mode` is written before the first account, event or
 * market, so a journal that holds more and lacks the file was copied without it. One that holds only starts was left by a
 * crash between the first start and the writing of the file.
 */
async function isUsed(dataDir: string, stopped: AbortSignal | undefined): Promise<boolean> {
  if (!hasJournal(dataDir)) return false;
  await requireReadable(dataDir, stopped);
  const reader = new JournalReader(dataDir);
  try {
    for (const records of reader.read()) {
      if (records.some(({ command }) => command[COMMAND_AT.type] !== commandLayouts.Started.type)) return true;
    }
    return false;
  } finally {
    await reader.close();
  }
}

function refuseWithoutMode(dataDir: string, what: 'empty' | 'missing'): never {
  const sentence = `The file ${modeFileOf(dataDir)} is ${what}, so the mode of the data directory is unknown.`;
  fatal('data', `${sentence} Write development or production into it, whichever the directory was created for.`);
}

/**
 * Requires a journal: the file `mode` is written after the first durable record, so a directory that has it, but no
 * journal, has lost its journal.
 */
function requireJournal(dataDir: string): void {
  if (hasJournal(dataDir)) return;
  const sentence = `The data directory ${dataDir} was used before, but its journal ${journalFileIn(dataDir)} is missing or empty.`;
  fatal('data', `${sentence} Restore that file, or choose another --data-dir to start afresh.`);
}

/**
 * Writes the file `mode` unless it exists; requireOwnMode has checked an existing one.
 * @throws FatalError if it cannot be written, for example on a full disk
 */
export function writeMode(dataDir: string, mode: Mode): void {
  const file = modeFileOf(dataDir);
  if (existsSync(file)) return;
  try {
    writeWhole(file, `${mode}\n`);
  } catch (error) {
    fatal('data', `The file ${file} cannot be written: ${reasonOf(error)}.`);
  }
}
