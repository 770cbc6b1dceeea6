// The answer of a core to a question that may end in an error, which then is the answer. Used by asides.ts, corruption.ts,
// damagedSnapshots.ts and killer.ts, which compare a mutant's answers with those of the unchanged core.

/** The answer of `ask`, or the first 90 characters of the error that it throws. */
export function answerOrError(ask: () => string): string {
  try {
    return ask();
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 90) : String(error);
  }
}
