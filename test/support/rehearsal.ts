// What tests of a full disk or of too few open files need of the machine: prlimit, which sets such a limit for a process from
// outside. Asked by each of them first: machines without it are passed over, and say so.
import { spawnSync } from 'node:child_process';

/** Whether prlimit is there; says so where it is not, since a test that returns then has shown nothing. */
export function canRehearse(limit: string): boolean {
  if (spawnSync('prlimit', ['--version']).status === 0) return true;
  console.info(`prlimit is not installed: ${limit} cannot be rehearsed here.`);
  return false;
}
