// A scenario of the simulation as text: a line with the exchange's settings, then the steps, one a line. Printed by main.ts
// for a failing seed, and read back by its option `--scenario`.
import type { EngineSettings } from '../../engine/index.ts';
import { PLAIN_SETTINGS } from '../support/plainSettings.ts';
import { printSteps, readSteps, type Step } from './steps.ts';

export interface Scenario {
  readonly settings: EngineSettings;
  readonly steps: readonly Step[];
}

const SETTINGS_LINE = /^settings\b(.*)$/m;

/** For example: `settings orderWindowMs=5000 creditMicro=0`, and the steps in the lines below. */
export function printScenario({ settings, steps }: Scenario): string {
  const figures = Object.entries(settings).map(([name, figure]) => `${name}=${figure}`);
  return `settings ${figures.join(' ')}\n${printSteps(steps)}`;
}

/**
 * Parses the output of printScenario. Settings that are not named are the plain ones.
 * @throws Error if a setting is unknown or no whole number, or if a step cannot be read
 */
export function readScenario(text: string): Scenario {
  const figures = SETTINGS_LINE.exec(text)?.[1].trim().split(/\s+/).filter(Boolean) ?? [];
  const settings = { ...PLAIN_SETTINGS, ...Object.fromEntries(figures.map(readSetting)) };
  return { settings, steps: readSteps(text.replace(SETTINGS_LINE, '')) };
}

function readSetting(text: string): [name: string, figure: number] {
  const [, name, figure] = /^(\w+)=(\d+)$/.exec(text) ?? [];
  if (name === undefined) throw new Error(`scenario: a setting is written name=number, not ${text}.`);
  if (Object.hasOwn(PLAIN_SETTINGS, name)) return [name, Number(figure)];
  throw new Error(`scenario: ${name} is none of the settings ${Object.keys(PLAIN_SETTINGS).join(', ')}.`);
}
