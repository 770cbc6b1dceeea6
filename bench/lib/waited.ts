// How long threads of this process were ready and waited for a processor that was in use, as Linux counts it: delay that a
// machine without other work would not have. Used by benches of short answers.
import { openSync, readdirSync, readFileSync, readSync } from 'node:fs';

const NS_PER_MS = 1e6;

const readOf = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

/** A function that returns how long (ms) the main thread and the threads with these names have waited so far; NaN off Linux. */
export function waitedBy(names: readonly string[]): () => number {
  const folder = '/proc/self/task';
  const threads = process.platform === 'linux' ? readdirSync(folder) : [];
  const meant = threads.filter(
    (thread) => Number(thread) === process.pid || names.includes(readOf(`${folder}/${thread}/comm`).trim()),
  );
  if (meant.length === 0) return () => Number.NaN;
  // The files stay open while the bench runs and are read into one buffer: garbage would be collected within the
  // measurement.
  const descriptors = meant.map((thread) => openSync(`${folder}/${thread}/schedstat`, 'r'));
  const bytes = Buffer.alloc(64);
  // schedstat: time on a processor, time waiting for one (both ns), and the number of time slices.
  return () =>
    descriptors.reduce((sum, descriptor) => {
      const length = readSync(descriptor, bytes, 0, bytes.length, 0);
      return sum + Number(bytes.toString('latin1', 0, length).split(' ')[1]) / NS_PER_MS;
    }, 0);
}
