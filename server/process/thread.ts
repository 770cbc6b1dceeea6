// What each of the exchange's own threads does alike: it takes a name as it starts, and ends where it cannot go on. Called in the
// threads themselves.
import { writeFileSync } from 'node:fs';

/**
 * Names the calling thread as the system's tools show it (top -H, ps -L), in up to 15 characters; does nothing where the system has
 * no such names. Only for who looks on: nothing may depend on it.
 */
export function nameThread(name: string): void {
  try {
    writeFileSync('/proc/thread-self/comm', name);
  } catch {
    // Not Linux, or not allowed: then it keeps the name that it has.
  }
}

/** Throws where nobody catches it: the thread ends, and its starter is told the error. */
export function endThread(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}
