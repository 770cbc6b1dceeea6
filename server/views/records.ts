// The rows that the views hold: markets, accounts, keys, orders and trades, as followers of the log see them. Written
// by the views alone (as Draft<…>); everything else gets them read-only and must not change them.
// All money and shares are whole micro, sizes whole lots, prices whole pips, times milliseconds.
import type {
  ApiKeyKind,
  FillKind,
  MarketStatus,
  OrderType,
  Resolution,
  Side,
  TradeStatus,
} from '../../engine/index.ts';

/** A row as its own view may write it. */
export type Draft<Row> = { -readonly [K in keyof Row]: Row[K] };

/** What the creator of a market said about it; every key may be missing, unknown keys are kept as they came. */
export interface MarketTexts {
  readonly slug?: string;
  readonly question?: string;
  readonly description?: string;
  /** 0x and 64 hex digits. */
  readonly questionId?: string;
  /** Names of the two tokens; Yes and No if missing. */
  readonly outcomes?: readonly [string, string];
  readonly groupItemTitle?: string;
  readonly image?: string;
  readonly icon?: string;
  readonly resolutionSource?: string;
  /** ISO 8601 date-times. */
  readonly startDate?: string;
  readonly endDate?: string;
  readonly gameStartTime?: string;
  /** Price of the first token before any trade, a decimal string. */
  readonly lastPrice?: string;
  readonly archived?: boolean;
  readonly rewards?: MarketRewards;
  /** The operator's own, by their names; the exchange does nothing with them. */
  readonly flags?: Readonly<Record<string, boolean>>;
  readonly [key: string]: unknown;
}

export interface RewardRate {
  readonly asset_address: string;
  readonly rewards_daily_rate: number;
}

export interface MarketRewards {
  readonly rates?: readonly RewardRate[];
  readonly minSize?: number;
  readonly maxSpread?: number;
}

/** What the creator of an event said about it; every key may be missing, unknown keys are kept as they came. */
export interface EventTexts {
  readonly slug?: string;
  readonly ticker?: string;
  readonly title?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly series?: string;
  readonly image?: string;
  readonly icon?: string;
  readonly resolutionSource?: string;
  readonly startDate?: string;
  readonly endDate?: string;
  readonly creator?: string;
  readonly [key: string]: unknown;
}

export interface EventRow {
  /** From 1. */
  readonly eventNumber: number;
  readonly negRisk: boolean;
  readonly texts: EventTexts;
  readonly createdMs: number;
  /** Its markets, in the order of their creation. */
  readonly markets: readonly Market[];
}

/** What orders of a market must obey and pay. */
export interface MarketTerms {
  readonly tickPips: number;
  readonly minOrderLots: number;
  readonly minMarketableBuyMicro: number;
  /** In 1e-4 units of p(1−p). */
  readonly feeRate: number;
  readonly feeExponent: number;
  readonly delaySeconds: number;
  readonly autoTick: boolean;
}

/** The latest trade of a market, in the first token's terms. */
export interface LastTrade {
  readonly pricePips: number;
  /** Which way the taker traded, as seen from the first token. */
  readonly side: Side;
  readonly tMs: number;
}

export interface Market {
  /** From 0, in the order of creation. */
  readonly index: number;
  /** The catalog's number of it, from 1. */
  readonly marketId: number;
  /** 0 = none. */
  readonly eventNumber: number;
  /** 0x and 64 lower-case hex digits. */
  readonly conditionId: string;
  readonly questionId: string;
  /** Token ids as decimal text; the first is outcome 0. */
  readonly tokens: readonly [string, string];
  readonly outcomes: readonly [string, string];
  readonly slug: string;
  readonly question: string;
  readonly texts: MarketTexts;
  readonly terms: MarketTerms;
  readonly negRisk: boolean;
  readonly status: MarketStatus;
  readonly resolution: Resolution | undefined;
  readonly createdMs: number;
  /** Time of the latest change of texts, terms or status. */
  readonly updatedMs: number;
  readonly closedMs: number | undefined;
  readonly resolvedMs: number | undefined;
  readonly lastTrade: LastTrade | undefined;
  /** Time of the last event that changed the market's book: its levels, tick or minimum. */
  readonly bookChangedMs: number;
  readonly tradeCount: number;
  /** Rises with every change of anything here but the book's time. */
  readonly version: number;
}

