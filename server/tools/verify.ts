// The command `verify`: says what a data directory's journal was checked for and what was found, while an exchange uses it
// or not. The reading happens in a process of its own (verifyChild.ts). Called by the command line, and by backup and
// restore on what they have written.
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { VerifiedJournal } from '../../engine/index.ts';
import type { ChainContracts } from '../auth/contracts.ts';
import { fatal } from '../fatal.ts';
import { showProgress } from './progress.ts';

/** What the child is to do. */
export interface VerifyTask {
  readonly dataDir: string;
  /** Chain and contracts under which signatures are checked; without them, none is. */
  readonly contracts: ChainContracts | undefined;
}

/** What the child says. */
export type VerifyMessage =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'sound'; readonly journal: VerifiedJournal; readonly signedOrders: number | undefined }
  | { readonly kind: 'unsound'; readonly text: string; readonly sequence: number | undefined };

/** A journal that passed, or why it did not. */
export type Verdict = Exclude<VerifyMessage, { readonly kind: 'progress' }>;

const CHILD = './verifyChild.ts';

/** Ends with a sentence unless the folder holds a journal. */
export function requireJournal(dataDir: string): void {
  if (existsSync(join(dataDir, 'journal', 'data.mdb'))) return;
  fatal('data', `There is no journal in ${dataDir}: choose the folder with --data-dir.`);
}

/** Verifies a journal in a child process, which may be ended by what it reads. */
export function verifyInChild(task: VerifyTask, onProgress: (done: number, total: number) => void): Promise<Verdict> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL(CHILD, import.meta.url)), [JSON.stringify(task)]);
    let verdict: Verdict | undefined;
    child.on('message', (message: VerifyMessage) => {
      if (message.kind === 'progress') onProgress(message.done, message.total);
      else verdict = message;
    });
    child.on('error', reject);
    child.on('exit', (status, signal) => {
      const how = signal === null ? `status ${status}` : signal;
      const text = `The journal cannot be read: the process that opened it was ended by ${how}.`;
      resolve(verdict ?? { kind: 'unsound', text, sequence: undefined });
    });
  });
}

const count = (value: number): string => value.toLocaleString('en-US');
const day = (tMs: number): string => new Date(tMs).toISOString();

/** What a sound journal was checked for, a line each. */
export function soundText(dataDir: string, verdict: Extract<Verdict, { readonly kind: 'sound' }>): string {
  const { journal, signedOrders } = verdict;
  const { recordCount, firstTMs, lastTMs, invariantLooks, hashes } = journal;
  const span = recordCount === 0 ? '' : `, from ${day(firstTMs)} to ${day(lastTMs)}`;
  const signatures =
    signedOrders === undefined
      ? 'not checked; --signatures does'
      : `${count(signedOrders)} orders, each with the id and the signature of what its owner signed`;
  return [
    `The journal of ${dataDir} is sound.`,
    `  records     ${count(recordCount)}${span}`,
    '  checksums   every record: CRC32C, sequence without a gap, time, running hash of all before it',
    '  replay      every command gave again, byte for byte, the events that were recorded',
    `  invariants  hold (looked at ${invariantLooks === 1 ? 'once, at the end' : `${invariantLooks} times, the last at the end`}): money and shares are conserved`,
    `  signatures  ${signatures}`,
    `  state       core ${hashes.core}, registry ${hashes.registry}, ids ${hashes.ids}`,
    '',
  ].join('\n');
}

export interface VerifyOptions extends VerifyTask {
  readonly isJson: boolean;
}

/** Verifies and prints; returns the exit status: 0 for a sound journal, 1 for one that is not. */
export async function runVerify({ isJson, ...task }: VerifyOptions): Promise<number> {
  requireJournal(task.dataDir);
  const progress = showProgress(process.stderr, 'records');
  const verdict = await verifyInChild(task, progress.update);
  progress.stop();
  if (isJson) process.stdout.write(`${JSON.stringify({ data_dir: task.dataDir, ...verdict })}\n`);
  else if (verdict.kind === 'sound') process.stdout.write(soundText(task.dataDir, verdict));
  else process.stderr.write(`${verdict.text}\nNothing was changed.\n`);
  return verdict.kind === 'sound' ? 0 : 1;
}
