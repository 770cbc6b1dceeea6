// The first rows of a question's order: the same as of the sorted list, which is never sorted as a whole, however many rows the
// wallet has.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { type Command, decodeCommand, type EventOf, encodeCommand } from '../../engine/index.ts';
import { LEG } from '../../server/history/figures.ts';
import { findClosedPositions, findPositions } from '../../server/history/findPositions.ts';
import { findActivity } from '../../server/history/findRows.ts';
import { FirstSorted } from '../../server/history/firstSorted.ts';
import { legAt } from '../../server/history/pairs.ts';
import { RowClass, RowKind } from '../../server/history/rows.ts';
import type { Sliced } from '../../server/history/slice.ts';
import { IndexStore } from '../../server/history/store.ts';
import { Tables } from '../../server/history/tables.ts';
import type { ActivityRow, PositionRow } from '../../server/wire/historyQueries.ts';
import { wordOf } from '../support/hex.ts';

const MARKETS = 4_000;
const WALLET = `0x${'22'.repeat(20)}`;
const LIMIT = 10;
/** More than a page of LIMIT rows needs, and fewer than the wallet has of anything. */
const SORTED_MAX = 2_000;

test('the first items are those of the whole list, sorted', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(500), { maxLength: 5_000, size: 'max' }), fc.nat(200), (numbers, count) => {
      const compare = (left: number, right: number): number => left - right;
      const first = new FirstSorted(count, compare);
      for (const number of numbers) first.add(number);
      expect(first.sorted()).toEqual(numbers.toSorted(compare).slice(0, count));
    }),
  );
});

/** Gives the wallet a trade and an open or closed position in each market. */
function fill(tables: Tables): void {
  const { accounts, markets, rows, positions } = tables;
  const account = accounts.count;
  accounts.open(account, WALLET);
  const command: Command = decodeCommand(encodeCommand({ type: 'CreateEvent', negRisk: 0, tail: Buffer.from('{}') }));
  for (let index = 0; index < MARKETS; index += 1) {
    const id = wordOf(index);
    const created: EventOf<'MarketCreated'> = {
      ...{ type: 'MarketCreated', marketIndex: index, eventNumber: 0, conditionId: id, firstToken: id },
      ...{ secondToken: id, status: 0, negRisk: 0, autoTick: 0, tickPips: 100, feeRate: 0, feeExponent: 1 },
      ...{ minOrderLots: 500, delaySeconds: 0, minMarketableBuyMicro: 0 },
    };
    markets.created(created, command);
    const sizeMicro = 10_000 * (1 + ((index * 7_919) % MARKETS));
    const row = rows.add(RowKind.TAKER, 0, false, 5_000, account, index, 0, sizeMicro, 0, 1_000 + index);
    rows.link(row, accounts.headOf(account, RowClass.TAKER), 0, 0);
    accounts.setHead(account, RowClass.TAKER, row);
    const start = positions.change(account, index);
    for (const outcome of [0, 1]) positions.numbers[legAt(start, outcome) + LEG.bought] = sizeMicro;
    positions.numbers[legAt(start, 0) + LEG.size] = sizeMicro;
  }
}

function rowsOf<Row>(find: (onRow: (row: Row) => void) => Sliced<undefined>): readonly Row[] {
  const rows: Row[] = [];
  for (const _ of find((row) => rows.push(row))); // every slice
  return rows;
}

test('a page of a wallet with many rows is found without sorting all of them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'outcry-first-'));
  const store = new IndexStore(join(folder, 'history'), true);
  const tables = new Tables(store);
  fill(tables);
  const sort = vi.spyOn(Array.prototype, 'sort');
  const page = { user: WALLET, limit: LIMIT, offset: 0, ascending: false, conditionIds: undefined, title: undefined };
  const never = { types: undefined, side: undefined, startMs: undefined, endMs: undefined };
  const filters = { sizeThresholdMicro: 0, redeemable: false, mergeable: false, includeArchived: true };
  const activities = rowsOf<ActivityRow>((onRow) => {
    return findActivity(tables, { kind: 'activity', ...page, ...never, sortBy: 'TOKENS' }, onRow);
  });
  const open = rowsOf<PositionRow>((onRow) => {
    return findPositions(tables, { kind: 'positions', ...page, ...filters, sortBy: 'TOKENS' }, onRow);
  });
  const closed = rowsOf<PositionRow>((onRow) => {
    return findClosedPositions(tables, { kind: 'closed-positions', ...page, sortBy: 'AVGPRICE' }, onRow);
  });
  const lengths = sort.mock.contexts.map((array) => (Array.isArray(array) ? array.length : 0));
  sort.mockRestore();
  const largest = Array.from({ length: LIMIT }, (_, index) => 10_000 * (MARKETS - index));
  expect(activities.map(({ sizeMicro }) => sizeMicro)).toEqual(largest);
  expect(open.map(({ sizeMicro }) => sizeMicro)).toEqual(largest);
  expect(closed.length).toBe(LIMIT);
  expect(Math.max(...lengths)).toBeLessThan(SORTED_MAX);
  await store.close(false);
  rmSync(folder, { recursive: true });
});