export interface Account {
  readonly accountId: number;
  readonly wallet: string;
  readonly owner: string;
  readonly collateralMicro: number;
  /** Balances by marketIndex · 2 + outcome; zero balances are left out. */
  readonly sharesMicro: ReadonlyMap<number, number>;
}

export interface ApiKeyRow {
  /** UUID, lower case. */
  readonly apiKey: string;
  /** The same key as 16 bytes of hex. */
  readonly keyId: string;
  readonly owner: string;
  readonly nonce: number;
  readonly generation: number;
  readonly kind: ApiKeyKind;
  readonly isActive: boolean;
  readonly createdMs: number;
  readonly deletedMs: number | undefined;
}

/** States of an order as the wire names them. What is kept as numbers keeps a state by its place here. */
export const orderStatuses = ['LIVE', 'MATCHED', 'DELAYED', 'CANCELED', 'CANCELED_MARKET_RESOLVED', 'INVALID'] as const;
export type OrderStatus = (typeof orderStatuses)[number];

export interface Order {
  readonly orderNumber: number;
  /** The EIP-712 digest, 0x and 64 lower-case hex digits. */
  readonly id: string;
  readonly owner: string;
  /** The wallet that trades. */
  readonly maker: string;
  readonly keyId: string;
  readonly accountId: number;
  readonly marketIndex: number;
  readonly outcome: number;
  readonly side: Side;
  readonly orderType: OrderType;
  readonly pricePips: number;
  readonly originalLots: number;
  /** Seconds; 0 = none. */
  readonly expirationS: number;
  readonly createdMs: number;
  readonly status: OrderStatus;
  readonly filledLots: number;
  /** What stands in the book: 0 unless it rests. */
  readonly restingLots: number;
  /** Reason of its end without a full match (CancelReason), undefined otherwise. */
  readonly cancelReason: number | undefined;
  /** Where the trades are that it took part in, oldest first: by name, since an order that held them would hold theirs, too. */
  readonly trades: readonly TradePlace[];
  /** Whether it had to wait before it could take. */
  readonly wasDelayed: boolean;
  /** 0 to 3, how the wallet belongs to its owner. */
  readonly signatureType: number;
  /** Builder code that the order carries, 0x and 64 hex digits; '' for none. */
  readonly builder: string;
}

/** How much of its size an order has not got; 0 for a budget that bought more shares than its limit promised. */
export const unfilledLots = ({ originalLots, filledLots }: Pick<Order, 'originalLots' | 'filledLots'>): number =>
  Math.max(originalLots - filledLots, 0);

/** Which trade. */
export interface TradePlace {
  readonly marketIndex: number;
  /** Within the market, from 1. */
  readonly tradeNumber: number;
}

/** What a trade tells of an order that took part in it. */
export type TradeParty = Pick<Order, 'id' | 'accountId' | 'owner' | 'maker' | 'keyId' | 'outcome' | 'side' | 'builder'>;

/** One maker's part of a trade. */
export interface MakerFill {
  readonly order: TradeParty;
  readonly lots: number;
  /** In the maker's own token. */
  readonly pricePips: number;
  readonly kind: FillKind;
}

export interface Trade extends TradePlace {
  /** Among all trades of the exchange, from 1. */
  readonly ordinal: number;
  readonly taker: TradeParty;
  /** In the taker's token. */
  readonly pricePips: number;
  readonly lots: number;
  readonly feeMicro: number;
  readonly makers: readonly MakerFill[];
  /** Which of the taker order's trades it is, from 0. */
  readonly bucketIndex: number;
  readonly status: TradeStatus;
  readonly matchMs: number;
  readonly updatedMs: number;
}

/** A trade that was just made, with the orders themselves. */
export interface FreshTrade extends Trade {
  readonly taker: Order;
  readonly makers: readonly FreshFill[];
}

export interface FreshFill extends MakerFill {
  readonly order: Order;
}
