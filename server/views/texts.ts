// Reads the texts of events and markets, and the prices that follow from them. The log keeps texts as given: any of them may
// be missing or not be a string. Used by views, catalog, historian and wire.
import { bufferOf, complementPips, PIPS_PER_UNIT, Resolution } from '../../engine/index.ts';
import { parseDecimal } from '../lib/decimals.ts';
import { type Fields, isFields } from '../lib/jsonFields.ts';

/** A pip is the last of these decimals: PIPS_PER_UNIT is ten to their number. */
const PRICE_DECIMALS = 4;
/** The names of a market's two tokens if its texts give none. */
export const DEFAULT_OUTCOMES: readonly [string, string] = ['Yes', 'No'];

/** The value if it is a string, else ''. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The price of a market's first token before any trade, from its text `lastPrice`: one half if that gives none. */
export function initialPricePips(lastPrice: unknown): number {
  const pips = parseDecimal(textOf(lastPrice), PRICE_DECIMALS);
  return pips === undefined ? PIPS_PER_UNIT / 2 : Math.min(pips, PIPS_PER_UNIT);
}

/** The price shown for a token: its resolution if there is one, else by `firstPips`, the price of the first token. */
export function shownPricePips(resolution: number | undefined, firstPips: number, outcome: number): number {
  if (resolution === Resolution.SPLIT) return PIPS_PER_UNIT / 2;
  if (resolution !== undefined) return resolution === outcome ? PIPS_PER_UNIT : 0;
  return outcome === 0 ? firstPips : complementPips(firstPips);
}

/** The names of a market's two tokens, from its text `outcomes`; the default ones if that gives no two. */
export function outcomesOf({ outcomes }: Fields): readonly [string, string] {
  return Array.isArray(outcomes) && outcomes.length === 2
    ? [String(outcomes[0]), String(outcomes[1])]
    : DEFAULT_OUTCOMES;
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
