// The market part of the streams' follower: collects what a record did to each market, counts the messages, and renders them
// for markets with subscribers. Runs after the views' follower, so the views are in the state right after the record. It
// renders nothing without subscribers and never reads a clock.
import type { EventOf, Sections } from '../../engine/index.ts';
import type { StreamSettings } from '../config/streamSettings.ts';
import { isListed, type Market, type Views } from '../views/index.ts';
import type { BookFacts } from '../wire/books.ts';
import { BookTexts } from '../wire/bookText.ts';
import { isSilent, LEVEL, type MarketChange, type MarketTrade } from '../wire/marketChanges.ts';
import { changeMessages } from '../wire/marketEvents.ts';
import type { Form } from '../wire/streamIds.ts';
import { MessageBatch } from '../wire/streamMessages.ts';
import { ChangeLog, NONE } from './changeLog.ts';
import { KnownMarkets, STATE_NUMBERS } from './knownMarkets.ts';
import { streamLimits } from './limits.ts';
import { MarketStream } from './marketStream.ts';

const NO_FACTS: BookFacts = {
  bookChangedMs: 0,
  terms: { tickPips: 0, minOrderLots: 0 },
  negRisk: false,
  lastTrade: undefined,
};

/** From this many levels on, a record's levels are indexed by a map: cancelling everything may touch thousands. */
const MANY_LEVELS = 32;

/** What the current record has done to a market so far; reused for other markets in later records. */
class Draft implements MarketChange {
  marketIndex = 0;
  tMs = 0;
  readonly levels: number[] = [];
  levelCount = 0;
  readonly trades: MarketTrade[] = [];
  oldTickPips = 0;
  isTop = false;
  isWhole = false;
  isResolved = false;
  after: BookFacts = NO_FACTS;
  bestBidPips = 0;
  bestAskPips = 0;
  /** Offset of each level in `levels`, by pips · 2 + isBid, once there are many. */
  private offsets: Map<number, number> | undefined;

  clear(marketIndex: number): void {
    this.marketIndex = marketIndex;
    // Emptying an array frees its memory, which must then be allocated again: only the rarely used one is emptied.
    this.levelCount = 0;
    if (this.trades.length > 0) this.trades.length = 0;
    this.oldTickPips = 0;
    this.isTop = false;
    this.isWhole = false;
    this.isResolved = false;
    this.offsets = undefined;
  }

  /** Adds a change in lots to a level. @param isBid 1 for a bid, 0 for an ask */
  addLevel(pips: number, isBid: 0 | 1, lots: number): void {
    const { levels } = this;
    const found = this.offsetOf(pips, isBid);
    if (found !== undefined) {
      levels[found + LEVEL.lots] += lots;
      return;
    }
    const at = this.levelCount * LEVEL.numbers;
    this.offsets?.set(pips * 2 + isBid, at);
    levels[at + LEVEL.pips] = pips;
    levels[at + LEVEL.isBid] = isBid;
    levels[at + LEVEL.lots] = lots;
    this.levelCount += 1;
  }

  private offsetOf(pips: number, isBid: 0 | 1): number | undefined {
    const { levels } = this;
    const end = this.levelCount * LEVEL.numbers;
    if (this.levelCount < MANY_LEVELS) {
      for (let at = 0; at < end; at += LEVEL.numbers) {
        if (levels[at + LEVEL.pips] === pips && levels[at + LEVEL.isBid] === isBid) return at;
      }
      return undefined;
    }
    if (this.offsets === undefined) {
      this.offsets = new Map();
      for (let at = 0; at < end; at += LEVEL.numbers) {
        this.offsets.set(levels[at + LEVEL.pips] * 2 + levels[at + LEVEL.isBid], at);
      }
    }
    return this.offsets.get(pips * 2 + isBid);
  }
}

/**
 * The part of a change that precedes its full books, with the terms that readers know by then: another minimum, on which the
 * hash depends, reaches them only with the full books.
 */
function beforeBooks(change: MarketChange, terms: BookFacts['terms']): MarketChange {
  const { bookChangedMs, negRisk, lastTrade } = change.after;
  const after: BookFacts = { bookChangedMs, terms, negRisk, lastTrade };
  const { tMs, levels, levelCount, trades, oldTickPips } = change;
  return { tMs, levels, levelCount, trades, oldTickPips, isTop: false, isWhole: false, isResolved: false, after };
}

/** The rest of the change: both parts together have the same messages, in the same order, as the undivided change. */
function fromBooksOn({ tMs, isTop, isWhole, isResolved, after }: MarketChange): MarketChange {
  return { tMs, levels: [], levelCount: 0, trades: [], oldTickPips: 0, isTop, isWhole, isResolved, after };
}

/** A market that became listed, for the stream of new markets. */
interface NewMarket {
  readonly marketIndex: number;
  readonly tMs: number;
}

/** A change in a snapshot, with its place and that of its market's previous change. */
interface SavedChange {
  readonly at: number;
  readonly previousAt: number;
  readonly change: MarketChange;
}

