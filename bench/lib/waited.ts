// How long threads of this process stood ready and waited for a processor that somebody else had, as Linux counts it: on a
// machine with other work this is what a quiet one would not show. Used by benches of short answers.
import { readdirSync, readFileSync } from 'node:fs';

const readOf = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

/** A function that tells how long (ms) the main thread and the threads of these names have waited so far; NaN off Linux. */
export function waitedBy(names: readonly string[]): () => number {
  const folder = '/proc/self/task';
  const threads = process.platform === 'linux' ? readdirSync(folder) : [];
  const meant = threads.filter(
    (thread) => Number(thread) === process.pid || names.includes(readOf(`${folder}/${thread}/comm`).trim()),
  );
  if (meant.length === 0) return () => Number.NaN;
  // Time on a processor, time waiting for one (ns), and how often.
  return () =>
    meant.reduce((sum, thread) => sum + Number(readOf(`${folder}/${thread}/schedstat`).split(' ')[1]) / 1e6, 0);
}
