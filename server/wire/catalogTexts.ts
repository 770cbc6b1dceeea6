// Rows of the catalog as bytes of JSON, kept until something of them changes: lists repeat them on every call, and what makes a
// page dear is to make its rows. Of a market that trades only the live part is made anew. Called by catalogDialects.ts and
// routes/catalog.ts, after the catalog has settled; it tells what has changed by the rows' own objects, which are never
// changed in place.
import type { Catalog, EventFigures, Label, MarketFigures, SeriesFigures } from '../catalog/index.ts';
import { type EventRow, isListed, type Market } from '../views/index.ts';
import {
  describingFields,
  eventFields,
  eventInMarket,
  eventSummary,
  priceFields,
  seriesRecord,
  tagRecord,
  tradingFields,
} from './catalog.ts';
import { isoTime } from './numbers.ts';
import { appendList, bytesOf, type Pieces } from './pieces.ts';

/** Rows of one form that are kept at most, about 3 kB each; one more, and all are dropped and made as they are asked for. */
const KEPT_ROWS_MAX = 20_000;

/** What is kept of rows, by their numbers. */
class KeptRows<Kept> {
  private readonly byCatalog = new WeakMap<Catalog, Map<number, Kept>>();

  get(catalog: Catalog, row: number): Kept | undefined {
    return this.byCatalog.get(catalog)?.get(row);
  }

  set(catalog: Catalog, row: number, kept: Kept): void {
    const rows = this.byCatalog.get(catalog);
    if (rows === undefined) this.byCatalog.set(catalog, new Map([[row, kept]]));
    else {
      if (rows.size >= KEPT_ROWS_MAX) rows.clear();
      rows.set(row, kept);
    }
  }
}

/** Appends the JSON of a row. */
export type Shape<Row> = (catalog: Catalog, row: Row, to: Pieces) => void;

interface KeptMarket {
  readonly figures: MarketFigures;
  /** The part that changes as it trades, what comes before and after it, and what these two follow from. */
  readonly live: Uint8Array;
  readonly describing: Uint8Array;
  readonly trading: Uint8Array;
  readonly market: Pick<Market, 'texts' | 'terms' | 'status' | 'updatedMs'>;
  readonly eventTexts: EventRow['texts'] | undefined;
}

const keptMarkets = new KeptRows<KeptMarket>();

/** The keys of an object as JSON, without the braces around them. */
const keysText = (fields: object): string => JSON.stringify(fields).slice(1, -1);

/** A market as it is now, of what is kept of it as far as that is still so. */
function presentMarket(catalog: Catalog, market: Market): KeptMarket {
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
  const live = bytesOf(keysText(priceFields(market, figures)));
  const kept = isSame
    ? { ...known, figures, live }
    : {
        figures,
        live,
        describing: bytesOf(`{${keysText(describingFields(event, market, figures))},`),
        trading: bytesOf(`,${keysText(tradingFields(event, market))}`),
        market: { texts, terms, status, updatedMs },
        eventTexts: event?.texts,
      };
  keptMarkets.set(catalog, market.index, kept);
  return kept;
}

const END = bytesOf('}');
const EVENTS = bytesOf(',"events":[');
const EVENTS_END = bytesOf(']}');
const SERIES = bytesOf(',"series":');
const TAGS = bytesOf(',"tags":');
const METADATA_END = bytesOf(',"eventMetadata":{}}');

/** A market without `events`. */
const appendBareMarket: Shape<Market> = (catalog, market, to) => {
  const { describing, live, trading } = presentMarket(catalog, market);
  to.push(describing, live, trading, END);
};

/** A market with its event in a form. */
export const marketWith =
  (appendEvent: Shape<EventRow>): Shape<Market> =>
  (catalog, market, to) => {
    const { describing, live, trading } = presentMarket(catalog, market);
    to.push(describing, live, trading, EVENTS);
    const event = catalog.eventOf(market);
    if (event !== undefined) appendEvent(catalog, event, to);
    to.push(EVENTS_END);
  };

/** Puts the tags of an event, of none without one, behind the keys of the row that was appended last. */
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

/** A form of an event, kept while its texts and figures last. */
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

/** An event as a market's record has it. */
export const appendMarketEvent = keptEvents((catalog, event) => JSON.stringify(eventInMarket(catalog, event)));

/** An event without its tags, which change with other events, and without its end. */
const appendUntagged = keptEvents((catalog, event) => `{${keysText(eventFields(catalog, event))}`);

const keptSummaries = new WeakMap<EventRow['texts'], Uint8Array>();

/** An event in short: where a market's list record and a search name it. */
export const appendEventSummary: Shape<EventRow> = (_, event, to) => {
  let bytes = keptSummaries.get(event.texts);
  if (bytes === undefined) {
    bytes = bytesOf(JSON.stringify(eventSummary(event)));
    keptSummaries.set(event.texts, bytes);
  }
  to.push(bytes);
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

/** The tags of an event, of none without one. */
export function appendTags(catalog: Catalog, event: EventRow | undefined, to: Pieces): void {
  appendList(to, catalog.tagsOf(event), appendTag);
}

function appendUnended(catalog: Catalog, event: EventRow, to: Pieces): void {
  appendUntagged(catalog, event, to);
  to.push(TAGS);
  appendTags(catalog, event, to);
}

/** An event as lists of the root have it. */
export const appendEvent: Shape<EventRow> = (catalog, event, to) => {
  appendUnended(catalog, event, to);
  to.push(END);
};

const keptSeries = new WeakMap<SeriesFigures, Uint8Array>();

/** A series; its figures are other ones as soon as anything of it has changed. */
function appendOneSeries(catalog: Catalog, series: Label, to: Pieces): void {
  const figures = catalog.seriesFiguresOf(series);
  let bytes = keptSeries.get(figures);
  if (bytes === undefined) {
    bytes = bytesOf(JSON.stringify(seriesRecord(catalog, series)));
    keptSeries.set(figures, bytes);
  }
  to.push(bytes);
}

/** What follows the tags of an event in long forms: its creation, perhaps its markets, and its series, without its end. */
function appendSeries(catalog: Catalog, event: EventRow, hasMarkets: boolean, to: Pieces): void {
  to.push(bytesOf(`,"creationDate":"${isoTime(event.createdMs)}"${hasMarkets ? ',"markets":' : ''}`));
  if (hasMarkets) {
    appendList(to, event.markets.filter(isListed), (market) => appendBareMarket(catalog, market, to));
  }
  const series = catalog.seriesOf(event);
  to.push(SERIES);
  appendList(to, series === undefined ? [] : [series], (one) => appendOneSeries(catalog, one, to));
}

const longEventWith =
  (hasMarkets: boolean): Shape<EventRow> =>
  (catalog, event, to) => {
    appendUnended(catalog, event, to);
    appendSeries(catalog, event, hasMarkets, to);
    to.push(METADATA_END);
  };

/** An event with the four keys that single records have beside those of lists (interface.md 2.2). */
export const appendLongEvent = longEventWith(true);
/** The same without its markets. */
export const appendMarketlessEvent = longEventWith(false);

/** An event as official clients know it in a market's record: with its figures and series. */
export const appendOfficialMarketEvent: Shape<EventRow> = (catalog, event, to) => {
  appendUntagged(catalog, event, to);
  appendSeries(catalog, event, false, to);
  to.push(END);
};
