// How a user runs a command of this program, for messages that name one as a remedy. A clone has no program in its path: npm
// runs it, by way of ensure.mjs, which starts the pinned Node with the options that an exchange needs.

/** The line for a command with its arguments, such as `verify`, `--data-dir` and a path; each is one word to a shell. */
export function commandLine(...args: readonly string[]): string {
  return ['npm run -s outcry --', ...args.map(shellWord)].join(' ');
}

/** The line for the command that copies what precedes a damaged record into a folder yet to be named. */
export function restoreLine(dataDir: string, damagedSequence: number): string {
  return `${commandLine('restore', dataDir, '--to', String(damagedSequence - 1))} --data-dir <new folder>`;
}

/** In quotes, unless it has only characters that mean nothing to a shell. */
function shellWord(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
