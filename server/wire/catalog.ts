// Catalog records: markets, events, tags, series and what a search finds (interface.md 2.1 to 2.3, catalog-and-data.md 6.3).
// Called by catalogTexts.ts, which keeps them as text, and by the routes of the catalog. Lists of labels, prices and token
// ids are JSON texts in strings; amounts and prices are strings or numbers as the interface says for each key. It reads
// rows, and nothing else.

import { MarketStatus, PIPS_PER_UNIT } from '../../engine/index.ts';
import { checksumAddress } from '../auth/checksum.ts';
import {
  type Catalog,
  type EventFigures,
  type Label,
  type MarketFigures,
  marketEndMs,
  marketStartMs,
  RowState,
} from '../catalog/index.ts';
import type { Fields } from '../lib/jsonFields.ts';
import type { EventRow, Market } from '../views/index.ts';
import { textOf } from '../views/texts.ts';
import { baseFee, hasRewards, iconOf, imageOf, negRiskMarketId, negRiskMarketIdOf, shownPricePips } from './markets.ts';
import { databaseTime, halfPipsText, isoTime, lotsNumber, microNumber, microText, pipsNumber } from './numbers.ts';

const isoOfMs = (ms: number): string | null => (Number.isNaN(ms) ? null : isoTime(ms));
const has = (state: number, bit: number): boolean => (state & bit) !== 0;

/** A list as JSON text in a string, with the separator that the catalog's clients know. */
const listText = (items: readonly string[]): string => `[${items.map((item) => JSON.stringify(item)).join(', ')}]`;

/** Prices of both outcomes: what they resolved to, else the midpoint of a two-sided book, else the last price. */
function outcomePrices(market: Market, { bidPips, askPips }: MarketFigures): readonly string[] {
  const isTwoSided = bidPips > 0 && askPips < PIPS_PER_UNIT;
  const sum = market.resolution === undefined && isTwoSided ? bidPips + askPips : 2 * shownPricePips(market, 0);
  return [halfPipsText(sum), halfPipsText(2 * PIPS_PER_UNIT - sum)];
}

/** The least size of an order that counts for a market's rewards; 0 where it offers none. */
export const rewardsMinSize = (market: Market): number =>
  hasRewards(market) ? (market.texts.rewards?.minSize ?? 0) : 0;

/** The last day of rewards that have no end, as the catalog's clients know it; some parse no record without one. */
const OPEN_ENDED = '2500-12-31';

/** An id for a pair of numbers: another one for every other pair, and in digits, as all ids of the catalog are. */
function pairId(first: number, second: number): string {
  const sum = first + second;
  return String((sum * (sum + 1)) / 2 + second);
}

/** What makers are offered; the two bounds are in every record, as clients look them up in any. */
function rewardFields(market: Market): Fields {
  const { rewards } = market.texts;
  if (!hasRewards(market) || rewards === undefined) return { rewardsMinSize: 0, rewardsMaxSpread: 0 };
  const rates = (rewards.rates ?? []).map(({ asset_address, rewards_daily_rate }, at) => ({
    id: pairId(market.marketId, at + 1),
    conditionId: market.conditionId,
    assetAddress: checksumAddress(asset_address),
    rewardsAmount: 0,
    rewardsDailyRate: rewards_daily_rate,
    startDate: isoTime(market.createdMs).slice(0, 10),
    endDate: OPEN_ENDED,
  }));
  return { clobRewards: rates, rewardsMinSize: rewardsMinSize(market), rewardsMaxSpread: rewards.maxSpread ?? 0 };
}

/** Marks of Polymarket's own lists and of its first exchange, on no record here: clients look them up in every one. */
const UNMARKED = { new: false, featured: false };
const UNMARKED_MARKET = { ...UNMARKED, ready: false, funded: false };

/** How far the oracle of a market has come, which is named where it is done. */
export const umaResolutionStatus = ({ status }: Market): 'resolved' | undefined =>
  status === MarketStatus.RESOLVED ? 'resolved' : undefined;

/** The keys of a market that follow from its texts, terms and state, and come last in its record. */
export function tradingFields(event: EventRow | undefined, market: Market): Fields {
  const { terms, texts, status } = market;
  const gameStartMs = Date.parse(textOf(texts.gameStartTime));
  const umaStatus = umaResolutionStatus(market);
  const negRiskMarketID = negRiskMarketIdOf(market, event);
  return {
    // Whether it trades by a book, not whether the book is open: clients find by it what they may ask prices of.
    enableOrderBook: true,
    acceptingOrders: status === MarketStatus.OPEN,
    acceptingOrdersTimestamp: isoTime(market.createdMs),
    orderPriceMinTickSize: pipsNumber(terms.tickPips),
    orderMinSize: lotsNumber(terms.minOrderLots),
    secondsDelay: terms.delaySeconds,
    makerBaseFee: 0,
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
    // What the book has of these, which is all.
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

/** A market's own description, or that of its event. */
export const descriptionOf = ({ texts }: Market, event: EventRow | undefined): string =>
  textOf(texts.description) || textOf(event?.texts.description);

/** The keys of a market that say what it is, which come first in its record: all that interface.md 2.1 names, and dates. */
export function describingFields(event: EventRow | undefined, market: Market, { state }: MarketFigures): Fields {
  const { texts } = market;
  const startDate = isoTime(marketStartMs(market, event));
  const endDate = isoOfMs(marketEndMs(market, event));
  const closedMs = market.closedMs ?? market.resolvedMs;
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
    ...(closedMs !== undefined && { closedTime: databaseTime(closedMs) }),
  };
}

export const eventTitle = (event: EventRow | undefined): string => textOf(event?.texts.title);

/** An event in short: where a market's list record and a search name it. */
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

/** An event as the record of one of its markets has it (interface.md 2.1, by id). */
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

/** The event's keys that lists and single records share: interface.md 2.2 without tags and the four of single records. */
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
  const [createdAt, updatedAt] = [isoTime(createdMs), isoTime(updatedMs)];
  return { id: String(number), label: title, slug, createdAt, updatedAt, requiresTranslation: false };
}

/** A tag as a search names it. */
export function tagMatch({ number, title, slug }: Label, eventCount: number): Fields {
  return { id: String(number), label: title, slug, event_count: eventCount };
}

/** How a tag is related to another, the most related one being of rank 1. */
export function relatedTag({ number }: Label, other: Label, rank: number): Fields {
  return { id: pairId(number, other.number), tagID: number, relatedTagID: other.number, rank };
}

/** A series; it is active and closed as the events are that it consists of. */
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
