// Repeats bench rounds that a hypervisor disturbed. On a shared machine it gives processors to others while this one wants
// them, which Linux counts ("steal" in /proc/stat). A round with much stolen time tells about the neighbours, so ours and
// its yardstick are measured again. The number of such rounds is printed with the figures. Off Linux there are none.
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Column of /proc/stat's first line, counted after its name. */
const STEAL = 7;
/** Linux counts in ticks of a hundredth of a second. */
const TICK_MS = 10;
/** A round counts when at most one tick, or at most this share of the processors' time, was stolen. */
const SHARE_MAX = 0.01;
/** Pause before a round is repeated: what takes the processors takes them for a while. */
const PAUSE_MS = 500;

/** Time (ms) that a hypervisor has taken from all processors so far; 0 where the system does not report it. */
function stolenMs(): number {
  try {
    return Number(readFileSync('/proc/stat', 'latin1').split('\n', 1)[0].split(/\s+/)[STEAL + 1]) * TICK_MS;
  } catch {
    return 0;
  }
}

/** The readings that decide whether a round counts; tests pass their own. */
interface Clocks {
  readonly stolenMs: () => number;
  readonly nowMs: () => number;
  readonly processors: number;
  readonly pauseMs: number;
}

const CLOCKS: Clocks = { stolenMs, nowMs: () => performance.now(), processors: cpus().length, pauseMs: PAUSE_MS };

/** Runs rounds and repeats the disturbed ones. */
export class Undisturbed {
  private readonly clocks: Clocks;
  private againLeft: number;
  private again = 0;
  private kept = 0;

  /** @param againMax most repetitions over all rounds, so that a bench also ends on a busy machine */
  constructor(againMax: number, clocks = CLOCKS) {
    this.againLeft = againMax;
    this.clocks = clocks;
  }

  /** The result of the first undisturbed run of `measure`, or of the last one when no repetitions are left. */
  async round<T>(measure: () => Promise<T> | T): Promise<T> {
    const { clocks } = this;
    for (;;) {
      const [fromMs, takenMs] = [clocks.nowMs(), clocks.stolenMs()];
      const found = await measure();
      const wantedMs = (clocks.nowMs() - fromMs) * clocks.processors;
      if (clocks.stolenMs() - takenMs <= Math.max(TICK_MS, wantedMs * SHARE_MAX)) return found;
      if (this.againLeft === 0) {
        this.kept += 1;
        return found;
      }
      this.againLeft -= 1;
      this.again += 1;
      await sleep(clocks.pauseMs);
    }
  }

  toString(): string {
    return `${this.again} measured again, ${this.kept} kept nevertheless`;
  }
}

/** The label that a bench prints before that text. */
export const DISTURBED = 'rounds in which a hypervisor took over 1 % of the processors';
