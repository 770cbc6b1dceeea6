// The follower's part for markets: gathers what a record did to each market, counts its messages, and renders them where
// somebody listens. Runs after the views' own follower, so that they stand right behind the record. It never renders for
// nobody, and never looks at a clock.
import { type EventOf, MarketStatus, type Sections } from '../../engine/index.ts';
import type { Market, MarketTerms, Views } from '../views/index.ts';
import { bookJson } from '../wire/books.ts';
import { changeMessages } from '../wire/marketEvents.ts';
import { isSilent, type MarketChange, type MarketTrade } from './changes.ts';
import { FORM_COUNT } from './ids.ts';
import type { StreamSettings } from './limits.ts';
import { MarketStream } from './marketStream.ts';

/** What the record at hand did to a market so far. */
interface Draft {
  readonly levels: number[];
  /** Where each level stands in `levels`, by pips · 2 + side, once there are many. */
  places: Map<number, number> | undefined;
  readonly trades: MarketTrade[];
  bestBidPips: number;
  bestAskPips: number;
  hasLevels: boolean;
  isResolved: boolean;
}

/** From so many levels on a record's levels are found by a map: a cancel of everything may touch thousands. */
const MANY_LEVELS = 32;

function placeOf(draft: Draft, pips: number, bit: number): number | undefined {
  const { levels } = draft;
  if (levels.length < MANY_LEVELS * 3) {
    for (let at = 0; at < levels.length; at += 3) {
      if (levels[at] === pips && levels[at + 1] === bit) return at;
    }
    return undefined;
  }
  if (draft.places === undefined) {
    draft.places = new Map();
    for (let at = 0; at < levels.length; at += 3) draft.places.set(levels[at] * 2 + levels[at + 1], at);
  }
  return draft.places.get(pips * 2 + bit);
}

/** A market that came into the lists, for the stream of new markets. */
export interface NewMarket {
  readonly marketIndex: number;
  readonly tMs: number;
}

/** What the feed knew of a market when a snapshot was made. */
interface KnownMarket {
  readonly terms: MarketTerms;
  readonly negRisk: boolean;
  isAnnounced: boolean;
  numbers: ArrayLike<number>;
}

/** A change that is kept, and of which market. */
interface KeptChange {
  readonly index: number;
  readonly change: MarketChange;
}

/** How many changes a snapshot takes: who was there when it was made has missed few. */
const SNAPSHOT_CHANGES_MAX = 16_384;
const SILENT: ArrayLike<number> = new Array<number>(FORM_COUNT).fill(0);

/** Rows of so many numbers, one behind the other. */
function flat<T>(rows: readonly T[], width: number, of: (row: T) => readonly number[]): Float64Array<ArrayBuffer> {
  const numbers = new Float64Array(rows.length * width);
  for (const [index, row] of rows.entries()) numbers.set(of(row), index * width);
  return numbers;
}

export class MarketFeed {
  /** Markets with messages that wait for the end of the flush. */
  dirty: MarketStream[] = [];
  readonly newMarkets: NewMarket[] = [];
  private readonly views: Views;
  private readonly settings: StreamSettings;
  private readonly log: () => string;
  private readonly streams: MarketStream[] = [];
  /** Of markets in a snapshot, by index: their streams are made when they are first asked for, as all are. */
  private readonly known: (KnownMarket | undefined)[] = [];
  private readonly drafts = new Map<number, Draft>();
  private keptCount = 0;
  /** Which market each kept change belongs to, oldest first, in a ring; changes that their market dropped count too. */
  private readonly kept: Uint32Array;
  private keptHead = 0;
  private readonly droppedEarly: number[] = [];

  /** @param log the log's name, asked for once a market exists */
  constructor(views: Views, settings: StreamSettings, log: () => string) {
    this.views = views;
    this.settings = settings;
    this.log = log;
    this.kept = new Uint32Array(settings.changesMax);
    views.books.onLevel = (marketIndex, isBid, pips, lots) => this.levelChanges(marketIndex, isBid, pips, lots);
  }

