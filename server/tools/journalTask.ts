// Runs work on a journal in a separate process (journalChild.ts), so that a file that kills its reader still yields a
// sentence. Called by the commands of this folder.
import { fork } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Archived, journalFileIn, reasonOf, type VerifiedJournal } from '../../engine/index.ts';
import type { ChainContracts } from '../auth/contracts.ts';
import { howEnded } from '../process/childProcess.ts';
import { fatal } from '../process/fatal.ts';
import { type Progress, showProgress } from '../process/progress.ts';

/** The child's task with the journal of a data directory. */
export type JournalTask =
  | {
      readonly kind: 'verify';
      readonly dataDir: string;
      /** Chain and contracts under which signatures are checked; undefined = they are not. */
      readonly contracts?: ChainContracts | undefined;
    }
  | {
      readonly kind: 'copy';
      readonly dataDir: string;
      /** The folder for the copy's LMDB environment. */
      readonly toFolder: string;
      /** The last record to copy; undefined = all. */
      readonly lastSequence: number | undefined;
    }
  | {
      readonly kind: 'archive';
      readonly dataDir: string;
      /** The folder that gets the archived part. */
      readonly toFolder: string;
    };

/** A sound journal: its contents, and the number of signatures checked. */
export interface SoundJournal {
  readonly kind: 'sound';
  readonly journal: VerifiedJournal;
  readonly signedOrders: number | undefined;
}

interface CopiedJournal {
  readonly kind: 'copied';
  readonly lastSequence: number;
}

interface ArchivedJournal {
  readonly kind: 'archived';
  /** Undefined if there was nothing to archive. */
  readonly archived: Archived | undefined;
}

/** The result of a task. */
type TaskResult = SoundJournal | CopiedJournal | ArchivedJournal | FailedTask;

/** The reason why a task failed, with the first bad sequence if there is one. */
export interface FailedTask {
  readonly kind: 'failed';
  readonly text: string;
  readonly sequence: number | undefined;
  /** Whether another process uses the data directory. */
  readonly isLocked?: boolean;
}

export type JournalMessage = { readonly kind: 'progress'; readonly done: number; readonly total: number } | TaskResult;

const CHILD = './journalChild.ts';

/** Ends with a sentence unless the folder holds a journal. */
export function requireJournal(dataDir: string): void {
  try {
    if (statSync(journalFileIn(dataDir), { throwIfNoEntry: false }) !== undefined) return;
  } catch (error) {
    fatal('data', `The journal of ${dataDir} cannot be read: ${reasonOf(error)}.`);
  }
  fatal('data', `There is no journal in ${dataDir}: name the data directory of an exchange.`);
}

const PROGRESS_LABELS = { verify: 'Verifying', copy: 'Copying', archive: 'Archiving' } as const;

/** Runs the task in a child process and shows its progress on standard error. */
export async function runJournalTask(task: JournalTask): Promise<TaskResult> {
  const progress = showProgress(process.stderr, PROGRESS_LABELS[task.kind], 'records');
  try {
    return await runInChild(task, progress);
  } catch (error) {
    const text = `The process that reads the journal cannot be started: ${reasonOf(error)}.`;
    return { kind: 'failed', text, sequence: undefined };
  } finally {
    progress.stop();
  }
}

/** Rejects if no process can be started. */
function runInChild(task: JournalTask, progress: Progress): Promise<TaskResult> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL(CHILD, import.meta.url)), [JSON.stringify(task)]);
    let result: TaskResult | undefined;
    child.on('message', (message: JournalMessage) => {
      if (message.kind === 'progress') progress.update(message.done, message.total);
      else result = message;
    });
    child.on('error', reject);
    child.on('exit', (status, signal) => {
      const text = `The journal cannot be read: the process that opened it was ended ${howEnded(status, signal)}.`;
      resolve(result ?? { kind: 'failed', text, sequence: undefined });
    });
  });
}
