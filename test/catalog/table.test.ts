// The sorted orders and the volume window against naive ones: whatever rows are added, changed and requested, a page is the
// same as filtering and sorting everything from scratch would give, by offset and by keyset, in both directions.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Table } from '../../server/catalog/table.ts';
import { VolumeWindow } from '../../server/catalog/volumeWindow.ts';
import { KeptSections } from '../support/keptSections.ts';

interface Row {
  readonly first: number;
  readonly second: number;
  readonly third: number;
  readonly state: number;
}

const COLUMNS = ['first', 'second', 'third'] as const;
type Column = (typeof COLUMNS)[number];

const keyBelow = (count: number) => fc.oneof(fc.integer({ min: 0, max: count - 1 }), fc.constant(Number.NaN));
const rowOf = fc.record({ first: keyBelow(10), second: keyBelow(4), third: keyBelow(100), state: fc.nat(7) });
const steps = fc.array(fc.record({ at: fc.nat(400), row: rowOf }), { minLength: 1, maxLength: 600, size: 'max' });
const query = fc.record({
  states: fc.nat(255),
  columns: fc.shuffledSubarray([...COLUMNS], { minLength: 1 }),
  isRising: fc.boolean(),
  limit: fc.integer({ min: 1, max: 30 }),
  offset: fc.nat(300),
  modulus: fc.integer({ min: 1, max: 4 }),
  isNarrow: fc.boolean(),
});

interface NaiveQuery {
  readonly states: number;
  readonly columns: readonly Column[];
  readonly isRising: boolean;
}

function naive(
  rows: readonly Row[],
  { states, columns, isRising }: NaiveQuery,
  isWanted: (row: number) => boolean,
): number[] {
  const wanted = rows.flatMap(({ state }, at) => (((states >> state) & 1) === 1 && isWanted(at) ? [at] : []));
  return wanted.sort((left, right) => {
    for (const column of columns) {
      const [a, b] = [rows[left][column], rows[right][column]];
      if (Number.isNaN(a) !== Number.isNaN(b)) return Number.isNaN(a) ? 1 : -1;
      if (a !== b && !Number.isNaN(a)) return isRising ? a - b : b - a;
    }
    return isRising ? left - right : right - left;
  });
}

function tableOf(rows: readonly Row[]): Table {
  const columns = Object.fromEntries(COLUMNS.map((name) => [name, (row: number) => rows[row][name]]));
  return new Table(columns, (row) => rows[row].state);
}

test('pages by offset and by keyset equal those of filtering and sorting all rows', () => {
  fc.assert(
    fc.property(
      fc.array(steps, { maxLength: 4 }),
      fc.array(query, { minLength: 1, maxLength: 6 }),
      (rounds, queries) => {
        const rows: Row[] = [];
        const table = tableOf(rows);
        for (const round of rounds) {
          for (const { at, row } of round) {
            const number = Math.min(at, rows.length);
            rows[number] = row;
            table.touch(number);
          }
          for (const { modulus, isNarrow, offset, ...asked } of queries) {
            const { columns, limit } = asked;
            const isWanted = (row: number): boolean => row % modulus === 0;
            const among = isNarrow ? rows.flatMap((_, row) => (isWanted(row) ? [row] : [])) : undefined;
            const form = { ...asked, ...(modulus > 1 && { isWanted, among }) };
            const all = naive(rows, asked, modulus > 1 ? isWanted : () => true);
            expect(table.page({ ...form, offset })).toEqual(all.slice(offset, offset + limit));
            const byKey: number[] = [];
            let last: number | undefined;
            do {
              const after = last === undefined ? undefined : table.placeOf(columns, last);
              const page = table.page({ ...form, offset: 0, after });
              byKey.push(...page);
              last = page.at(-1);
            } while (last !== undefined);
            expect(byKey).toEqual(all);
          }
          table.checkInvariants();
        }
      },
    ),
    { seed: 6, numRuns: 150 },
  );
});

