// The sorted orders and the volume window against naive ones: whatever rows are added, changed and asked for, a page is what
// filtering and sorting everything anew would give, by offset and by keyset, in both directions.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Table } from '../../server/catalog/table.ts';
import { VolumeWindow } from '../../server/catalog/volumeWindow.ts';

interface Row {
  key: number;
  state: number;
}

const rowOf = fc.record({ key: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constant(Number.NaN)), state: fc.nat(7) });
const steps = fc.array(fc.record({ at: fc.nat(400), row: rowOf }), { minLength: 1, maxLength: 600 });
const query = fc.record({
  states: fc.nat(255),
  isRising: fc.boolean(),
  limit: fc.integer({ min: 1, max: 30 }),
  offset: fc.nat(300),
  modulus: fc.integer({ min: 1, max: 4 }),
  isNarrow: fc.boolean(),
});

function naive(rows: readonly Row[], states: number, isRising: boolean, isWanted: (row: number) => boolean): number[] {
  const wanted = rows.flatMap(({ state }, at) => (((states >> state) & 1) === 1 && isWanted(at) ? [at] : []));
  return wanted.sort((left, right) => {
    const [a, b] = [rows[left].key, rows[right].key];
    if (Number.isNaN(a) !== Number.isNaN(b)) return Number.isNaN(a) ? 1 : -1;
    const difference = (Number.isNaN(a) ? 0 : a - b) || left - right;
    return isRising ? difference : -difference;
  });
}

test('a page is what sorting everything would give, by offset and by keyset', () => {
  fc.assert(
    fc.property(
      fc.array(steps, { maxLength: 4 }),
      fc.array(query, { minLength: 1, maxLength: 6 }),
      (rounds, queries) => {
        const rows: Row[] = [];
        const table = new Table({ key: (row) => rows[row].key }, (row) => rows[row].state);
        for (const round of rounds) {
          for (const { at, row } of round) {
            const number = Math.min(at, rows.length);
            rows[number] = row;
            table.touch(number);
          }
          for (const { states, isRising, limit, offset, modulus, isNarrow } of queries) {
            const isWanted = (row: number): boolean => row % modulus === 0;
            const among = isNarrow ? rows.flatMap((_, row) => (isWanted(row) ? [row] : [])) : undefined;
            const form = { states, column: 'key', isRising, limit, ...(modulus > 1 && { isWanted, among }) };
            const all = naive(rows, states, isRising, modulus > 1 ? isWanted : () => true);
            expect(table.page({ ...form, offset })).toEqual(all.slice(offset, offset + limit));
            const byKey: number[] = [];
            let last: number | undefined;
            do {
              const after = last === undefined ? undefined : table.placeOf('key', last);
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

test('the volume of a day is the sum of the trades of the last 24 hours, in steps of five minutes', () => {
  const trade = fc.record({ market: fc.nat(3), micro: fc.integer({ min: 1, max: 1e9 }), waitMs: fc.nat(7_200_000) });
  fc.assert(
    fc.property(fc.array(trade, { maxLength: 200 }), fc.nat(100_000_000), (trades, waitMs) => {
      const fallen = new Set<number>();
      const window = new VolumeWindow((market) => fallen.add(market));
      const seen: { readonly market: number; readonly micro: number; readonly step: number }[] = [];
      let nowMs = 1_700_000_000_000;
      for (const { market, micro, waitMs: between } of trades) {
        nowMs += between;
        window.add(market, micro, nowMs);
        seen.push({ market, micro, step: Math.floor(nowMs / 300_000) });
      }
      window.expire(nowMs + waitMs);
      const oldest = Math.floor((nowMs + waitMs) / 300_000) - 288;
      for (let market = 0; market < 4; market += 1) {
        const own = seen.filter((one) => one.market === market);
        const sum = own.reduce((total, { micro, step }) => (step > oldest ? total + micro : total), 0);
        expect(window.of(market)).toBe(sum);
        if (own.some(({ step }) => step <= oldest)) expect(fallen.has(market)).toBe(true);
      }
    }),
    { seed: 6, numRuns: 200 },
  );
});
