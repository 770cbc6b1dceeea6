// Catalog rows as JSON bytes, cached until something in them changes (keptRows.ts). When a market trades, only its live part
// is rendered again. Called by catalogDialects.ts and routes/catalog/catalog.ts, after the catalog has settled, also in each
// step of a long reply. Changes are detected by the identity of the rows' own objects, which are never changed in place.
import type { Catalog, EventFigures, Label, MarketFigures, SeriesFigures } from '../catalog/index.ts';
import { type EventRow, isListed, type Market } from '../views/index.ts';
import {
  descriptiveFields,
  eventFields,
  eventInMarket,
  eventSummary,
  priceFields,
  seriesRecord,
  tagRecord,
  tradingFields,
} from './catalog.ts';
import { KeptRows } from './keptRows.ts';
import { isoTime } from './numbers.ts';
import { type AppendingRows, appendList, appendRows, bytesOf, membersText, type Pieces } from './pieces.ts';

/** Appends a row's JSON. */
export type Shape<Row> = (catalog: Catalog, row: Row, to: Pieces) => void;

/** Appends the JSON of a row that may contain any number of other rows. */
export type LongShape<Row> = (catalog: Catalog, row: Row, to: Pieces) => AppendingRows;

/** A short row in the place of a long one. */
export const asLong = <Row>(append: Shape<Row>): LongShape<Row> =>
  function* (catalog, row, to) {
    yield;
    append(catalog, row, to);
  };

interface KeptMarket {
  readonly figures: MarketFigures;
  /** The part that changes as the market trades, the parts before and after it, and what these two were rendered from. */
  readonly live: Uint8Array;
  readonly descriptive: Uint8Array;
  readonly trading: Uint8Array;
  readonly market: Pick<Market, 'texts' | 'terms' | 'status' | 'updatedMs'>;
  readonly eventTexts: EventRow['texts'] | undefined;
}

const keptMarkets = new KeptRows<KeptMarket>();

/** The current rendering of a market, reusing the cached parts that are still valid. */
function renderedMarket(catalog: Catalog, market: Market): KeptMarket {
  const known = keptMarkets.get(catalog, market.index);
  const figures = catalog.marketFiguresOf(market);
  const event = catalog.eventOf(market);
  const { texts, terms, status, updatedMs } = market;
  const isSame =
    known !== undefined &&
    known.market.texts === texts &&
    known.market.terms === terms &&
    known.market.status === status &&
    known.market.updatedMs === updatedMs &&
    known.eventTexts === event?.texts;
  if (isSame && known.figures === figures) return known;
  const live = bytesOf(membersText(priceFields(market, figures)));
  const kept = isSame
    ? { ...known, figures, live }
    : {
        figures,
        live,
        descriptive: bytesOf(`{${membersText(descriptiveFields(event, market, figures))},`),
        trading: bytesOf(`,${membersText(tradingFields(event, market))}`),
        market: { texts, terms, status, updatedMs },
        eventTexts: event?.texts,
      };
  keptMarkets.set(catalog, market.index, kept);
  return kept;
}

const END = bytesOf('}');
const EVENTS = bytesOf(',"events":[');
const EVENTS_END = bytesOf(']}');
const MARKETS = bytesOf(',"markets":');
const SERIES = bytesOf(',"series":');
const TAGS = bytesOf(',"tags":');
const METADATA_END = bytesOf(',"eventMetadata":{}}');

/** A market without `events`. */
const appendBareMarket: Shape<Market> = (catalog, market, to) => {
  const { descriptive, live, trading } = renderedMarket(catalog, market);
  to.push(descriptive, live, trading, END);
};

/** A market with its event in the given form. */
export const marketWith =
  (appendEvent: Shape<EventRow>): Shape<Market> =>
  (catalog, market, to) => {
    const { descriptive, live, trading } = renderedMarket(catalog, market);
    to.push(descriptive, live, trading, EVENTS);
    const event = catalog.eventOf(market);
    if (event !== undefined) appendEvent(catalog, event, to);
    to.push(EVENTS_END);
  };

/** Inserts an event's tags as the last key of the row appended last; an empty list without an event. */
export function addTags(catalog: Catalog, event: EventRow | undefined, to: Pieces): void {
  const last = to[to.length - 1];
  to[to.length - 1] = last.subarray(0, last.length - END.length);
  to.push(TAGS);
  appendTags(catalog, event, to);
  to.push(END);
}

interface KeptEvent {
  readonly figures: EventFigures;
  readonly texts: EventRow['texts'];
  readonly bytes: Uint8Array;
}

