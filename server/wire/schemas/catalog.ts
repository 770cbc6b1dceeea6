// Schemas of the catalog's endpoints: their parameters, and their replies, which are made of the records of catalogRecords.ts
// (interface.md 2.1 to 2.3 and 4.2, catalog-and-data.md 6). Referenced by the table of routes/catalog/catalog.ts.
import { z } from 'zod';
import { type CatalogDialect, gammaCatalog, rootCatalog } from '../catalogDialects.ts';
import {
  combinedMarket,
  eventOfList,
  eventOfMarket,
  eventSummary,
  listedEvent,
  listedMarket,
  longEvent,
  longMarket,
  officialMarket,
  relatedTag,
  series,
  seriesWith,
  tag,
} from './catalogRecords.ts';
import * as common from './common.ts';
import type { EndpointSchema } from './endpointSchema.ts';

const { digits, flag, number, text, whole } = common;

const refusal = z
  .object({ type: z.enum(['bad request', 'not found error', 'validation error']), error: text })
  .meta({ id: 'CatalogRefusal', description: 'Why a catalog request was refused' });

const wholeParameter = whole.optional();
const FLAG_WORDS = 'true or false, or 1 or 0';
const flagParameter = flag.optional().meta({ description: FLAG_WORDS });
/** A flag parameter with a description of its own. */
const flagThat = (text: string) => flagParameter.meta({ description: `${text} (${FLAG_WORDS})` });
const textParameter = text.optional();
const list = (what: string) => text.optional().meta({ description: `${what} (comma-separated)` });
/** @param closedDefault the default of closed; undefined = rows of both kinds */
const statesOr = (closedDefault: boolean | undefined) => ({
  active: flagThat('Default true'),
  closed: closedDefault === undefined ? flagParameter : flagThat(`Default ${closedDefault}`),
  archived: flagParameter,
});
const creator = textParameter.meta({ description: 'Creator wallet or site; returns what is available on that site' });
const limit = wholeParameter.meta({ description: 'Rows per page. Default 20, maximum 100' });
const sortedBy = (example: string) => ({ order: list(`Sort column, such as ${example}`), ascending: flagParameter });
const sorting = sortedBy('volume24hr or endDate');
const keyset = {
  limit,
  after_cursor: textParameter.meta({ description: 'next_cursor of the previous page' }),
  ...sorting,
};
const carouselFilter = { is_carousel: flagThat('If true, matches nothing: no tag is a carousel tag') };
const dates = {
  start_date_min: textParameter,
  start_date_max: textParameter,
  end_date_min: textParameter,
  end_date_max: textParameter,
};
const numberParameter = number.optional();

const tagFilters = {
  tag: list('Tag slugs, the same as tag_slug'),
  tag_slug: list('Tag slugs'),
  tag_id: list('Tag ids'),
  tag_match: z
    .enum(['any', 'all'])
    .optional()
    .meta({ description: 'Whether any or all of the tags must match. Default any' }),
  related_tags: flagThat('If true, also matches related tags, as /tags/{id}/related-tags lists them'),
};
const userCreated = flagThat('If true, matches nothing: users cannot create markets');
const gameIds = list('Game ids; matches nothing');
const gameTime = textParameter.meta({ description: 'Time of a game; matches nothing, because no event is a game' });
/** Filters of official clients that no market here matches. */
const unmatchedMarketFilters = {
  cyom: userCreated,
  game_id: gameIds,
  sports_market_types: list('Types of sports markets; matches nothing'),
  market_maker_address: list('Addresses of older market makers; matches nothing'),
  position_ids: list('Position ids of combinations; matches nothing'),
  rfq_enabled: flagThat('If true, matches nothing: there are no requests for quote'),
};

const marketQuery = {
  ...tagFilters,
  event_id: list('Event ids'),
  event_slug: textParameter,
  eventSlug: textParameter,
  conditionId: list('Condition ids'),
  condition_id: list('Condition ids'),
  condition_ids: list('Condition ids'),
  slug: list('Market slugs'),
  id: list('Market ids'),
  clob_token_ids: list('Token ids'),
  question_ids: list('Question ids'),
  volume_num_min: numberParameter,
  volume_num_max: numberParameter,
  liquidity_num_min: numberParameter,
  liquidity_num_max: numberParameter,
  rewards_min_size: numberParameter.meta({
    description: 'Minimum order size for rewards; 0 if the market has no rewards',
  }),
  ...dates,
  include_tag: flagParameter,
  uma_resolution_status: list('Oracle status; only resolved markets have one'),
  ...unmatchedMarketFilters,
  creator,
};
const eventQuery = {
  ...statesOr(undefined),
  ...tagFilters,
  exclude_tag_id: list('Tag ids'),
  featured: flagThat('If true, matches nothing: no event is featured'),
  cyom: userCreated,
  live: flagThat('If true, matches nothing: no event is a game in progress'),
  game_id: gameIds,
  parent_event_id: list('Event ids; matches nothing, because no event has a parent'),
  partner_slug: list('Partner slugs; matches nothing'),
  ended: flagThat('If true, matches nothing: no event is a finished game'),
  event_date: gameTime,
  event_week: gameTime,
  start_time_min: gameTime,
  start_time_max: gameTime,
  title_search: textParameter.meta({ description: 'Text contained in the title of an event, case-insensitive' }),
  include_markets: flagThat('If false, events are returned without their markets'),
  series_slug: textParameter,
  series_id: list('Series ids'),
  recurrence: textParameter,
  slug: list('Event slugs'),
  id: list('Event ids'),
  volume_min: numberParameter,
  volume_max: numberParameter,
  liquidity_min: numberParameter,
  liquidity_max: numberParameter,
  ...dates,
  creator,
};
const searchQuery = {
  q: text.min(1),
  limit_per_type: wholeParameter.meta({ description: 'Rows of each type, from 1 to 100. Default 25' }),
  page: whole.min(1).optional().meta({ description: 'Page number, starting at 1' }),
  search_tags: flagParameter,
  search_profiles: flagThat('Accepted without effect: profiles are never returned'),
  events_status: textParameter,
  events_tag: list('Tag slugs; matches events with any of them'),
  exclude_tag_id: list('Tag ids; matches events with none of them'),
  recurrence: textParameter.meta({ description: 'Recurrence of the series; matches events of such series' }),
  sort: textParameter.meta({
    description:
      'Sort key of events, such as volume_24hr or end_date; descending unless ascending is true. Default: relevance',
  }),
  ascending: flagParameter,
  optimized: flagThat('If true, events are returned in a compact form, together with hasMore'),
  creator,
};

