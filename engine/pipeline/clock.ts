// The two clocks: the system's, and a virtual one for simulations and tests, which moves only when it is told to. The
// sequencer reads them; nothing else in the engine knows the time.
import { readFileSync } from 'node:fs';
import type { Alarm, Clock } from './types.ts';

/** Linux's monotonic clock stands still while the machine sleeps; the first number in this file does not. */
const UPTIME_FILE = '/proc/uptime';

function bootMs(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const seconds = Number.parseFloat(readFileSync(UPTIME_FILE, 'utf8'));
    return Number.isFinite(seconds) ? seconds * 1000 : undefined;
  } catch {
    return undefined;
  }
}

/** The system's clock, with the monotonic one that it is checked against. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  bootMs,
};

/** A clock that stands still until it is moved. Exchanges that run on it settle their due items as it passes them. */
export class VirtualClock implements Clock {
  private timeMs: number;
  private readonly alarms = new Set<Alarm>();

  constructor(startMs = 0) {
    this.timeMs = startMs;
  }

  now(): number {
    return this.timeMs;
  }

  /** Moves the clock forward by `ms`, stopping at every due time on the way to wake its alarm. */
  advance(ms: number): void {
    if (!(ms >= 0)) throw new RangeError(`A virtual clock moves forward only, not by ${ms} ms.`);
    const targetMs = this.timeMs + ms;
    for (let next = this.nextAlarm(); next !== undefined && next.nextDueMs() <= targetMs; ) {
      const dueMs = next.nextDueMs();
      this.timeMs = Math.max(this.timeMs, dueMs);
      next.wake();
      if (next.nextDueMs() === dueMs) break; // it could not settle its due items: time goes on without it
      next = this.nextAlarm();
    }
    this.timeMs = targetMs;
    this.tick();
  }

  /** Wakes the alarms that are due now. */
  tick(): void {
    for (const alarm of this.alarms) if (alarm.nextDueMs() <= this.timeMs) alarm.wake();
  }

  /** Adds an alarm; returns the function that removes it. */
  attach(alarm: Alarm): () => void {
    this.alarms.add(alarm);
    return () => {
      this.alarms.delete(alarm);
    };
  }

  private nextAlarm(): Alarm | undefined {
    let first: Alarm | undefined;
    for (const alarm of this.alarms) {
      if (first === undefined || alarm.nextDueMs() < first.nextDueMs()) first = alarm;
    }
    return first;
  }
}
