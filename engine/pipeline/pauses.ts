// Notices pauses: times in which the exchange heard nobody, because its process was stopped or busy, its machine slept, or it
// accepted no commands. Keys that were not heard then are not silent, so inline.ts renews their heartbeats before anything else
// falls due. Virtual clocks know no pauses.
import type { Clock } from './types.ts';

/** How far (ms) the clock may move from one look to the next; there is one every second while heartbeats can lapse. */
const UNHEARD_MS_MAX = 3_000;

export class Pauses {
  private readonly clockMs: () => number;
  private readonly isVirtual: boolean;
  private lookedMs: number;

  /** `clockMs` is the clock as far as it is believed. */
  constructor(clock: Clock, clockMs: () => number) {
    this.clockMs = clockMs;
    this.isVirtual = clock.monotonicMs === undefined;
    this.lookedMs = clockMs();
  }

  /**
   * Must be called whenever the exchange can hear its clients. Returns how long (ms) it could not until now; 0 unless that was
   * a pause.
   */
  look(): number {
    if (this.isVirtual) return 0;
    const beforeMs = this.lookedMs;
    this.lookedMs = this.clockMs();
    const unheardMs = this.lookedMs - beforeMs;
    return unheardMs > UNHEARD_MS_MAX ? unheardMs : 0;
  }
}
