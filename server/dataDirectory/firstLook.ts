// A journal whose last process did not end in order is read by another process first: a damaged file that LMDB maps can end who
// reads it with a signal, and the exchange is to refuse it in a sentence. Called by openServices.ts before the journal is opened.
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { journalFileIn, wasLeftBehind } from '../../engine/index.ts';
import { fatal } from '../process/fatal.ts';

const CHILD = './firstLookChild.ts';

/** Throws FatalError when reading the journal ends a process. A journal that was closed in order is not looked at. */
export async function requireReadable(dataDir: string): Promise<void> {
  const file = journalFileIn(dataDir);
  if (!existsSync(file) || !wasLeftBehind(dataDir)) return;
  const child = fork(fileURLToPath(new URL(CHILD, import.meta.url)), [dataDir], { stdio: 'ignore' });
  const signal = await new Promise<NodeJS.Signals | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (_status, by) => resolve(by));
  });
  if (signal === null) return;
  const sentence = `The journal's file ${file} is damaged: reading it ended a process by ${signal}. Restore it from a backup;`;
  fatal('data', `${sentence} "outcry verify --data-dir ${dataDir}" says how far it can be read.`);
}
