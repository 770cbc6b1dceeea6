// The catalog: events, markets, tags and series as they are listed, filtered, sorted and searched. It observes the views
// (which follow the log), keeps sorted orders, inverted lists and live figures, and answers pages of row numbers without
// sorting or scanning everything. Used by routes/catalog.ts; nothing here knows how a row looks on the wire.
import type { Sections } from '../../engine/index.ts';
import type { EventRow, Market, MarketObserver, Views } from '../views/index.ts';
import type { ColumnsPlace } from './columnOrders.ts';
import {
  type EventFigures,
  eventFigures,
  type MarketFigures,
  marketClosedMs,
  marketEndMs,
  marketFigures,
  marketStartMs,
  RowState,
} from './figures.ts';
import { addLabelsOf, type Label, Labels, tagSlugs } from './labels.ts';
import { CatalogSearch } from './search.ts';
import { GATHERED_ROWS_MAX, Table, type TableQuery } from './table.ts';
import { VolumeWindow } from './volumeWindow.ts';

export type { ColumnsPlace } from './columnOrders.ts';
export { type EventFigures, type MarketFigures, marketEndMs, marketStartMs, RowState } from './figures.ts';
export type { Label } from './labels.ts';
export { relatedTags } from './related.ts';
export { type SearchHits, wordsOf } from './search.ts';
export { STATE_COUNT } from './sortOrder.ts';

/** What a row must be; `among` lists the rows that can be it, each once, where there is such a list. */
export interface RowFilter {
  readonly among?: readonly number[] | undefined;
  readonly isWanted: (row: number) => boolean;
}

/** A table's question with filters by what rows are, in place of rows. */
export interface PageQuery extends Omit<TableQuery, 'among' | 'isWanted'> {
  readonly filters: readonly RowFilter[];
}

/** A page, and the place after its last row: undefined when no row is left. */
export interface CatalogPage<Row> {
  readonly rows: readonly Row[];
  readonly next: ColumnsPlace | undefined;
}

export type SeriesFigures = Pick<EventFigures, 'volumeMicro' | 'volume24Micro' | 'liquidityMicro' | 'state'>;

const NO_ROWS: readonly number[] = [];

function add<Key>(lists: Map<Key, number[]>, key: Key, row: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [row]);
  else list.push(row);
}

/** The creator of an event, lower case; '' is the venue itself. */
const creatorOf = (event: EventRow | undefined): string =>
  typeof event?.texts.creator === 'string' ? event.texts.creator.toLowerCase() : '';

export class Catalog implements MarketObserver {
  readonly tags = new Labels();
  readonly series = new Labels();
  readonly search: CatalogSearch;
  private readonly views: Views;
  private volumeMicro: number[] = [];
  private readonly window = new VolumeWindow((marketIndex) => this.touch(marketIndex));
  private readonly marketRows: MarketFigures[] = [];
  private readonly eventRows: EventFigures[] = [];
  /** The states in these rows, apart: a search asks for those of very many. */
  private readonly eventStates: number[] = [];
  /** Sums that were asked for since a figure changed: the rows of a page often are of one series. */
  private readonly seriesRows = new Map<Label, SeriesFigures>();
  private touched: number[] = [];
  private readonly isTouched: boolean[] = [];
  private readonly touchedEvents = new Set<number>();
  private readonly marketTable: Table;
  private readonly eventTable: Table;
  /** The columns that lists can be sorted by. */
  readonly marketColumns: readonly string[];
  readonly eventColumns: readonly string[];
  private readonly eventTags: (readonly number[])[] = [];
  /** How many events of each tag, by its number, have more than drafts. */
  private readonly eventsShown = new Map<number, number>();
  private readonly marketsOfTag = new Map<number, number[]>();
  private readonly marketsOfCreator = new Map<string, number[]>();
  private readonly eventsOfCreator = new Map<string, number[]>();
  /** Markets are filed in the inverted lists up to this index. */
  private filedCount = 0;

  constructor(views: Views) {
    this.views = views;
    this.search = new CatalogSearch((eventNumber) => views.markets.eventByNumber(eventNumber));
    this.marketTable = this.makeMarketTable();
    this.eventTable = this.makeEventTable();
    this.marketColumns = this.marketTable.columns;
    this.eventColumns = this.eventTable.columns;
    views.observe(this);
  }

  readonly eventCreated = (eventNumber: number): void => {
    const event = this.views.markets.eventByNumber(eventNumber);
    if (event === undefined) return;
    addLabelsOf(event, this.tags, this.series);
    const numbers = tagSlugs(event.texts.tags).map((slug) => this.tags.bySlug(slug)?.number ?? 0);
    this.eventTags[eventNumber - 1] = numbers;
    add(this.eventsOfCreator, creatorOf(event), eventNumber - 1);
    this.touchedEvents.add(eventNumber);
    this.search.touch(eventNumber);
  };

