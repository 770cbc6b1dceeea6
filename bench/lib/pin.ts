// Each main thread of a bench on a processor of its own. Linux puts two that wake each other on the same one, though others
// are idle, where each then waits until the other sleeps or a clock tick comes: milliseconds that are nobody's work. The
// threads that a process has by then, its collector's and its disk's, stay free to run anywhere. Used by benches of short answers.
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';

/**
 * Keeps the main threads of these processes apart: the first on the first processor, the next on the next. Without effect
 * on a machine with fewer processors, and where the program that does it (util-linux's taskset) is not there.
 */
export function pinApart(pids: readonly number[]): void {
  if (process.platform !== 'linux' || pids.length > cpus().length) return;
  for (const [processor, pid] of pids.entries()) {
    spawnSync('taskset', ['--cpu-list', '--pid', String(processor), String(pid)], { stdio: 'ignore' });
  }
}
