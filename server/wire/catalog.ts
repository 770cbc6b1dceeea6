// Catalog records: markets, events, tags, series and search results (interface.md 2.1 to 2.3, catalog-and-data.md 6.3).
// Called by catalogTexts.ts, which caches them as text, and by the routes of the catalog. Lists of labels, prices and token
// ids are JSON texts inside strings; amounts and prices are strings or numbers, as the interface says for each key. It only
// reads rows.

import { MarketStatus, PIPS_PER_UNIT } from '../../engine/index.ts';
import {
  type Catalog,
  type EventFigures,
  type Label,
  type MarketFigures,
  marketClosedMs,
  marketEndMs,
  marketStartMs,
  RowState,
} from '../catalog/index.ts';
import type { Fields } from '../lib/jsonFields.ts';
import type { EventRow, Market } from '../views/index.ts';
import { textOf } from '../views/texts.ts';
import {
  baseFee,
  descriptionOf,
  hasRewards,
  iconOf,
  imageOf,
  negRiskMarketId,
  negRiskMarketIdOf,
  pricePipsOf,
  rewardsOf,
} from './markets.ts';
import { databaseTime, halfPipsText, isoTime, lotsNumber, microNumber, microText, pipsNumber } from './numbers.ts';

const isoOfMs = (ms: number): string | null => (Number.isNaN(ms) ? null : isoTime(ms));
const has = (state: number, bit: number): boolean => (state & bit) !== 0;

/** A list as JSON text inside a string, with the separator that catalog clients expect. */
const listText = (items: readonly string[]): string => `[${items.map((item) => JSON.stringify(item)).join(', ')}]`;

/** Prices of both outcomes: the resolution if there is one, else the midpoint of a two-sided book, else the last price. */
function outcomePrices(market: Market, { bidPips, askPips }: MarketFigures): readonly string[] {
  const isTwoSided = bidPips > 0 && askPips < PIPS_PER_UNIT;
  const sum = market.resolution === undefined && isTwoSided ? bidPips + askPips : 2 * pricePipsOf(market, 0);
  return [halfPipsText(sum), halfPipsText(2 * PIPS_PER_UNIT - sum)];
}

/** The minimum size of an order that counts for a market's rewards; 0 if it offers none. */
export const rewardsMinSize = (market: Market): number =>
  hasRewards(market) ? (market.texts.rewards?.minSize ?? 0) : 0;

/** The end date shown for open-ended rewards, as production writes it; some clients fail to parse a record without one. */
const OPEN_ENDED = '2500-12-31';

/** A unique id for a pair of numbers (Cantor's pairing function), in digits like all ids of the catalog. */
function pairId(first: number, second: number): string {
  const sum = first + second;
  return String((sum * (sum + 1)) / 2 + second);
}

/** The maker rewards of a market. The two bounds are in every record, because clients read them from any market. */
function rewardFields(market: Market): Fields {
  if (!hasRewards(market)) return { rewardsMinSize: 0, rewardsMaxSpread: 0 };
  const { rates, min_size, max_spread } = rewardsOf(market);
  const clobRewards = rates.map(({ asset_address, rewards_daily_rate }, at) => ({
    id: pairId(market.marketId, at + 1),
    conditionId: market.conditionId,
    assetAddress: asset_address,
    rewardsAmount: 0,
    rewardsDailyRate: rewards_daily_rate,
    startDate: isoTime(market.createdMs).slice(0, 10),
    endDate: OPEN_ENDED,
  }));
  return { clobRewards, rewardsMinSize: min_size, rewardsMaxSpread: max_spread };
}

/**
 * Flags of Polymarket's own lists and of its first exchange, never set here. They are present because clients read them
 * from every record.
 */
const UNMARKED = { new: false, featured: false };
const UNMARKED_MARKET = { ...UNMARKED, ready: false, funded: false };

/** The oracle status of a market, named only once it is resolved. */
export const umaResolutionStatus = ({ status }: Market): 'resolved' | undefined =>
  status === MarketStatus.RESOLVED ? 'resolved' : undefined;