  readonly marketChanged = (marketIndex: number): void => {
    this.touch(marketIndex);
    const eventNumber = this.views.markets.byIndex(marketIndex)?.eventNumber ?? 0;
    if (eventNumber !== 0) this.search.touch(eventNumber);
  };

  readonly bookChanged = (marketIndex: number): void => this.touch(marketIndex);

  readonly traded = (marketIndex: number, micro: number, tMs: number): void => {
    this.volumeMicro[marketIndex] = (this.volumeMicro[marketIndex] ?? 0) + micro;
    this.window.add(marketIndex, micro, tMs);
    this.touch(marketIndex);
  };

  /** What follows from events and markets is made from them again; kept are what trades added up, and words to search by. */
  readonly visit = (sections: Sections): void => {
    this.volumeMicro = sections.plain('volumeMicro', this.volumeMicro);
    this.window.visit(sections.part('window'));
    const { markets } = this.views;
    if (sections.isLoading) {
      for (const { eventNumber } of markets.eventList()) this.eventCreated(eventNumber);
      for (const { index } of markets.list()) this.marketChanged(index);
    }
    const events = markets.eventList().map(({ eventNumber }) => eventNumber);
    this.search.visit(sections.part('search'), events);
  };

  /** Brings figures up to date with the views and the time; every reader calls it first. */
  settle(nowMs: number): void {
    this.window.expire(nowMs);
    if (this.touched.length === 0 && this.touchedEvents.size === 0) return;
    const { touched, views } = this;
    this.touched = [];
    this.seriesRows.clear();
    this.fileNewMarkets();
    for (const marketIndex of touched) {
      this.isTouched[marketIndex] = false;
      const market = views.markets.byIndex(marketIndex);
      if (market === undefined) continue;
      const volumeMicro = this.volumeMicro[marketIndex] ?? 0;
      this.marketRows[marketIndex] = marketFigures(views, market, volumeMicro, this.window.of(marketIndex));
      this.marketTable.touch(marketIndex);
      if (market.eventNumber !== 0) this.touchedEvents.add(market.eventNumber);
    }
    for (const eventNumber of this.touchedEvents) {
      const event = views.markets.eventByNumber(eventNumber);
      if (event === undefined) continue;
      const figures = eventFigures(event, (market) => this.marketFiguresOf(market));
      this.eventRows[eventNumber - 1] = figures;
      this.noteState(eventNumber - 1, figures.state);
      this.eventTable.touch(eventNumber - 1);
    }
    this.touchedEvents.clear();
  }

  /**
   * Brings figures, then the search index and sorted orders up to date in turns that others share. Who searches waits for
   * all of the index, so that it comes first; who lists waits for one order.
   */
  async ready(nowMs: number): Promise<void> {
    this.settle(nowMs);
    await this.search.ready();
    for (const table of [this.marketTable, this.eventTable]) {
      for (const column of table.columns) {
        await new Promise<void>((resolve) => setImmediate(resolve));
        table.settle(column);
      }
    }
  }

  /** Figures as of the last settle. */
  marketFiguresOf(market: Market): MarketFigures {
    return this.marketRows[market.index] ?? marketFigures(this.views, market, 0, 0);
  }

  eventFiguresOf(event: EventRow): EventFigures {
    return this.eventRows[event.eventNumber - 1] ?? eventFigures(event, (market) => this.marketFiguresOf(market));
  }

  eventOf({ eventNumber }: Market): EventRow | undefined {
    return this.views.markets.eventByNumber(eventNumber);
  }

  tagsOf(event: EventRow | undefined): readonly Label[] {
    const numbers = event === undefined ? NO_ROWS : (this.eventTags[event.eventNumber - 1] ?? NO_ROWS);
    return numbers.flatMap((number) => this.tags.byNumber(number) ?? []);
  }

  seriesOf(event: EventRow): Label | undefined {
    return typeof event.texts.series === 'string' ? this.series.bySlug(event.texts.series) : undefined;
  }

  /** Sums over the events of a series, as of the last settle. */
  seriesFiguresOf(series: Label): SeriesFigures {
    const known = this.seriesRows.get(series) ?? this.sumOfSeries(series);
    this.seriesRows.set(series, known);
    return known;
  }

  /** Whether an event (none: the venue's own) is available on a creator's site. */
  isOfCreator(event: EventRow | undefined, creator: string): boolean {
    return creatorOf(event) === creator.toLowerCase();
  }

