// After a crash, a child process reads the journal before the exchange does: reading a damaged memory-mapped LMDB file can
// kill the reader with a signal, and the exchange must refuse such a file with a sentence. Called before the journal is
// opened.
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { journalFileIn, wasLeftBehind } from '../../engine/index.ts';
import { fatal } from '../process/fatal.ts';

const CHILD = './firstLookChild.ts';

/** @throws FatalError if reading the journal kills a process. A journal that was closed properly is not read. */
export async function requireReadable(dataDir: string): Promise<void> {
  const file = journalFileIn(dataDir);
  if (!existsSync(file) || !wasLeftBehind(dataDir)) return;
  const child = fork(fileURLToPath(new URL(CHILD, import.meta.url)), [dataDir], { stdio: 'ignore' });
  const signal = await new Promise<NodeJS.Signals | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (_status, by) => resolve(by));
  });
  if (signal === null) return;
  const sentence = `The journal file ${file} is damaged: reading it killed a process with ${signal}. Restore it from a backup;`;
  fatal('data', `${sentence} "outcry verify --data-dir ${dataDir}" shows how far it can be read.`);
}
