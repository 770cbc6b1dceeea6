// A scenario of the simulation as text: a line with the exchange's settings, then the steps, one a line. Printed by main.ts
// for a failing seed, and read back by its option `--scenario`.
import type { EngineSettings } from '../../engine/index.ts';
import { printSettings, readSettings } from './settingsText.ts';
import { printSteps, readSteps, type Step } from './steps.ts';

export interface Scenario {
  readonly settings: EngineSettings;
  readonly steps: readonly Step[];
}

const SETTINGS_LINE = /^settings\b(.*)$/m;

/** For example: `settings orderWindowMs=5000 creditMicro=0`, and the steps in the lines below. */
export function printScenario({ settings, steps }: Scenario): string {
  return `settings ${printSettings(settings)}\n${printSteps(steps)}`;
}

/**
 * Parses the output of printScenario. Settings that are not named are the plain ones.
 * @throws Error if a setting is unknown or no whole number, or if a step cannot be read
 */
export function readScenario(text: string): Scenario {
  const settings = readSettings(SETTINGS_LINE.exec(text)?.[1] ?? '');
  return { settings, steps: readSteps(text.replace(SETTINGS_LINE, '')) };
}