/** The most changes in a snapshot: a client connected when it was made has missed few. */
const SNAPSHOT_CHANGES_MAX = 16_384;

export class MarketFeed {
  /** Markets with messages that wait to be flushed; the messages are in `messages`. */
  dirty: MarketStream[] = [];
  readonly messages = new MessageBatch(65_536);
  readonly newMarkets: NewMarket[] = [];
  private readonly kept: ChangeLog;
  private readonly views: Views;
  private readonly settings: StreamSettings;
  private readonly log: () => string;
  private streams: (MarketStream | undefined)[] = [];
  /** State of the markets loaded from a snapshot; their streams, like all others, are made on first use. */
  private known: KnownMarkets | undefined;
  /** The first `draftCount` belong to the current record. */
  private readonly drafts: Draft[] = [];
  private draftCount = 0;
  /** Index of each market's draft, valid only if it has one in the current record. */
  private readonly draftAt: number[] = [];

  /** @param log returns the log's name; called once a market exists */
  constructor(views: Views, settings: StreamSettings, log: () => string) {
    this.views = views;
    this.settings = settings;
    this.log = log;
    this.kept = new ChangeLog(settings.changesMax);
    views.books.onLevel = (marketIndex, isBid, pips, lots) => this.levelChanges(marketIndex, isBid, pips, lots);
  }

  /** The streams of a market, made on first use. */
  stream(marketIndex: number): MarketStream {
    let stream = this.streams[marketIndex];
    if (stream === undefined) {
      stream = new MarketStream(marketIndex, this.log());
      const known = this.known?.stateOf(marketIndex);
      if (known !== undefined) stream.load(known);
      this.streams[marketIndex] = stream;
    }
    return stream;
  }

  traded(event: EventOf<'Trade'>): void {
    const taker = this.views.orders.byOrderNumber(event.takerOrderNumber);
    if (taker === undefined) return;
    const { tradeNumber, pricePips, lots } = event;
    const { outcome, side } = taker;
    this.draft(event.marketIndex).trades.push({ tradeNumber, pricePips, lots, outcome, side });
  }

  /**
   * Terms or status may have changed; the end of the record compares them. A value that the record sets and sets back shows no
   * difference there, but it gives the books another time, on which their hash depends.
   */
  marketTouched({ marketIndex, tickPips, minOrderLots }: EventOf<'MarketCreated'> | EventOf<'MarketUpdated'>): void {
    const draft = this.draft(marketIndex);
    const known = this.stream(marketIndex).terms;
    if (known === undefined) return;
    if (known.tickPips !== tickPips || known.minOrderLots !== minOrderLots) draft.isWhole = true;
  }

  resolved(marketIndex: number): void {
    this.draft(marketIndex).isResolved = true;
  }

  /** Turns what was collected into changes. Called when the record is over and the views have applied it. */
  recordEnded(tMs: number): void {
    for (let at = 0; at < this.draftCount; at += 1) {
      const draft = this.drafts[at];
      const market = this.views.markets.byIndex(draft.marketIndex);
      if (market !== undefined) this.marketEnded(market, draft, tMs);
    }
    this.draftCount = 0;
  }

  /** A stream's changes after a number, if they are still kept (see MarketStream.since). */
  since(stream: MarketStream, form: Form, number: number) {
    return stream.since(form, number, this.kept, this.settings.changesPerMarketMax);
  }

  /** Forgets the waiting messages once they are published. */
  published(): void {
    this.dirty = [];
    this.messages.clear();
  }

  private levelChanges(marketIndex: number, isBid: boolean, pips: number, lots: number): void {
    const draft = this.draft(marketIndex);
    if (draft.levelCount === 0) {
      draft.bestBidPips = this.views.books.bestBidPips(marketIndex, 0);
      draft.bestAskPips = this.views.books.bestAskPips(marketIndex, 0);
    }
    draft.addLevel(pips, isBid ? 1 : 0, lots);
  }

  /**
   * The feed's part of a snapshot: the numbers of every stream, the announced markets, and the newest changes, for clients that
   * resume after a restart. Everything else is in the views.
   */
  visit(sections: Sections): void {
    const announcedRows = this.newMarkets.flatMap(({ marketIndex, tMs }) => [marketIndex, tMs]);
    const announced = sections.float64('announced', Float64Array.from(announcedRows));
    const rows = sections.isLoading ? new Float64Array(0) : this.states();
    const states = sections.float64('numbers', rows);
    const changes = sections.plain('changes', this.newestChanges(rows));
    if (sections.isLoading) this.load(announced, states, changes);
  }

