// The outcome of seeds in figures that can be summed: returned by the process that played a seed, this one or another, and
// summed by main.ts. It knows nothing of how a seed is played.
import type { SeedRun } from './run.ts';

interface Counts {
  seeds: number;
  commands: number;
  lost: number;
  unavailable: number;
  restarts: number;
  /** Starts from a snapshot. */
  restores: number;
  damages: number;
  compared: number;
  trades: number;
  questions: number;
  /** The program's user time, without the system's part. */
  processorSeconds: number;
}

export interface Tally extends Counts {
  /** What happened at all, by name: see outcomes.ts. */
  readonly outcomes: readonly string[];
  /** Where and how it failed, if it did. */
  readonly failure: string | undefined;
}

export function noCounts(): Counts {
  return {
    seeds: 0,
    commands: 0,
    lost: 0,
    unavailable: 0,
    restarts: 0,
    restores: 0,
    damages: 0,
    compared: 0,
    trades: 0,
    questions: 0,
    processorSeconds: 0,
  };
}

/** Plays one seed and returns its tally. */
export async function tallyOf(play: () => Promise<SeedRun>): Promise<Tally> {
  const before = process.cpuUsage();
  const run = await play();
  const { user } = process.cpuUsage(before);
  const { answers, counts, witness } = run.simulation;
  let trades = 0;
  for (const market of witness.audit.markets) trades += market.trades;
  return {
    seeds: 1,
    commands: run.commandCount,
    lost: answers.counts.lost,
    unavailable: answers.counts.unavailable,
    restarts: counts.restarts - 1,
    restores: counts.restores,
    damages: counts.damages,
    compared: witness.comparedCount,
    trades,
    questions: run.questions,
    processorSeconds: user / 1e6,
    outcomes: witness.outcomes.names(),
    failure: run.failure === undefined ? undefined : `at its command ${run.commandCount}: ${run.failure.message}`,
  };
}

/** Adds counts to a sum. */
export function addCounts(sum: Counts, counts: Counts): void {
  for (const [name, count] of Object.entries(counts)) sum[name as keyof Counts] += count;
}
