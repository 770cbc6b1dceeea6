// Conversions of a caught value, which may be anything, into a text for a sentence or into an Error. Part of the vocabulary,
// since every folder catches something.

/** The message of a thrown Error, or the text of any other thrown value. */
export const reasonOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** The thrown value as an Error, for callers that accept nothing else. */
export const errorOf = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
