// Rows of the catalog as JSON text, kept until something of them changes: lists repeat them on every call, and what makes a
// page dear is to make its rows. Of a market that trades only the live part is made anew. Called by catalogDialects.ts and
// routes/catalog.ts, after the catalog has settled; it tells what has changed by the rows' own objects, which are never
// changed in place.
import { MarketStatus } from '../../engine/index.ts';
import type { Catalog, EventFigures, Label, MarketFigures } from '../catalog/index.ts';
import type { EventRow, Market } from '../views/index.ts';
import {
  describingFields,
  eventFields,
  eventInMarket,
  priceFields,
  seriesRecord,
  tagRecord,
  tradingFields,
} from './catalog.ts';
import { isoTime } from './numbers.ts';

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

interface KeptMarket {
  readonly figures: MarketFigures;
  readonly text: string;
  /** What comes before and after the live part, and what the two follow from. */
  readonly describing: string;
  readonly trading: string;
  readonly market: Pick<Market, 'texts' | 'terms' | 'status' | 'updatedMs'>;
  readonly eventTexts: EventRow['texts'] | undefined;
}

const keptMarkets = new KeptRows<KeptMarket>();

/** The keys of an object as JSON, without the braces around them. */
const keysText = (fields: object): string => JSON.stringify(fields).slice(1, -1);

/** A market without `events`. */
export function marketText(catalog: Catalog, market: Market): string {
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
  if (isSame && known.figures === figures) return known.text;
  const describing = isSame ? known.describing : keysText(describingFields(event, market, figures));
  const trading = isSame ? known.trading : keysText(tradingFields(market, figures));
  const text = `{${describing},${keysText(priceFields(market, figures))},${trading}}`;
  const kept = isSame ? known.market : { texts, terms, status, updatedMs };
  keptMarkets.set(catalog, market.index, {
    figures,
    text,
    describing,
    trading,
    market: kept,
    eventTexts: event?.texts,
  });
  return text;
}

interface KeptEvent {
  readonly figures: EventFigures;
  readonly texts: EventRow['texts'];
  readonly text: string;
}

/** A form of an event, kept while its texts and figures last. */
function keptEvents(shape: (catalog: Catalog, event: EventRow) => object) {
  const rows = new KeptRows<KeptEvent>();
  return (catalog: Catalog, event: EventRow): string => {
    const { eventNumber, texts } = event;
    const known = rows.get(catalog, eventNumber);
    const figures = catalog.eventFiguresOf(event);
    if (known?.figures === figures && known.texts === texts) return known.text;
    const text = JSON.stringify(shape(catalog, event));
    rows.set(catalog, eventNumber, { figures, texts, text });
    return text;
  };
}

/** An event as a market's record has it. */
export const marketEventText = keptEvents(eventInMarket);

const untaggedText = keptEvents(eventFields);

const keptTags = new WeakMap<Label, { readonly title: string; readonly updatedMs: number; readonly text: string }>();

function tagText(tag: Label): string {
  const { title, updatedMs } = tag;
  const known = keptTags.get(tag);
  if (known?.title === title && known.updatedMs === updatedMs) return known.text;
  const text = JSON.stringify(tagRecord(tag));
  keptTags.set(tag, { title, updatedMs, text });
  return text;
}

/** The tags of an event, of none without one. */
export const tagsText = (catalog: Catalog, event: EventRow | undefined): string =>
  `[${catalog.tagsOf(event).map(tagText).join(',')}]`;

/** An event as lists of the root have it: their tags change with other events, and are kept apart. */
export const eventText = (catalog: Catalog, event: EventRow): string =>
  `${untaggedText(catalog, event).slice(0, -1)},"tags":${tagsText(catalog, event)}}`;

/** An event with the four keys that single records have beside those of lists (interface.md 2.2). */
export function longEventText(catalog: Catalog, event: EventRow): string {
  const series = catalog.seriesOf(event);
  const seriesText = series === undefined ? '' : JSON.stringify(seriesRecord(catalog, series));
  const markets = event.markets.filter(({ status }) => status !== MarketStatus.DRAFT);
  const texts = markets.map((market) => marketText(catalog, market)).join(',');
  const created = `"creationDate":"${isoTime(event.createdMs)}"`;
  return `${eventText(catalog, event).slice(0, -1)},${created},"markets":[${texts}],"series":[${seriesText}],"eventMetadata":{}}`;
}
