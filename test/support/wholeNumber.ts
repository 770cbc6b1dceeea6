// Whole numbers from outside: options of the commands that the tests offer (simulate, mutate, crash, powerloss), checked as
// commander parses them, and variables of the environment that say how much a test tries. An invalid one ends the command or
// the test with a sentence before it does anything, since a loop that runs no times would pass.
import { InvalidArgumentError } from 'commander';

function parse(text: string, min: number): number | undefined {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isSafeInteger(value) && value >= min ? value : undefined;
}

const mustBe = (min: number, text: string): string => `must be a whole number from ${min}, not ${text}.`;

/** A parser for an option that takes a whole number of at least `min`. */
export const wholeNumberFrom =
  (min: number) =>
  (text: string): number => {
    const value = parse(text, min);
    if (value === undefined) throw new InvalidArgumentError(`It ${mustBe(min, text)}`);
    return value;
  };

/** The whole number of at least `min` in a variable of the environment; `usual` where it is not set. */
export function environmentNumber(name: string, usual: number, min = 1): number {
  const text = process.env[name];
  if (text === undefined) return usual;
  const value = parse(text, min);
  if (value === undefined) throw new RangeError(`${name} ${mustBe(min, text)}`);
  return value;
}
