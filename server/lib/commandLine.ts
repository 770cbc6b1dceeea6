// How a user runs a command of this program, for messages that name one as a remedy. A clone has no program in its path: npm
// runs it, by way of ensure.mjs, which starts the pinned Node with the options that an exchange needs.

/** The line for a command with its arguments, such as `verify --data-dir .outcry`. */
export function commandLine(args: string): string {
  return `npm run -s outcry -- ${args}`;
}
