// The catalog (interface.md 4.2, catalog-and-data.md 6): events, markets, tags, series and search, on the root paths and on
// the mount /gamma. Thin: parameters are parsed by wire/catalogQuery.ts, rows come from the catalog, shapes from the
// dialect that each table of paths is built with. GET /markets and /markets/{id} on the root belong to bothForms.ts.
import { isAddress, isBytes32 } from '../../auth/hex.ts';
import {
  type Catalog,
  type CatalogPage,
  type ColumnsPlace,
  type Label,
  type ListForm,
  RowState,
  relatedTags,
} from '../../catalog/index.ts';
import type { ThrottleGroup } from '../../config/throttleTable.ts';
import type { Context, Endpoint, Handler, HttpRequest, Reply, ReplySteps } from '../../http/endpoint.ts';
import { inSteps } from '../../http/rowsReply.ts';
import { parseWhole } from '../../lib/decimals.ts';
import { type EventRow, listedMarkets, type Market, type Views } from '../../views/index.ts';
import { relatedTag, seriesRecord, tagRecord } from '../../wire/catalog.ts';
import { type CatalogDialect, gammaCatalog, rootCatalog } from '../../wire/catalogDialects.ts';
import {
  formatPlace,
  hasForeignFilter,
  LIST_LIMIT_MAX,
  QueryReader,
  readKeyset,
  readList,
  readRelated,
} from '../../wire/catalogQuery.ts';
import { addTags, appendTags, type Shape } from '../../wire/catalogTexts.ts';
import { descriptionOf } from '../../wire/markets.ts';
import { type AppendingRows, appendList, appendRows, bytesOf, type Pieces } from '../../wire/pieces.ts';
import { gammaSchemas, rootSchemas } from '../../wire/schemas/catalog.ts';
import { eventFilters, marketFilters } from './filters.ts';
import { publicSearch } from './search.ts';

/** The variable parts of the request's path. */
type Params = HttpRequest['params'];

/** Renders the JSON of a reply. */
type Answer = (reader: QueryReader, catalog: Catalog, views: Views, params: Params) => Reply['body'];

/** Appends the JSON of a reply that may be long; yields before each row. */
type LongAnswer = (...parameters: Parameters<Answer>) => Generator<undefined, Pieces>;

/** A handler that brings the catalog up to date and then answers from it. */
function answering(dialect: CatalogDialect, answer: Answer): Handler {
  return ({ query, params }: HttpRequest, { services: { catalog, views, exchange } }: Context): Reply => {
    catalog.settle(exchange.now());
    return { body: answer(new QueryReader(query, dialect), catalog, views, params) };
  };
}

/** The same in steps, with the catalog brought up to date in each. They may wait for long, so they hold no request. */
function answeringInSteps(dialect: CatalogDialect, answer: LongAnswer): Handler {
  return ({ query, params }: HttpRequest, { services: { catalog, views, exchange } }: Context): ReplySteps => {
    const reader = new QueryReader(query, dialect);
    const settle = (): void => catalog.settle(exchange.now());
    function* reply(): ReplySteps {
      settle();
      return { body: yield* inSteps(answer(reader, catalog, views, params), settle) };
    }
    return reply();
  };
}

const stateDefaults = ({ closedMarketsDefault: closed }: CatalogDialect) => ({ closed });

function marketRows(reader: QueryReader, catalog: Catalog, views: Views, form: ListForm): CatalogPage<Market> {
  return catalog.marketPage({ ...form, filters: marketFilters(catalog, views.markets, reader) });
}

function appendMarkets(reader: QueryReader, catalog: Catalog, rows: readonly Market[], to: Pieces): Pieces {
  const { dialect } = reader;
  const hasTags = reader.flag('include_tag') ?? false;
  appendList(to, rows, (market) => {
    dialect.marketInList(catalog, market, to);
    if (hasTags) addTags(catalog, catalog.eventOf(market), to);
  });
  return to;
}

/** What precedes the rows of a list that is a field of the reply. */
const listOpen = (name: string): Uint8Array => bytesOf(`{"${name}":`);
/** What follows the rows of a keyset list: the cursor of the next page. */
const keysetEnd = (form: ListForm, next: ColumnsPlace | undefined): Uint8Array =>
  bytesOf(next === undefined ? '}' : `,"next_cursor":"${formatPlace(form, next)}"}`);

