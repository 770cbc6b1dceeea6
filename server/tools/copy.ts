// The commands `backup` and `restore`: a data directory copied record by record into a new folder, the copy read back and
// verified before anybody is told that it is there. Called by the command line. What is read from is never changed.
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { copyJournal, JournalDamaged } from '../../engine/index.ts';
import { SERVER_SECRET_FILE } from '../auth/apiKeys.ts';
import { fatal } from '../fatal.ts';
import { parseWhole } from '../wire/numbers.ts';
import { showProgress } from './progress.ts';
import { requireJournal, soundText, verifyInChild } from './verify.ts';

/** What a data directory holds besides its journal: its format, the mode it was made for, the secret of its API keys. */
const OTHER_FILES = ['format.json', 'mode', SERVER_SECRET_FILE] as const;

export interface CopyTask {
  readonly from: string;
  readonly to: string;
  /** The last record to copy, as it was typed; undefined = all. */
  readonly lastSequence: string | undefined;
}

function requireEmpty(folder: string): void {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return;
  fatal('usage', `The folder ${folder} is not empty: a copy is only ever made into a new one.`);
}

function readSequence(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const sequence = parseWhole(text);
  if (sequence === undefined || sequence < 1) fatal('usage', `--to must be a whole number from 1; it is ${text}.`);
  return sequence;
}

/** The journal and then the small files, whose format number makes a folder a data directory. */
async function copyAll(from: string, to: string, lastSequence: number | undefined): Promise<number> {
  const progress = showProgress(process.stderr, 'records');
  try {
    mkdirSync(to, { recursive: true });
    const last = await copyJournal(from, join(to, 'journal'), { lastSequence, onProgress: progress.update });
    for (const name of OTHER_FILES) if (existsSync(join(from, name))) copyFileSync(join(from, name), join(to, name));
    return last;
  } finally {
    progress.stop();
  }
}

/** Copies, verifies and prints; returns the exit status: 0, or 1 when the source or the copy is not sound. */
export async function runCopy(task: CopyTask): Promise<number> {
  const { from, to } = task;
  const wanted = readSequence(task.lastSequence);
  requireJournal(from);
  requireEmpty(to);
  const before = await verifyPrefix(from, wanted);
  if (before !== undefined) {
    process.stderr.write(`${before}\nNothing was copied.\n`);
    return 1;
  }
  let last: number;
  try {
    last = await copyAll(from, to, wanted);
  } catch (error) {
    rmSync(to, { recursive: true, force: true });
    if (!(error instanceof JournalDamaged)) throw error;
    process.stderr.write(`${damageText(error, from)}\nNothing was copied.\n`);
    return 1;
  }
  const verdict = await verifyInChild({ dataDir: to, contracts: undefined }, () => {});
  if (verdict.kind === 'unsound') {
    process.stderr.write(`The copy in ${to} is not sound. ${verdict.text}\n`);
    return 1;
  }
  process.stdout.write(`Copied ${from} to ${to}, up to sequence ${last}, and read the copy back.\n`);
  process.stdout.write(soundText(to, verdict));
  return 0;
}
