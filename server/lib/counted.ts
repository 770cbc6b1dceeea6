// A count with what it counts, for sentences that people read: one of it, or so many. Called by the command line and its
// tools. Nouns whose plural is not made with an s have no place here.

/** "1,001". */
export const figure = (count: number): string => count.toLocaleString('en-US');

/** The verb behind such a count. */
export const isOrAre = (count: number): string => (count === 1 ? 'is' : 'are');

/** "1 event", "2 events", "1,001 records": the noun in the singular. */
export function counted(count: number, noun: string): string {
  return `${figure(count)} ${noun}${count === 1 ? '' : 's'}`;
}