test('thousands of rows with equal values in a column are ordered by the next columns', () => {
  const ROWS = 9_000;
  // Nearly all are equal in the first column, and half of those in the second.
  const rows = Array.from({ length: ROWS }, (_, row) => ({
    first: row % 90 === 0 ? row : row % 7 === 0 ? Number.NaN : 5,
    second: row % 2 === 0 ? 1 : (row * 31) % 97,
    third: (row * 7_919) % 8_999,
    state: row % 11 === 0 ? 2 : 1,
  }));
  const table = tableOf(rows);
  const expectSorted = (columns: readonly Column[]): void => {
    for (const isRising of [true, false]) {
      for (const states of [0b110, 0b010]) {
        const asked = { states, columns, isRising };
        const all = naive(rows, asked, () => true);
        for (const offset of [0, 30, 95, 4_000, 8_000]) {
          expect(table.page({ ...asked, limit: 50, offset })).toEqual(all.slice(offset, offset + 50));
        }
        for (const at of [0, 60, 99, 3_333, 7_000, 7_500]) {
          const after = table.placeOf(columns, all[at]);
          expect(table.page({ ...asked, limit: 50, offset: 0, after })).toEqual(all.slice(at + 1, at + 51));
        }
        // The row of a cursor may have another key by now, and no row its old one.
        const key = isRising ? 4.5 : 5.5;
        const after = { keys: [key, ...columns.slice(1).map(() => 50)], row: 4_000 };
        const isBefore = (row: number): boolean =>
          isRising ? rows[row][columns[0]] < key : rows[row][columns[0]] > key;
        const from = all.findIndex((row) => !isBefore(row));
        expect(table.page({ ...asked, limit: 50, offset: 0, after })).toEqual(all.slice(from, from + 50));
      }
    }
    table.checkInvariants();
  };
  for (let row = 0; row < ROWS; row += 1) table.touch(row);
  expectSorted(['first']);
  expectSorted(['third']);
  expectSorted(['first', 'second', 'third']);
  expectSorted(['first', 'third']);
  expectSorted(['second', 'first', 'third']);
  for (let row = 1; row < ROWS; row += 5) {
    rows[row] = { ...rows[row], first: rows[row - 1].first, state: 3 - rows[row].state };
    table.touch(row);
  }
  expectSorted(['first', 'third']);
});

test('the 24-hour volume is the sum of the trades of the last 24 hours, in five-minute steps', () => {
  const trade = fc.record({ market: fc.nat(3), micro: fc.integer({ min: 1, max: 1e9 }), waitMs: fc.nat(7_200_000) });
  fc.assert(
    fc.property(fc.array(trade, { maxLength: 200, size: 'max' }), fc.nat(100_000_000), (trades, waitMs) => {
      const fallen = new Set<number>();
      const window = new VolumeWindow((market) => fallen.add(market));
      const loaded = new VolumeWindow(() => {});
      const seen: { readonly market: number; readonly micro: number; readonly step: number }[] = [];
      let nowMs = 1_700_000_000_000;
      for (const { market, micro, waitMs: between } of trades) {
        nowMs += between;
        window.add(market, micro, nowMs);
        seen.push({ market, micro, step: Math.floor(nowMs / 300_000) });
      }
      const expectVolumes = (ofWindow: VolumeWindow, atMs: number): void => {
        ofWindow.expire(atMs);
        const oldest = Math.floor(atMs / 300_000) - 288;
        for (let market = 0; market < 4; market += 1) {
          const own = seen.filter((one) => one.market === market);
          const sum = own.reduce((total, { micro, step }) => (step > oldest ? total + micro : total), 0);
          expect(ofWindow.of(market)).toBe(sum);
          if (ofWindow === window && own.some(({ step }) => step <= oldest)) expect(fallen.has(market)).toBe(true);
        }
      };
      expectVolumes(window, nowMs + waitMs);
      const kept = new Map<string, unknown>();
      window.visit(new KeptSections(kept, false));
      loaded.visit(new KeptSections(kept, true));
      for (const one of [window, loaded]) expectVolumes(one, nowMs + waitMs);
      for (const one of [window, loaded]) expectVolumes(one, nowMs + 2 * waitMs);
    }),
    { seed: 6, numRuns: 200 },
  );
});

test('the 24-hour volume still falls after a year of trades in every step', () => {
  let fallenCount = 0;
  const window = new VolumeWindow(() => {
    fallenCount += 1;
  });
  let nowMs = 1_700_000_000_000;
  for (let trades = 1; trades <= 105_120; trades += 1, nowMs += 300_000) {
    window.add(0, 1, nowMs);
    if (window.of(0) !== Math.min(trades, 288)) expect.unreachable(`after ${trades} trades it is ${window.of(0)}`);
  }
  expect(fallenCount).toBe(105_120 - 288);
});
