// The commands `backup` and `restore`: copy a data directory record by record into a new folder, then read back and verify
// the copy before reporting it. Called by the command line. The source is never changed.
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { copyDurably, FORMAT_FILE, journalFolderIn, reasonOf, syncFolder } from '../../engine/index.ts';
import { isTaken, SERVER_SECRET_FILE } from '../auth/serverSecret.ts';
import { markCopied } from '../dataDirectory/copiedAt.ts';
import { MODE_FILE } from '../dataDirectory/modeFile.ts';
import { commandLine, restoreLine } from '../lib/commandLine.ts';
import { parseWhole } from '../lib/decimals.ts';
import { fatal } from '../process/fatal.ts';
import { type FailedTask, requireJournal, runJournalTask } from './journalTask.ts';
import { createTarget, discardTarget, requireOutside } from './targetFolder.ts';
import { soundText } from './verify.ts';

/**
 * The files of a data directory besides its journal: the mode it was made for, its format, the secret of its API keys. The
 * mode goes first: in a folder that has it but no journal, no exchange will start anew, so an interrupted copy is never
 * used.
 */
const OTHER_FILES = [MODE_FILE, FORMAT_FILE, SERVER_SECRET_FILE] as const;

const WITHOUT_SECRET =
  'The copy holds no server secret: all API keys stop working unless it is started with the OUTCRY_SECRET of the original.\n';

interface CopyTask {
  readonly from: string;
  readonly to: string;
  /** The last record to copy, as typed; undefined = all. */
  readonly lastSequence: string | undefined;
}

function readSequence(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const sequence = parseWhole(text);
  if (sequence === undefined || sequence < 1) fatal('usage', `--to must be a whole number from 1; it is ${text}.`);
  return sequence;
}

/** The reason why nothing was copied; for a damaged record also how to restore what precedes it. */
function failureText({ text, sequence }: FailedTask, from: string): string {
  if (sequence === undefined) return `${text}\nNothing was copied.\n`;
  if (sequence < 2) return `${text}\nNothing was copied: there is nothing before it.\n`;
  return `${text}\nNothing was copied. What comes before it can be had: ${restoreLine(from, sequence)}\n`;
}

/** Why the copy was not found to be sound. Without a sequence it may be: then the verification itself was cut off or refused. */
function unverifiedText({ text, sequence }: FailedTask, to: string): string {
  if (sequence !== undefined) return `The copy in ${to} is not sound. ${text}\n`;
  return `The copy in ${to} could not be verified. ${text}\nVerify it with: ${commandLine('verify', '--data-dir', to)}\n`;
}

function fail(text: string): number {
  process.stderr.write(text);
  return 1;
}

/** Copies, verifies and prints. Returns the exit status: 0, or 1 if the source or the copy is not sound. */
export async function runCopy({ from, to, ...task }: CopyTask): Promise<number> {
  const lastSequence = readSequence(task.lastSequence);
  requireJournal(from);
  requireOutside(to, from);
  createTarget(to);
  try {
    // A link that leads nowhere fails too: the copy would lack its file. For the secret that holds even with OUTCRY_SECRET set,
    // since whoever starts from the copy may not have that.
    for (const name of OTHER_FILES) if (isTaken(join(from, name))) copyDurably(join(from, name), join(to, name));
    markCopied(to);
  } catch (error) {
    discardTarget(to);
    return fail(`The data directory cannot be copied: ${reasonOf(error)}.\nNothing was copied.\n`);
  }
  // Under another name until it is complete: if this process is killed, nobody must be able to start from a partial
  // journal.
  const draft = join(to, 'journal-draft');
  const copied = await runJournalTask({ kind: 'copy', dataDir: from, toFolder: draft, lastSequence });
  if (copied.kind !== 'copied') {
    discardTarget(to);
    return copied.kind === 'failed' ? fail(failureText(copied, from)) : 1;
  }
  if (lastSequence !== undefined && copied.lastSequence < lastSequence) {
    discardTarget(to);
    return fail(`The journal of ${from} ends at sequence ${copied.lastSequence}. Nothing was copied.\n`);
  }
  renameSync(draft, journalFolderIn(to));
  syncFolder(to);
  const result = await runJournalTask({ kind: 'verify', dataDir: to });
  if (result.kind === 'failed') return fail(unverifiedText(result, to));
  process.stdout.write(`Copied ${from} to ${to}, up to sequence ${copied.lastSequence}, and read the copy back.\n`);
  if (!isTaken(join(to, SERVER_SECRET_FILE))) process.stdout.write(WITHOUT_SECRET);
  if (result.kind === 'sound') process.stdout.write(soundText(to, result));
  return 0;
}
