// What a simulated exchange must make of its machine's clocks: which time its commands get, when it may refuse to start, and
// that no key loses its orders because the exchange could not hear it. Used by simulation.ts, which tells it whenever the
// exchange can look at the clocks. It reckons in offsets of the clock that can be set from the one that nobody can set.
import type { Follower } from '../../engine/index.ts';
import { fail } from './audit.ts';
import type { MachineClock } from './clock.ts';

/** How far (ms) the clock may be set ahead, or lie behind the log at a start, and is believed. */
const BELIEVED_MS = 60_000;
/** A longer time (ms) in which the exchange could not hear its clients is a pause. */
const UNHEARD_MS = 3_000;
/** After a pause, every key has at least this long (ms) to be heard. */
const GRACE_MS = 1_000;

interface Pause {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The time that a command gets lies within these bounds (ms). They differ while the clock is behind what it once was. */
export interface Bounds {
  readonly leastMs: number;
  readonly mostMs: number;
}

export class Timekeeper {
  private readonly clock: MachineClock;
  /** The offset (ms) of the clock that was believed last. */
  private offsetMs = 0;
  /** Until then the clock is only being set right, since the exchange was told to start although it is behind. */
  private acceptedMs = 0;
  /** The latest time (ms) that was believed, in any life of the exchange. */
  private latestMs = 0;
  /** The clock (ms) when the exchange last heard its clients, and the latest time (ms) that was believed until then. */
  private heardMs = 0;
  private reachedMs = 0;
  private pauses: Pause[] = [];

  constructor(clock: MachineClock) {
    this.clock = clock;
  }

  /** An exchange starts; the last record on its disk is of this time (ms). Returns whether it must be told to accept the clock. */
  start(lastMs: number): boolean {
    const { clock } = this;
    const isFarBehind = lastMs > clock.now() + BELIEVED_MS;
    this.offsetMs = clock.now() - clock.bootMs();
    this.acceptedMs = isFarBehind ? lastMs : 0;
    this.latestMs = Math.max(this.latestMs, lastMs);
    return isFarBehind;
  }

  /** The exchange has started, which renews all heartbeats. */
  beginLife(): void {
    this.heardMs = this.now();
    this.reachedMs = this.latestMs;
    this.pauses = [];
  }

  /** The clock as far as the exchange must believe it (ms). Must be asked for whenever the exchange can look at it. */
  now(): number {
    const wallMs = this.clock.now();
    const believedMs = this.clock.bootMs() + this.offsetMs;
    const isFarAhead = wallMs > believedMs + BELIEVED_MS;
    if (isFarAhead && believedMs >= this.acceptedMs) return this.note(believedMs);
    if (wallMs > believedMs && (!isFarAhead || wallMs >= this.acceptedMs)) this.offsetMs = wallMs - this.clock.bootMs();
    return this.note(wallMs);
  }

  /** The exchange runs, and hears its clients if it accepts commands. Returns the bounds of the time that a command gets now. */
  hear(isAvailable: boolean): Bounds {
    const nowMs = this.now();
    if (isAvailable) {
      if (nowMs > this.heardMs + UNHEARD_MS) this.pauses.push({ fromMs: this.reachedMs, toMs: nowMs });
      this.heardMs = nowMs;
      this.reachedMs = this.latestMs;
    }
    return { leastMs: nowMs, mostMs: this.latestMs };
  }

  /** Checks every heartbeat that lapses. */
  follower(): Follower {
    return {
      name: 'timekeeper',
      apply: ({ tMs, events }) => {
        for (let i = 0; i < events.length; i += 1) if (events[i].type === 'HeartbeatLapsed') this.checkLapse(tMs);
      },
    };
  }

  private checkLapse(tMs: number): void {
    const pause = this.pauses.find(({ fromMs, toMs }) => tMs > fromMs && tMs < toMs + GRACE_MS);
    if (pause !== undefined) fail('no heartbeat lapses for want of an exchange', { tMs, ...pause });
  }

  private note(believedMs: number): number {
    if (believedMs > this.latestMs) this.latestMs = believedMs;
    return believedMs;
  }
}
