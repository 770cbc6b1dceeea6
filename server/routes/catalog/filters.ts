// Turns the parameters of a catalog list into row filters: tags, events, creators and ids are looked up in the catalog, and
// unknown names match nothing. Called by catalog.ts and search.ts. No filter here scans all rows.

import {
  type Catalog,
  type EventFigures,
  type Label,
  marketEndMs,
  marketStartMs,
  type RowFilter,
  relatedTags,
  rowsFilter,
} from '../../catalog/index.ts';
import type { EventRow, Market, MarketsView } from '../../views/index.ts';
import { eventTitle, rewardsMinSize, umaResolutionStatus } from '../../wire/catalog.ts';
import { hasForeignFilter, LIST_LIMIT_MAX, type QueryReader, requiresAllTags } from '../../wire/catalogQuery.ts';
import { microNumber } from '../../wire/numbers.ts';

const NOTHING: RowFilter = { among: [], isWanted: () => false };

type Range = readonly [min: number | undefined, max: number | undefined];

const isWithin = (value: number, [min, max]: Range): boolean =>
  (min === undefined || value >= min) && (max === undefined || value <= max);

/** A filter of the ranges that are given, each with a function that reads a row's value. */
function rangeFilters<Row>(
  ranges: readonly (readonly [Range, (row: Row) => number])[],
  rowOf: (row: number) => Row | undefined,
): RowFilter[] {
  const given = ranges.filter(([[min, max]]) => min !== undefined || max !== undefined);
  if (given.length === 0) return [];
  return [
    {
      isWanted: (number) => {
        const row = rowOf(number);
        return row !== undefined && given.every(([range, figureOf]) => isWithin(figureOf(row), range));
      },
    },
  ];
}

const numbers = (reader: QueryReader, name: string): Range => [
  reader.number(`${name}_min`),
  reader.number(`${name}_max`),
];
const times = (reader: QueryReader, name: string): Range => [reader.time(`${name}_min`), reader.time(`${name}_max`)];

/**
 * Filters of the requested tags: any tag of a group suffices, unless all are required. With `related_tags` each tag also
 * stands for its related tags.
 */
function tagFilters(
  catalog: Catalog,
  markets: MarketsView,
  reader: QueryReader,
  filterOf: (tags: readonly Label[]) => RowFilter,
): RowFilter[] {
  const filters: RowFilter[] = [];
  const hasRelated = reader.flag('related_tags') ?? false;
  const slugged = reader.texts('tag_slug', 'tag')?.map((slug) => catalog.tags.bySlug(slug)) ?? [];
  const numbered = reader.wholes('tag_id')?.map((number) => catalog.tags.byNumber(number)) ?? [];
  const groups = [slugged, numbered];
  const withRelated = (tag: Label): readonly Label[] => {
    if (!hasRelated) return [tag];
    const eventOf = (number: number): EventRow | undefined => markets.eventByNumber(number);
    const related = relatedTags(catalog, tag, eventOf, undefined, groups.flat().length);
    return [tag, ...related.slice(0, LIST_LIMIT_MAX)];
  };
  for (const group of requiresAllTags(reader) ? groups.flat().map((tag) => [tag]) : groups) {
    const found = group.filter((tag) => tag !== undefined);
    if (group.length > 0) filters.push(filterOf(found.flatMap(withRelated)));
  }
  return filters;
}

/** Parameters of official clients that select kinds of rows that do not exist here. */
const FOREIGN_MARKETS = ['market_maker_address', 'game_id', 'sports_market_types', 'position_ids'] as const;
const FOREIGN_EVENTS = [
  'game_id',
  'parent_event_id',
  'partner_slug',
  'event_date',
  'event_week',
  'start_time_min',
  'start_time_max',
] as const;

function marketStateFilters(markets: MarketsView, reader: QueryReader): RowFilter[] {
  const filters = hasForeignFilter(reader, FOREIGN_MARKETS, ['cyom', 'rfq_enabled']) ? [NOTHING] : [];
  const statuses = reader.texts('uma_resolution_status')?.map((status) => status.toLowerCase());
  if (statuses === undefined) return filters;
  const isWanted = (row: number): boolean => {
    const market = markets.byIndex(row);
    return market !== undefined && statuses.includes(umaResolutionStatus(market) ?? '');
  };
  return [...filters, { isWanted }];
}

