// Queries for rows: trades and activity. Each walks from the newest row on, filters, and shows the page's rows as they are
// found; only an activity query sorted otherwise than by falling time scans all of a wallet's rows first.

import type { ActivityQuery, ActivityRow, TimeRange, TradeRow, TradesQuery } from '../wire/historyQueries.ts';
import { AllTrades, Chains, newestUntil, type Walk } from './chains.ts';
import { FirstSorted } from './firstSorted.ts';
import type { HistoryMarket } from './markets.ts';
import { RowClass, RowKind } from './rows.ts';
import { isSliceOver, type Sliced } from './slice.ts';
import type { Tables } from './tables.ts';
import { marketsIn } from './totals.ts';

/** The row last read, as it is shown. */
function tradeRow({ rows, accounts, markets }: Tables): TradeRow {
  return {
    wallet: accounts.walletOf(rows.account),
    market: markets.list[rows.market].facts,
    outcome: rows.outcome,
    side: rows.isSell ? 'SELL' : 'BUY',
    sizeMicro: rows.sizeMicro,
    pricePips: rows.pips,
    cashMicro: rows.cashMicro,
    tMs: rows.tMs,
    transactionHash: rows.transactionHash(),
  };
}

const isWithin = ({ startMs, endMs }: TimeRange, tMs: number): boolean =>
  (startMs === undefined || tMs >= startMs) && (endMs === undefined || tMs <= endMs);

/** The shortest walk that visits every row the query can match. */
function tradesWalk(tables: Tables, query: TradesQuery, scope: ReadonlySet<HistoryMarket> | undefined): Walk {
  const { rows, accounts } = tables;
  const { user, takerOnly, endMs } = query;
  const classes = takerOnly ? [RowClass.TAKER] : [RowClass.TAKER, RowClass.MAKER];
  if (user !== undefined) {
    const account = accounts.idOf(user);
    const heads = account < 0 ? [] : classes.map((rowClass) => accounts.headOf(account, rowClass));
    return new Chains(rows, heads, false);
  }
  if (scope !== undefined) {
    const heads = [...scope].flatMap((market) => classes.map((rowClass) => market.heads[rowClass]));
    return new Chains(rows, heads, true);
  }
  return new AllTrades(rows, takerOnly, endMs === undefined ? rows.last : newestUntil(rows, endMs));
}

/** Shows the page's rows of trades, newest first. */
export function* findTrades(tables: Tables, query: TradesQuery, show: (row: TradeRow) => void): Sliced<undefined> {
  const { rows, markets } = tables;
  const { side, threshold, limit, offset, startMs } = query;
  const scope = marketsIn(markets, query);
  const walk = tradesWalk(tables, query, scope);
  const isSell = side === undefined ? undefined : side === 'SELL';
  let matched = 0;
  let shown = 0;
  for (let row = limit === 0 ? 0 : walk.next(); row !== 0; row = walk.next()) {
    if (isSliceOver()) yield undefined;
    if (row < 0) continue;
    rows.read(row);
    if (startMs !== undefined && rows.tMs < startMs) return;
    if (!isWithin(query, rows.tMs) || (isSell !== undefined && rows.isSell !== isSell)) continue;
    if (threshold !== undefined) {
      if ((threshold.unit === 'CASH' ? rows.cashMicro : rows.sizeMicro) < threshold.micro) continue;
    }
    if (scope !== undefined && !scope.has(markets.list[rows.market])) continue;
    matched += 1;
    if (matched <= offset) continue;
    show(tradeRow(tables));
    shown += 1;
    if (shown === limit) return;
  }
}

/** Whether the row last read matches the query. */
function isActivityAsked(
  { rows, markets }: Tables,
  query: ActivityQuery,
  scope: ReadonlySet<HistoryMarket> | undefined,
): boolean {
  const { types, side } = query;
  if (!isWithin(query, rows.tMs)) return false;
  if (types !== undefined && !types.includes(rows.type)) return false;
  if (side !== undefined && (rows.kind > RowKind.MAKER || rows.isSell !== (side === 'SELL'))) return false;
  return scope === undefined || scope.has(markets.list[rows.market]);
}

function activityRow(tables: Tables): ActivityRow {
  const { type, kind } = tables.rows;
  return { ...tradeRow(tables), type, isOfToken: kind !== RowKind.SPLIT && kind !== RowKind.MERGE };
}

/** Shows the page's rows of a wallet, of every kind, in the requested order: by time, or by size or cash and then by time. */
export function* findActivity(
  tables: Tables,
  query: ActivityQuery,
  show: (row: ActivityRow) => void,
): Sliced<undefined> {
  const { rows, accounts } = tables;
  const { user, limit, offset, sortBy, ascending, startMs } = query;
  const account = accounts.idOf(user);
  if (account < 0 || limit === 0) return;
  const scope = marketsIn(tables.markets, query);
  const classes = [RowClass.TAKER, RowClass.MAKER, RowClass.OTHER];
  const walk = new Chains(
    rows,
    classes.map((rowClass) => accounts.headOf(account, rowClass)),
    false,
  );
  const isNewestFirst = sortBy === 'TIMESTAMP' && !ascending;
  const sign = ascending ? 1 : -1;
  const first = new FirstSorted<{ readonly row: number; readonly key: number }>(
    offset + limit,
    (left, right) => sign * (left.key - right.key || left.row - right.row),
  );
  let matched = 0;
  for (let row = walk.next(); row !== 0; row = walk.next()) {
    if (isSliceOver()) yield undefined;
    rows.read(row);
    if (startMs !== undefined && rows.tMs < startMs) break;
    if (!isActivityAsked(tables, query, scope)) continue;
    first.add({ row, key: sortBy === 'TIMESTAMP' ? 0 : sortBy === 'CASH' ? rows.cashMicro : rows.sizeMicro });
    matched += 1;
    if (isNewestFirst && matched === offset + limit) break;
  }
  for (const { row } of first.sorted().slice(offset)) {
    if (isSliceOver()) yield undefined;
    rows.read(row);
    show(activityRow(tables));
  }
}
