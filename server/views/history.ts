// Midpoints of every market over time, in the first token's terms: the last midpoint of each minute in which it changed. Fed by
// the follower of index.ts after each record; read by the routes of price history. It reads books, never orders, and keeps at
// most one point a minute and market.
import type { Sections } from '../../engine/index.ts';
import { countBefore } from '../lib/countBefore.ts';
import type { BooksView } from './books.ts';
import { hasBook } from './marketStates.ts';
import type { MarketsView } from './markets.ts';

/** The points of a market. A midpoint is stored as best bid + best ask in pips; an empty side counts as 0 or 10,000. */
interface Series {
  /** Whole minutes since the epoch, ascending. */
  readonly minutes: number[];
  readonly sums: number[];
  /** When the midpoint last changed, ms. */
  changedMs: number;
}

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

/** How many of the ascending minutes are at most `minute`. */
const countUpTo = (minutes: readonly number[], minute: number): number =>
  countBefore(minutes.length, (index) => minutes[index] <= minute);

/**
 * The index of the midpoint in force at a time near the end of a series; −1 if there was none or it is not known. At the end it
 * is the latest; at a full minute, that of the minute just over; within a minute, the latest again if it was in force by then.
 */
function lastAt({ minutes, changedMs }: Series, timeS: number, isEnd: boolean): number {
  if (isEnd) return minutes.length - 1;
  if (timeS % MINUTE_S === 0) return countUpTo(minutes, timeS / MINUTE_S - 1) - 1;
  return Math.floor(changedMs / 1000) <= timeS ? minutes.length - 1 : -1;
}

export class HistoryView {
  private series: (Series | undefined)[] = [];
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
    const first = this.series[marketIndex]?.minutes[0];
    return first === undefined ? undefined : first * MINUTE_S;
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
    const series = this.series[marketIndex];
    if (series === undefined) return { times, sums };
    const { minutes } = series;
    const from = Math.ceil(Math.max(startS, (minutes[0] + 1) * MINUTE_S) / stepS) * stepS;
    // At a full minute, the minute before it has just ended.
    let next = countUpTo(minutes, from / MINUTE_S - 1);
    for (let timeS = from; timeS <= endS && timeS < lastS; timeS += stepS) {
      const endedMinute = timeS / MINUTE_S - 1;
      while (next < minutes.length && minutes[next] <= endedMinute) next += 1;
      times.push(timeS);
      sums.push(series.sums[next - 1]);
    }
    const shownS = Math.min(endS, lastS);
    if (lastS - shownS < MINUTE_S && startS <= shownS && times.at(-1) !== shownS) {
      const last = lastAt(series, shownS, shownS === lastS);
      if (last >= 0) {
        times.push(shownS);
        sums.push(series.sums[last]);
      }
    }
    return { times, sums };
  }

  /** This view's part of a snapshot. */
  visit(sections: Sections): void {
    this.series = sections.plain('series', this.series);
  }

  private put(marketIndex: number, tMs: number, sum: number): void {
    const minute = Math.floor(tMs / MINUTE_MS);
    const series = this.series[marketIndex];
    if (series === undefined) {
      this.series[marketIndex] = { minutes: [minute], sums: [sum], changedMs: tMs };
      return;
    }
    const { minutes, sums } = series;
    const last = minutes.length - 1;
    if (sums[last] !== sum) series.changedMs = tMs;
    if (minutes[last] !== minute) {
      if (sums[last] === sum) return;
      minutes.push(minute);
      sums.push(sum);
      return;
    }
    sums[last] = sum;
    if (last === 0 || sums[last - 1] !== sum) return;
    // The minute ended at the midpoint with which it began, so it needs no point.
    minutes.pop();
    sums.pop();
  }
}
