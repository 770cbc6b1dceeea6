// Schemas of the catalog: markets, events, tags, series, search (interface.md 2.1 to 2.3 and 4.2, catalog-and-data.md 6).
// The records of the root paths and of the mount differ in few keys; both forms are built from shared fields. Referenced by
// the table of routes/catalog.ts.
import { z } from 'zod';
import type { EndpointSchema } from '../../http/schema.ts';
import * as common from './common.ts';
import { detailFields } from './marketData.ts';

const { bytes32, databaseTime, decimal, digits, flag, isoTime, number, text, whole } = common;

const day = z.string().regex(/^[0-9+-]{4,7}-[0-9]{2}-[0-9]{2}$/);
const jsonList = z
  .string()
  .regex(/^\[.*\]$/s)
  .meta({ description: 'A JSON list of texts, as a text' });
const endTime = isoTime.nullable().meta({ description: 'Null where nothing says when it ends' });

const never = z.literal(false);
const negRiskId = bytes32.meta({ description: 'What the markets of a neg-risk event share' });

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
  makerBaseFee: number,
  takerBaseFee: number,
  feesEnabled: flag,
  feeType: z.null(),
  feeSchedule: z.object({ exponent: whole, rate: number, takerOnly: flag, rebateRate: number }).optional(),
  negRisk: flag,
  negRiskMarketID: negRiskId.optional(),
  marketMakerAddress: text,
  restricted: flag,
  new: never,
  featured: never,
  ready: never,
  funded: never,
  umaResolutionStatuses: text,
  umaResolutionStatus: z.literal('resolved').optional(),
  groupItemTitle: text,
  gameStartTime: databaseTime.optional(),
  clobRewards: z.array(reward).optional(),
  rewardsMinSize: number,
  rewardsMaxSpread: number,
};

const summaryFields = { id: digits, ticker: text, slug: text, title: text };
const eventSummary = z.object(summaryFields).meta({ id: 'EventSummary', description: 'An event in short' });
const sharedEventFields = {
  ...summaryFields,
  description: text,
  resolutionSource: text,
  startDate: isoTime,
  endDate: endTime,
  image: text,
  icon: text,
  active: flag,
  closed: flag,
  archived: flag,
  createdAt: isoTime,
  updatedAt: isoTime,
};
const eventOfMarket = z
  .object({ ...sharedEventFields, creationDate: isoTime })
  .meta({ id: 'EventOfMarket', description: 'An event as a record of one of its markets has it' });
const tag = z
  .object({ id: digits, label: text, slug: text, createdAt: isoTime, updatedAt: isoTime, requiresTranslation: flag })
  .meta({ id: 'Tag' });
const relatedTag = z.object({ id: digits, tagID: whole, relatedTagID: whole, rank: whole.min(1) }).meta({
  id: 'RelatedTag',
  description: 'A tag beside another: rank 1 for the one that most of its events have',
});
const series = z
  .object({
    ...summaryFields,
    seriesType: text,
    recurrence: text,
    image: text,
    icon: text,
    active: flag,
    closed: flag,
    archived: flag,
    createdAt: isoTime,
    updatedAt: isoTime,
    volume: number,
    volume24hr: number,
    liquidity: number,
    featured: flag,
    restricted: flag,
    commentCount: whole,
    requiresTranslation: flag,
  })
  .meta({ id: 'Series' });
const seriesWith = (event: z.ZodType) => series.extend({ events: z.array(event) });

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
  negRiskAugmented: never,
  negRiskMarketID: negRiskId.optional(),
  enableOrderBook: z.literal(true),
  restricted: flag,
  new: never,
  featured: never,
  closedTime: isoTime.optional(),
  seriesSlug: text.optional(),
};
const listedEvent = z.object(eventFields).meta({ id: 'ListedEvent', description: 'An event as root lists have it' });
const bareMarket = z.object(marketFields).meta({ id: 'MarketOfEvent', description: 'A market as its event has it' });
const longEventFields = {
  ...eventFields,
  creationDate: isoTime,
  series: z.array(series),
  eventMetadata: z.looseObject({}),
};
const longEvent = z
  .object({ ...longEventFields, markets: z.array(bareMarket) })
  .meta({ id: 'Event', description: 'An event with its markets and series' });
