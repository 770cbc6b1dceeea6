// The catalog (interface.md 4.2, catalog-and-data.md 6): events, markets, tags, series and search, on the root paths and on
// the mount /gamma. Thin: parameters are parsed by wire/catalogQuery.ts, rows come from the catalog, shapes from the
// dialect that each table of paths is built with. GET /markets and /markets/{id} on the root belong to bothForms.ts.
import { isAddress, isBytes32 } from '../../auth/hex.ts';
import type { Catalog, CatalogPage, ColumnsPlace, ListForm } from '../../catalog/index.ts';
import type { ThrottleGroup } from '../../config/throttleTable.ts';
import type { Endpoint, Handler } from '../../http/endpoint.ts';
import { parseWhole } from '../../lib/decimals.ts';
import { type EventRow, listedMarkets, type Market, type Views } from '../../views/index.ts';
import { type CatalogDialect, gammaCatalog, rootCatalog } from '../../wire/catalogDialects.ts';
import { formatPlace, type QueryReader, readKeyset, readList } from '../../wire/catalogQuery.ts';
import { addTags, appendTags, type Shape } from '../../wire/catalogTexts.ts';
import { descriptionOf } from '../../wire/markets.ts';
import { type AppendingRows, appendList, appendRows, bytesOf, type Pieces } from '../../wire/pieces.ts';
import { gammaSchemas, rootSchemas } from '../../wire/schemas/catalog.ts';
import { type Answer, answering, answeringInSteps, type LongAnswer, numberOf, type Params } from './answers.ts';
import { eventFilters, marketFilters } from './filters.ts';
import { listSeries, listTags, oneSeries, oneTag, relationsOfTag, tagsOfTag } from './labels.ts';
import { publicSearch } from './search.ts';

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