  isClosedSeries(series: Label): boolean {
    return (this.seriesFiguresOf(series).state & RowState.CLOSED) !== 0;
  }

  /**
   * Which events a search may find, as of the last settle: those that have more than drafts, are not archived, and are of
   * the creator's site and as open or closed as asked for.
   */
  findableEvents(creator: string | undefined, closed: boolean | undefined): (eventNumber: number) => boolean {
    let states = 0;
    if (closed !== true) states |= 1 << RowState.ACTIVE;
    if (closed !== false) states |= 1 << (RowState.ACTIVE | RowState.CLOSED);
    const { eventStates } = this;
    const isOfStates = (eventNumber: number): boolean => ((states >> eventStates[eventNumber - 1]) & 1) === 1;
    if (creator === undefined) return isOfStates;
    return (eventNumber) =>
      isOfStates(eventNumber) && this.isOfCreator(this.views.markets.eventByNumber(eventNumber), creator);
  }

  /**
   * How many events carry each tag, as of the last settle: all that have more than drafts, or those of a creator's site
   * alone.
   */
  eventCounts(creator: string | undefined): (tag: Label) => number {
    if (creator === undefined) return ({ number }) => this.eventsShown.get(number) ?? 0;
    const counts = new Map<number, number>();
    for (const row of this.eventsOfCreator.get(creator.toLowerCase()) ?? NO_ROWS) {
      if ((this.eventStates[row] & RowState.ACTIVE) === 0) continue;
      for (const number of this.eventTags[row] ?? NO_ROWS) counts.set(number, (counts.get(number) ?? 0) + 1);
    }
    return ({ number }) => counts.get(number) ?? 0;
  }

  /** A page of markets. */
  marketPage(query: PageQuery): CatalogPage<Market> {
    return this.page(this.marketTable, query, (row) => this.views.markets.byIndex(row));
  }

  /** A page of events. */
  eventPage(query: PageQuery): CatalogPage<EventRow> {
    return this.page(this.eventTable, query, (row) => this.views.markets.eventByNumber(row + 1));
  }

  /** Markets whose events have one of the tags. */
  marketTagFilter(tags: readonly Label[]): RowFilter {
    const lists = tags.map(({ number }) => this.marketsOfTag.get(number) ?? NO_ROWS);
    return oneOfTags(tags, lists, (row) => this.eventTags[this.eventRowOfMarket(row)]);
  }

  /** Events that have one of the tags. */
  eventTagFilter(tags: readonly Label[]): RowFilter {
    const { among, isWanted } = oneOfTags(
      tags,
      tags.map(({ events }) => events),
      (row) => this.eventTags[row],
    );
    return { among: among?.map((eventNumber) => eventNumber - 1), isWanted };
  }

  marketCreatorFilter(creator: string): RowFilter {
    const key = creator.toLowerCase();
    const isWanted = (row: number): boolean =>
      creatorOf(this.views.markets.eventByNumber(this.eventRowOfMarket(row) + 1)) === key;
    return { among: this.marketsOfCreator.get(key) ?? NO_ROWS, isWanted };
  }

  eventCreatorFilter(creator: string): RowFilter {
    const key = creator.toLowerCase();
    const isWanted = (row: number): boolean => creatorOf(this.views.markets.eventByNumber(row + 1)) === key;
    return { among: this.eventsOfCreator.get(key) ?? NO_ROWS, isWanted };
  }

  private sumOfSeries({ events }: Label): SeriesFigures {
    let [volumeMicro, volume24Micro, liquidityMicro, anyState] = [0, 0, 0, 0];
    let allStates: number = RowState.CLOSED | RowState.ARCHIVED;
    for (const eventNumber of events) {
      const figures = this.eventRows[eventNumber - 1];
      if (figures === undefined) continue;
      volumeMicro += figures.volumeMicro;
      volume24Micro += figures.volume24Micro;
      liquidityMicro += figures.liquidityMicro;
      // Nor does an event that has drafts alone say whether all others are over.
      if ((figures.state & RowState.ACTIVE) === 0) continue;
      anyState |= figures.state;
      allStates &= figures.state;
    }
    if ((anyState & RowState.ACTIVE) === 0) allStates = 0;
    return { volumeMicro, volume24Micro, liquidityMicro, state: (anyState & RowState.ACTIVE) | allStates };
  }

  private eventRowOfMarket(row: number): number {
    return (this.views.markets.byIndex(row)?.eventNumber ?? 0) - 1;
  }

  private touch(marketIndex: number): void {
    if (this.isTouched[marketIndex] === true) return;
    this.isTouched[marketIndex] = true;
    this.touched.push(marketIndex);
  }