const tagMatches = z.array(z.object({ id: digits, label: text, slug: text, event_count: whole }));
const pagination = z.object({ hasMore: flag, totalResults: whole });
const searchReply = (event: z.ZodType) =>
  z.object({
    events: z.array(event),
    hasMore: flag.optional().meta({ description: 'Only if optimized is true' }),
    tags: tagMatches,
    pagination,
  });
const creatorQuery = { creator };
const related = {
  status: z.enum(['active', 'closed', 'all']).optional().meta({ description: 'Which events count. Default all' }),
  omit_empty: flagThat('Accepted without effect: every related tag has events'),
};

/** The schemas of one form of the catalog. */
function catalogSchemas(
  { offsetMax = Number.MAX_SAFE_INTEGER, closedMarketsDefault }: CatalogDialect,
  forms: Readonly<Record<'marketInList' | 'oneMarket' | 'eventInList' | 'foundEvent' | 'eventInSeries', z.ZodType>>,
  moreStatuses: readonly number[],
) {
  const withRefusals = (schema: EndpointSchema): EndpointSchema => ({ ...schema, refusal, moreStatuses });
  const next = textParameter.meta({ description: 'Absent on the last page' });
  const { marketInList, oneMarket, eventInList, foundEvent, eventInSeries } = forms;
  const paging = { limit, offset: whole.max(offsetMax).optional() };
  const marketsQuery = { ...statesOr(closedMarketsDefault), ...marketQuery };
  return {
    markets: withRefusals({ query: { ...marketsQuery, ...paging, ...sorting }, reply: z.array(marketInList) }),
    marketsKeyset: withRefusals({
      query: { ...marketsQuery, ...keyset },
      reply: z.object({ markets: z.array(marketInList), next_cursor: next }),
    }),
    market: withRefusals({ query: { ...creatorQuery, include_tag: flagParameter }, reply: oneMarket }),
    tagsOf: withRefusals({ query: creatorQuery, reply: z.array(tag) }),
    description: withRefusals({ query: creatorQuery, reply: z.object({ id: digits, description: text }) }),
    events: withRefusals({ query: { ...eventQuery, ...paging, ...sorting }, reply: z.array(eventInList) }),
    eventsCounted: withRefusals({
      query: { ...eventQuery, ...paging, ...sorting },
      reply: z.object({ data: z.array(eventInList), pagination }),
    }),
    eventsKeyset: withRefusals({
      query: { ...eventQuery, ...keyset },
      reply: z.object({ events: z.array(eventInList), next_cursor: next }),
    }),
    event: withRefusals({ query: creatorQuery, reply: longEvent }),
    tags: withRefusals({
      query: { ...paging, ...sortedBy('id or createdAt'), ...carouselFilter },
      reply: z.array(tag),
    }),
    tag: withRefusals({ reply: tag }),
    relatedTags: withRefusals({ query: related, reply: z.array(relatedTag) }),
    tagsBeside: withRefusals({ query: related, reply: z.array(tag) }),
    profile: withRefusals({ query: { address: common.givenAddress }, reply: z.never() }),
    series: withRefusals({
      query: {
        ...paging,
        ...sortedBy('volume24hr or createdAt'),
        closed: flagParameter,
        slug: list('Series slugs'),
        recurrence: textParameter,
      },
      reply: z.array(series),
    }),
    oneSeries: withRefusals({ reply: seriesWith(eventInSeries) }),
    search: withRefusals({ query: searchQuery, reply: searchReply(foundEvent) }),
    status: { reply: z.literal('OK'), replyType: 'text/plain' } satisfies EndpointSchema,
    nothing: { reply: z.array(z.never()) } satisfies EndpointSchema,
    comment: withRefusals({ reply: z.never() }),
    commentsOf: withRefusals({ reply: z.array(z.never()) }),
    marketTypes: { reply: z.object({ marketTypes: z.array(text) }) } satisfies EndpointSchema,
  };
}

export const rootSchemas = catalogSchemas(
  rootCatalog,
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
  gammaCatalog,
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