const listMarkets: Answer = (reader, catalog, views) => {
  const { dialect } = reader;
  const form = readList(reader, catalog.marketColumns, '/markets/keyset', stateDefaults(dialect));
  return appendMarkets(reader, catalog, marketRows(reader, catalog, views, form).rows, []);
};

/** GET /markets of the root, in the catalog's form. */
export const rootMarkets = answering(rootCatalog, listMarkets);

const listMarketsByKey: Answer = (reader, catalog, views) => {
  const form = readKeyset(reader, catalog.marketColumns, stateDefaults(reader.dialect));
  const { rows, next } = marketRows(reader, catalog, views, form);
  const to = appendMarkets(reader, catalog, rows, [listOpen('markets')]);
  to.push(keysetEnd(form, next));
  return to;
};

function appendEvents(reader: QueryReader, catalog: Catalog, rows: readonly EventRow[], to: Pieces): AppendingRows {
  const { eventInList, marketlessEvent } = reader.dialect;
  const append = (reader.flag('include_markets') ?? true) ? eventInList : marketlessEvent;
  return appendRows(to, rows, (event) => append(catalog, event, to));
}

const listEvents: LongAnswer = function* (reader, catalog, views) {
  const form = readList(reader, catalog.eventColumns, '/events/keyset', {});
  const { rows } = catalog.eventPage({ ...form, filters: eventFilters(catalog, views.markets, reader) });
  const to: Pieces = [];
  yield* appendEvents(reader, catalog, rows, to);
  return to;
};

/** The same, with the number of events on all pages: as Polymarket's own site asks, and bots after it. */
const listEventsCounted: LongAnswer = function* (reader, catalog, views) {
  const form = readList(reader, catalog.eventColumns, '/events/keyset', {});
  const query = { ...form, filters: eventFilters(catalog, views.markets, reader) };
  const { rows } = catalog.eventPage(query);
  const totalResults = catalog.eventCount(query);
  const pagination = { hasMore: form.offset + rows.length < totalResults, totalResults };
  const to = [listOpen('data')];
  yield* appendEvents(reader, catalog, rows, to);
  to.push(bytesOf(`,"pagination":${JSON.stringify(pagination)}}`));
  return to;
};

const listEventsByKey: LongAnswer = function* (reader, catalog, views) {
  const form = readKeyset(reader, catalog.eventColumns, {});
  const { rows, next } = catalog.eventPage({ ...form, filters: eventFilters(catalog, views.markets, reader) });
  const to = [listOpen('events')];
  yield* appendEvents(reader, catalog, rows, to);
  to.push(keysetEnd(form, next));
  return to;
};

/** The number in a path. @throws BadRequest if it is not a whole number */
function numberOf({ dialect }: QueryReader, id: string): number {
  const number = parseWhole(id);
  if (number === undefined) throw dialect.invalid('id', 'must be a whole number');
  return number;
}

/** The row, if it exists and is available on the creator's site. @throws BadRequest 404 otherwise */
function found<Row>(
  reader: QueryReader,
  what: 'id' | 'slug',
  row: Row | undefined,
  isOf: (creator: string) => boolean,
): Row {
  const creator = reader.text('creator');
  if (row === undefined || (creator !== undefined && !isOf(creator))) throw reader.dialect.notFound(what);
  return row;
}

function foundMarket(reader: QueryReader, catalog: Catalog, what: 'id' | 'slug', market: Market | undefined): Market {
  const isOf = (creator: string): boolean =>
    market !== undefined && catalog.groups.isOfCreator(catalog.eventOf(market), creator);
  return found(reader, what, market, isOf);
}

/** The market with a number or, if the dialect accepts them and it is no draft, a condition id. */
export function marketById(reader: QueryReader, catalog: Catalog, { markets }: Views, id: string): Market {
  const isCondition = reader.dialect.takesConditionIds && isBytes32(id);
  if (!isCondition && reader.dialect.takesConditionIds && parseWhole(id) === undefined) {
    throw reader.dialect.invalid('id', "must be a market's number, or a condition id of 0x and 64 hex digits");
  }
  const market = isCondition
    ? listedMarkets(markets).byCondition(id.toLowerCase())
    : markets.byIndex(numberOf(reader, id) - 1);
  return foundMarket(reader, catalog, 'id', market);
}