  private load(announced: Float64Array, states: Float64Array, changes: readonly SavedChange[]): void {
    for (let at = 0; at < announced.length; at += 2) {
      this.newMarkets.push({ marketIndex: announced[at], tMs: announced[at + 1] });
    }
    // The changes are pushed anew, since the change log may now have another length.
    const places = new Map<number, number>();
    for (const { at, previousAt, change } of changes) {
      places.set(at, this.kept.push(change, places.get(previousAt) ?? NONE));
    }
    for (let at = 0; at < states.length; at += STATE_NUMBERS) {
      states[at + 1] = places.get(states[at + 1]) ?? NONE;
    }
    const indices = this.newMarkets.map(({ marketIndex }) => marketIndex);
    this.known = new KnownMarkets(this.views.markets.list(), indices, states);
    this.streams = new Array<MarketStream | undefined>(this.known.count).fill(undefined);
  }

  /** Rows of STATE_NUMBERS numbers, by ascending index, for every market that has ever had a message. */
  private states(): Float64Array<ArrayBuffer> {
    const { streams, known } = this;
    const rows = new Float64Array(streams.length * STATE_NUMBERS);
    let end = 0;
    for (let index = 0; index < streams.length; index += 1) {
      const stream = streams[index];
      if (stream === undefined) end = known?.copyState(index, rows, end) ?? end;
      else if (stream.hasMessages) {
        rows.set([index, stream.latestAt, ...stream.numbers], end);
        end += STATE_NUMBERS;
      }
    }
    return rows.slice(0, end);
  }

  /** The newest kept changes of these markets, SNAPSHOT_CHANGES_MAX at most, oldest first. */
  private newestChanges(states: Float64Array): SavedChange[] {
    const { kept } = this;
    const places: number[] = [];
    for (let row = 1; row < states.length; row += STATE_NUMBERS) {
      for (let at = states[row]; kept.has(at); at = kept.previousAt(at)) places.push(at);
    }
    places.sort((a, b) => a - b);
    const newest: SavedChange[] = [];
    for (const at of places.slice(-SNAPSHOT_CHANGES_MAX)) {
      const entry = kept.read(at);
      if (entry !== undefined) newest.push({ at, ...entry });
    }
    return newest;
  }

  private draft(marketIndex: number): Draft {
    const { drafts, draftAt } = this;
    const at = draftAt[marketIndex];
    if (at < this.draftCount && drafts[at].marketIndex === marketIndex) return drafts[at];
    drafts[this.draftCount] ??= new Draft();
    const draft = drafts[this.draftCount];
    draft.clear(marketIndex);
    draftAt[marketIndex] = this.draftCount;
    this.draftCount += 1;
    return draft;
  }

  private marketEnded(market: Market, draft: Draft, tMs: number): void {
    const { books } = this.views;
    const stream = this.stream(market.index);
    const { terms: known } = stream;
    const { terms } = market;
    stream.terms = terms;
    if (known !== undefined && known.tickPips !== terms.tickPips) draft.oldTickPips = known.tickPips;
    this.announce(market, stream, tMs);
    draft.tMs = tMs;
    draft.after = market;
    draft.isTop =
      draft.levelCount > 0 &&
      (books.bestBidPips(market.index, 0) !== draft.bestBidPips ||
        books.bestAskPips(market.index, 0) !== draft.bestAskPips);
    if (draft.trades.length > 0) draft.isWhole = true;
    if (isSilent(draft)) return;
    // Readers learn of another minimum only from the full books.
    const hasNewMinimum = known !== undefined && known.minOrderLots !== terms.minOrderLots;
    if (!hasNewMinimum || draft.levelCount === 0) {
      this.emit(market, stream, draft);
      return;
    }
    this.emit(market, stream, beforeBooks(draft, { ...terms, minOrderLots: known.minOrderLots }));
    this.emit(market, stream, fromBooksOn(draft));
  }

  private emit(market: Market, stream: MarketStream, change: MarketChange): void {
    if (stream.subscriberCount > 0) this.render(market, stream, change);
    stream.push(change, this.kept);
  }

  private announce(market: Market, stream: MarketStream, tMs: number): void {
    if (stream.isAnnounced || !isListed(market)) return;
    stream.isAnnounced = true;
    this.newMarkets.push({ marketIndex: market.index, tMs });
  }

  private render(market: Market, stream: MarketStream, change: MarketChange): void {
    const { views, messages } = this;
    const { books } = views;
    if (stream.pendingBytes > streamLimits.burstBytesMax) {
      // All of its sockets are owed everything when it is flushed (MarketSubscriber.owe): no more of it is ever published.
      stream.books = undefined;
      return;
    }
    if (stream.books === undefined) {
      const pair = [books.book(market.index, 0), books.book(market.index, 1)] as const;
      stream.books = new BookTexts(market, pair, change.after);
    } else {
      stream.books.apply(change.levels, change.levelCount, books, market.index);
      stream.books.setFacts(change.after);
    }
    const first = messages.count;
    changeMessages(messages, market, views.markets, change, { texts: stream.books, books, bookIndex: market.index });
    if (stream.pending.length === 0) this.dirty.push(stream);
    stream.pending.push({ first, end: messages.count, before: [...stream.numbers] });
    stream.pendingBytes += messages.bytesBetween(first, messages.count);
  }
}
