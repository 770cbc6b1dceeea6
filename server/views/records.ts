// The rows of the views: markets, accounts, keys, orders, trades and notifications, derived from the log. Only the views write
// them (as Draft<…>); all other code gets them read-only and must not change them.
// All money and shares are whole micro, sizes whole lots, prices whole pips, times milliseconds.
import {
  type ApiKeyKind,
  CancelReason,
  type FillKind,
  type MarketStatus,
  type OrderType,
  type Resolution,
  type Side,
  type TradeStatus,
} from '../../engine/index.ts';
import type { NumberList } from './packedLists.ts';

/** A row that its own view may write. */
export type Draft<Row> = { -readonly [K in keyof Row]: Row[K] };

/** A market's texts as its creator gave them; every key may be missing, and unknown keys are kept unchanged. */
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
  /** The operator's own flags, by name; the exchange ignores them. */
  readonly flags?: Readonly<Record<string, boolean>>;
  readonly [key: string]: unknown;
}

export interface RewardRate {
  readonly asset_address: string;
  readonly rewards_daily_rate: number;
}

interface MarketRewards {
  readonly rates?: readonly RewardRate[];
  readonly minSize?: number;
  readonly maxSpread?: number;
}

/** An event's texts as its creator gave them; every key may be missing, and unknown keys are kept unchanged. */
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
  /** The event's markets, in the order of creation. */
  readonly markets: readonly Market[];
}

/** The rules and fees for orders of a market. */
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
  /** The market's number in the catalog, from 1. */
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
  /** Rises with every change of a field other than bookChangedMs. */
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
  /** The same UUID as 16 bytes of hex, with 0x. */
  readonly keyId: string;
  readonly owner: string;
  readonly nonce: number;
  readonly generation: number;
  readonly kind: ApiKeyKind;
  readonly isActive: boolean;
  readonly createdMs: number;
  readonly deletedMs: number | undefined;
}

/** Order states by their wire names. Numeric encodings store a state by its index here. */
export const orderStatuses = ['LIVE', 'MATCHED', 'DELAYED', 'CANCELED', 'CANCELED_MARKET_RESOLVED', 'INVALID'] as const;
export type OrderStatus = (typeof orderStatuses)[number];

/** The status of an order that ended for this CancelReason. */
export function endStatus(reason: number): OrderStatus {
  if (reason === CancelReason.MARKET_RESOLVED) return 'CANCELED_MARKET_RESOLVED';
  return reason === CancelReason.INVALID ? 'INVALID' : 'CANCELED';
}

/** Whether an order rests in a book or is delayed. */
export const isOpen = ({ status }: Pick<Order, 'status'>): boolean => status === 'LIVE' || status === 'DELAYED';

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
  /** Lots in the book: 0 unless the order rests. */
  readonly restingLots: number;
  /** The CancelReason with which the order ended without a full match, undefined otherwise. */
  readonly cancelReason: number | undefined;
  /** Numbers, within its market, of the trades it took part in, oldest first. */
  readonly trades: NumberList;
  /** Whether the order was delayed before it could take. */
  readonly wasDelayed: boolean;
  /** 0 to 3: how the wallet belongs to its owner. */
  readonly signatureType: number;
  /** Builder code that the order carries, 0x and 64 hex digits; '' for none. */
  readonly builder: string;
}

/** The unfilled part of an order's size; 0 for a budget order that bought more shares than its limit implied. */
export const unfilledLots = ({ originalLots, filledLots }: Pick<Order, 'originalLots' | 'filledLots'>): number =>
  Math.max(originalLots - filledLots, 0);

/** Identifies a trade. */
export interface TradePlace {
  readonly marketIndex: number;
  /** Within the market, from 1. */
  readonly tradeNumber: number;
}

/** What a trade states about an order that took part in it. */
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
  /** The trade's number among all trades of the exchange, from 1. */
  readonly ordinal: number;
  readonly taker: TradeParty;
  /** In the taker's token. */
  readonly pricePips: number;
  readonly lots: number;
  readonly feeMicro: number;
  readonly makers: readonly MakerFill[];
  /** The trade's index among the taker order's trades, from 0. */
  readonly bucketIndex: number;
  readonly status: TradeStatus;
  readonly matchMs: number;
  readonly updatedMs: number;
}

/** A trade that has just been made, with the orders themselves. */
export interface FreshTrade extends Trade {
  readonly taker: Order;
  readonly makers: readonly FreshFill[];
}

export interface FreshFill extends MakerFill {
  readonly order: Order;
}

interface Numbered {
  /** Among the owner's notifications, from 1. */
  readonly number: number;
  readonly tMs: number;
}

/** What a notification states about its order. */
export type NotifiedOrder = Pick<
  Order,
  'id' | 'keyId' | 'marketIndex' | 'outcome' | 'side' | 'orderType' | 'originalLots'
>;

/** An order that the exchange ended. */
export interface CanceledNotice extends Numbered {
  readonly kind: 'canceled';
  readonly order: NotifiedOrder & Pick<Order, 'pricePips' | 'filledLots'>;
  /** A CancelReason. */
  readonly reason: number;
}

/** An order's part of a trade. */
export interface FilledNotice extends Numbered {
  readonly kind: 'filled';
  readonly order: NotifiedOrder;
  /** Within the order's market. */
  readonly tradeNumber: number;
  readonly lots: number;
  /** In the order's own token. */
  readonly pricePips: number;
  /** The order's remainder after this trade. */
  readonly remainingLots: number;
}

/** A token that the owner held when its market was resolved. */
export interface ResolvedNotice extends Numbered {
  readonly kind: 'resolved';
  readonly marketIndex: number;
  readonly outcome: number;
  readonly sharesMicro: number;
}

export type Notice = CanceledNotice | FilledNotice | ResolvedNotice;
