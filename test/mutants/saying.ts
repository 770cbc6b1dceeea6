// What a core says when it is asked something that it may refuse: its answer, or the beginning of its error. Used by asides.ts,
// corruption.ts and damagedSnapshots.ts, which compare a mutant's words with those of the unchanged core.

/** The answer of `ask`, or the first 90 characters of the error that it throws. */
export function saying(ask: () => string): string {
  try {
    return ask();
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 90) : String(error);
  }
}
