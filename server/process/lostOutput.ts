// Failures of standard output and standard error: their disk is full, or the reader of the pipe has ended. They end no
// exchange and no running command, but a command whose report was lost has not done its job. Watched from main.ts on;
// cli.ts checks at the end of a command.
import { setImmediate as nextTurn } from 'node:timers/promises';

let failure: NodeJS.ErrnoException | undefined;

/** Prevents failures of both streams from ending the process, and remembers the first one of standard output. */
export function watchOutput(): void {
  process.stderr.on('error', () => {});
  process.stdout.on('error', (error) => {
    failure ??= error;
  });
}

/** The error by which standard output lost something; undefined if nothing was lost, or if the reader closed the pipe early. */
export async function lostOutput(): Promise<Error | undefined> {
  await nextTurn(); // a stream emits a write's failure in the next turn
  return failure?.code === 'EPIPE' ? undefined : failure;
}
