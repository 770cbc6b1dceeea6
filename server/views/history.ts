// Midpoints of every market over time, in the first token's terms: for each minute in which the midpoint changed, the
// last one of that minute. Fed by the follower of index.ts after each record; read by the routes of price history. It
// looks at books, never at orders, and keeps one point a minute and market at most.
import type { Sections } from '../../engine/index.ts';
import { countBefore } from '../lib/countBefore.ts';
import type { BooksView } from './books.ts';
import { hasBook } from './marketStates.ts';
import type { MarketsView } from './markets.ts';

/** The points of a market; a midpoint is kept as best bid + best ask in pips (an empty side is 0 or 10,000). */
interface Series {
  /** Whole minutes since the epoch, rising. */
  readonly minutes: number[];
  readonly sums: number[];
  /** When the midpoint changed last, ms; undefined in a series of an older snapshot that has not changed since. */
  changedMs?: number;
}

/** Midpoints at certain times. */
interface Samples {
  /** Unix seconds, rising. */
  readonly times: readonly number[];
  /** Best bid + best ask of the first token, in pips: twice the midpoint. */
  readonly sums: readonly number[];
}

/** What is asked for; times in unix seconds. */
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

/** How many of the rising minutes are at most `minute`. */
const countUpTo = (minutes: readonly number[], minute: number): number =>
  countBefore(minutes.length, (index) => minutes[index] <= minute);

/**
 * Which midpoint was in force at a time near the end of a series, −1 where there was none or it is not known: at the end it
 * is the latest, at a full minute that of the minute just over, and within a minute the latest again, if it was there by then.
 */
function lastAt({ minutes, changedMs = Infinity }: Series, timeS: number, isEnd: boolean): number {
  if (isEnd) return minutes.length - 1;
  if (timeS % MINUTE_S === 0) return countUpTo(minutes, timeS / MINUTE_S - 1) - 1;
  return Math.floor(changedMs / 1000) <= timeS ? minutes.length - 1 : -1;
}

export class HistoryView {
  private series: (Series | undefined)[] = [];
  /** Markets whose book the current record has changed. */
  private readonly changed: number[] = [];

  bookChanged(marketIndex: number): void {
    if (this.changed.at(-1) !== marketIndex) this.changed.push(marketIndex);
  }

  /** Takes the midpoints after a whole record. What a market's close takes out of its book is no price. */
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

  /** The beginning of a market's first minute with a midpoint, unix seconds; undefined while there is none. */
  firstS(marketIndex: number): number | undefined {
    const first = this.series[marketIndex]?.minutes[0];
    return first === undefined ? undefined : first * MINUTE_S;
  }

  /**
   * The midpoint in force at each multiple of the step within the times asked, and at the end of the series, or at the
   * end of the times where that comes less than a minute earlier (a client's clock is never quite ours) and what was in
   * force then is still known. A midpoint holds until the next one; before the first there is none.
   */
  samples(marketIndex: number, { startS, endS, lastS, stepS }: SampleQuery): Samples {
    const times: number[] = [];
    const sums: number[] = [];
    const series = this.series[marketIndex];
    if (series === undefined) return { times, sums };
    const { minutes } = series;
    const from = Math.ceil(Math.max(startS, (minutes[0] + 1) * MINUTE_S) / stepS) * stepS;
    // At a full minute the one before it has just ended.
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

  /** Its part of a snapshot. */
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
    // The minute ended where it began: it needs no point.
    minutes.pop();
    sums.pop();
  }
}
