// The one place that gives a command its sequence and its time. Time never falls: t = max(previous t, clock). A clock that
// is set more than a minute ahead of monotonic time is not believed, because time that was once stamped cannot be taken
// back. Used by the pipeline alone; gateways never stamp.
import type { Clock, Log } from './types.ts';

/** How far (ms) a clock may move ahead of monotonic time, and a journal ahead of the clock, before it is doubted. */
const BELIEVED_AHEAD_MS = 60_000;
/** A clock that is further (ms) ahead may have run on while the machine slept: checking that reads a file. */
const SLEEP_CHECKED_MS = 1_000;
/** A clock that is further (ms) behind the last command is reported: nothing falls due until it has caught up. */
const BEHIND_REPORTED_MS = 1_000;

/** The journal's last time is more than a minute ahead of the clock. */
export class ClockBehindJournal extends Error {
  override readonly name = 'ClockBehindJournal';

  constructor(journalTMs: number, clockMs: number) {
    const aheadSeconds = Math.round((journalTMs - clockMs) / 1000);
    super(
      `The last command in the journal was stamped ${new Date(journalTMs).toISOString()}, which is ${aheadSeconds} s ahead ` +
        `of this machine's clock (at most ${BELIEVED_AHEAD_MS / 1000} s are accepted). Set the clock, or start with ` +
        '--accept-clock: time then stands still until the clock has caught up.',
    );
  }
}

export class Sequencer {
  /** The last sequence assigned, and its time (ms). */
  sequence: number;
  tMs: number;
  private readonly clock: Clock;
  private readonly log: Log;
  /** The latest clock that was believed, and the monotonic time then. */
  private believedMs: number;
  private believedAtMs: number;
  /** The last command's time (ms) at a start that accepts a clock behind it; 0 at others. */
  private readonly acceptedTMs: number;
  private isDoubted = false;
  private isBehind = false;
  /** How far (ms) the clock that runs on in sleep was ahead of the monotonic one when the clock was last believed. */
  private asleepMs: number;

  /**
   * Continues after the last record of a journal (0, 0 for an empty one).
   * Throws ClockBehindJournal unless `acceptsClock` or the clock is virtual.
   */
  constructor(clock: Clock, lastSequence: number, lastTMs: number, acceptsClock: boolean, log: Log) {
    this.clock = clock;
    this.log = log;
    this.sequence = lastSequence;
    this.tMs = lastTMs;
    const wallMs = clock.now();
    this.believedMs = wallMs;
    this.believedAtMs = clock.monotonicMs?.() ?? 0;
    this.asleepMs = this.asleepAt(this.believedAtMs);
    this.acceptedTMs = acceptsClock ? lastTMs : 0;
    const isVirtual = clock.monotonicMs === undefined;
    if (!isVirtual && !acceptsClock && lastTMs > wallMs + BELIEVED_AHEAD_MS) {
      throw new ClockBehindJournal(lastTMs, wallMs);
    }
  }

  /** Gives the next command its `sequence` and `tMs`. */
  stamp(): void {
    this.tMs = this.now();
    this.sequence += 1;
  }

  /** The time (ms) that a command would get now. */
  now(): number {
    return Math.max(this.tMs, this.clockMs());
  }

  /** Time that cannot be set (ms, whole), from an arbitrary start; a virtual clock's own time. */
  elapsedMs(): number {
    const { clock } = this;
    return Math.floor(clock.monotonicMs === undefined ? clock.now() : clock.monotonicMs());
  }

  /** The clock as far as it is believed (ms, whole); it may lie before the last command's time. */
  clockMs(): number {
    const { clock } = this;
    const wallMs = Math.floor(clock.now());
    if (clock.monotonicMs === undefined) return wallMs;
    const monotonicMs = clock.monotonicMs();
    let expectedMs = Math.floor(this.believedMs + (monotonicMs - this.believedAtMs));
    const isAhead = wallMs > expectedMs + SLEEP_CHECKED_MS;
    const asleepMs = isAhead ? this.asleepAt(monotonicMs) : this.asleepMs;
    expectedMs += Math.max(0, Math.round(asleepMs - this.asleepMs));
    const isJump = wallMs > expectedMs + BELIEVED_AHEAD_MS;
    // Setting a clock right that was accepted although it is behind the last command is no jump, however far it moves.
    if (isJump && expectedMs >= this.acceptedTMs) {
      if (!this.isDoubted) this.warn(wallMs, expectedMs);
      return expectedMs;
    }
    this.isDoubted = false;
    this.noteBehind(wallMs);
    if (wallMs >= (isJump ? this.acceptedTMs : expectedMs)) {
      // Small steps ahead are followed. Steps back do not move the reference, so that setting the clock right again is not
      // mistaken for a jump; nor does one ahead that ends before the last command, which says nothing about what is right.
      this.believedMs = wallMs;
      this.believedAtMs = monotonicMs;
      this.asleepMs = asleepMs;
    }
    return wallMs;
  }

  /** Warns that time stands still, once until the clock has caught up with the last command. */
  private noteBehind(wallMs: number): void {
    const behindMs = this.tMs - wallMs;
    if (behindMs <= 0) this.isBehind = false;
    if (this.isBehind || behindMs <= BEHIND_REPORTED_MS) return;
    this.isBehind = true;
    const text =
      'The clock is behind the last command: time stands still and nothing falls due until it has caught up.';
    this.log('warn', text, { behindMs });
  }

  private asleepAt(monotonicMs: number): number {
    const bootMs = this.clock.bootMs?.();
    return bootMs === undefined ? 0 : bootMs - monotonicMs;
  }

  private warn(wallMs: number, expectedMs: number): void {
    this.isDoubted = true;
    this.log('warn', 'The clock jumped ahead and is not trusted; the exchange continues by monotonic time.', {
      aheadMs: wallMs - expectedMs,
      limitMs: BELIEVED_AHEAD_MS,
    });
  }
}
