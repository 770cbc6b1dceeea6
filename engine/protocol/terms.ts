// The small closed sets of the domain (sides, order types, statuses, reasons) with their numbers in binary messages.
// Read by every folder. A number, once assigned, never changes its meaning: journals keep them for ever.

/**
 * Versions of the exchange's rules. Each start states the version that its records follow, and a replay applies it. Every
 * release that changes the result of any command adds a version.
 */
export const RulesVersion = {
  FIRST: 1,
  /**
   * A wallet that is bound before it has an account gets one; the address of an owner with an API key cannot be bound. A BUY by
   * budget takes at most as many lots as an order may have. A banned owner cannot split.
   */
  SECOND: 2,
  /** Orders that a client signed carry CLIENT_ACCURACY, which earlier programs do not know. */
  THIRD: 3,
  /**
   * Items due in the same millisecond are settled in the order of the commands that caused them: trade statuses by trade
   * (before: by market first), heartbeats by the latest heartbeat of each key (before: by its first).
   */
  FOURTH: 4,
  /**
   * A closed-only owner cannot split, and its delayed BUYs are cancelled at their release; its resting BUYs are cancelled
   * whenever the flag is set (before: only if it was not set yet). An order that ends with its own command does not change the
   * tick.
   */
  FIFTH: 5,
} as const;
/** The version of new records. */
export const RULES_VERSION = RulesVersion.FIFTH;
/** Which way an order trades its token. */
export const Side = { BUY: 0, SELL: 1 } as const;
/**
 * How long an order lives: until it is cancelled (GTC) or until its expiration (GTD). The others only take, and never rest: all that
 * they ask for or nothing (FOK), or what is there (FAK).
 */
export const OrderType = { GTC: 0, GTD: 1, FOK: 2, FAK: 3 } as const;
/** Whether an order of this type only takes and never rests: FOK and FAK, the market orders of official clients. */
export function takesOnly(orderType: number): boolean {
  return orderType === OrderType.FOK || orderType === OrderType.FAK;
}

/** Bits of PlaceOrder.flags. */
export const OrderFlag = {
  /** Refused if it would cross anything. */
  POST_ONLY: 1,
  /** The maker wallet belongs to the owner by an admin's binding, not by derivation: the registry looks it up. */
  BOUND_WALLET: 2,
  /** A FOK or FAK is refused if its amounts are finer than production accepts (wire.md B.4). Set if a client signed it. */
  CLIENT_ACCURACY: 4,
} as const;
/** Lifecycle of a market. Draft markets are not listed; only open ones take orders; resolved is final. */
export const MarketStatus = { DRAFT: 0, OPEN: 1, PAUSED: 2, CLOSED: 3, RESOLVED: 4 } as const;
/** The resolution of a market: the index of the winning token, or half a unit for each. */
export const Resolution = { FIRST: 0, SECOND: 1, SPLIT: 2 } as const;
/** The exchange-wide modes that an operator can set. */
export const ExchangeMode = { NORMAL: 0, POST_ONLY: 1, CANCEL_ONLY: 2, DISABLED: 3, RESTARTING: 4 } as const;
/** Bits of an owner's flags. */
export const AccountFlag = { BANNED: 1, CLOSED_ONLY: 2 } as const;
/** How a fill was settled: shares against collateral, by minting full sets, or by merging them. */
export const FillKind = { COMPLEMENTARY: 0, MINT: 1, MERGE: 2 } as const;
/** The steps of a trade on its way to finality. */
export const TradeStatus = { MATCHED: 0, MINED: 1, CONFIRMED: 2 } as const;
/** Why an order ended without being filled. */
export const CancelReason = {
  /** By its owner: one id, many ids, a market, or all. */
  REQUESTED: 0,
  /** It was in the way of another order of the same owner. */
  SELF_TRADE: 1,
  /** Its account's balance no longer covered it. */
  INVALID: 2,
  /** A GTD order reached its end. */
  EXPIRED: 3,
  /** The remainder of a FAK order. */
  FAK_REMAINDER: 4,
  /** The API key that posted it fell silent. */
  HEARTBEAT: 5,
  MARKET_CLOSED: 6,
  MARKET_RESOLVED: 7,
  BANNED: 8,
  CLOSED_ONLY: 9,
  /** Its wallet was bound to another owner. */
  WALLET_MOVED: 10,
  /** A delayed order whose market or exchange did not trade at its release. */
  NOT_TRADING: 11,
  /** A delayed order that was not covered at its release. */
  FUNDS: 12,
  /** A delayed FOK or FAK order that found nothing (enough) at its release. */
  NO_MATCH: 13,
} as const;
/** Why one id of a cancel request was not cancelled. */
export const CancelRefusal = { NOT_FOUND: 0, DELAYED: 1 } as const;
/** Why an account's collateral changed outside a trade. */
export const CashKind = { DEPOSIT: 0, WITHDRAWAL: 1, FAUCET: 2, CREDIT: 3 } as const;
/** What an API key may do. */
export const ApiKeyKind = { TRADING: 0, READONLY: 1, BUILDER: 2 } as const;
/** Bits of UpdateMarket.mask: the fields of the command that apply. */
export const MarketField = {
  STATUS: 1,
  TICK: 2,
  MIN_ORDER: 4,
  MIN_MARKETABLE_BUY: 8,
  FEE: 16,
  DELAY: 32,
  AUTO_TICK: 64,
} as const;

/** The side on which the other token of a market trades. */
export const oppositeSide = (side: number): Side => (side === Side.BUY ? Side.SELL : Side.BUY);

/** The number of a token, outcome 0 or 1 of a market: those of market i are 2i and 2i + 1. */
export function tokenNumber(marketIndex: number, outcome: number): number {
  return marketIndex * 2 + outcome;
}

type ValueOf<T> = T[keyof T];
export type Side = ValueOf<typeof Side>;
export type OrderType = ValueOf<typeof OrderType>;
export type MarketStatus = ValueOf<typeof MarketStatus>;
export type Resolution = ValueOf<typeof Resolution>;
export type ExchangeMode = ValueOf<typeof ExchangeMode>;
export type FillKind = ValueOf<typeof FillKind>;
export type TradeStatus = ValueOf<typeof TradeStatus>;
export type CancelReason = ValueOf<typeof CancelReason>;
export type CancelRefusal = ValueOf<typeof CancelRefusal>;
export type CashKind = ValueOf<typeof CashKind>;
export type ApiKeyKind = ValueOf<typeof ApiKeyKind>;