  /** The streams of a market; made when first asked for. */
  stream(marketIndex: number): MarketStream {
    let stream = this.streams[marketIndex];
    if (stream === undefined) {
      stream = new MarketStream(marketIndex, this.log());
      const known = this.known[marketIndex];
      if (known !== undefined) stream.load(known);
      this.streams[marketIndex] = stream;
    }
    return stream;
  }

  traded(event: EventOf<'Trade'>): void {
    const taker = this.views.orders.byOrderNumber(event.takerOrderNumber);
    if (taker === undefined) return;
    const { tradeNumber, pricePips, lots } = event;
    this.draft(event.marketIndex).trades.push({
      tradeNumber,
      pricePips,
      lots,
      outcome: taker.outcome,
      side: taker.side,
    });
  }

  /** Terms or status may have changed: compared at the end of the record. */
  marketTouched(marketIndex: number): void {
    this.draft(marketIndex);
  }

  resolved(marketIndex: number): void {
    this.draft(marketIndex).isResolved = true;
  }

  /** The record is over, and the views have applied it: turns what was gathered into changes. */
  recordEnded(tMs: number): void {
    if (this.drafts.size === 0) return;
    for (const [marketIndex, draft] of this.drafts) {
      const market = this.views.markets.byIndex(marketIndex);
      if (market !== undefined) this.marketEnded(market, draft, tMs);
    }
    this.drafts.clear();
  }

  private levelChanges(marketIndex: number, isBid: boolean, pips: number, lots: number): void {
    const draft = this.draft(marketIndex);
    if (!draft.hasLevels) {
      draft.hasLevels = true;
      draft.bestBidPips = this.views.books.bestBidPips(marketIndex, 0);
      draft.bestAskPips = this.views.books.bestAskPips(marketIndex, 0);
    }
    const { levels } = draft;
    const bit = isBid ? 1 : 0;
    const at = placeOf(draft, pips, bit);
    if (at !== undefined) {
      levels[at + 2] += lots;
      return;
    }
    draft.places?.set(pips * 2 + bit, levels.length);
    levels.push(pips, bit, lots);
  }

  /**
   * Its part of a snapshot: where every stream stands, which markets were announced, and the newest changes, for those who
   * resume after a restart. The rest is in the views.
   */
  visit(sections: Sections): void {
    const announced = sections.float64(
      'announced',
      flat(this.newMarkets, 2, (m) => [m.marketIndex, m.tMs]),
    );
    const spoken = this.streams.filter((stream) => stream.hasSpoken);
    const numbers = sections.float64(
      'numbers',
      flat(spoken, 1 + FORM_COUNT, (s) => [s.index, ...s.numbers]),
    );
    const changes = sections.plain('changes', this.newestChanges());
    if (sections.isLoading) this.load(announced, numbers, changes);
  }

  private load(announced: Float64Array, numbers: Float64Array, changes: readonly KeptChange[]): void {
    for (let at = 0; at < announced.length; at += 2) {
      this.newMarkets.push({ marketIndex: announced[at], tMs: announced[at + 1] });
    }
    for (const { index, terms, negRisk } of this.views.markets.list()) {
      this.known[index] = { terms, negRisk, isAnnounced: false, numbers: SILENT };
    }
    const known = (index: number): KnownMarket => {
      const market = this.known[index];
      if (market === undefined) throw new Error(`streams: there is no market ${index}`);
      return market;
    };
    for (const { marketIndex } of this.newMarkets) known(marketIndex).isAnnounced = true;
    for (let at = 0; at < numbers.length; at += 1 + FORM_COUNT) {
      known(numbers[at]).numbers = numbers.subarray(at + 1, at + 1 + FORM_COUNT);
    }
    for (const { index, change } of changes) {
      const stream = this.stream(index);
      stream.keep(change);
      this.keep(stream);
    }
  }

