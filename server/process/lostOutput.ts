// What becomes of prints that nobody takes: the disk under them is full, or who reads them has gone. That ends no exchange, and
// no command before its end; but a command whose report was lost has not done what it was run for. Watched from main.ts on,
// asked by cli.ts.
import { setImmediate as nextTurn } from 'node:timers/promises';

let failure: NodeJS.ErrnoException | undefined;

/** Keeps the failures of both streams from ending the process, and remembers that of standard output. */
export function watchOutput(): void {
  process.stderr.on('error', () => {});
  process.stdout.on('error', (error) => {
    failure ??= error;
  });
}

/** What standard output refused so far; undefined for nothing, and where its reader has gone, who had read enough. */
export async function lostOutput(): Promise<Error | undefined> {
  await nextTurn(); // a stream tells of its failures in the turn after the write
  return failure?.code === 'EPIPE' ? undefined : failure;
}