const eventOfList = z
  .object({ ...longEventFields, markets: z.array(bareMarket).optional() })
  .meta({ id: 'EventOfList', description: 'An event with its series, and with its markets unless nobody wants them' });
const listedMarket = z
  .object({ ...marketFields, events: z.array(eventSummary).max(1), tags: z.array(tag).optional() })
  .meta({ id: 'ListedMarket', description: 'A market of the catalog as root lists have it' });
const longMarket = z
  .object({ ...marketFields, events: z.array(eventOfMarket).max(1), tags: z.array(tag).optional() })
  .meta({ id: 'CatalogMarket', description: 'A market of the catalog' });
const { tags: _tags, eventMetadata: _metadata, ...officialEventFields } = longEventFields;
const officialEvent = z
  .object(officialEventFields)
  .meta({ id: 'OfficialEventOfMarket', description: 'An event as official clients know it in the record of a market' });
const officialMarket = z
  .object({ ...marketFields, events: z.array(officialEvent).max(1), tags: z.array(tag).optional() })
  .meta({ id: 'OfficialMarket', description: 'A market of the catalog as official clients know it' });
/**
 * The catalog's record overlaid with the order book's: for a key that both have, such as `outcomes`, the order book's form
 * is sent.
 */
const combinedMarket = z
  .object({ ...marketFields, events: z.array(eventOfMarket).max(1), ...detailFields })
  .meta({ id: 'MarketByCondition', description: 'A market in the order-book style, with the keys of the catalog' });

const refusal = z
  .object({ type: z.enum(['bad request', 'not found error', 'validation error']), error: text })
  .meta({ id: 'CatalogRefusal', description: 'Why a catalog request was refused' });

const wholeParameter = whole.optional();
const FLAG_WORDS = 'true or false; 1 and 0 too';
const flagParameter = flag.optional().meta({ description: FLAG_WORDS });
/** A flag parameter with a description of its own. */
const flagThat = (text: string) => flagParameter.meta({ description: `${text} (${FLAG_WORDS})` });
const textParameter = text.optional();
const list = (what: string) => text.optional().meta({ description: `${what}; several with commas between them` });
const states = { active: flagParameter, closed: flagParameter, archived: flagParameter };
const creator = textParameter.meta({ description: 'Creator wallet or site: shows what is available on that site' });
const paging = {
  limit: wholeParameter.meta({ description: 'Rows of a page: 20 unless given, 100 at most' }),
  offset: wholeParameter,
};
const sorting = {
  order: list('Sort column, such as volume24hr or endDate'),
  ascending: flagParameter,
};
const keyset = {
  limit: paging.limit,
  after_cursor: textParameter.meta({ description: 'next_cursor of the page before' }),
  ...sorting,
};
const setApart = { is_carousel: flagThat('Finds nothing if true: no tag is set apart') };
const dates = { start_date_min: textParameter, start_date_max: textParameter };
const ends = { end_date_min: textParameter, end_date_max: textParameter };
const numberParameter = number.optional();

const tagMatch = {
  tag_match: z.enum(['any', 'all']).optional().meta({ description: 'Whether one or all of the tags are wanted: any' }),
};
const relatedToo = {
  related_tags: flagThat(
    'True takes in tags that are related to those asked for, as /tags/{id}/related-tags names them',
  ),
};
const userMade = flagThat('Finds nothing if true: users make none');
const ofGames = list('Numbers of games; finds nothing');
const ofSeason = textParameter.meta({ description: 'When games are; finds nothing, as no event is a game' });
const nobodysMarkets = {
  cyom: userMade,
  game_id: ofGames,
  sports_market_types: list('Kinds of sports markets; finds nothing'),
  market_maker_address: list('Addresses of older makers; finds nothing'),
  position_ids: list('Positions of combinations; finds nothing'),
  rfq_enabled: flagThat('Finds nothing if true: there are no quotes on request'),
};

