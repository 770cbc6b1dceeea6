// How long a thread has been at work: its processor time as Linux keeps it, without the time in which it waited for a
// processor or a hypervisor had that away. Benches quote it beside times on machines that they do not have to themselves.
import { closeSync, openSync, readSync } from 'node:fs';

const NS_PER_MS = 1e6;

export class BusyClock {
  private readonly descriptor: number | undefined;
  private readonly buffer = Buffer.alloc(64);

  /** The main thread of a process. */
  constructor(pid: number) {
    try {
      this.descriptor = openSync(`/proc/${pid}/task/${pid}/schedstat`, 'r');
    } catch {
      this.descriptor = undefined; // only Linux tells
    }
  }

  /** Its processor time so far (ms), up to when it last slept or a clock tick came; NaN where the system does not tell. */
  now(): number {
    if (this.descriptor === undefined) return Number.NaN;
    const length = readSync(this.descriptor, this.buffer, 0, this.buffer.length, 0);
    return Number(this.buffer.toString('latin1', 0, length).split(' ')[0]) / NS_PER_MS;
  }

  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
  }
}
