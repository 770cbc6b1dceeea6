// Tags and series: the lists of both, one of each, and the tags related to one. Used by catalog.ts, which has the list of
// their paths.
import { type Catalog, type Label, RowState, relatedTags } from '../../catalog/index.ts';
import type { Views } from '../../views/index.ts';
import { relatedTag, seriesRecord, tagRecord } from '../../wire/catalog.ts';
import { hasForeignFilter, LIST_LIMIT_MAX, type QueryReader, readList, readRelated } from '../../wire/catalogQuery.ts';
import { appendRows, bytesOf, type Pieces } from '../../wire/pieces.ts';
import { type Answer, type LongAnswer, numberOf, type Params } from './answers.ts';

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

export const listTags: Answer = (reader, { tags }) => {
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

export const oneTag: Answer = (reader, { tags }, _, params) => JSON.stringify(tagRecord(labelOf(reader, tags, params)));

/** The tag in a path and the tags most related to it. */
function tagsRelated(reader: QueryReader, catalog: Catalog, views: Views, params: Params) {
  const tag = labelOf(reader, catalog.tags, params);
  const { closed } = readRelated(reader);
  const related = relatedTags(catalog, tag, (number) => views.markets.eventByNumber(number), closed);
  return { tag, related: related.slice(0, LIST_LIMIT_MAX) };
}

export const relationsOfTag: Answer = (reader, catalog, views, params) => {
  const { tag, related } = tagsRelated(reader, catalog, views, params);
  return JSON.stringify(related.map((other, at) => relatedTag(tag, other, at + 1)));
};
export const tagsOfTag: Answer = (reader, catalog, views, params) =>
  JSON.stringify(tagsRelated(reader, catalog, views, params).related.map(tagRecord));
export const listSeries: Answer = (reader, catalog) => {
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

export const oneSeries: LongAnswer = function* (reader, catalog, { markets }, params) {
  const series = labelOf(reader, catalog.series, params);
  const newest = series.events.slice(-SERIES_EVENTS_MAX).flatMap((number) => markets.eventByNumber(number) ?? []);
  const events = newest.filter((event) => (catalog.eventFiguresOf(event).state & RowState.ACTIVE) !== 0);
  const to: Pieces = [bytesOf(`${JSON.stringify(seriesRecord(catalog, series)).slice(0, -1)},"events":`)];
  yield* appendRows(to, events, (event) => reader.dialect.eventInSeries(catalog, event, to));
  to.push(bytesOf('}'));
  return to;
};
