// Reading what is written in the texts of events and markets, which the log keeps as they were given: any of them may be
// missing, or be none. Used by views, catalog, historian and wire.

/** A text as it stands; '' where there is none. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