const pathMarket = (reader: QueryReader, catalog: Catalog, views: Views, params: Params): Market => {
  if (params.slug === undefined) return marketById(reader, catalog, views, params.id);
  return foundMarket(reader, catalog, 'slug', views.markets.bySlug(params.slug));
};

const pathEvent = (reader: QueryReader, catalog: Catalog, { markets }: Views, params: Params): EventRow => {
  const { slug } = params;
  const event = slug === undefined ? markets.eventByNumber(numberOf(reader, params.id)) : markets.eventBySlug(slug);
  return found(reader, slug === undefined ? 'id' : 'slug', event, (creator) =>
    catalog.groups.isOfCreator(event, creator),
  );
};

/** One row in a shape. */
function piecesOf<Row>(append: Shape<Row>, catalog: Catalog, row: Row): Pieces {
  const to: Pieces = [];
  append(catalog, row, to);
  return to;
}

/** The record of one market. */
export function marketPieces(reader: QueryReader, catalog: Catalog, market: Market): Pieces {
  const pieces = piecesOf(reader.dialect.oneMarket, catalog, market);
  if (reader.flag('include_tag') ?? false) addTags(catalog, catalog.eventOf(market), pieces);
  return pieces;
}

const oneMarket: Answer = (reader, catalog, views, params) =>
  marketPieces(reader, catalog, pathMarket(reader, catalog, views, params));
const marketTags: Answer = (reader, catalog, views, params) =>
  piecesOf(appendTags, catalog, catalog.eventOf(pathMarket(reader, catalog, views, params)));
const marketDescription: Answer = (reader, catalog, views, params) => {
  const market = pathMarket(reader, catalog, views, params);
  return JSON.stringify({ id: String(market.marketId), description: descriptionOf(market, catalog.eventOf(market)) });
};
const oneEvent: LongAnswer = function* (reader, catalog, views, params) {
  const to: Pieces = [];
  yield* reader.dialect.oneEvent(catalog, pathEvent(reader, catalog, views, params), to);
  return to;
};
const eventTags: Answer = (reader, catalog, views, params) =>
  piecesOf(appendTags, catalog, pathEvent(reader, catalog, views, params));

/** Sort keys of labels, by column name. */
type LabelKeys = Readonly<Record<string, (label: Label) => number>>;

const labelKeys: LabelKeys = {
  id: ({ number }) => number,
  createdAt: ({ createdMs }) => createdMs,
  updatedAt: ({ updatedMs }) => updatedMs,
};

const seriesKeys = (catalog: Catalog): LabelKeys => ({
  ...labelKeys,
  volume: (series) => catalog.seriesFiguresOf(series).volumeMicro,
  volume24hr: (series) => catalog.seriesFiguresOf(series).volume24Micro,
  liquidity: (series) => catalog.seriesFiguresOf(series).liquidityMicro,
});

/** A page of tags or series, which are few and are sorted on each request. */
function labelPage(reader: QueryReader, labels: readonly Label[], keys: LabelKeys): readonly Label[] {
  const { columns, isRising, limit, offset } = readList(reader, Object.keys(keys), undefined, {});
  const keysInOrder = [...columns, 'id'].map((column) => keys[column]);
  const sorted = labels.toSorted((left, right) =>
    keysInOrder.reduce((order, keyOf) => order || keyOf(left) - keyOf(right), 0),
  );
  if (!isRising) sorted.reverse();
  return sorted.slice(offset, offset + limit);
}

const listTags: Answer = (reader, { tags }) => {
  const rows = hasForeignFilter(reader, [], ['is_carousel']) ? [] : tags.list();
  return JSON.stringify(labelPage(reader, rows, labelKeys).map(tagRecord));
};

/** A tag or a series by its number or slug. @throws BadRequest 404 if it does not exist */
function labelOf(reader: QueryReader, labels: Catalog['tags'], params: Params): Label {
  const { id, slug } = params;
  const label = slug === undefined ? labels.byNumber(numberOf(reader, id)) : labels.bySlug(slug);
  if (label === undefined) throw reader.dialect.notFound(slug === undefined ? 'id' : 'slug');
  return label;
}