const marketQuery = {
  ...tagMatch,
  ...relatedToo,
  ...states,
  tag: list('Slugs of tags, the same as tag_slug'),
  tag_slug: list('Slugs of tags'),
  tag_id: list('Numbers of tags'),
  event_id: list('Numbers of events'),
  event_slug: textParameter,
  eventSlug: textParameter,
  conditionId: list('Condition ids'),
  condition_id: list('Condition ids'),
  condition_ids: list('Condition ids'),
  slug: list('Slugs of markets'),
  id: list('Numbers of markets'),
  clob_token_ids: list('Token ids'),
  question_ids: list('Question ids'),
  volume_num_min: numberParameter,
  volume_num_max: numberParameter,
  liquidity_num_min: numberParameter,
  liquidity_num_max: numberParameter,
  rewards_min_size: numberParameter.meta({ description: 'The least that rewards ask of an order; 0 without any' }),
  ...dates,
  ...ends,
  include_tag: flagParameter,
  uma_resolution_status: list('How far the oracle is; only resolved markets have one'),
  ...nobodysMarkets,
  creator,
};
const eventQuery = {
  ...states,
  tag: list('Slugs of tags, the same as tag_slug'),
  tag_slug: list('Slugs of tags'),
  tag_id: list('Numbers of tags'),
  exclude_tag_id: list('Numbers of tags'),
  ...tagMatch,
  ...relatedToo,
  featured: flagThat('Finds nothing if true: no event is set apart'),
  cyom: userMade,
  live: flagThat('Finds nothing if true: no event is a game under way'),
  game_id: ofGames,
  parent_event_id: list('Numbers of events; finds nothing, as none is part of another'),
  partner_slug: list('Slugs of partners; finds nothing'),
  ended: flagThat('Finds nothing if true: no event is a game that is over'),
  event_date: ofSeason,
  event_week: ofSeason,
  start_time_min: ofSeason,
  start_time_max: ofSeason,
  title_search: textParameter.meta({ description: 'What the title of an event has in it, in any letter case' }),
  include_markets: flagThat('False leaves out the markets that an event comes with'),
  series_slug: textParameter,
  series_id: list('Numbers of series'),
  recurrence: textParameter,
  slug: list('Slugs of events'),
  id: list('Numbers of events'),
  volume_min: numberParameter,
  volume_max: numberParameter,
  liquidity_min: numberParameter,
  liquidity_max: numberParameter,
  ...dates,
  ...ends,
  creator,
};
const searchQuery = {
  q: text.min(1),
  limit_per_type: wholeParameter.meta({ description: 'Rows of each kind: 25 unless given, from 1 to 100' }),
  page: wholeParameter.meta({ description: 'From 1' }),
  search_tags: flagParameter,
  search_profiles: flagThat('Accepted; profiles are never returned'),
  events_status: textParameter,
  events_tag: list('Slugs of tags: events that have one of them'),
  exclude_tag_id: list('Numbers of tags: events that have none of them'),
  recurrence: textParameter.meta({ description: 'Events of series that recur so' }),
  sort: textParameter.meta({
    description:
      'What events are sorted by, such as volume_24hr or end_date, falling unless ascending is true; relevance unless given',
  }),
  ascending: flagParameter,
  optimized: flagThat('True gives events in a slim form, and hasMore beside them'),
  creator,
};

const matches = z.array(z.object({ id: digits, label: text, slug: text, event_count: whole }));
const found = (event: z.ZodType) =>
  z.object({
    events: z.array(event),
    hasMore: flag.optional().meta({ description: 'Where an optimized search was asked for' }),
    tags: matches,
    pagination: z.object({ hasMore: flag, totalResults: whole }),
  });
