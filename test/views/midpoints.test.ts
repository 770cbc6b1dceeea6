// The price histories by themselves: where a series ends, and their snapshot. Markets without a point between others with some
// are loaded as they were, and points out of order are refused, since every query relies on ascending minutes.
import { expect, test } from 'vitest';
import { SnapshotUnusable } from '../../engine/index.ts';
import { type BooksView, type MarketsView, MidpointsView } from '../../server/views/index.ts';
import { KeptSections } from '../support/keptSections.ts';

const START_MS = 1_800_000_000_000;
const markets = { byIndex: () => ({ status: 1 }) } as unknown as MarketsView; // open

/** Sets a market's midpoint, in a minute of these tests. */
function put(midpoints: MidpointsView, marketIndex: number, minute: number, bidPips: number, startMs = START_MS): void {
  const books = { bestBidPips: () => bidPips, bestAskPips: () => 9_000 } as unknown as BooksView; // all that the view asks for
  midpoints.bookChanged(marketIndex);
  midpoints.recordEnded(books, markets, startMs + minute * 60_000);
}

function keptOf(points: readonly (readonly [market: number, minute: number])[]): Map<string, unknown> {
  const midpoints = new MidpointsView();
  for (const [at, [marketIndex, minute]] of points.entries()) put(midpoints, marketIndex, minute, 1_000 + at);
  return saved(midpoints);
}

function saved(midpoints: MidpointsView): Map<string, unknown> {
  const kept = new Map<string, unknown>();
  midpoints.visit(new KeptSections(kept, false));
  return kept;
}

function load(kept: Map<string, unknown>): MidpointsView {
  const midpoints = new MidpointsView();
  midpoints.visit(new KeptSections(kept, true));
  return midpoints;
}

test('histories of some markets among others without a point are loaded, and go on', () => {
  const loaded = load(
    keptOf([
      [2, 0],
      [5, 1],
      [2, 3],
    ]),
  );
  for (const market of [0, 1, 3, 4, 6]) expect(loaded.firstS(market)).toBeUndefined();
  put(loaded, 3, 4, 2_000);
  put(loaded, 2, 5, 3_000);
  const firstS = START_MS / 1000;
  expect([2, 3, 5].map((market) => loaded.firstS(market))).toEqual([firstS, firstS + 240, firstS + 60]);
  const lastS = firstS + 360;
  const { sums } = loaded.samples(2, { startS: firstS, endS: lastS, lastS, stepS: 60 });
  expect(sums).toEqual([10_000, 10_000, 10_000, 10_002, 10_002, 12_000]);
});

test('a series that ends at a full minute ends with the midpoint of that very second', () => {
  const midpoints = new MidpointsView();
  put(midpoints, 0, 0, 1_000);
  put(midpoints, 0, 2, 2_000);
  const [startS, lastS] = [START_MS / 1000, START_MS / 1000 + 120];
  const query = { startS, endS: lastS, lastS, stepS: 60 };
  expect(midpoints.samples(0, query)).toEqual({ times: [startS + 60, lastS], sums: [10_000, 11_000] });
  // Where the series goes on, a full minute shows what was in force before it.
  expect(midpoints.samples(0, { ...query, lastS: lastS + 600 }).sums).toEqual([10_000, 10_000]);
});

test('a history that begins with the epoch is loaded', () => {
  const history = new MidpointsView();
  for (const minute of [0, 1, 3]) put(history, 0, minute, 1_000 + minute, 0);
  const loaded = load(saved(history));
  expect(loaded.firstS(0)).toBe(0);
  const { sums } = loaded.samples(0, { startS: 0, endS: 240, lastS: 240, stepS: 60 });
  expect(sums).toEqual([10_000, 10_001, 10_001, 10_003]);
});

test('a history whose minutes fall is not loaded', () => {
  expect(() =>
    load(
      keptOf([
        [0, 5],
        [0, 2],
      ]),
    ),
  ).toThrow(SnapshotUnusable);
});
