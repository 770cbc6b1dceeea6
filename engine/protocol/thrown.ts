// What was thrown, which may be anything, as whoever catches it hands it on: as the text of a sentence, or as an Error. Every room
// catches something, so that this is part of the vocabulary.

/** What was thrown, in its own words. */
export const reasonOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** What was thrown, for those who take nothing but Errors. */
export const errorOf = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
