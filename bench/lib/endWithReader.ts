// What the developers' commands do when nobody reads their output any more, as with `npm run simulate | head -1`. Used by the
// benches and by the commands that the tests offer. (The exchange runs on: see server/process/lostOutput.ts.)

/** From now on, a closed pipe at standard output ends this process with status 1: its verdict would reach nobody. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(1);
  });
}
