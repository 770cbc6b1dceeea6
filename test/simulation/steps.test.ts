// What a simulation draws: every kind of command that clients and operators can send, and only steps that survive being printed
// and read back, so that the scenario of a failing seed is the very run that failed.
import { expect, test } from 'vitest';
import { type Command, commandLayouts } from '../../engine/index.ts';
import { runSeed } from './run.ts';
import { printScenario, readScenario } from './scenario.ts';

test('drawn steps parse back to themselves, and no kind of command is left out', { timeout: 60_000 }, async () => {
  const drawn = new Set<Command['type']>(['Started']); // the exchange's own
  for (let seed = 1; seed <= 12; seed += 1) {
    const { steps, options, failure } = await runSeed(seed, 1_000, false, true);
    expect(failure, `seed ${seed}`).toBeUndefined();
    const scenario = { settings: options.settings, steps };
    expect(readScenario(printScenario(scenario)), `seed ${seed}`).toEqual(scenario);
    for (const step of steps) if (step.kind === 'command') drawn.add(step.command.type);
  }
  expect([...drawn].sort()).toEqual(Object.keys(commandLayouts).sort());
});
