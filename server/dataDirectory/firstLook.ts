// After a crash, a child process reads the journal before the exchange does: reading a damaged memory-mapped LMDB file can
// kill the reader with a signal, and the exchange must refuse such a file with a sentence. Called before the journal is
// opened.
import { fork } from 'node:child_process';
import { addAbortListener } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { journalFileIn, reasonOf, wasLeftBehind } from '../../engine/index.ts';
import { commandLine } from '../lib/commandLine.ts';
import { endSignals, FatalError, fatal } from '../process/fatal.ts';

const CHILD = './firstLookChild.ts';

/** Signals by which an operator or the system ends a process, whatever it does: they say nothing about the journal. */
const SIGNALS_FROM_OUTSIDE: ReadonlySet<NodeJS.Signals> = new Set([...endSignals, 'SIGKILL']);

/** The child was ended by a signal from outside, or because the start was told to stop. */
export class FirstLookEnded extends FatalError {}

/**
 * Reads the journal in a child process, unless it was closed properly; returns if the process survives.
 * @param stopped ends the process when it is aborted
 * @throws FatalError if reading kills the process or it cannot be started; FirstLookEnded if a signal from outside ends it
 */
export async function requireReadable(dataDir: string, stopped?: AbortSignal): Promise<void> {
  const file = journalFileIn(dataDir);
  if (!existsSync(file) || !wasLeftBehind(dataDir)) return;
  const unchecked = `The journal file ${file} could not be checked`;
  const signal = await readInChild(dataDir, stopped).catch((error: unknown) => {
    fatal('data', `${unchecked}: ${reasonOf(error)}.`);
  });
  if (signal === null) return;
  const hint = `"${commandLine('verify', '--data-dir', dataDir)}" shows how far it can be read.`;
  if (SIGNALS_FROM_OUTSIDE.has(signal)) {
    const sentence = `${unchecked}: the process that read it was ended by ${signal}.`;
    throw new FirstLookEnded('data', `${sentence} Start again; if that fails too, ${hint}`);
  }
  const sentence = `The journal file ${file} is damaged: reading it killed a process with ${signal}.`;
  fatal('data', `${sentence} Restore it from a backup; ${hint}`);
}

/** Reads the journal in a child process; resolves with the signal that killed it, null if it exited by itself. */
async function readInChild(dataDir: string, stopped: AbortSignal | undefined): Promise<NodeJS.Signals | null> {
  const child = fork(fileURLToPath(new URL(CHILD, import.meta.url)), [dataDir], { stdio: 'ignore' });
  const listening = stopped && addAbortListener(stopped, () => child.kill());
  const ended = new Promise<NodeJS.Signals | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (_status, signal) => resolve(signal));
  });
  return ended.finally(() => listening?.[Symbol.dispose]());
}
