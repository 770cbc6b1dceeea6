// Schemas of the catalog's records: markets, events, tags and series (interface.md 2.1 to 2.3 and 4.2, catalog-and-data.md 6).
// Those of the root paths and of the mount differ in few keys; both forms are built from shared fields. Used by catalog.ts.
import { z } from 'zod';
import * as common from './common.ts';
import { detailFields } from './marketData.ts';

const { bytes32, databaseTime, decimal, digits, flag, isoTime, number, text, whole } = common;

const day = z.string().regex(/^[0-9+-]{4,7}-[0-9]{2}-[0-9]{2}$/);
const jsonList = z
  .string()
  .regex(/^\[.*\]$/s)
  .meta({ description: 'A JSON array of strings, encoded as a string' });
const endTime = isoTime.nullable().meta({ description: 'Null if no end date is set' });

const alwaysFalse = z.literal(false);
const negRiskId = bytes32.meta({ description: 'The id that all markets of a neg-risk event share' });

const reward = z.object({
  id: digits,
  conditionId: bytes32,
  assetAddress: common.checksumAddress,
  rewardsAmount: number,
  rewardsDailyRate: number,
  startDate: day,
  endDate: day,
});
const marketFields = {
  id: digits,
  question: text,
  conditionId: bytes32,
  slug: text,
  resolutionSource: text,
  startDate: isoTime,
  endDate: endTime,
  image: text,
  icon: text,
  description: text,
  outcomes: jsonList,
  clobTokenIds: jsonList,
  active: flag,
  closed: flag,
  archived: flag,
  createdAt: isoTime,
  updatedAt: isoTime,
  questionID: bytes32,
  startDateIso: day,
  endDateIso: day.optional(),
  closedTime: databaseTime.optional(),
  outcomePrices: jsonList,
  volume: decimal,
  volumeNum: number,
  volume24hr: number,
  liquidity: decimal,
  liquidityNum: number,
  volumeClob: number,
  volume24hrClob: number,
  liquidityClob: number,
  bestBid: common.priceNumber,
  bestAsk: common.priceNumber,
  spread: common.priceNumber,
  lastTradePrice: common.priceNumber.optional(),
  competitive: number,
  enableOrderBook: z.literal(true),
  acceptingOrders: flag,
  acceptingOrdersTimestamp: isoTime,
  orderPriceMinTickSize: common.tickNumber,
  orderMinSize: number,
  secondsDelay: whole,
  makerBaseFee: common.baseFee,
  takerBaseFee: common.baseFee,
  feesEnabled: flag,
  feeType: z.null(),
  feeSchedule: z.object({ exponent: whole, rate: number, takerOnly: flag, rebateRate: number }).optional(),
  negRisk: flag,
  negRiskMarketID: negRiskId.optional(),
  marketMakerAddress: text,
  restricted: flag,
  new: alwaysFalse,
  featured: alwaysFalse,
  ready: alwaysFalse,
  funded: alwaysFalse,
  umaResolutionStatuses: text,
  umaResolutionStatus: z.literal('resolved').optional(),
  groupItemTitle: text,
  gameStartTime: databaseTime.optional(),
  clobRewards: z.array(reward).optional(),
  rewardsMinSize: number,
  rewardsMaxSpread: number,
};

/** The fields that events and series share, beside those of a summary. */
const rowFields = {
  image: text,
  icon: text,
  active: flag,
  closed: flag,
  archived: flag,
  createdAt: isoTime,
  updatedAt: isoTime,
};
const summaryFields = { id: digits, ticker: text, slug: text, title: text };
export const eventSummary = z.object(summaryFields).meta({ id: 'EventSummary', description: 'Summary of an event' });
const sharedEventFields = {
  ...summaryFields,
  description: text,
  resolutionSource: text,
  startDate: isoTime,
  endDate: endTime,
  ...rowFields,
};
export const eventOfMarket = z
  .object({ ...sharedEventFields, creationDate: isoTime })
  .meta({ id: 'EventOfMarket', description: 'An event, as embedded in a record of one of its markets' });
export const tag = z
  .object({ id: digits, label: text, slug: text, createdAt: isoTime, updatedAt: isoTime, requiresTranslation: flag })
  .meta({ id: 'Tag' });
export const relatedTag = z.object({ id: digits, tagID: whole, relatedTagID: whole, rank: whole.min(1) }).meta({
  id: 'RelatedTag',
  description: 'A tag that occurs together with another one. Rank 1 is the tag that most events of that other tag have',
});
export const series = z
  .object({
    ...summaryFields,
    seriesType: text,
    recurrence: text,
    ...rowFields,
    volume: number,
    volume24hr: number,
    liquidity: number,
    featured: flag,
    restricted: flag,
    commentCount: whole,
    requiresTranslation: flag,
  })
  .meta({ id: 'Series' });
export const seriesWith = (event: z.ZodType) => series.extend({ events: z.array(event) });

const eventFields = {
  ...sharedEventFields,
  tags: z.array(tag),
  volume: number,
  volume24hr: number,
  liquidity: number,
  liquidityClob: number,
  competitive: number,
  negRisk: flag,
  enableNegRisk: flag,
  negRiskAugmented: alwaysFalse,
  negRiskMarketID: negRiskId.optional(),
  enableOrderBook: z.literal(true),
  restricted: flag,
  new: alwaysFalse,
  featured: alwaysFalse,
  closedTime: isoTime.optional(),
  seriesSlug: text.optional(),
};
export const listedEvent = z
  .object(eventFields)
  .meta({ id: 'ListedEvent', description: 'An event, as lists at the root return it' });
const bareMarket = z
  .object(marketFields)
  .meta({ id: 'MarketOfEvent', description: 'A market, as embedded in its event' });
const longEventFields = {
  ...eventFields,
  creationDate: isoTime,
  series: z.array(series),
  eventMetadata: z.looseObject({}),
};
export const longEvent = z
  .object({ ...longEventFields, markets: z.array(bareMarket) })
  .meta({ id: 'Event', description: 'An event with its markets and series' });
export const eventOfList = z
  .object({ ...longEventFields, markets: z.array(bareMarket).optional() })
  .meta({ id: 'EventOfList', description: 'An event with its series, and with its markets unless they are excluded' });
const marketWith = (event: z.ZodType) =>
  z.object({ ...marketFields, events: z.array(event).max(1), tags: z.array(tag).optional() });
export const listedMarket = marketWith(eventSummary).meta({
  id: 'ListedMarket',
  description: 'A market of the catalog, as lists at the root return it',
});
export const longMarket = marketWith(eventOfMarket).meta({
  id: 'CatalogMarket',
  description: 'A market of the catalog',
});
const { tags: _tags, eventMetadata: _metadata, ...officialEventFields } = longEventFields;
const officialEvent = z.object(officialEventFields).meta({
  id: 'OfficialEventOfMarket',
  description: 'An event, as official clients expect it in the record of a market',
});
export const officialMarket = marketWith(officialEvent).meta({
  id: 'OfficialMarket',
  description: 'A market of the catalog, as official clients expect it',
});
/**
 * The catalog's record overlaid with the order book's: for a key that both have, such as `outcomes`, the order book's form
 * is sent.
 */
export const combinedMarket = z
  .object({ ...marketFields, events: z.array(eventOfMarket).max(1), ...detailFields })
  .meta({ id: 'MarketByCondition', description: 'A market in the order-book format, with the keys of the catalog' });
