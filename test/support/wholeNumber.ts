// Whole numbers among the options of the commands that the tests offer (simulate, mutate), checked as commander parses them.
// A command with an invalid one ends with the sentence below before it does anything.
import { InvalidArgumentError } from 'commander';

/** A parser for an option that takes a whole number of at least `min`. */
export const wholeNumberFrom =
  (min: number) =>
  (text: string): number => {
    const value = Number(text);
    if (Number.isSafeInteger(value) && value >= min) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min}, not ${text}.`);
  };