  /** What is kept of all markets' changes, as far as a snapshot takes it, oldest first. */
  private newestChanges(): KeptChange[] {
    const taken = new Map<number, number>();
    const newest: KeptChange[] = [];
    for (let at = this.keptCount - 1; at >= 0 && newest.length < SNAPSHOT_CHANGES_MAX; at -= 1) {
      const index = this.kept[(this.keptHead + at) % this.kept.length];
      const back = (taken.get(index) ?? 0) + 1;
      taken.set(index, back);
      const change = this.streams[index].changeAt(-back);
      if (change !== undefined) newest.push({ index, change });
    }
    return newest.reverse();
  }

  private draft(marketIndex: number): Draft {
    let draft = this.drafts.get(marketIndex);
    if (draft === undefined) {
      draft = {
        levels: [],
        places: undefined,
        trades: [],
        bestBidPips: 0,
        bestAskPips: 0,
        hasLevels: false,
        isResolved: false,
      };
      this.drafts.set(marketIndex, draft);
    }
    return draft;
  }

  private marketEnded(market: Market, draft: Draft, tMs: number): void {
    const { books } = this.views;
    const stream = this.stream(market.index);
    const { levels, trades, hasLevels, isResolved } = draft;
    const { terms: known, negRisk: knownNegRisk } = stream;
    stream.terms = market.terms;
    stream.negRisk = market.negRisk;
    this.announce(market, stream, tMs);
    const isTop =
      hasLevels &&
      (books.bestBidPips(market.index, 0) !== draft.bestBidPips ||
        books.bestAskPips(market.index, 0) !== draft.bestAskPips);
    const isTickNew = known !== undefined && known.tickPips !== market.terms.tickPips;
    const areTermsNew =
      isTickNew ||
      (known !== undefined && (known.minOrderLots !== market.terms.minOrderLots || knownNegRisk !== market.negRisk));
    const change: MarketChange = {
      tMs,
      levels,
      trades,
      oldTickPips: isTickNew ? known.tickPips : 0,
      isTop,
      isWhole: trades.length > 0 || areTermsNew,
      isResolved,
      after: {
        bookChangedMs: market.bookChangedMs,
        terms: market.terms,
        negRisk: market.negRisk,
        lastTrade: market.lastTrade,
      },
    };
    if (isSilent(change)) return;
    if (stream.subscriberCount > 0) this.render(market, stream, change);
    stream.push(change);
    this.keep(stream);
  }

  private announce(market: Market, stream: MarketStream, tMs: number): void {
    if (stream.isAnnounced || market.status === MarketStatus.DRAFT) return;
    stream.isAnnounced = true;
    this.newMarkets.push({ marketIndex: market.index, tMs });
  }

  private render(market: Market, stream: MarketStream, change: MarketChange): void {
    const { views } = this;
    const texts = [bookJson(views, market, 0), bookJson(views, market, 1)] as const;
    const event = views.markets.eventByNumber(market.eventNumber);
    const messages = changeMessages(market, event, change, { texts, books: views.books, bookIndex: market.index });
    if (stream.pending.length === 0) this.dirty.push(stream);
    stream.pending.push({ messages, before: [...stream.numbers] });
  }

  /** Bounds what is kept: a market's own share first, then all of them together, oldest first. */
  private keep(stream: MarketStream): void {
    const { kept, droppedEarly } = this;
    if (stream.changeCount > this.settings.changesPerMarketMax) {
      stream.dropOldest();
      droppedEarly[stream.index] = (droppedEarly[stream.index] ?? 0) + 1;
    }
    if (this.keptCount === kept.length) {
      const oldest = kept[this.keptHead];
      if ((droppedEarly[oldest] ?? 0) > 0) droppedEarly[oldest] -= 1;
      else this.streams[oldest].dropOldest();
      this.keptHead = (this.keptHead + 1) % kept.length;
      this.keptCount -= 1;
    }
    kept[(this.keptHead + this.keptCount) % kept.length] = stream.index;
    this.keptCount += 1;
  }
}
