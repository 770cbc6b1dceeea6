// How long the answer to a question may become, in rows, and how many of those are made at a time: each is in memory until
// its end. Used by the historian's thread as it lets questions begin.
import type { HistoryQuery } from './queries.ts';

/** An answer of no more rows is short: it is over in a moment. */
const SHORT_ROWS_MAX = 100;
/** Rows of all long answers at work, at most, unless there is one alone: some ten megabytes. */
const LONG_ROWS_MAX = 40_000;
const TOKENS_A_MARKET = 2;

/** The rows that a long answer may have; 0 of a short one. */
export function longRowsOf(query: HistoryQuery): number {
  if (!('limit' in query)) return 0;
  const { limit } = query;
  const rows = query.kind === 'holders' ? limit * TOKENS_A_MARKET * query.conditionIds.length : limit;
  return rows > SHORT_ROWS_MAX ? rows : 0;
}

/** Whether an answer of so many rows may begin beside long ones of so many at work. */
export const hasRoom = (rows: number, rowsAtWork: number): boolean =>
  rows === 0 || rowsAtWork === 0 || rowsAtWork + rows <= LONG_ROWS_MAX;
