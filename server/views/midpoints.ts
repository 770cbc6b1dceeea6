// Midpoints of every market over time, in the first token's terms: the last midpoint of each minute in which it changed. Fed by
// the follower of index.ts after each record; read by the routes of price history. It reads books, never orders, and keeps at
// most one point a minute and market, packed, so that the heap does not grow with time.
import type { Sections } from '../../engine/index.ts';
import type { BooksView } from './books.ts';
import { hasBook } from './marketStates.ts';
import type { MarketsView } from './markets.ts';
import { countUpTo, PackedLists } from './packedLists.ts';

/**
 * A point of a market as a packed row: u32 whole minutes since the epoch, ascending; u16 midpoint as best bid + best ask in
 * pips, where an empty side counts as 0 or 10,000.
 */
const POINT = { minute: 0, sum: 4, bytes: 6 } as const;

/** Midpoints at sample times. */
interface Samples {
  /** Unix seconds, ascending. */
  readonly times: readonly number[];
  /** Best bid + best ask of the first token, in pips: twice the midpoint. */
  readonly sums: readonly number[];
}

/** The samples wanted; times in Unix seconds. */
export interface SampleQuery {
  readonly startS: number;
  readonly endS: number;
  /** When the series ends: now, or when the market closed. */
  readonly lastS: number;
  /** Seconds between samples, whole minutes. */
  readonly stepS: number;
}

const MINUTE_MS = 60_000;
const MINUTE_S = 60;
const MINUTE_MAX = 2 ** 32 - 1;

export class MidpointsView {
  /** The points of each market. */
  private readonly points = new PackedLists(POINT.bytes);
  /** When each market's midpoint last changed, ms. */
  private changedMs: number[] = [];
  /** Markets whose book the current record changed. */
  private readonly changed: number[] = [];

  bookChanged(marketIndex: number): void {
    if (this.changed.at(-1) !== marketIndex) this.changed.push(marketIndex);
  }

  /** Records the midpoints after a whole record. A book emptied by its market's close sets no price. */
  recordEnded(books: BooksView, markets: MarketsView, tMs: number): void {
    if (this.changed.length === 0) return;
    for (const marketIndex of this.changed) {
      const market = markets.byIndex(marketIndex);
      if (market === undefined || !hasBook(market)) continue;
      const sum = books.bestBidPips(marketIndex, 0) + books.bestAskPips(marketIndex, 0);
      this.put(marketIndex, tMs, sum);
    }
    this.changed.length = 0;
  }

  /** The start of a market's first minute with a midpoint, Unix seconds; undefined while there is none. */
  firstS(marketIndex: number): number | undefined {
    if (this.points.lengthOf(marketIndex) === 0) return undefined;
    return this.points.u32(marketIndex, 0, POINT.minute) * MINUTE_S;
  }

  /**
   * The midpoint in force at each multiple of the step within the requested times, plus a last sample at the end of the series.
   * If the requested times end less than a minute before that, the last sample is at their end, provided that the midpoint then
   * in force is still known (a client's clock never quite agrees with ours). A midpoint holds until the next one; before the
   * first there is none.
   */
  samples(marketIndex: number, { startS, endS, lastS, stepS }: SampleQuery): Samples {
    const times: number[] = [];
    const sums: number[] = [];
    const firstS = this.firstS(marketIndex);
    if (firstS === undefined) return { times, sums };
    const minutes = this.points.numbersOf(marketIndex);
    const from = Math.ceil(Math.max(startS, firstS + MINUTE_S) / stepS) * stepS;
    // At a full minute, the minute before it has just ended.
    let next = countUpTo(minutes, from / MINUTE_S - 1);
    for (let timeS = from; timeS <= endS && timeS < lastS; timeS += stepS) {
      const endedMinute = timeS / MINUTE_S - 1;
      while (next < minutes.length && minutes.at(next) <= endedMinute) next += 1;
      times.push(timeS);
      sums.push(this.points.u16(marketIndex, next - 1, POINT.sum));
    }
    const shownS = Math.min(endS, lastS);
    if (lastS - shownS < MINUTE_S && startS <= shownS && times.at(-1) !== shownS) {
      const last = this.lastAt(marketIndex, shownS, shownS === lastS);
      if (last >= 0) {
        times.push(shownS);
        sums.push(this.points.u16(marketIndex, last, POINT.sum));
      }
    }
    return { times, sums };
  }

  /** This view's part of a snapshot. */
  visit(sections: Sections): void {
    this.points.visit(sections.part('points'));
    const changedMs = sections.float64('changedMs', Float64Array.from(this.changedMs));
    if (!sections.isLoading) return;
    this.points.requireOrdinals(MINUTE_MAX, changedMs.length, 0); // minutes since the epoch ascend like ordinals
    this.changedMs = Array.from(changedMs);
  }

  /**
   * The index of the midpoint in force at a time near the end of a series; −1 if there was none or it is not known. At the end
   * it is the latest; at a full minute, that of the minute just over; within a minute, the latest again if it was in force by
   * then.
   */
  private lastAt(marketIndex: number, timeS: number, isEnd: boolean): number {
    const minutes = this.points.numbersOf(marketIndex);
    if (isEnd) return minutes.length - 1;
    if (timeS % MINUTE_S === 0) return countUpTo(minutes, timeS / MINUTE_S - 1) - 1;
    return Math.floor(this.changedMs[marketIndex] / 1000) <= timeS ? minutes.length - 1 : -1;
  }

  private put(marketIndex: number, tMs: number, sum: number): void {
    const minute = Math.floor(tMs / MINUTE_MS);
    const { points } = this;
    const last = points.lengthOf(marketIndex) - 1;
    const isChanged = last < 0 || points.u16(marketIndex, last, POINT.sum) !== sum;
    if (isChanged) this.changedMs[marketIndex] = tMs;
    if (last < 0 || points.u32(marketIndex, last, POINT.minute) !== minute) {
      if (!isChanged) return;
      const added = points.add(marketIndex);
      points.setU32(marketIndex, added, POINT.minute, minute);
      points.setU16(marketIndex, added, POINT.sum, sum);
      return;
    }
    // A minute that ends at the midpoint with which it began needs no point.
    if (last > 0 && points.u16(marketIndex, last - 1, POINT.sum) === sum) points.removeLast(marketIndex);
    else points.setU16(marketIndex, last, POINT.sum, sum);
  }
}
