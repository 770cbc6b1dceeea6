// GET /public-search, on the root and on the mount /gamma: events and tags that match a text (interface.md 4.2,
// catalog-and-data.md 6). Entered into the table of paths by catalog.ts. Events are found through the catalog's index;
// tags, which are few, are scanned.
import { type Catalog, type Label, rowsFilter, STATE_COUNT, wordsOf } from '../../catalog/index.ts';
import type { Handler, ReplySteps } from '../../http/endpoint.ts';
import { inSteps } from '../../http/rowsReply.ts';
import type { EventRow, Views } from '../../views/index.ts';
import { tagMatch } from '../../wire/catalog.ts';
import type { CatalogDialect } from '../../wire/catalogDialects.ts';
import { QueryReader, readSearch, type SearchForm } from '../../wire/catalogQuery.ts';
import { appendRows, bytesOf, type Pieces } from '../../wire/pieces.ts';
import { searchFilters } from './filters.ts';

const keptWords = new WeakMap<Label, { readonly title: string; readonly words: readonly string[] }>();

/** The words that a search matches against a tag. */
function tagWords(tag: Label): readonly string[] {
  const { slug, title } = tag;
  const known = keptWords.get(tag);
  if (known?.title === title) return known.words;
  const words = wordsOf(`${slug.replaceAll('-', ' ')} ${title}`);
  keptWords.set(tag, { title, words });
  return words;
}

/** Tags that some event has and for which each word of the query is a prefix of one of their words, most used first. */
function tagsFound(catalog: Catalog, text: string, countOf: (tag: Label) => number): readonly Label[] {
  const words = wordsOf(text);
  const isFound = (tag: Label): boolean => {
    const own = tagWords(tag);
    return words.every((word) => own.some((one) => one.startsWith(word))) && countOf(tag) > 0;
  };
  const tags = words.length === 0 ? [] : catalog.tags.list().filter(isFound);
  return tags.toSorted((left, right) => countOf(right) - countOf(left) || left.number - right.number);
}

const ALL_STATES = (1 << STATE_COUNT) - 1;

/** The events on a page, out of all that the search found. */
function eventsShown(
  catalog: Catalog,
  { markets }: Views,
  found: readonly number[],
  { column, isRising, limit, page }: SearchForm,
): readonly EventRow[] {
  const offset = (page - 1) * limit;
  if (column === undefined) {
    return found.slice(offset, offset + limit).flatMap((number) => markets.eventByNumber(number) ?? []);
  }
  const filters = [rowsFilter(found.map((number) => number - 1))];
  return catalog.eventPage({
    states: ALL_STATES,
    columns: [column],
    isRising,
    limit,
    offset,
    after: undefined,
    filters,
  }).rows;
}

const EVENTS_FOUND = bytesOf('{"events":');

/** Searches at once, and appends what it found; yields before each row. */
function* resultsOf(
  catalog: Catalog,
  views: Views,
  reader: QueryReader,
  form: SearchForm,
): Generator<undefined, Pieces> {
  const { text, limit, page, hasTags, creator, closed, isSlim } = form;
  const isFindable = catalog.groups.findableEvents(creator, closed);
  const filters = searchFilters(catalog, reader);
  const isWanted = (number: number): boolean =>
    isFindable(number) && filters.every((filter) => filter.isWanted(number - 1));
  const events = catalog.search.find(text, isWanted);
  const countOf = catalog.groups.eventCounts(hasTags ? creator : undefined);
  const tags = hasTags ? tagsFound(catalog, text, countOf) : [];
  const offset = (page - 1) * limit;
  const shown = eventsShown(catalog, views, events, form);
  const hasMore = offset + limit < Math.max(events.length, tags.length);
  const rest = JSON.stringify({
    ...(isSlim && { hasMore }),
    tags: tags.slice(offset, offset + limit).map((tag) => tagMatch(tag, countOf(tag))),
    pagination: { hasMore, totalResults: events.length + tags.length },
  });
  const to: Pieces = [EVENTS_FOUND];
  const append = isSlim ? reader.dialect.slimEvent : reader.dialect.foundEvent;
  yield* appendRows(to, shown, (event) => append(catalog, event, to));
  to.push(bytesOf(`,${rest.slice(1)}`));
  return to;
}

/** GET /public-search. Waits for the index, so that new events are found. */
export function publicSearch(dialect: CatalogDialect): Handler {
  return async (request, { services: { catalog, views, exchange } }) => {
    const reader = new QueryReader(request.query, dialect);
    const form = readSearch(reader, catalog.eventColumns);
    await catalog.search.ready();
    const settle = (): void => catalog.settle(exchange.now());
    function* reply(): ReplySteps {
      settle();
      return { body: yield* inSteps(resultsOf(catalog, views, reader, form), settle) };
    }
    return reply();
  };
}
