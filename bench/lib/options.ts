// The command lines of the benches: whole numbers and files among their options, what an invalid one prints, and `--help`. Used
// by the benches that have a usage text; they end with status 2 after an invalid option.
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { reasonOf } from '../../engine/index.ts';
import { endWithReader } from './endWithReader.ts';

/** The whole number that an option gives. @throws RangeError with a sentence for the user */
export function wholeNumber(name: string, text: string, min = 1): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= min) return value;
  throw new RangeError(`--${name} must be a whole number from ${min}, not ${text}.`);
}

/** The file for a bench's figures, which can be written to: measuring takes minutes. @throws RangeError with a sentence */
export function figuresFile(path: string): string {
  try {
    mkdirSync(dirname(path), { recursive: true });
    closeSync(openSync(path, 'a'));
    return path;
  } catch (error) {
    throw new RangeError(`--json must name a file that can be written, not "${path}": ${reasonOf(error)}.`);
  }
}

/**
 * The options as `read` returns them. Prints its error and the usage, and returns undefined, when they are invalid. With
 * `--help` it prints the usage and ends the process. From here on, that also ends when nobody reads its output any more.
 */
export function optionsOrUsage<Options>(read: () => Options, usage: string): Options | undefined {
  endWithReader();
  if (process.argv.includes('--help')) {
    console.log(usage);
    process.exit();
  }
  try {
    return read();
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
    return undefined;
  }
}
