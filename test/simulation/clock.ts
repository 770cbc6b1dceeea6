// The clock of a simulation: it stands still until it is moved, wakes the exchange at every due time on the way, and can
// jump in either direction without stopping, as the clock of a machine that slept or was set. Used by simulation.ts.
import type { Alarm, Clock } from '../../engine/index.ts';

export class JumpingClock implements Clock {
  private timeMs: number;
  private alarm: Alarm | undefined;

  constructor(startMs: number) {
    this.timeMs = startMs;
  }

  now(): number {
    return this.timeMs;
  }

  /** Moves forward by `ms`, stopping at every due time to wake the exchange. */
  advance(ms: number): void {
    const targetMs = this.timeMs + ms;
    for (let dueMs = this.dueMs(); dueMs <= targetMs; dueMs = this.dueMs()) {
      this.timeMs = Math.max(this.timeMs, dueMs);
      this.alarm?.wake();
      if (this.dueMs() === dueMs) break; // nothing is accepted at present: time goes on without it
    }
    this.timeMs = targetMs;
  }

  /** Sets the clock on or back; what fell due meanwhile is late. */
  jump(byMs: number): void {
    this.timeMs += byMs;
    if (this.dueMs() <= this.timeMs) this.alarm?.wake();
  }

  /** One exchange at a time; the one before is taken to be dead. */
  attach(alarm: Alarm): () => void {
    this.alarm = alarm;
    return () => {
      if (this.alarm === alarm) this.alarm = undefined;
    };
  }

  /** The process is gone. */
  detach(): void {
    this.alarm = undefined;
  }

  private dueMs(): number {
    return this.alarm?.nextDueMs() ?? Number.POSITIVE_INFINITY;
  }
}
