// Limits how many rows long answers may have in memory at a time: each is held until it is complete. Used by the historian's
// thread when it starts questions.
import type { HistoryQuery } from '../wire/historyQueries.ts';

/** An answer of at most this many rows is short: it is complete in a moment. */
const SHORT_ROWS_MAX = 100;
/** Most rows of all long answers at work, unless there is only one: some ten megabytes. */
const LONG_ROWS_MAX = 40_000;
const TOKENS_PER_MARKET = 2;

/** The most rows of a long answer; 0 for a short one. */
export function longRowsOf(query: HistoryQuery): number {
  if (!('limit' in query)) return 0;
  const { limit } = query;
  const rows = query.kind === 'holders' ? limit * TOKENS_PER_MARKET * query.conditionIds.length : limit;
  return rows > SHORT_ROWS_MAX ? rows : 0;
}

/** Whether an answer of `rows` rows may begin while long answers of `rowsAtWork` rows are at work. */
export const hasRoom = (rows: number, rowsAtWork: number): boolean =>
  rows === 0 || rowsAtWork === 0 || rowsAtWork + rows <= LONG_ROWS_MAX;
