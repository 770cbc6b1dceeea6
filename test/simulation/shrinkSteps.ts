// Shrinks a failing run of a simulation: drops steps as long as the rest still fails in the same way. Used by the command
// to print a scenario that people can read and repeat.
import { runSteps } from './run.ts';
import type { SimulationOptions } from './simulation.ts';
import type { Step } from './steps.ts';

/** A shorter run that ends in a failure of the same signature; stops after `secondsMax`. */
export async function shrinkSteps(
  steps: readonly Step[],
  options: SimulationOptions,
  signature: string,
  secondsMax = 60,
): Promise<readonly Step[]> {
  const endsAt = performance.now() + secondsMax * 1000;
  const stillFails = async (candidate: readonly Step[]): Promise<boolean> =>
    (await runSteps(candidate, options))?.signature === signature;
  if (!(await stillFails(steps))) return steps;
  let best = steps;
  for (let chunk = Math.ceil(best.length / 2); chunk >= 1; chunk = chunk === 1 ? 0 : Math.ceil(chunk / 2)) {
    for (let from = best.length - chunk; from > -chunk && performance.now() < endsAt; from -= chunk) {
      const start = Math.max(0, from);
      const shorter = [...best.slice(0, start), ...best.slice(Math.max(start, from + chunk))];
      if (shorter.length < best.length && (await stillFails(shorter))) best = shorter;
    }
  }
  return best;
}
