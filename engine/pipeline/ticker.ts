// Submits a Tick when the next item falls due: by a timer under the system's clock, by the clock itself if that is virtual.
// Used by the inline deployment; it decides nothing but when to call.
import type { Clock } from './types.ts';

/** A timer is set for at most this long (ms), so that an adjustment of the clock is noticed. */
const WAIT_MS_MAX = 1_000;

/** What a ticker asks and does. */
interface TickerParts {
  readonly nextDueMs: () => number;
  /** Called at least once a second while anything is to fall due, before it is asked what is due. */
  readonly onWake: () => void;
  /** Submits a Tick; returns whether it was accepted. */
  readonly tick: () => boolean;
}

export class Ticker {
  private readonly clockMs: () => number;
  private readonly parts: TickerParts;
  private readonly detach: (() => void) | undefined;
  private timer: NodeJS.Timeout | undefined;
  private armedForMs = Number.POSITIVE_INFINITY;
  private isClosed = false;

  constructor(clock: Clock, clockMs: () => number, parts: TickerParts) {
    this.clockMs = clockMs;
    this.parts = parts;
    this.detach = clock.attach?.({
      nextDueMs: parts.nextDueMs,
      wake: () => {
        this.look();
      },
    });
  }

  /** Must be called after every command, which may have brought the next due time nearer. */
  arm(): void {
    const dueMs = this.parts.nextDueMs();
    if (this.isClosed || this.detach !== undefined || dueMs >= this.armedForMs) return;
    this.armedForMs = dueMs;
    clearTimeout(this.timer);
    this.setTimer(Math.max(1, dueMs - this.clockMs()));
  }

  close(): void {
    this.detach?.();
    clearTimeout(this.timer);
    this.isClosed = true;
  }

  private setTimer(waitMs: number): void {
    this.timer = setTimeout(() => this.wake(), Math.min(waitMs, WAIT_MS_MAX));
  }

  private wake(): void {
    if (!this.look()) {
      // A tick that fails for good closes this ticker.
      if (!this.isClosed) this.setTimer(WAIT_MS_MAX);
      return;
    }
    this.armedForMs = Number.POSITIVE_INFINITY;
    this.arm();
  }

  /** Ticks if anything is due. Returns false if the tick was not accepted. */
  private look(): boolean {
    const { nextDueMs, onWake, tick } = this.parts;
    onWake();
    return nextDueMs() > this.clockMs() || tick();
  }
}