/** The keys of a market that derive from its texts, terms and state; they come last in its record. */
export function tradingFields(event: EventRow | undefined, market: Market): Fields {
  const { terms, texts, status } = market;
  const gameStartMs = Date.parse(textOf(texts.gameStartTime));
  const umaStatus = umaResolutionStatus(market);
  const negRiskMarketID = negRiskMarketIdOf(market, event);
  return {
    // Whether the market trades through an order book, not whether the book is open: clients use it to find the markets
    // whose prices they may request.
    enableOrderBook: true,
    acceptingOrders: status === MarketStatus.OPEN,
    acceptingOrdersTimestamp: isoTime(market.createdMs),
    orderPriceMinTickSize: pipsNumber(terms.tickPips),
    orderMinSize: lotsNumber(terms.minOrderLots),
    secondsDelay: terms.delaySeconds,
    makerBaseFee: baseFee(market),
    takerBaseFee: baseFee(market),
    feesEnabled: terms.feeRate > 0,
    feeType: null,
    ...(terms.feeRate > 0 && {
      feeSchedule: { exponent: terms.feeExponent, rate: pipsNumber(terms.feeRate), takerOnly: true, rebateRate: 0 },
    }),
    negRisk: market.negRisk,
    ...(negRiskMarketID !== '' && { negRiskMarketID }),
    marketMakerAddress: '',
    restricted: false,
    ...UNMARKED_MARKET,
    umaResolutionStatuses: '[]',
    ...(umaStatus !== undefined && { umaResolutionStatus: umaStatus }),
    groupItemTitle: textOf(texts.groupItemTitle),
    ...(!Number.isNaN(gameStartMs) && { gameStartTime: databaseTime(gameStartMs) }),
    ...rewardFields(market),
  };
}

/** The keys of a market that change as it trades. */
export function priceFields(market: Market, figures: MarketFigures): Fields {
  const { volumeMicro, volume24Micro, liquidityMicro, bidPips, askPips, competitive } = figures;
  const { lastTrade } = market;
  const volumeNum = microNumber(volumeMicro);
  const volume24hr = microNumber(volume24Micro);
  const liquidityNum = microNumber(liquidityMicro);
  return {
    outcomePrices: listText(outcomePrices(market, figures)),
    volume: microText(volumeMicro),
    volumeNum,
    volume24hr,
    liquidity: microText(liquidityMicro),
    liquidityNum,
    // The order book's share of each figure; here it is all of it.
    volumeClob: volumeNum,
    volume24hrClob: volume24hr,
    liquidityClob: liquidityNum,
    bestBid: pipsNumber(bidPips),
    bestAsk: pipsNumber(askPips),
    spread: pipsNumber(askPips - bidPips),
    ...(lastTrade !== undefined && { lastTradePrice: pipsNumber(lastTrade.pricePips) }),
    competitive,
  };
}

/** The descriptive keys of a market: all that interface.md 2.1 names, and dates. They come first in its record. */
export function descriptiveFields(event: EventRow | undefined, market: Market, { state }: MarketFigures): Fields {
  const { texts } = market;
  const startDate = isoTime(marketStartMs(market, event));
  const endDate = isoOfMs(marketEndMs(market, event));
  const closedMs = marketClosedMs(market);
  return {
    id: String(market.marketId),
    question: market.question,
    conditionId: market.conditionId,
    slug: market.slug,
    resolutionSource: textOf(texts.resolutionSource) || textOf(event?.texts.resolutionSource),
    startDate,
    endDate,
    image: imageOf(market, event),
    icon: iconOf(market, event),
    description: descriptionOf(market, event),
    outcomes: listText(market.outcomes),
    clobTokenIds: listText(market.tokens),
    active: has(state, RowState.ACTIVE),
    closed: has(state, RowState.CLOSED),
    archived: has(state, RowState.ARCHIVED),
    createdAt: isoTime(market.createdMs),
    updatedAt: isoTime(market.updatedMs),
    questionID: market.questionId,
    startDateIso: startDate.slice(0, 10),
    ...(endDate !== null && { endDateIso: endDate.slice(0, 10) }),
    ...(!Number.isNaN(closedMs) && { closedTime: databaseTime(closedMs) }),
  };
}

export const eventTitle = (event: EventRow | undefined): string => textOf(event?.texts.title);

