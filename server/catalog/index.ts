// The catalog: events, markets, tags and series as listed, filtered, sorted and searched. It observes the views (which follow
// the log), keeps sorted orders, inverted lists and live figures, and answers pages of rows without sorting or scanning
// everything. Used by routes/catalog/catalog.ts; it knows nothing of a row's form on the wire.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Sections } from '../../engine/index.ts';
import type { EventRow, Market, MarketObserver, Views } from '../views/index.ts';
import type { ColumnsPlace } from './columnOrders.ts';
import {
  combined,
  type EventFigures,
  eventFigures,
  type MarketFigures,
  marketClosedMs,
  marketEndMs,
  marketFigures,
  marketStartMs,
  RowState,
  type SeriesFigures,
} from './figures.ts';
import { Groups, type RowFilter } from './groups.ts';
import { addLabelsOf, type Label, Labels } from './labels.ts';
import { CatalogSearch } from './search.ts';
import { type ListForm, Table, type TableQuery } from './table.ts';
import { VolumeWindow } from './volumeWindow.ts';

export type { ColumnsPlace } from './columnOrders.ts';
export {
  type EventFigures,
  type MarketFigures,
  marketClosedMs,
  marketEndMs,
  marketStartMs,
  RowState,
  type SeriesFigures,
} from './figures.ts';
export { type RowFilter, rowsFilter } from './groups.ts';
export { type Label, tagSlugs } from './labels.ts';
export { relatedTags } from './related.ts';
export { wordsOf } from './search.ts';
export { STATE_COUNT } from './sortOrder.ts';
export type { ListForm } from './table.ts';

/** A table's query with filters instead of row numbers. */
interface PageQuery extends ListForm {
  readonly filters: readonly RowFilter[];
}

/** A page, and the place of its last row, after which the next page starts; undefined if no row is left. */
export interface CatalogPage<Row> {
  readonly rows: readonly Row[];
  readonly next: ColumnsPlace | undefined;
}

const NO_ROWS: readonly number[] = [];

/** A query with its filters combined: they walk the rows of the narrowest of them, if one lists its own. */
function tableQuery({ filters, ...form }: PageQuery): TableQuery {
  const [narrowest] = filters
    .flatMap(({ among }) => (among === undefined ? [] : [among]))
    .sort((left, right) => left.length - right.length);
  const isWanted = filters.length === 0 ? undefined : (row: number) => filters.every((one) => one.isWanted(row));
  return { ...form, among: narrowest, isWanted };
}

export class Catalog implements MarketObserver {
  readonly tags = new Labels();
  readonly series = new Labels();
  readonly groups: Groups;
  readonly search: CatalogSearch;
  private readonly views: Views;
  private volumeMicro: number[] = [];
  private readonly window = new VolumeWindow((marketIndex) => this.touch(marketIndex));
  private readonly marketRows: MarketFigures[] = [];
  private readonly eventRows: EventFigures[] = [];
  /** Cache of series' sums, cleared when any figure changes: the rows of a page are often of one series. */
  private readonly seriesRows = new Map<Label, SeriesFigures>();
  private touched: number[] = [];
  private readonly isTouched: boolean[] = [];
  private readonly touchedEvents = new Set<number>();
  private readonly marketTable: Table;
  private readonly eventTable: Table;
  /** The columns by which lists can be sorted. */
  readonly marketColumns: readonly string[];
  readonly eventColumns: readonly string[];
  constructor(views: Views) {
    this.views = views;
    this.groups = new Groups(views, this.tags);
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
    this.groups.eventCreated(event);
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

  /** Snapshots hold only the summed trade volumes and the words of the search; all else is derived from the views again. */
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

  /** Brings the figures up to date with the views and the time; every reader must call it first. */
  settle(nowMs: number): void {
    this.window.expire(nowMs);
    if (this.touched.length === 0 && this.touchedEvents.size === 0) return;
    const { touched, views } = this;
    this.touched = [];
    this.seriesRows.clear();
    this.groups.fileNewMarkets();
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
      this.groups.setEventState(eventNumber - 1, figures.state);
      this.eventTable.touch(eventNumber - 1);
    }
    this.touchedEvents.clear();
  }

  /**
   * Brings the figures, then the search index and the sorted orders up to date, in short turns of the event loop. The index
   * comes first, because a search waits for all of it, while a list waits for one order only.
   */
  async ready(nowMs: number): Promise<void> {
    this.settle(nowMs);
    await this.search.ready();
    for (const table of [this.marketTable, this.eventTable]) {
      for (const column of table.columns) {
        await nextTurn();
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
    return this.groups.tagsOf(event);
  }

  tagNamesOf(event: EventRow | undefined): readonly string[] {
    return this.groups.tagNamesOf(event);
  }

  seriesOf(event: EventRow): Label | undefined {
    return typeof event.texts.series === 'string' ? this.series.bySlug(event.texts.series) : undefined;
  }

  /** Sums over the events of a series, as of the last settle. */
  seriesFiguresOf(series: Label): SeriesFigures {
    const known =
      this.seriesRows.get(series) ?? combined(series.events.map((eventNumber) => this.eventRows[eventNumber - 1]));
    this.seriesRows.set(series, known);
    return known;
  }

  isClosedSeries(series: Label): boolean {
    return (this.seriesFiguresOf(series).state & RowState.CLOSED) !== 0;
  }

  /** A page of markets. */
  marketPage(query: PageQuery): CatalogPage<Market> {
    return this.page(this.marketTable, query, (row) => this.views.markets.byIndex(row));
  }

  /** A page of events. */
  eventPage(query: PageQuery): CatalogPage<EventRow> {
    return this.page(this.eventTable, query, (row) => this.views.markets.eventByNumber(row + 1));
  }

  /** How many events all pages of a query have together. */
  eventCount(query: PageQuery): number {
    return this.eventTable.count(tableQuery(query));
  }

  private touch(marketIndex: number): void {
    if (this.isTouched[marketIndex] === true) return;
    this.isTouched[marketIndex] = true;
    this.touched.push(marketIndex);
  }

  private page<Row>(table: Table, query: PageQuery, rowOf: (row: number) => Row | undefined): CatalogPage<Row> {
    const { limit } = query;
    const numbers = limit === 0 ? NO_ROWS : table.page({ ...tableQuery(query), limit: limit + 1 });
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
