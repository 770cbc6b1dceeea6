// The command lines of the benches: whole numbers among their options, and what an invalid one prints. Used by the benches
// that have a usage text; they end with status 2 then.

/** The whole number that an option gives. @throws RangeError with a sentence for the user */
export function wholeNumber(name: string, text: string, min = 1): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= min) return value;
  throw new RangeError(`--${name} must be a whole number from ${min}, not ${text}.`);
}

/** The options as `read` returns them. Prints its error and the usage, and returns undefined, when they are invalid. */
export function optionsOrUsage<Options>(read: () => Options, usage: string): Options | undefined {
  try {
    return read();
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
    return undefined;
  }
}
