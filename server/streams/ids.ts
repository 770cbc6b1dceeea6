// Names of streams. A market has six: which of its tokens (first, second, both), with or without custom features. Each
// is numbered by itself, from the log alone. An owner has one for everything and one a market. The last part of a name
// says which log it belongs to and how it was numbered, so that numbers of another exchange, or of a program that told other
// messages of the same log, are never taken for this one's.

/** Which of a market's six streams: tokens − 1 (first, second, both), plus 3 with custom features. */
export type Form = 0 | 1 | 2 | 3 | 4 | 5;
export const FORM_COUNT = 6;
const FORM_TEXTS: readonly string[] = ['fp', 'sp', 'bp', 'fc', 'sc', 'bc'];

/** Bytes of a market stream's name: all have the same, so that they can be written into ready messages. */
export const MARKET_ID_BYTES = 22;
/** Bytes of a sequence in a message, blanks in front. */
export const SEQUENCE_BYTES = 16;

const TIME_CHARACTERS = 8;
const CATALOG = 'new-markets-';
const MARKET_ID = /^m([0-9a-f]{8})-([fsb][pc])-([0-9a-z]{9})$/;

/** The stream of a market for the tokens that somebody follows, as bits: 1 the first, 2 the second, 3 both. */
export function formOf(tokens: number, isCustom: boolean): Form {
  return ((tokens & 3) - 1 + (isCustom ? 3 : 0)) as Form; // 0 to 5
}

/** Token bits of a form. */
export const tokensOfForm = (form: Form): number => (form % 3) + 1;

export const isCustomForm = (form: Form): boolean => form >= 3;

/**
 * What tells numbers apart, as nine characters: the way of numbering (1 to 35), and the log by the time (ms) of its first record,
 * or since when it is a copy.
 */
export function logName(numbering: number, sinceMs: number): string {
  const time = Math.max(0, Math.floor(sinceMs)).toString(36).padStart(TIME_CHARACTERS, '0');
  return `${numbering.toString(36)}${time.slice(-TIME_CHARACTERS)}`;
}

export function marketStreamId(marketIndex: number, form: Form, log: string): string {
  return `m${marketIndex.toString(16).padStart(8, '0')}-${FORM_TEXTS[form]}-${log}`;
}

interface MarketStreamName {
  readonly marketIndex: number;
  readonly form: Form;
  readonly log: string;
}

/** What a market stream's name says; undefined for a text that is none. */
export function parseMarketStreamId(text: string): MarketStreamName | undefined {
  const match = MARKET_ID.exec(text);
  if (match === null) return undefined;
  const form = FORM_TEXTS.indexOf(match[2]) as Form; // the pattern allows no other
  return { marketIndex: Number.parseInt(match[1], 16), form, log: match[3] };
}

/** The stream of new markets, for every socket with custom features. */
export const catalogStreamId = (log: string): string => `${CATALOG}${log}`;

/** Whether a name is that of new markets, of whatever log. */
export const isCatalogStream = (streamId: string): boolean => streamId.startsWith(CATALOG);

/** The market whose part of the owner's stream a name is, of whatever log; undefined for every other name. */
export function marketOfUserStream(streamId: string, owner: string): number | undefined {
  const start = `u${owner.slice(2)}-`;
  const part = streamId.startsWith(start) ? streamId.slice(start.length, start.length + 9) : '';
  return /^[0-9a-f]{8}-$/.test(part) ? Number.parseInt(part, 16) : undefined;
}

/** The stream of an owner: of everything, or of one market; with no log, what such streams of all logs begin with. */
export function userStreamId(owner: string, marketIndex: number | undefined, log: string): string {
  const part = marketIndex === undefined ? 'all' : marketIndex.toString(16).padStart(8, '0');
  return `u${owner.slice(2)}-${part}-${log}`;
}
