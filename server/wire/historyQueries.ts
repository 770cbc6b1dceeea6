// The historian's questions, the rows of its answers and the error if there is none: the contract between the routes, the
// parsers and renderers of this folder, and history/ (which finds the rows). Questions are plain data, since they cross to
// another thread. Money and shares are whole micro, prices whole pips, times milliseconds, addresses lower-case hex.

import type { DialectName } from './dialectName.ts';
import type { SideWord } from './terms.ts';

/** The page of a list, counted after all filters and in the list's order. */
export interface PageQuery {
  readonly limit: number;
  readonly offset: number;
}

/** The markets of a question: these conditions and all markets of these events; both undefined = all. */
export interface MarketScope {
  readonly conditionIds: readonly string[] | undefined;
  readonly eventNumbers?: readonly number[] | undefined;
}

/** Unix milliseconds, both ends included; undefined = open. */
export interface TimeRange {
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
}

export const THRESHOLD_UNITS = ['CASH', 'TOKENS'] as const;

/** The smallest trade to include, by its collateral or by its shares. */
export interface TradeThreshold {
  readonly unit: (typeof THRESHOLD_UNITS)[number];
  readonly micro: number;
}

export interface TradesQuery extends PageQuery, MarketScope, TimeRange {
  readonly kind: 'trades';
  readonly user: string | undefined;
  readonly side: SideWord | undefined;
  /** True = takers' rows alone; false = makers' fills have rows of their own, too. */
  readonly takerOnly: boolean;
  readonly threshold: TradeThreshold | undefined;
}

export const POSITION_SORTS = [
  'CURRENT',
  'INITIAL',
  'TOKENS',
  'CASHPNL',
  'PERCENTPNL',
  'TITLE',
  'RESOLVING',
  'PRICE',
  'AVGPRICE',
] as const;
export type PositionSort = (typeof POSITION_SORTS)[number];

export interface PositionsQuery extends PageQuery, MarketScope {
  readonly kind: 'positions';
  readonly user: string;
  /** Smaller positions are left out. */
  readonly sizeThresholdMicro: number;
  /** True = redeemable positions alone; false = all. */
  readonly redeemable: boolean;
  readonly mergeable: boolean;
  readonly includeArchived: boolean;
  /** A part of the market's title, case-insensitive. */
  readonly title: string | undefined;
  readonly sortBy: PositionSort;
  readonly ascending: boolean;
}

export const CLOSED_POSITION_SORTS = ['REALIZEDPNL', 'TITLE', 'PRICE', 'AVGPRICE', 'TIMESTAMP'] as const;

export interface ClosedPositionsQuery extends PageQuery, MarketScope {
  readonly kind: 'closed-positions';
  readonly user: string;
  readonly title: string | undefined;
  readonly sortBy: (typeof CLOSED_POSITION_SORTS)[number];
  readonly ascending: boolean;
}

export const ACTIVITY_TYPES = ['TRADE', 'SPLIT', 'MERGE', 'REDEEM'] as const;
export type ActivityType = (typeof ACTIVITY_TYPES)[number];
export const ACTIVITY_SORTS = ['TIMESTAMP', 'TOKENS', 'CASH'] as const;

export interface ActivityQuery extends PageQuery, MarketScope, TimeRange {
  readonly kind: 'activity';
  readonly user: string;
  /** Undefined = all. Types that never occur here (REWARD, CONVERSION …) are dropped when a request is parsed. */
  readonly types: readonly ActivityType[] | undefined;
  readonly side: SideWord | undefined;
  readonly sortBy: (typeof ACTIVITY_SORTS)[number];
  readonly ascending: boolean;
}

export interface HoldersQuery {
  readonly kind: 'holders';
  readonly conditionIds: readonly string[];
  /** The most holders per token. */
  readonly limit: number;
  /** Wallets that hold less are left out. */
  readonly minBalanceMicro: number;
}

/** The total value of a wallet's positions. */
export interface ValueQuery {
  readonly kind: 'value';
  readonly user: string;
  readonly conditionIds: readonly string[] | undefined;
}

/** How many markets a wallet has traded in. */
export interface TradedQuery {
  readonly kind: 'traded';
  readonly user: string;
}

/** Collateral held for outstanding shares; without conditions, the total over all markets. */
export interface OpenInterestQuery {
  readonly kind: 'oi';
  readonly conditionIds: readonly string[] | undefined;
}

/** Collateral traded in the markets of an event, or in these markets. */
export interface LiveVolumeQuery extends MarketScope {
  readonly kind: 'live-volume';
}

