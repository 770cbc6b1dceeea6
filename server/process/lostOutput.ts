// Failures of standard output and standard error: the disk under them is full, or the reader of the pipe has gone. They end no
// exchange and no command before its end, but a command whose report was lost has not done what it was run for. Watched
// from main.ts on; cli.ts asks at the end of a command.
import { setImmediate as nextTurn } from 'node:timers/promises';

let failure: NodeJS.ErrnoException | undefined;

/** Keeps failures of both streams from ending the process, and remembers the first one of standard output. */
export function watchOutput(): void {
  process.stderr.on('error', () => {});
  process.stdout.on('error', (error) => {
    failure ??= error;
  });
}

/** Why standard output lost something; undefined if it did not, or if its reader had read enough and closed the pipe. */
export async function lostOutput(): Promise<Error | undefined> {
  await nextTurn(); // a stream emits the failure of a write in the turn after it
  return failure?.code === 'EPIPE' ? undefined : failure;
}
