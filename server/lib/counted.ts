// Counts as they appear in sentences, with noun and verb in the right number. Called by whatever writes such sentences. It
// knows no irregular plurals: a noun must form its plural with an s.

/** A number with separators: "1,001". */
export const figure = (count: number): string => count.toLocaleString('en-US');

/** The form of "to be" that follows a count. */
export const isOrAre = (count: number): string => (count === 1 ? 'is' : 'are');

/**
 * A count with its noun: "1 event", "2 events", "1,001 records".
 * @param noun in the singular
 */
export function counted(count: number, noun: string): string {
  return `${figure(count)} ${noun}${count === 1 ? '' : 's'}`;
}