/** Filters of GET /markets. */
export function marketFilters(catalog: Catalog, markets: MarketsView, reader: QueryReader): RowFilter[] {
  const marketAt = (row: number): Market | undefined => markets.byIndex(row);
  const filters = tagFilters(catalog, markets, reader, (tags) => catalog.groups.marketTagFilter(tags));
  filters.push(...marketStateFilters(markets, reader));
  const found = (list: readonly (Market | undefined)[]): RowFilter =>
    rowsFilter(list.flatMap((market) => market?.index ?? []));
  const creator = reader.text('creator');
  if (creator !== undefined) filters.push(catalog.groups.marketCreatorFilter(creator));
  const eventIds = reader.wholes('event_id');
  if (eventIds !== undefined) {
    filters.push(found(eventIds.flatMap((number) => markets.eventByNumber(number)?.markets ?? [])));
  }
  const eventSlug = reader.text('event_slug', 'eventSlug');
  if (eventSlug !== undefined) filters.push(found(markets.eventBySlug(eventSlug)?.markets ?? []));
  const conditions = reader.conditionIds('conditionId', 'condition_id', 'condition_ids');
  if (conditions !== undefined) filters.push(found(conditions.map((id) => markets.byCondition(id))));
  const slugs = reader.texts('slug');
  if (slugs !== undefined) filters.push(found(slugs.map((slug) => markets.bySlug(slug))));
  const ids = reader.wholes('id');
  if (ids !== undefined) filters.push(found(ids.map((id) => markets.byIndex(id - 1))));
  const tokens = reader.tokenIds('clob_token_ids');
  if (tokens !== undefined) filters.push(found(tokens.map((token) => markets.byToken(token)?.market)));
  const questions = reader.conditionIds('question_ids');
  if (questions !== undefined) {
    const wanted = new Set(questions);
    filters.push({ isWanted: (row) => wanted.has(marketAt(row)?.questionId ?? '') });
  }
  const figures = (market: Market) => catalog.marketFiguresOf(market);
  const ranges = [
    [numbers(reader, 'volume_num'), (market: Market) => microNumber(figures(market).volumeMicro)],
    [numbers(reader, 'liquidity_num'), (market: Market) => microNumber(figures(market).liquidityMicro)],
    [[reader.number('rewards_min_size'), undefined], rewardsMinSize],
    [times(reader, 'start_date'), (market: Market) => marketStartMs(market, catalog.eventOf(market))],
    [times(reader, 'end_date'), (market: Market) => marketEndMs(market, catalog.eventOf(market))],
  ] as const;
  return [...filters, ...rangeFilters(ranges, marketAt)];
}

/** Events of these series. */
const eventsOf = (series: readonly (Label | undefined)[]): RowFilter =>
  rowsFilter(series.flatMap((one) => one?.events ?? []).map((number) => number - 1));

function recurrenceFilters(catalog: Catalog, reader: QueryReader): RowFilter[] {
  const recurrence = reader.text('recurrence');
  if (recurrence === undefined) return [];
  return [eventsOf(catalog.series.list().filter((one) => one.recurrence === recurrence))];
}

function seriesFilters(catalog: Catalog, reader: QueryReader): RowFilter[] {
  const filters = recurrenceFilters(catalog, reader);
  const slug = reader.text('series_slug');
  if (slug !== undefined) filters.push(eventsOf([catalog.series.bySlug(slug)]));
  const ids = reader.wholes('series_id');
  if (ids !== undefined) filters.push(eventsOf(ids.map((id) => catalog.series.byNumber(id))));
  return filters;
}

function excludedTags(catalog: Catalog, reader: QueryReader): RowFilter[] {
  const excluded = reader.wholes('exclude_tag_id')?.flatMap((number) => catalog.tags.byNumber(number) ?? []);
  if (excluded === undefined) return [];
  const bad = catalog.groups.eventTagFilter(excluded);
  return [{ isWanted: (row) => !bad.isWanted(row) }];
}

/** Filters of a search's events. */
export function searchFilters(catalog: Catalog, reader: QueryReader): RowFilter[] {
  const filters = excludedTags(catalog, reader);
  const slugs = reader.texts('events_tag');
  if (slugs !== undefined) {
    const tags = slugs.flatMap((slug) => catalog.tags.bySlug(slug) ?? []);
    filters.push(catalog.groups.eventTagFilter(tags));
  }
  return [...filters, ...recurrenceFilters(catalog, reader)];
}

/** Filters of GET /events. */
export function eventFilters(catalog: Catalog, markets: MarketsView, reader: QueryReader): RowFilter[] {
  const eventAt = (row: number): EventRow | undefined => markets.eventByNumber(row + 1);
  const filters = tagFilters(catalog, markets, reader, (tags) => catalog.groups.eventTagFilter(tags));
  filters.push(...seriesFilters(catalog, reader));
  if (hasForeignFilter(reader, FOREIGN_EVENTS, ['featured', 'cyom', 'live', 'ended'])) filters.push(NOTHING);
  const title = reader.text('title_search')?.toLowerCase();
  if (title !== undefined) {
    filters.push({ isWanted: (row) => eventTitle(eventAt(row)).toLowerCase().includes(title) });
  }
  const found = (list: readonly (EventRow | undefined)[]): RowFilter =>
    rowsFilter(list.flatMap((event) => (event === undefined ? [] : event.eventNumber - 1)));
  const creator = reader.text('creator');
  if (creator !== undefined) filters.push(catalog.groups.eventCreatorFilter(creator));
  const slugs = reader.texts('slug');
  if (slugs !== undefined) filters.push(found(slugs.map((slug) => markets.eventBySlug(slug))));
  const ids = reader.wholes('id');
  if (ids !== undefined) filters.push(found(ids.map((id) => markets.eventByNumber(id))));
  filters.push(...excludedTags(catalog, reader));
  const figures = (event: EventRow): EventFigures => catalog.eventFiguresOf(event);
  const ranges = [
    [numbers(reader, 'volume'), (event: EventRow) => microNumber(figures(event).volumeMicro)],
    [numbers(reader, 'liquidity'), (event: EventRow) => microNumber(figures(event).liquidityMicro)],
    [times(reader, 'start_date'), (event: EventRow) => figures(event).startMs],
    [times(reader, 'end_date'), (event: EventRow) => figures(event).endMs],
  ] as const;
  return [...filters, ...rangeFilters(ranges, eventAt)];
}
