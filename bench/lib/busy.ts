// How long a thread has worked: its processor time as Linux counts it, without the time in which it waited for a processor
// or a hypervisor had taken that away. Benches quote it beside elapsed times on machines that they share.
import { closeSync, openSync, readSync } from 'node:fs';

const NS_PER_MS = 1e6;

export class BusyClock {
  private readonly descriptor: number | undefined;
  private readonly buffer = Buffer.alloc(64);

  /** Reads the main thread of process `pid`. */
  constructor(pid: number) {
    try {
      this.descriptor = openSync(`/proc/${pid}/task/${pid}/schedstat`, 'r');
    } catch {
      this.descriptor = undefined; // only Linux reports it
    }
  }

  /** The thread's processor time so far (ms), as of its latest sleep or clock tick; NaN where the system does not report it. */
  now(): number {
    if (this.descriptor === undefined) return Number.NaN;
    const length = readSync(this.descriptor, this.buffer, 0, this.buffer.length, 0);
    return Number(this.buffer.toString('latin1', 0, length).split(' ')[0]) / NS_PER_MS;
  }

  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
  }
}
