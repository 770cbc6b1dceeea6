// Shared by all our threads: each takes a name when it starts, and ends with an error when it cannot continue. Called in
// the threads themselves.
import { writeFileSync } from 'node:fs';

/**
 * Names the calling thread, for tools such as `top -H` and `ps -L`.
 * @param name up to 15 characters; no effect if the system does not support it
 */
export function nameThread(name: string): void {
  try {
    writeFileSync('/proc/thread-self/comm', name);
  } catch {
    // Not Linux, or not allowed: the thread keeps its default name.
  }
}

/** Ends the calling thread: throws the error outside any promise, so that the Worker emits it as 'error'. */
export function failThread(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}