const oneTag: Answer = (reader, { tags }, _, params) => JSON.stringify(tagRecord(labelOf(reader, tags, params)));

/** The tag in a path and the tags most related to it. */
function tagsRelated(reader: QueryReader, catalog: Catalog, views: Views, params: Params) {
  const tag = labelOf(reader, catalog.tags, params);
  const { closed } = readRelated(reader);
  const related = relatedTags(catalog, tag, (number) => views.markets.eventByNumber(number), closed);
  return { tag, related: related.slice(0, LIST_LIMIT_MAX) };
}

const relationsOfTag: Answer = (reader, catalog, views, params) => {
  const { tag, related } = tagsRelated(reader, catalog, views, params);
  return JSON.stringify(related.map((other, at) => relatedTag(tag, other, at + 1)));
};
const tagsOfTag: Answer = (reader, catalog, views, params) =>
  JSON.stringify(tagsRelated(reader, catalog, views, params).related.map(tagRecord));

/** Always refuses: wallets have no profiles here. */
const publicProfile: Answer = (reader) => {
  if (!isAddress(reader.text('address') ?? '')) throw reader.dialect.invalidAddress();
  throw reader.dialect.notFound('profile');
};

/** Always refuses: there are no comments. */
const oneComment: Answer = (reader, _catalog, _views, { id }) => {
  numberOf(reader, id);
  throw reader.dialect.notFound('id');
};

const commentsOf: Answer = (reader, _catalog, _views, { address }) => {
  if (!isAddress(address)) throw reader.dialect.invalidAddress();
  return '[]';
};

const listSeries: Answer = (reader, catalog) => {
  const slugs = reader.texts('slug');
  const recurrence = reader.text('recurrence');
  const closed = reader.flag('closed');
  const rows = catalog.series.list().filter((series) => {
    if (slugs !== undefined && !slugs.includes(series.slug)) return false;
    if (recurrence !== undefined && series.recurrence !== recurrence) return false;
    return closed === undefined || catalog.isClosedSeries(series) === closed;
  });
  return JSON.stringify(labelPage(reader, rows, seriesKeys(catalog)).map((series) => seriesRecord(catalog, series)));
};

/** Most events shown with a series, the newest ones: a series of five-minute rounds has a hundred thousand in a year. */
const SERIES_EVENTS_MAX = 2_000;

const oneSeries: LongAnswer = function* (reader, catalog, { markets }, params) {
  const series = labelOf(reader, catalog.series, params);
  const newest = series.events.slice(-SERIES_EVENTS_MAX).flatMap((number) => markets.eventByNumber(number) ?? []);
  const events = newest.filter((event) => (catalog.eventFiguresOf(event).state & RowState.ACTIVE) !== 0);
  const to: Pieces = [bytesOf(`${JSON.stringify(seriesRecord(catalog, series)).slice(0, -1)},"events":`)];
  yield* appendRows(to, events, (event) => reader.dialect.eventInSeries(catalog, event, to));
  to.push(bytesOf('}'));
  return to;
};

type Schemas = typeof rootSchemas;
type Row = readonly [path: string, group: ThrottleGroup, summary: string, schema: keyof Schemas, handler: Handler];

const constantReply =
  (body: string): Handler =>
  () => ({ body });

const emptyList = (path: string, summary: string): Row => [path, 'catalog', summary, 'nothing', constantReply('[]')];

/** A bare word instead of JSON, as Polymarket's catalog answers. */
const statusText: Handler = () => ({ body: 'OK', headers: { 'content-type': 'text/plain; charset=utf-8' } });