  /** Notes an event's state, and whether it counts among those of its tags: one that has drafts alone does not. */
  private noteState(row: number, state: number): void {
    const change = (state & RowState.ACTIVE) - ((this.eventStates[row] ?? 0) & RowState.ACTIVE);
    this.eventStates[row] = state;
    if (change === 0) return;
    for (const number of this.eventTags[row] ?? NO_ROWS) {
      this.eventsShown.set(number, (this.eventsShown.get(number) ?? 0) + change);
    }
  }

  private fileNewMarkets(): void {
    const markets = this.views.markets.list();
    for (; this.filedCount < markets.length; this.filedCount += 1) {
      const row = this.filedCount;
      const eventRow = markets[row].eventNumber - 1;
      for (const number of this.eventTags[eventRow] ?? NO_ROWS) add(this.marketsOfTag, number, row);
      add(this.marketsOfCreator, creatorOf(this.eventOf(markets[row])), row);
    }
  }

  private page<Row>(table: Table, query: PageQuery, rowOf: (row: number) => Row | undefined): CatalogPage<Row> {
    const { filters, limit, ...rest } = query;
    const [narrowest] = filters
      .flatMap(({ among }) => (among === undefined ? [] : [among]))
      .sort((left, right) => left.length - right.length);
    const isWanted = filters.length === 0 ? undefined : (row: number) => filters.every((one) => one.isWanted(row));
    const wanted: TableQuery = { ...rest, limit: limit + 1, among: narrowest, isWanted };
    const numbers = limit === 0 ? NO_ROWS : table.page(wanted);
    const rows = numbers.slice(0, limit).flatMap((row) => rowOf(row) ?? []);
    const hasMore = numbers.length > limit;
    return { rows, next: hasMore ? table.placeOf(query.columns, numbers[limit - 1]) : undefined };
  }

  private makeMarketTable(): Table {
    const market = (row: number): Market => this.views.markets.list()[row];
    const figures = (row: number): MarketFigures => this.marketRows[row];
    const columns = {
      id: (row: number) => row,
      createdAt: (row: number) => market(row).createdMs,
      updatedAt: (row: number) => market(row).updatedMs,
      startDate: (row: number) => marketStartMs(market(row), this.eventOf(market(row))),
      endDate: (row: number) => marketEndMs(market(row), this.eventOf(market(row))),
      closedTime: (row: number) => marketClosedMs(market(row)),
      volume: (row: number) => figures(row).volumeMicro,
      volume24hr: (row: number) => figures(row).volume24Micro,
      liquidity: (row: number) => figures(row).liquidityMicro,
      competitive: (row: number) => figures(row).competitive,
      spread: (row: number) => figures(row).askPips - figures(row).bidPips,
      lastTradePrice: (row: number) => market(row).lastTrade?.pricePips ?? Number.NaN,
    };
    return new Table(columns, (row) => figures(row).state);
  }

  private makeEventTable(): Table {
    const figures = (row: number): EventFigures => this.eventRows[row];
    const columns = {
      id: (row: number) => row,
      createdAt: (row: number) => this.views.markets.eventList()[row].createdMs,
      updatedAt: (row: number) => figures(row).updatedMs,
      startDate: (row: number) => figures(row).startMs,
      endDate: (row: number) => figures(row).endMs,
      closedTime: (row: number) => figures(row).closedMs,
      volume: (row: number) => figures(row).volumeMicro,
      volume24hr: (row: number) => figures(row).volume24Micro,
      liquidity: (row: number) => figures(row).liquidityMicro,
      competitive: (row: number) => figures(row).competitive,
    };
    return new Table(columns, (row) => figures(row).state);
  }
}

/** These rows and no others. */
export function rowsFilter(rows: readonly number[]): RowFilter {
  const wanted = new Set(rows);
  const isWanted = (row: number): boolean => wanted.has(row);
  return { among: wanted.size > GATHERED_ROWS_MAX ? undefined : [...wanted], isWanted };
}

/** Rows that have one of the tags. @param lists the rows of each; put together while they are few enough to be gathered */
function oneOfTags(
  tags: readonly Label[],
  lists: readonly (readonly number[])[],
  tagsOf: (row: number) => readonly number[] | undefined,
): RowFilter {
  const numbers = new Set(tags.map(({ number }) => number));
  const isWanted = (row: number): boolean => tagsOf(row)?.some((number) => numbers.has(number)) ?? false;
  const count = lists.reduce((sum, { length }) => sum + length, 0);
  return { among: count > GATHERED_ROWS_MAX ? undefined : [...new Set(lists.flat())], isWanted };
}
