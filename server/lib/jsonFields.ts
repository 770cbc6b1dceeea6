// JSON objects whose fields have not been checked yet. Used by every reader of what somebody sent or wrote: bodies, messages of
// streams, the configuration file, texts of events and markets. What the fields must be is for those readers to say.

/** The fields of a JSON object, by name. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a JSON value is an object: neither null nor an array. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
