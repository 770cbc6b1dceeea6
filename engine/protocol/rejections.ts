// The one list of reasons for refusing a command, in the order in which they are checked: the first that applies is the answer.
// Read by registry and core (which return the code with up to three figures), by the replies and by the metrics. They use
// names and codes alone; mayRetry and figures tell the reader what each one means. A code, once assigned, never changes its
// meaning: journals keep them. The sentences are in the server's wire folder.

interface RejectionEntry {
  readonly code: number;
  /** Whether a retry may succeed: for an order, whether one with the same id may be accepted later. */
  readonly mayRetry: boolean;
  /** The meaning of the event's figures a, b and c, with units. */
  readonly figures: readonly string[];
}

/** In the order of checks: first the registry's, then those of an order. The files of other commands state their own order. */
export const rejections = {
  // Registry: before the core sees the command.
  KEY_UNKNOWN: { code: 1, mayRetry: true, figures: [] },
  WALLET_NOT_OWNED: { code: 2, mayRetry: true, figures: [] },
  // Entry of an order.
  MARKET_UNKNOWN: { code: 10, mayRetry: true, figures: [] },
  POST_ONLY_TYPE: { code: 11, mayRetry: true, figures: [] },
  EXPIRATION_INVALID: { code: 12, mayRetry: true, figures: ['expiration, s', 'earliest accepted, s'] },
  TIMESTAMP_OUT_OF_RANGE: { code: 13, mayRetry: true, figures: ['timestamp, ms', 'earliest, ms', 'latest, ms'] },
  AMOUNT_NOT_POSITIVE: { code: 14, mayRetry: true, figures: ['makerAmount, micro', 'takerAmount, micro'] },
  AMOUNT_ACCURACY: { code: 15, mayRetry: true, figures: ['makerAmount, micro', 'takerAmount, micro', 'tick, pips'] },
  PRICE_OFF_TICK: { code: 17, mayRetry: true, figures: ['price, micro', 'tick, pips'] },
  SIZE_TOO_LARGE: { code: 16, mayRetry: true, figures: ['size, lots', 'largest, lots'] },
  SIZE_BELOW_MINIMUM: { code: 18, mayRetry: true, figures: ['size, lots', 'minimum, lots'] },
  MARKETABLE_BUY_BELOW_MINIMUM: { code: 19, mayRetry: true, figures: ['amount, micro', 'minimum, micro'] },
  MARKET_NOT_OPEN: { code: 20, mayRetry: true, figures: ['market status'] },
  EXCHANGE_DISABLED: { code: 21, mayRetry: true, figures: [] },
  EXCHANGE_RESTARTING: { code: 22, mayRetry: true, figures: [] },
  EXCHANGE_CANCEL_ONLY: { code: 23, mayRetry: true, figures: [] },
  EXCHANGE_POST_ONLY: { code: 24, mayRetry: true, figures: [] },
  BANNED: { code: 25, mayRetry: true, figures: [] },
  CLOSED_ONLY: { code: 26, mayRetry: true, figures: [] },
  DUPLICATE: { code: 27, mayRetry: false, figures: [] },
  POST_ONLY_CROSSES: { code: 28, mayRetry: true, figures: ["price of the order crossed, pips of the order's token"] },
  FUNDS: { code: 29, mayRetry: true, figures: ['balance, micro', 'reserved in this market, micro', 'needed, micro'] },
  FOK_NOT_FILLED: { code: 30, mayRetry: false, figures: ['found, lots'] },
  FAK_NOT_MATCHED: { code: 31, mayRetry: false, figures: [] },
  // Everything else.
  MARKET_STATE: { code: 40, mayRetry: true, figures: ['market status'] },
  MARKET_TERMS: { code: 41, mayRetry: true, figures: ['number of the MarketField at fault'] },
  MARKET_EXISTS: { code: 42, mayRetry: false, figures: [] },
  TOKEN_EXISTS: { code: 43, mayRetry: false, figures: [] },
  SLUG_EXISTS: { code: 44, mayRetry: false, figures: [] },
  EVENT_UNKNOWN: { code: 45, mayRetry: true, figures: ['event number'] },
  AMOUNT_INVALID: { code: 46, mayRetry: true, figures: ['amount, micro'] },
  BALANCE_SHORT: { code: 47, mayRetry: true, figures: ['balance, micro', 'reserved, micro', 'asked, micro'] },
  SHARES_SHORT: { code: 48, mayRetry: true, figures: ['shares free, micro', 'asked, micro'] },
  NOTHING_TO_REDEEM: { code: 49, mayRetry: true, figures: [] },
  DEPOSITS_FULL: { code: 50, mayRetry: true, figures: ['deposited so far, micro', 'asked, micro'] },
  KEY_EXISTS: { code: 51, mayRetry: false, figures: [] },
  WALLET_TAKEN: { code: 53, mayRetry: false, figures: [] },
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
