// Each market's traded volume of the last 24 hours, in steps of five minutes. Fed with every trade in log order; expired
// entries are subtracted on reading, oldest first, so no reader ever sums anything. Used by index.ts; memory is bounded by the
// steps of a day times the markets that traded in it.

import type { Sections } from '../../engine/index.ts';

const STEP_MS = 300_000;
const WINDOW_STEPS = 288;
/** Expired entries are removed from the front of the queue in batches of at least this many. */
const CUT_MIN = 4_096;

interface Entry {
  readonly step: number;
  readonly marketIndex: number;
  micro: number;
}

export class VolumeWindow {
  private readonly onDecrease: (marketIndex: number) => void;
  private readonly micro: number[] = [];
  private readonly latest: (Entry | undefined)[] = [];
  private queue: Entry[] = [];
  private firstAt = 0;

  /** @param onDecrease called with each market whose volume decreases */
  constructor(onDecrease: (marketIndex: number) => void) {
    this.onDecrease = onDecrease;
  }

  /** Adds a trade; times must never decrease. */
  add(marketIndex: number, micro: number, tMs: number): void {
    this.expire(tMs);
    const step = Math.floor(tMs / STEP_MS);
    const entry = this.latest[marketIndex];
    if (entry?.step === step) entry.micro += micro;
    else {
      const added = { step, marketIndex, micro };
      this.latest[marketIndex] = added;
      this.queue.push(added);
    }
    this.micro[marketIndex] = (this.micro[marketIndex] ?? 0) + micro;
  }

  /** Subtracts what is older than the window at this time. */
  expire(nowMs: number): void {
    const oldest = Math.floor(nowMs / STEP_MS) - WINDOW_STEPS;
    const { queue } = this;
    while (this.firstAt < queue.length && queue[this.firstAt].step <= oldest) {
      const entry = queue[this.firstAt];
      this.firstAt += 1;
      this.micro[entry.marketIndex] -= entry.micro;
      if (this.latest[entry.marketIndex] === entry) this.latest[entry.marketIndex] = undefined;
      this.onDecrease(entry.marketIndex);
    }
    if (this.firstAt < CUT_MIN || this.firstAt * 2 < queue.length) return;
    this.queue = queue.slice(this.firstAt);
    this.firstAt = 0;
  }

  /** Collateral that the market traded within the window, micro. */
  of(marketIndex: number): number {
    return this.micro[marketIndex] ?? 0;
  }

  /** The window's part of a snapshot. */
  visit(sections: Sections): void {
    this.queue = sections.plain('queue', this.queue.slice(this.firstAt));
    this.firstAt = 0;
    if (!sections.isLoading) return;
    for (const entry of this.queue) {
      this.latest[entry.marketIndex] = entry;
      this.micro[entry.marketIndex] = this.of(entry.marketIndex) + entry.micro;
    }
  }
}
