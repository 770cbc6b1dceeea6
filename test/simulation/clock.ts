// The clock of a simulation: it stands still until it is moved, wakes the exchange at every due time on the way, and can
// jump in either direction without stopping, like the clock of a machine that slept or was set. Used by simulation.ts.
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
      if (this.dueMs() === dueMs) break; // the exchange accepts nothing now: time goes on without it
    }
    this.timeMs = targetMs;
  }

  /** Sets the clock forward or back; items that fell due in between are late. */
  jump(byMs: number): void {
    this.timeMs += byMs;
    if (this.dueMs() <= this.timeMs) this.alarm?.wake();
  }

  /** Attaches the one running exchange; the previous one is assumed dead. */
  attach(alarm: Alarm): () => void {
    this.alarm = alarm;
    return () => {
      if (this.alarm === alarm) this.alarm = undefined;
    };
  }

  /** Forgets the exchange, whose process is gone. */
  detach(): void {
    this.alarm = undefined;
  }

  private dueMs(): number {
    return this.alarm?.nextDueMs() ?? Number.POSITIVE_INFINITY;
  }
}
