// Tests of a full disk or of too few open files need prlimit, which sets such a limit for a process from outside. Each of
// them asks here first: machines without it skip the test, and say so.
import { spawnSync } from 'node:child_process';

/** Whether prlimit is installed. Says so when it is not, since a test that returns then has shown nothing. */
export function canRehearse(limit: string): boolean {
  if (spawnSync('prlimit', ['--version']).status === 0) return true;
  console.info(`prlimit is not installed: ${limit} cannot be rehearsed here.`);
  return false;
}
