// The settings of a start as text, such as `orderWindowMs=5000 creditMicro=0`: part of scenarios (scenario.ts), and of the steps
// with which an exchange starts again under other settings (steps.ts).
import type { EngineSettings } from '../../engine/index.ts';
import { PLAIN_SETTINGS } from '../support/plainSettings.ts';

export function printSettings(settings: EngineSettings): string {
  return Object.entries(settings)
    .map(([name, figure]) => `${name}=${figure}`)
    .join(' ');
}

/**
 * Parses the output of printSettings. Settings that are not named are the plain ones.
 * @throws Error if a setting is unknown or no whole number
 */
export function readSettings(text: string): EngineSettings {
  const figures = text.trim().split(/\s+/).filter(Boolean);
  return { ...PLAIN_SETTINGS, ...Object.fromEntries(figures.map(readSetting)) };
}

function readSetting(text: string): [name: string, figure: number] {
  const [, name, figure] = /^(\w+)=(\d+)$/.exec(text) ?? [];
  if (name === undefined) throw new Error(`scenario: a setting is written name=number, not ${text}.`);
  if (Object.hasOwn(PLAIN_SETTINGS, name)) return [name, Number(figure)];
  throw new Error(`scenario: ${name} is none of the settings ${Object.keys(PLAIN_SETTINGS).join(', ')}.`);
}
