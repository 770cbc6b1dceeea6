// A process that plays seeds for main.ts, where several play at once: each question is a seed, its answer the seed's tally.
// It changes nothing.
import { answerQuestions } from '../../bench/lib/talk.ts';
import { breakBuild, type CanaryName, canaries } from './canaries.ts';
import { type Tally, tallyOf } from './tally.ts';

export interface PlayerRequest {
  readonly seed: number;
  readonly commands: number;
  /** Compares every command with the reference exchange, on all seeds instead of one in several. */
  readonly isEachClose: boolean;
  /** The same for all seeds that one process plays. */
  readonly canary: CanaryName | undefined;
}

let loading: Promise<typeof import('./run.ts')> | undefined;

/** Loads the runner, once it is known which canary's fault to put in. */
function load(canary: CanaryName | undefined): Promise<typeof import('./run.ts')> {
  if (canary !== undefined) breakBuild(canaries[canary]);
  return import('./run.ts');
}

async function play({ seed, commands, isEachClose, canary }: PlayerRequest): Promise<Tally> {
  loading ??= load(canary);
  const { runSeed } = await loading;
  return tallyOf(() => runSeed(seed, commands, isEachClose));
}

// Only main.ts asks.
answerQuestions((question) => play(question as PlayerRequest));
