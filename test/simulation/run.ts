// Runs one seed, or written steps, and returns the outcome: steps, counts, and a failure if there is one. Used by the
// command, the shrinker and the tests. It prints nothing.
import { failureOf, type SimulationFailure } from './failure.ts';
import { Flow } from './flow.ts';
import { compareHistories } from './histories.ts';
import { hasFinalReplay, hasHistorian, hasReference } from './looks.ts';
import { Simulation, type SimulationOptions } from './simulation.ts';
import type { Step } from './steps.ts';

export interface SeedRun {
  readonly options: SimulationOptions;
  /** Commands of the flow; those that the clock submits are not counted. */
  readonly commandCount: number;
  /** How many questions the historian was asked at the end. */
  readonly questions: number;
  /** All steps up to the end or the failure, if `keepsSteps`. */
  readonly steps: readonly Step[];
  readonly simulation: Simulation;
  readonly failure: SimulationFailure | undefined;
}

/**
 * Plays `commands` commands of a seed, with the reference beside it on some seeds, or on each. Steps are kept only for
 * shrinking: on every seed they would cost a twentieth of the time.
 */
export async function runSeed(
  seed: number,
  commands: number,
  isEachClose: boolean,
  keepsSteps = false,
): Promise<SeedRun> {
  const flow = new Flow(seed);
  const isClose = isEachClose || hasReference(seed);
  const keepsRecords = hasHistorian(seed);
  const options = { settings: flow.settings, isClose, keepsRecords };
  const simulation = new Simulation(options);
  const steps: Step[] = [];
  let questions = 0;
  let commandCount = 0;
  let failure: SimulationFailure | undefined;
  try {
    await simulation.open();
    while (commandCount < commands) {
      const step = flow.next(simulation.views, simulation.nowMs, simulation.witness.audit.orders.size);
      if (keepsSteps) steps.push(step);
      if (step.kind === 'command') commandCount += 1;
      const playing = simulation.play(step);
      if (playing !== undefined) await playing;
    }
    await simulation.finish(hasFinalReplay(seed));
    if (keepsRecords) questions = await compareHistories(simulation.disk, simulation.witness.records);
  } catch (error) {
    failure = failureOf(error);
  }
  return { options, commandCount, questions, steps, simulation, failure };
}

/** Plays steps on a fresh exchange. Returns the failure in which they end, undefined when all is well. */
export async function runSteps(
  steps: readonly Step[],
  options: SimulationOptions,
): Promise<SimulationFailure | undefined> {
  const simulation = new Simulation(options);
  try {
    await simulation.open();
    for (const step of steps) {
      const playing = simulation.play(step);
      if (playing !== undefined) await playing;
    }
    await simulation.finish(true);
    if (options.keepsRecords) await compareHistories(simulation.disk, simulation.witness.records);
    return undefined;
  } catch (error) {
    return failureOf(error);
  }
}
