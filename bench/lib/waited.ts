// How long threads of this process stood ready and waited for a processor that somebody else had, as Linux counts it: on a
// machine with other work this is what a quiet one would not show. Used by benches of short answers.
import { openSync, readdirSync, readFileSync, readSync } from 'node:fs';

const NS_PER_MS = 1e6;

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
  // Open for as long as the bench runs, and read into the same bytes: garbage would be collected within what is measured.
  const descriptors = meant.map((thread) => openSync(`${folder}/${thread}/schedstat`, 'r'));
  const bytes = Buffer.alloc(64);
  // Time on a processor, time waiting for one (ns), and how often.
  return () =>
    descriptors.reduce((sum, descriptor) => {
      const length = readSync(descriptor, bytes, 0, bytes.length, 0);
      return sum + Number(bytes.toString('latin1', 0, length).split(' ')[1]) / NS_PER_MS;
    }, 0);
}
