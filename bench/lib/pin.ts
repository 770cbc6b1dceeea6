// Pins the main threads of a bench to a processor each. Linux puts two threads that wake each other on the same processor
// even when others are idle; each then waits until the other sleeps or a clock tick comes: milliseconds that are nobody's
// work. Threads that a process has by then, for garbage collection and disk writes, may still run anywhere. Used by benches
// of short answers.
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';

/**
 * Keeps the main threads of these processes apart: the first on the first processor, the second on the next, and so on. Has
 * no effect on a machine with fewer processors, or without util-linux's taskset.
 */
export function pinApart(pids: readonly number[]): void {
  if (process.platform !== 'linux' || pids.length > cpus().length) return;
  for (const [processor, pid] of pids.entries()) {
    spawnSync('taskset', ['--cpu-list', '--pid', String(processor), String(pid)], { stdio: 'ignore' });
  }
}
