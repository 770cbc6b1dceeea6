// Reads the texts of events and markets. The log keeps them as given: any of them may be missing or not be a string. Used by
// views, catalog, historian and wire.
import { bufferOf, PIPS_PER_UNIT } from '../../engine/index.ts';
import { type Fields, isFields } from '../lib/jsonFields.ts';
import { parsePips } from '../wire/numbers.ts';

/** The value if it is a string, else ''. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The price of a market's first token before any trade, from its text `lastPrice`: one half if that gives none. */
export function initialPricePips(lastPrice: unknown): number {
  const pips = parsePips(textOf(lastPrice));
  return pips === undefined ? PIPS_PER_UNIT / 2 : Math.min(pips, PIPS_PER_UNIT);
}

/** The texts in a command's tail; a tail that is not a JSON object counts as no texts. */
export function readTexts(tail: Uint8Array | undefined): Fields {
  if (tail === undefined) return {};
  try {
    const value: unknown = JSON.parse(bufferOf(tail).toString('utf8'));
    return isFields(value) ? value : {};
  } catch {
    return {};
  }
}
