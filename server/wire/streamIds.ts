// Stream names. A market has six streams: first, second or both of its tokens, each with or without custom features. Each
// numbers its own messages, from the log alone. An owner has one stream for everything and one per market. The last part of
// a name identifies the log and the numbering scheme, so the numbers of another exchange, or of a program version that derived
// other messages from the same log, are never taken for this one's.

/** One of a market's six streams: tokens − 1 (first, second, both), plus 3 with custom features. */
export type Form = 0 | 1 | 2 | 3 | 4 | 5;
export const FORM_COUNT = 6;
const FORM_TEXTS: readonly string[] = ['fp', 'sp', 'bp', 'fc', 'sc', 'bc'];

/** Bytes of a market stream's name; all names have this length, so they can be patched into rendered messages. */
export const MARKET_ID_BYTES = 22;
/** Bytes of a sequence in a message, padded with leading blanks. */
export const SEQUENCE_BYTES = 16;

const TIME_CHARACTERS = 8;
const CATALOG = 'new-markets-';
const MARKET_ID = /^m([0-9a-f]{8})-([fsb][pc])-([0-9a-z]{9})$/;

/** A market's stream for the followed tokens, as bits: 1 the first, 2 the second, 3 both. */
export function formOf(tokens: number, isCustom: boolean): Form {
  return ((tokens & 3) - 1 + (isCustom ? 3 : 0)) as Form; // 0 to 5
}

/** Token bits of a form. */
export const tokensOfForm = (form: Form): number => (form % 3) + 1;

export const isCustomForm = (form: Form): boolean => form >= 3;

/**
 * The log's name, nine characters: the numbering scheme (1 to 35), then the log's identity, a time (ms): that of its first record
 * or, for a copy, of copying.
 */
export function logName(numbering: number, identityMs: number): string {
  const time = Math.max(0, Math.floor(identityMs)).toString(36).padStart(TIME_CHARACTERS, '0');
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

/** The parts of a market stream's name; undefined for any other text. */
export function parseMarketStreamId(text: string): MarketStreamName | undefined {
  const match = MARKET_ID.exec(text);
  if (match === null) return undefined;
  const form = FORM_TEXTS.indexOf(match[2]) as Form; // the pattern allows no other
  return { marketIndex: Number.parseInt(match[1], 16), form, log: match[3] };
}

/** The stream of new markets, which every socket with custom features follows. */
export const catalogStreamId = (log: string): string => `${CATALOG}${log}`;

/** The topic of a stream's heartbeats: not all sockets that follow the stream, and so share its own topic, know heartbeats. */
export const heartbeatTopic = (streamId: string): string => `${streamId}-heartbeats`;

/** Whether a name is that of the stream of new markets, of any log. */
export const isCatalogStream = (streamId: string): boolean => streamId.startsWith(CATALOG);

/** The market of one of the owner's market streams, of any log; undefined for every other name. */
export function marketOfUserStream(streamId: string, owner: string): number | undefined {
  const start = `u${owner.slice(2)}-`;
  const part = streamId.startsWith(start) ? streamId.slice(start.length, start.length + 9) : '';
  return /^[0-9a-f]{8}-$/.test(part) ? Number.parseInt(part, 16) : undefined;
}

/** An owner's stream, of everything or of one market; with an empty log, the prefix shared by such streams of all logs. */
export function userStreamId(owner: string, marketIndex: number | undefined, log: string): string {
  const part = marketIndex === undefined ? 'all' : marketIndex.toString(16).padStart(8, '0');
  return `u${owner.slice(2)}-${part}-${log}`;
}
