// The one list of reasons for refusing a command, in the order in which they are checked: the first that applies is the answer.
// Read by registry and core (which return the code with up to three figures), by the replies and by the documentation.
// A code, once assigned, never changes its meaning: journals keep them. The sentences are in the server's wire folder.

interface RejectionEntry {
  readonly code: number;
  /** The meaning of the event's figures a, b and c, with units. */
  readonly figures: readonly string[];
}

/** In the order of checks: first the registry's, then those of an order. The files of other commands state their own order. */
export const rejections = {
  // Registry: before the core sees the command.
  KEY_UNKNOWN: { code: 1, figures: [] },
  WALLET_NOT_OWNED: { code: 2, figures: [] },
  // Entry of an order.
  MARKET_UNKNOWN: { code: 10, figures: [] },
  POST_ONLY_TYPE: { code: 11, figures: [] },
  EXPIRATION_INVALID: { code: 12, figures: ['expiration, s', 'earliest accepted, s'] },
  TIMESTAMP_OUT_OF_RANGE: { code: 13, figures: ['timestamp, ms', 'earliest, ms', 'latest, ms'] },
  AMOUNT_NOT_POSITIVE: { code: 14, figures: ['makerAmount, micro', 'takerAmount, micro'] },
  AMOUNT_ACCURACY: { code: 15, figures: ['makerAmount, micro', 'takerAmount, micro', 'tick, pips'] },
  PRICE_OFF_TICK: { code: 17, figures: ['price, micro', 'tick, pips'] },
  SIZE_TOO_LARGE: { code: 16, figures: ['size, lots', 'largest, lots'] },
  SIZE_BELOW_MINIMUM: { code: 18, figures: ['size, lots', 'minimum, lots'] },
  MARKETABLE_BUY_BELOW_MINIMUM: { code: 19, figures: ['amount, micro', 'minimum, micro'] },
  MARKET_NOT_OPEN: { code: 20, figures: ['market status'] },
  EXCHANGE_DISABLED: { code: 21, figures: [] },
  EXCHANGE_RESTARTING: { code: 22, figures: [] },
  EXCHANGE_CANCEL_ONLY: { code: 23, figures: [] },
  EXCHANGE_POST_ONLY: { code: 24, figures: [] },
  BANNED: { code: 25, figures: [] },
  CLOSED_ONLY: { code: 26, figures: [] },
  DUPLICATE: { code: 27, figures: [] },
  POST_ONLY_CROSSES: { code: 28, figures: ["price of the order crossed, pips of the order's token"] },
  FUNDS: { code: 29, figures: ['balance, micro', 'reserved in this market, micro', 'needed, micro'] },
  FOK_NOT_FILLED: { code: 30, figures: ['found, lots'] },
  FAK_NOT_MATCHED: { code: 31, figures: [] },
  // Everything else.
  MARKET_STATE: { code: 40, figures: ['market status'] },
  MARKET_TERMS: { code: 41, figures: ['number of the MarketField at fault'] },
  MARKET_EXISTS: { code: 42, figures: [] },
  TOKEN_EXISTS: { code: 43, figures: [] },
  SLUG_EXISTS: { code: 44, figures: [] },
  EVENT_UNKNOWN: { code: 45, figures: ['event number'] },
  AMOUNT_INVALID: { code: 46, figures: ['amount, micro'] },
  BALANCE_SHORT: { code: 47, figures: ['balance, micro', 'reserved, micro', 'asked, micro'] },
  SHARES_SHORT: { code: 48, figures: ['shares free, micro', 'asked, micro'] },
  NOTHING_TO_REDEEM: { code: 49, figures: [] },
  DEPOSITS_FULL: { code: 50, figures: ['deposited so far, micro', 'asked, micro'] },
  KEY_EXISTS: { code: 51, figures: [] },
  WALLET_TAKEN: { code: 53, figures: [] },
} as const satisfies Record<string, RejectionEntry>;

export type RejectionName = keyof typeof rejections;

const nameByCode = new Map<number, RejectionName>();
for (const name of Object.keys(rejections)) {
  const known = name as RejectionName; // keys of the literal above, widened by Object.keys
  const code = rejections[known].code;
  if (nameByCode.has(code)) throw new Error(`rejections: code ${code} is defined twice`);
  nameByCode.set(code, known);
}

/** The name of a rejection code from a journal or an event. Throws for a code that this version does not know. */
export function rejectionName(code: number): RejectionName {
  const name = nameByCode.get(code);
  if (name === undefined) throw new Error(`rejection code ${code} is not known to this version`);
  return name;
}

const names = [...nameByCode.values()];
const beforeDuplicate = new Set(names.slice(0, names.indexOf('DUPLICATE')));

/** Whether an order accepted or killed before may be refused with this name: its check precedes the one for duplicates. */
export function mayHideDuplicate(name: RejectionName): boolean {
  return beforeDuplicate.has(name);
}