function catalogRows(dialect: CatalogDialect): readonly Row[] {
  const by = (answer: Answer): Handler => answering(dialect, answer);
  const inStepsBy = (answer: LongAnswer): Handler => answeringInSteps(dialect, answer);
  const rows: readonly Row[] = [
    ['/markets', 'GET /markets', 'Markets of the catalog.', 'markets', by(listMarkets)],
    ['/markets/keyset', 'GET /markets', 'The same, with cursor pagination.', 'marketsKeyset', by(listMarketsByKey)],
    ['/markets/slug/{slug}', 'catalog', 'One market by slug.', 'market', by(oneMarket)],
    ['/markets/{id}', 'catalog', 'One market by id.', 'market', by(oneMarket)],
    ['/markets/{id}/tags', 'catalog', 'The tags of a market.', 'tagsOf', by(marketTags)],
    ['/markets/{id}/description', 'catalog', 'The description of a market.', 'description', by(marketDescription)],
    ['/events', 'GET /events', 'Events.', 'events', inStepsBy(listEvents)],
    ['/events/keyset', 'GET /events', 'The same, with cursor pagination.', 'eventsKeyset', inStepsBy(listEventsByKey)],
    ['/events/pagination', 'GET /events', 'Events and their number.', 'eventsCounted', inStepsBy(listEventsCounted)],
    emptyList('/events/creators', 'Named creators of events: none.'),
    ['/events/slug/{slug}', 'catalog', 'One event by slug.', 'event', inStepsBy(oneEvent)],
    ['/events/{id}', 'catalog', 'One event by id.', 'event', inStepsBy(oneEvent)],
    ['/events/{id}/tags', 'catalog', 'The tags of an event.', 'tagsOf', by(eventTags)],
    ['/tags', 'GET /tags', 'Tags, ordered by id.', 'tags', by(listTags)],
    ['/tags/slug/{slug}', 'catalog', 'One tag by slug.', 'tag', by(oneTag)],
    ['/tags/{id}', 'catalog', 'One tag by id.', 'tag', by(oneTag)],
    ...['/tags/{id}', '/tags/slug/{slug}'].flatMap((tag): Row[] => [
      [`${tag}/related-tags`, 'catalog', 'Relations of a tag to other tags.', 'relatedTags', by(relationsOfTag)],
      [
        `${tag}/related-tags/tags`,
        'catalog',
        'The tags that occur most often together with a tag.',
        'tagsBeside',
        by(tagsOfTag),
      ],
    ]),
    ['/series', 'catalog', 'Series of events, ordered by id.', 'series', by(listSeries)],
    ['/series/{id}', 'catalog', 'One series by id.', 'oneSeries', inStepsBy(oneSeries)],
    [
      '/public-search',
      'GET /public-search',
      'Events and tags that match a text, best match first.',
      'search',
      publicSearch(dialect),
    ],
    emptyList('/teams', 'Teams: none.'),
    emptyList('/sports', 'Sports: none.'),
    [
      '/sports/market-types',
      'catalog',
      'Types of sports markets: none.',
      'marketTypes',
      constantReply('{"marketTypes":[]}'),
    ],
    emptyList('/comments', 'Comments: none.'),
    ['/comments/{id}', 'catalog', 'One comment and its replies: none exists.', 'comment', by(oneComment)],
    ['/comments/user_address/{address}', 'catalog', 'Comments of a wallet: none.', 'commentsOf', by(commentsOf)],
    emptyList('/market-clarifications', 'Clarifications of markets: none.'),
    ['/public-profile', 'catalog', 'The profile of a wallet: no wallet has one.', 'profile', by(publicProfile)],
  ];
  const status: Row = ['/status', 'catalog', 'Whether the catalog responds.', 'status', statusText];
  return dialect.mount === '' ? rows : [...rows, status];
}

/** Paths that bothForms.ts serves on the root. */
const TWICE_DESCRIBED: readonly string[] = ['/markets', '/markets/{id}'];

function endpointsOf(dialect: CatalogDialect, schemas: Schemas, section: string): readonly Endpoint[] {
  const rows = catalogRows(dialect).filter(([path]) => dialect.mount !== '' || !TWICE_DESCRIBED.includes(path));
  return rows.map(([path, throttle, summary, schema, handler]) => ({
    method: 'GET',
    path: `${dialect.mount}${path}`,
    auth: 'none',
    throttle,
    section,
    summary,
    schema: schemas[schema],
    handler,
  }));
}

export const catalogEndpoints: readonly Endpoint[] = [
  ...endpointsOf(rootCatalog, rootSchemas, 'interface 4.2'),
  ...endpointsOf(gammaCatalog, gammaSchemas, 'catalog 6'),
];