/** A short form of an event, for list records of markets and for search results. */
export function eventSummary(event: EventRow): Fields {
  const { eventNumber, texts } = event;
  const slug = textOf(texts.slug);
  return { id: String(eventNumber), ticker: textOf(texts.ticker) || slug, slug, title: eventTitle(event) };
}

function eventDates({ startMs, endMs, updatedMs }: EventFigures, { createdMs }: EventRow): Fields {
  return {
    startDate: isoTime(startMs),
    creationDate: isoTime(createdMs),
    endDate: isoOfMs(endMs),
    createdAt: isoTime(createdMs),
    updatedAt: isoTime(updatedMs),
  };
}

/** An event as it appears in a market's record (interface.md 2.1, by id). */
export function eventInMarket(catalog: Catalog, event: EventRow): Fields {
  const figures = catalog.eventFiguresOf(event);
  const { texts } = event;
  const { startDate, creationDate, endDate, createdAt, updatedAt } = eventDates(figures, event);
  return {
    ...eventSummary(event),
    description: textOf(texts.description),
    resolutionSource: textOf(texts.resolutionSource),
    startDate,
    creationDate,
    endDate,
    image: textOf(texts.image) || textOf(texts.icon),
    icon: textOf(texts.icon),
    active: has(figures.state, RowState.ACTIVE),
    closed: has(figures.state, RowState.CLOSED),
    archived: has(figures.state, RowState.ARCHIVED),
    createdAt,
    updatedAt,
  };
}

/**
 * The keys of an event that lists and single records share: interface.md 2.2 without tags and without the four keys of
 * single records.
 */
export function eventFields(catalog: Catalog, event: EventRow): Fields {
  const figures = catalog.eventFiguresOf(event);
  const { creationDate: _, ...shared } = eventInMarket(catalog, event);
  const { volumeMicro, volume24Micro, liquidityMicro, competitive, closedMs } = figures;
  const negRiskMarketID = negRiskMarketId(event.markets);
  return {
    ...shared,
    volume: microNumber(volumeMicro),
    volume24hr: microNumber(volume24Micro),
    liquidity: microNumber(liquidityMicro),
    liquidityClob: microNumber(liquidityMicro),
    competitive,
    negRisk: event.negRisk,
    enableNegRisk: event.negRisk,
    negRiskAugmented: false,
    ...(negRiskMarketID !== '' && { negRiskMarketID }),
    enableOrderBook: true,
    restricted: false,
    ...UNMARKED,
    ...(!Number.isNaN(closedMs) && { closedTime: isoTime(closedMs) }),
    ...(textOf(event.texts.series) !== '' && { seriesSlug: textOf(event.texts.series) }),
  };
}

export function tagRecord({ number, title, slug, createdMs, updatedMs }: Label): Fields {
  return {
    id: String(number),
    label: title,
    slug,
    createdAt: isoTime(createdMs),
    updatedAt: isoTime(updatedMs),
    requiresTranslation: false,
  };
}

/** A tag in search results. */
export function tagMatch({ number, title, slug }: Label, eventCount: number): Fields {
  return { id: String(number), label: title, slug, event_count: eventCount };
}

/** The relation of one tag to another; rank 1 is the most related tag. */
export function relatedTag({ number }: Label, other: Label, rank: number): Fields {
  return { id: pairId(number, other.number), tagID: number, relatedTagID: other.number, rank };
}

/** A series. Its active and closed flags follow from its events. */
export function seriesRecord(catalog: Catalog, series: Label): Fields {
  const { number, slug, title, recurrence, createdMs, updatedMs } = series;
  const figures = catalog.seriesFiguresOf(series);
  return {
    id: String(number),
    ticker: slug,
    slug,
    title,
    seriesType: 'single',
    recurrence,
    image: '',
    icon: '',
    active: has(figures.state, RowState.ACTIVE),
    closed: has(figures.state, RowState.CLOSED),
    archived: has(figures.state, RowState.ARCHIVED),
    createdAt: isoTime(createdMs),
    updatedAt: isoTime(updatedMs),
    volume: microNumber(figures.volumeMicro),
    volume24hr: microNumber(figures.volume24Micro),
    liquidity: microNumber(figures.liquidityMicro),
    featured: false,
    restricted: false,
    commentCount: 0,
    requiresTranslation: false,
  };
}