const scoped = { creator };
const related = {
  status: z.enum(['active', 'closed', 'all']).optional().meta({ description: 'Which events count: all unless given' }),
  omit_empty: flagThat('Accepted; no related tag is without events'),
};

/** The schemas of one form of the catalog. */
function catalogSchemas(
  forms: Readonly<Record<'marketInList' | 'oneMarket' | 'eventInList' | 'foundEvent' | 'eventInSeries', z.ZodType>>,
  moreStatuses: readonly number[],
) {
  const ruled = (schema: EndpointSchema): EndpointSchema => ({ ...schema, refusal, moreStatuses });
  const next = textParameter.meta({ description: 'Absent on the last page' });
  const { marketInList, oneMarket, eventInList, foundEvent, eventInSeries } = forms;
  return {
    markets: ruled({ query: { ...marketQuery, ...paging, ...sorting }, reply: z.array(marketInList) }),
    marketsKeyset: ruled({
      query: { ...marketQuery, ...keyset },
      reply: z.object({ markets: z.array(marketInList), next_cursor: next }),
    }),
    market: ruled({ query: { ...scoped, include_tag: flagParameter }, reply: oneMarket }),
    tagsOf: ruled({ query: scoped, reply: z.array(tag) }),
    description: ruled({ query: scoped, reply: z.object({ id: digits, description: text }) }),
    events: ruled({ query: { ...eventQuery, ...paging, ...sorting }, reply: z.array(eventInList) }),
    eventsKeyset: ruled({
      query: { ...eventQuery, ...keyset },
      reply: z.object({ events: z.array(eventInList), next_cursor: next }),
    }),
    event: ruled({ query: scoped, reply: longEvent }),
    tags: ruled({ query: { ...paging, ...sorting, ...setApart }, reply: z.array(tag) }),
    tag: ruled({ reply: tag }),
    relatedTags: ruled({ query: related, reply: z.array(relatedTag) }),
    tagsBeside: ruled({ query: related, reply: z.array(tag) }),
    profile: ruled({ query: { address: common.givenAddress }, reply: z.never() }),
    series: ruled({
      query: { ...paging, ...sorting, closed: flagParameter, slug: list('Slugs of series'), recurrence: textParameter },
      reply: z.array(series),
    }),
    oneSeries: ruled({ reply: seriesWith(eventInSeries) }),
    search: ruled({ query: searchQuery, reply: found(foundEvent) }),
    status: { reply: z.literal('OK'), replyType: 'text/plain' } satisfies EndpointSchema,
    nothing: { reply: z.array(z.never()) } satisfies EndpointSchema,
    marketTypes: { reply: z.object({ marketTypes: z.array(text) }) } satisfies EndpointSchema,
  };
}

export const rootSchemas = catalogSchemas(
  {
    marketInList: listedMarket,
    oneMarket: longMarket,
    eventInList: listedEvent,
    foundEvent: eventSummary,
    eventInSeries: eventSummary,
  },
  [],
);
/** On the mount, malformed parameters are answered with 422. */
export const gammaSchemas = catalogSchemas(
  {
    marketInList: officialMarket,
    oneMarket: officialMarket,
    eventInList: eventOfList,
    foundEvent: z.union([longEvent, eventOfMarket]),
    eventInSeries: eventOfMarket,
  },
  [422],
);

/** The two forms of GET /markets and GET /markets/{id} on the root. */
export const bothForms = {
  markets: (cursorForm: EndpointSchema): EndpointSchema => ({
    query: { ...cursorForm.query, ...rootSchemas.markets.query },
    reply: z.union([rootSchemas.markets.reply, cursorForm.reply]),
    refusal: z.union([refusal, common.refusal]),
  }),
  market: { ...rootSchemas.market, reply: z.union([longMarket, combinedMarket]) } satisfies EndpointSchema,
};
