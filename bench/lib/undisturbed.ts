// Rounds of a bench that a hypervisor did not disturb. On a shared machine it gives processors to others while this one
// wants them, which Linux counts ("steal" in /proc/stat): a round in which much was taken tells of the neighbours, and is
// measured again, ours and its yardstick alike. How many were is printed with the figures. Off Linux none is.
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Column of /proc/stat's first line, behind its name. */
const STEAL = 7;
/** Linux counts in ticks of a hundredth of a second. */
const TICK_MS = 10;
/** A round in which no more than one tick was taken, or than this share of the processors' time, counts. */
const SHARE_MAX = 0.01;
/** Before a round is measured again: what takes the processors takes them for a while. */
const PAUSE_MS = 500;

/** Time (ms) that a hypervisor has taken from all processors so far; 0 where the system does not tell. */
function stolenMs(): number {
  try {
    return Number(readFileSync('/proc/stat', 'latin1').split('\n', 1)[0].split(/\s+/)[STEAL + 1]) * TICK_MS;
  } catch {
    return 0;
  }
}

/** What the rounds look at; a test has its own. */
export interface Clocks {
  readonly stolenMs: () => number;
  readonly nowMs: () => number;
  readonly processors: number;
  readonly pauseMs: number;
}

const CLOCKS: Clocks = { stolenMs, nowMs: () => performance.now(), processors: cpus().length, pauseMs: PAUSE_MS };

/** Runs rounds, some of them again. */
export class Undisturbed {
  private readonly clocks: Clocks;
  private againLeft: number;
  private again = 0;
  private kept = 0;

  /** @param againMax how many rounds may be measured again in all, so that a bench ends on a busy machine too */
  constructor(againMax: number, clocks = CLOCKS) {
    this.againLeft = againMax;
    this.clocks = clocks;
  }

  /** What the first undisturbed run of `measure` gives, or the last one when no more runs are left. */
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

/** What a bench says before that text. */
export const DISTURBED = 'rounds in which a hypervisor took over 1 % of the processors';
