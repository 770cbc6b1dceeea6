// The name of a thread as the system's tools show it (top -H, ps -L): called by each of the exchange's own threads as it
// starts. Only for who looks on: nothing may depend on it.
import { writeFileSync } from 'node:fs';

/** Names the calling thread, in up to 15 characters; does nothing where the system has no such names. */
export function nameThread(name: string): void {
  try {
    writeFileSync('/proc/thread-self/comm', name);
  } catch {
    // Not Linux, or not allowed: then it keeps the name that it has.
  }
}