/** A form of an event, cached until its texts or figures change. */
function keptEvents(textOf: (catalog: Catalog, event: EventRow) => string): Shape<EventRow> {
  const rows = new KeptRows<KeptEvent>();
  return (catalog, event, to) => {
    const { eventNumber, texts } = event;
    const figures = catalog.eventFiguresOf(event);
    let known = rows.get(catalog, eventNumber);
    if (known?.figures !== figures || known.texts !== texts) {
      known = { figures, texts, bytes: bytesOf(textOf(catalog, event)) };
      rows.set(catalog, eventNumber, known);
    }
    to.push(known.bytes);
  };
}

/** An event as it appears in a market's record. */
export const appendMarketEvent = keptEvents((catalog, event) => JSON.stringify(eventInMarket(catalog, event)));

/** An event without its closing brace and without its tags, which change with other events. */
const appendOpenUntaggedEvent = keptEvents((catalog, event) => `{${membersText(eventFields(catalog, event))}`);

const keptSummaries = new KeptRows<Pick<KeptEvent, 'texts' | 'bytes'>>();

/** A short form of an event, for list records of markets and for search results. */
export const appendEventSummary: Shape<EventRow> = (catalog, event, to) => {
  const { eventNumber, texts } = event;
  let known = keptSummaries.get(catalog, eventNumber);
  if (known?.texts !== texts) {
    known = { texts, bytes: bytesOf(JSON.stringify(eventSummary(event))) };
    keptSummaries.set(catalog, eventNumber, known);
  }
  to.push(known.bytes);
};

const keptTags = new WeakMap<
  Label,
  { readonly title: string; readonly updatedMs: number; readonly bytes: Uint8Array }
>();

function appendTag(tag: Label, to: Pieces): void {
  const { title, updatedMs } = tag;
  let known = keptTags.get(tag);
  if (known?.title !== title || known.updatedMs !== updatedMs) {
    known = { title, updatedMs, bytes: bytesOf(JSON.stringify(tagRecord(tag))) };
    keptTags.set(tag, known);
  }
  to.push(known.bytes);
}

/** The tags of an event; an empty list without one. */
export function appendTags(catalog: Catalog, event: EventRow | undefined, to: Pieces): void {
  appendList(to, catalog.tagsOf(event), appendTag);
}

function appendOpenEvent(catalog: Catalog, event: EventRow, to: Pieces): void {
  appendOpenUntaggedEvent(catalog, event, to);
  to.push(TAGS);
  appendTags(catalog, event, to);
}

/** An event as it appears in lists of the root paths. */
export const appendEvent: Shape<EventRow> = (catalog, event, to) => {
  appendOpenEvent(catalog, event, to);
  to.push(END);
};

const keptSeries = new WeakMap<SeriesFigures, Uint8Array>();

/** A series, cached by its figures object, which is replaced whenever anything about the series changes. */
function appendSeries(catalog: Catalog, series: Label, to: Pieces): void {
  const figures = catalog.seriesFiguresOf(series);
  let bytes = keptSeries.get(figures);
  if (bytes === undefined) {
    bytes = bytesOf(JSON.stringify(seriesRecord(catalog, series)));
    keptSeries.set(figures, bytes);
  }
  to.push(bytes);
}

const listedMarket = asLong(appendBareMarket);

/** The markets of an event, with their key. */
function* appendMarketsOf(catalog: Catalog, event: EventRow, to: Pieces): AppendingRows {
  to.push(MARKETS);
  yield* appendRows(to, event.markets.filter(isListed), (market) => listedMarket(catalog, market, to));
}

const creationDate = (event: EventRow): Uint8Array => bytesOf(`,"creationDate":"${isoTime(event.createdMs)}"`);

/** The series of an event, with its key. */
function appendSeriesOf(catalog: Catalog, event: EventRow, to: Pieces): void {
  const series = catalog.seriesOf(event);
  to.push(SERIES);
  appendList(to, series === undefined ? [] : [series], (one) => appendSeries(catalog, one, to));
}

const longEventWith = (hasMarkets: boolean): LongShape<EventRow> =>
  function* (catalog, event, to) {
    yield;
    appendOpenEvent(catalog, event, to);
    to.push(creationDate(event));
    if (hasMarkets) yield* appendMarketsOf(catalog, event, to);
    appendSeriesOf(catalog, event, to);
    to.push(METADATA_END);
  };

/** An event with the four keys that single records have besides those of lists (interface.md 2.2). */
export const appendLongEvent = longEventWith(true);
/** A long event without its markets. */
export const appendMarketlessEvent = longEventWith(false);

/** An event as official clients expect it in a market's record: with its figures and series. */
export const appendOfficialMarketEvent: Shape<EventRow> = (catalog, event, to) => {
  appendOpenUntaggedEvent(catalog, event, to);
  to.push(creationDate(event));
  appendSeriesOf(catalog, event, to);
  to.push(END);
};
