// How a user runs a command of this program, for messages that name one as a remedy. A clone has no program in its path: npm
// runs it, by way of ensure.mjs, which starts the pinned Node with the options that an exchange needs.

/** The line for a command with its arguments, such as `verify --data-dir .outcry`; a path in it is a `shellWord`. */
export function commandLine(args: string): string {
  return `npm run -s outcry -- ${args}`;
}

/** A path as a shell takes it for one word: in quotes, unless it has only characters that mean nothing to a shell. */
export function shellWord(path: string): string {
  return /^[\w./:@%+,=-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
