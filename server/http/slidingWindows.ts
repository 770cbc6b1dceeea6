// One client's admissions under one row of the throttle table: a ring of the times that still count, and for each window
// the place in the ring where it begins. Used by throttle.ts. Exact to the millisecond and without drift: an admission at t
// counts in a window of w milliseconds at every time before t + w, and never at or after it.
import type { RateWindow } from '../config/throttleTable.ts';

const RING_TIMES_MIN = 2;
const TIME_BYTES = 8;

/** A full window, and when it admits the next request, in ms. */
export interface FullWindow {
  readonly window: RateWindow;
  readonly freeAtMs: number;
}

export class SlidingWindows {
  private readonly windows: readonly RateWindow[];
  /** Total number of admissions. */
  private admittedCount = 0;
  /** The number of the oldest admission in each window. */
  private readonly oldest: number[];
  /** A plain array: for the many clients with one request it is far smaller than a typed array. */
  private ring: number[] = new Array(RING_TIMES_MIN).fill(0);

  constructor(windows: readonly RateWindow[]) {
    this.windows = windows;
    this.oldest = windows.map(() => 0);
  }

  /** Size of the ring in bytes. */
  get ringBytes(): number {
    return this.ring.length * TIME_BYTES;
  }

  /** Of the windows that are full at this time, the one that stays full longest; undefined if none is full. */
  fullAt(nowMs: number): FullWindow | undefined {
    let full: FullWindow | undefined;
    for (let index = 0; index < this.windows.length; index += 1) {
      const window = this.windows[index];
      const count = this.admittedCount - this.advance(index, nowMs - window.windowMs);
      if (count < window.requestsMax) continue;
      // This many must expire before there is room for one.
      const lastToLeave = this.oldest[index] + count - window.requestsMax;
      const freeAtMs = this.ring[lastToLeave % this.ring.length] + window.windowMs;
      if (full === undefined || freeAtMs > full.freeAtMs) full = { window, freeAtMs };
    }
    return full;
  }

  /** Counts a request that `fullAt` at the same time let pass. */
  admit(nowMs: number): void {
    let first = this.admittedCount;
    for (const number of this.oldest) if (number < first) first = number;
    if (this.admittedCount - first === this.ring.length) this.grow();
    this.ring[this.admittedCount % this.ring.length] = nowMs;
    this.admittedCount += 1;
  }

  /** Drops admissions that a window no longer counts; returns the number of its oldest remaining one. */
  private advance(index: number, beforeMs: number): number {
    let number = this.oldest[index];
    while (number < this.admittedCount && this.ring[number % this.ring.length] <= beforeMs) number += 1;
    this.oldest[index] = number;
    return number;
  }

  private grow(): void {
    const larger: number[] = new Array(this.ring.length * 2).fill(0);
    for (let number = this.admittedCount - this.ring.length; number < this.admittedCount; number += 1) {
      larger[number % larger.length] = this.ring[number % this.ring.length];
    }
    this.ring = larger;
  }
}
