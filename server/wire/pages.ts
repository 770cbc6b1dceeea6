// Cursor pagination: `next_cursor` in, one page out (wire.md C.1). The server's cursors are anchored: `offset@number`,
// where the number is that of the last row given, so a page never repeats or skips a row while rows come and go. A cursor
// that is a plain offset is accepted too. Called by the routes of lists; it knows nothing about the rows' content.

import { countBefore } from '../lib/countBefore.ts';
import { parseWhole } from '../lib/decimals.ts';
import { BadRequest } from './badRequest.ts';
import { listTexts, type Texts } from './longTexts.ts';
import { appendRows, bytesOf, type Pieces } from './pieces.ts';

const PAGE_BEGIN = bytesOf('{"data":');
/** The cursor that means "no more pages": base64 of "-1". In a request it is malformed. */
export const END_CURSOR = 'LTE=';

/** Work done between two yields, see search(); that of this many trades with a maker takes a few milliseconds. */
const WORK_A_STEP = 1_000;

export interface Cursor {
  /** Number of rows given before this page. */
  readonly offset: number;
  /** Number of the last row given; undefined for a plain offset. */
  readonly after: number | undefined;
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
const START: Cursor = { offset: 0, after: undefined };

function malformed(): BadRequest {
  return new BadRequest('Invalid next_cursor');
}

/**
 * The cursor of a request; absent and empty mean the first page.
 * @throws BadRequest for a malformed cursor and for the end marker
 */
export function parseCursor(text: string | null): Cursor {
  if (text === null || text === '') return START;
  if (!BASE64.test(text)) throw malformed();
  const [offsetText, afterText, ...others] = Buffer.from(text, 'base64').toString('latin1').split('@');
  const offset = parseWhole(offsetText);
  const after = afterText === undefined ? undefined : parseWhole(afterText);
  if (offset === undefined || others.length > 0 || (after === undefined && afterText !== undefined)) throw malformed();
  return { offset, after };
}

function formatCursor(offset: number, after: number): string {
  return Buffer.from(`${offset}@${after}`).toString('base64');
}

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly nextCursor: string;
}

/**
 * The page at a cursor, from rows that have to be searched for.
 * @param rows all rows in page order, their numbers strictly rising or falling; undefined marks a pause, which is passed on
 * @param numberOf a row's number, which never changes
 * @param isFalling whether the numbers fall (newest first)
 */
export function* findPage<Row>(
  rows: Iterable<Row | undefined>,
  numberOf: (row: Row) => number,
  isFalling: boolean,
  cursor: Cursor,
  limit: number,
): Generator<undefined, Page<Row>> {
  const page: Row[] = [];
  const { after } = cursor;
  let toSkip = after === undefined ? cursor.offset : 0;
  for (const row of rows) {
    if (row === undefined) {
      yield;
      continue;
    }
    if (after !== undefined && (isFalling ? numberOf(row) >= after : numberOf(row) <= after)) continue;
    if (toSkip > 0) {
      toSkip -= 1;
      continue;
    }
    if (page.length === limit) {
      return { rows: page, nextCursor: formatCursor(cursor.offset + limit, numberOf(page[limit - 1])) };
    }
    page.push(row);
  }
  return { rows: page, nextCursor: END_CURSOR };
}

/**
 * The rows that match, with a pause (undefined) whenever enough rows have been examined.
 * @param workOf how much work it is to examine a row; that of WORK_A_STEP is done between two pauses
 */
export function* search<Row>(
  rows: Iterable<Row>,
  isMatch: (row: Row) => boolean,
  workOf: (row: Row) => number = () => 1,
): Generator<Row | undefined> {
  let work = 0;
  for (const row of rows) {
    if (isMatch(row)) yield row;
    work += workOf(row);
    if (work < WORK_A_STEP) continue;
    work = 0;
    yield undefined;
  }
}

const pageEnd = (count: number, nextCursor: string, limit: number): string =>
  `,"next_cursor":"${nextCursor}","limit":${limit},"count":${count}}`;

/** The page object as JSON text; `items` are ready JSON texts. */
export function pageJson(items: readonly string[], nextCursor: string, limit: number): string {
  return `{"data":[${items.join(',')}]${pageEnd(items.length, nextCursor, limit)}`;
}

/**
 * The page object as texts.
 * @param textsOf called when its row's turn comes; undefined leaves the row out
 */
export function* pageTexts<Row>(
  rows: Iterable<Row>,
  textsOf: (row: Row) => Texts | undefined,
  nextCursor: string,
  limit: number,
): Texts {
  yield '{"data":';
  const count = yield* listTexts(rows, textsOf);
  yield pageEnd(count, nextCursor, limit);
}

/** The page object as pieces; yields before each row, whose bytes are rendered or kept. */
export function* pagePieces<Row>(
  rows: readonly Row[],
  render: (row: Row) => Uint8Array,
  nextCursor: string,
  limit: number,
): Generator<undefined, Pieces> {
  const to: Pieces = [PAGE_BEGIN];
  yield* appendRows(to, rows, function* (row) {
    yield;
    to.push(render(row));
  });
  to.push(bytesOf(pageEnd(rows.length, nextCursor, limit)));
  return to;
}

/**
 * The `count` rising numbers, newest first, from the newest that the cursor has not passed; makes no copy.
 * @param numberAt the number at an index from 0
 */
export function* newestFirst(count: number, numberAt: (index: number) => number, cursor: Cursor): Generator<number> {
  const { after } = cursor;
  const end = after === undefined ? count : countBefore(count, (index) => numberAt(index) < after);
  for (let i = end - 1; i >= 0; i -= 1) yield numberAt(i);
}
