// Reading what is written in the texts of events and markets, which the log keeps as they were given: any of them may be
// missing, or be none. Used by views, catalog, historian and wire.
import { type Fields, isFields } from '../lib/jsonFields.ts';

/** A text as it stands; '' where there is none. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The texts in a command's tail; whatever is no JSON object there counts as no texts. */
export function readTexts(tail: Uint8Array | undefined): Fields {
  if (tail === undefined) return {};
  try {
    const value: unknown = JSON.parse(Buffer.from(tail.buffer, tail.byteOffset, tail.byteLength).toString('utf8'));
    return isFields(value) ? value : {};
  } catch {
    return {};
  }
}
