// JSON objects whose fields are not yet validated. Used by every parser of external input: bodies, stream messages, the
// configuration file, texts of events and markets. The parsers decide what the fields must be.

/** The fields of a JSON object, by name. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a JSON value is an object: neither null nor an array. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a field counts as not given: absent, null or an empty text. */
export const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === '';