/** A finished order by its id; found only for its owner. */
export interface OrderQuery {
  readonly kind: 'order';
  readonly orderId: string;
  readonly owner: string;
}

/** What became of an order that its owner posts again, and the first answer to it (wire/originals.ts). */
export interface OriginalQuery {
  readonly kind: 'original';
  readonly orderId: string;
  readonly owner: string;
}

export type HistoryQuery =
  | TradesQuery
  | PositionsQuery
  | ClosedPositionsQuery
  | ActivityQuery
  | HoldersQuery
  | ValueQuery
  | TradedQuery
  | OpenInterestQuery
  | LiveVolumeQuery
  | OrderQuery
  | OriginalQuery;

/** A market, with the fields that rows show. */
export interface MarketFacts {
  readonly conditionId: string;
  /** Decimal token ids; the first is outcome 0. */
  readonly tokens: readonly [string, string];
  readonly outcomes: readonly [string, string];
  readonly title: string;
  readonly slug: string;
  readonly icon: string;
  readonly eventSlug: string;
  /** 0 = none. */
  readonly eventNumber: number;
  /** ISO 8601 date-time, '' = none. */
  readonly endDate: string;
  readonly negRisk: boolean;
}

/** One side of a trade: all of the taker's, or one maker's fill. */
export interface TradeRow {
  readonly wallet: string;
  readonly market: MarketFacts;
  readonly outcome: 0 | 1;
  readonly side: SideWord;
  readonly sizeMicro: number;
  /** In the row's own token. */
  readonly pricePips: number;
  /** size × price, exactly, without fees. */
  readonly cashMicro: number;
  readonly tMs: number;
  readonly transactionHash: string;
}

export interface ActivityRow extends TradeRow {
  readonly type: ActivityType;
  /** False for rows about both tokens (SPLIT, MERGE), which show no token, side or price. */
  readonly isOfToken: boolean;
}

/** The figures of a position that depend on more than one of its numbers. */
export interface PositionFigures {
  readonly avgPriceMicro: number;
  readonly initialValueMicro: number;
  readonly currentValueMicro: number;
  readonly cashPnlMicro: number;
  readonly percentPnl: number;
  readonly percentRealizedPnl: number;
}

/** Figures are integers; ratios are the nearest double, already rounded as history/figures.ts defines. */
export interface PositionRow extends PositionFigures {
  readonly wallet: string;
  readonly market: MarketFacts;
  readonly outcome: 0 | 1;
  readonly sizeMicro: number;
  readonly totalBoughtMicro: number;
  readonly realizedPnlMicro: number;
  readonly curPricePips: number;
  readonly redeemable: boolean;
  readonly mergeable: boolean;
  /** Time of the position's last change. */
  readonly tMs: number;
}

export interface HolderRow {
  readonly wallet: string;
  readonly amountMicro: number;
}

export interface HoldersGroup {
  readonly market: MarketFacts;
  readonly outcome: 0 | 1;
  readonly holders: readonly HolderRow[];
}

export interface MarketFigure {
  readonly conditionId: string;
  readonly valueMicro: number;
}

/** The result of each kind of question, before it is rendered. */
export interface HistoryRows {
  readonly trades: readonly TradeRow[];
  readonly positions: readonly PositionRow[];
  readonly 'closed-positions': readonly PositionRow[];
  readonly activity: readonly ActivityRow[];
  readonly holders: readonly HoldersGroup[];
  readonly value: number;
  readonly traded: number;
  readonly oi: readonly MarketFigure[];
  readonly 'live-volume': { readonly totalMicro: number; readonly markets: readonly MarketFigure[] };
}

/** A question with the dialect of its answer. */
export interface HistoryRequest {
  readonly query: HistoryQuery;
  readonly dialect: DialectName;
}

/** The historian cannot answer at present, for an internal reason; it is recovering, so a later retry helps. */
export class HistorianUnavailable extends Error {
  override readonly name = 'HistorianUnavailable';
  readonly reason: string;

  constructor(reason: string) {
    super(`The history cannot be read at present: ${reason}`);
    this.reason = reason;
  }
}

/**
 * The historian as routes see it. `ask` waits until everything that was durable at the call is indexed, and resolves with the
 * JSON of the reply, or with undefined if the record does not exist (an unknown order).
 */
export interface Historian {
  ask(request: HistoryRequest): Promise<Uint8Array | undefined>;
  /** Returns the memory of an answer that is no longer read; another answer will overwrite it. */
  reuse(answer: Uint8Array): void;
}
