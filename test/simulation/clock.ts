// The clocks of a simulated machine: one that can be set, one that nobody can set, and one that runs on while the machine
// sleeps. They stand still until they are moved. Like the timers of a real exchange, they wake it whenever something falls due,
// and every other second until then. Used by simulation.ts; timekeeper.ts says what the exchange must make of them.
import type { Alarm, Clock } from '../../engine/index.ts';

/** How often (ms) an exchange that waits for something is woken: often enough that this is no pause. */
const WAKE_MS = 2_000;

export class MachineClock implements Clock {
  private wallMs: number;
  private awakeMs = 0;
  private asleepMs = 0;
  private alarm: Alarm | undefined;

  constructor(startMs: number) {
    this.wallMs = startMs;
  }

  now(): number {
    return this.wallMs;
  }

  monotonicMs(): number {
    return this.awakeMs;
  }

  bootMs(): number {
    return this.awakeMs + this.asleepMs;
  }

  /** Lets time pass, up to `ms`, until the exchange must be woken. Returns how much of it is left, 0 if it need not be. */
  passUntilWake(ms: number): number {
    const dueMs = this.alarm?.nextDueMs() ?? Number.POSITIVE_INFINITY;
    // What is overdue cannot be settled now, or is not believed to be due.
    const untilDueMs = dueMs > this.wallMs ? dueMs - this.wallMs : WAKE_MS;
    const passedMs = dueMs === Number.POSITIVE_INFINITY ? ms : Math.min(ms, untilDueMs, WAKE_MS);
    this.wallMs += passedMs;
    this.awakeMs += passedMs;
    return ms - passedMs;
  }

  wake(): void {
    this.alarm?.wake();
  }

  /** Sets the clock ahead, or back if `byMs` is negative. */
  set(byMs: number): void {
    this.wallMs += byMs;
  }

  /** The machine sleeps: nobody is woken, whatever falls due. */
  sleep(ms: number): void {
    this.wallMs += ms;
    this.asleepMs += ms;
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
}
