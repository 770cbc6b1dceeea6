// Memory figures of the own process as Linux reports them beside Node's: the peak, and what no file backs. Used by the
// history and streams benches, which also run on other systems.
import { readFileSync } from 'node:fs';

/** A size in /proc/self/status, such as VmHWM or RssAnon, in bytes; NaN where the system does not report it. */
export function statusBytes(name: string): number {
  try {
    const status = readFileSync('/proc/self/status', 'latin1');
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1_024;
  } catch {
    return Number.NaN; // only Linux has the file
  }
}
