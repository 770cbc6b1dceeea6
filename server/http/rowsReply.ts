// Replies of many or long rows, rendered on request in parts, one a turn of the event loop. Used by the routes of market data,
// histories, keys, own orders and trades, and by those of catalog and market lists, whose rows are kept once rendered. Each row
// is consistent in itself, except that the markets of a long event may be later than its own figures; later rows may reflect
// later records.
import { renderedCount } from '../wire/keptRows.ts';
import { bytesOf, type Pieces } from '../wire/pieces.ts';
import type { ReplySteps } from './endpoint.ts';

/** Characters in one part: a few milliseconds of work, or hundreds of typical books. */
const PART_CHARACTERS = 256 * 1024;

/** The text before and after the rows. */
export type Frame = readonly [open: string, close: string];

/**
 * Renders one part in each step.
 * @param texts the body, rendered lazily; undefined marks a pause
 */
export function* textsReply(texts: Iterable<string | undefined>): ReplySteps {
  const pieces: Pieces = [];
  let text = '';
  for (const next of texts) {
    if (next === undefined) {
      yield;
      continue;
    }
    text += next;
    if (text.length < PART_CHARACTERS) continue;
    pieces.push(bytesOf(text));
    text = '';
    yield;
  }
  if (pieces.length === 0) return { body: text };
  pieces.push(bytesOf(text));
  return { body: pieces };
}

function* framed(rows: Iterable<string | undefined>, [open, close]: Frame): Generator<string | undefined> {
  yield open;
  let comma = '';
  for (const row of rows) {
    if (row === undefined) {
      yield row;
      continue;
    }
    yield comma + row;
    comma = ',';
  }
  yield close;
}

/**
 * Renders one part in each step.
 * @param rows JSON texts, rendered lazily; undefined marks a pause
 */
export const rowsReply = (rows: Iterable<string | undefined>, frame: Frame): ReplySteps =>
  textsReply(framed(rows, frame));

/** Most rows of a step: those that are rendered, and all of them, for most are kept. Each is a few milliseconds of work. */
const RENDERED_A_STEP = 100;
const ROWS_A_STEP = 1_000;

/**
 * Appends as many rows in each step as a few milliseconds allow.
 * @param rows yields before each row
 * @param resume called at the start of each further step
 */
export function* inSteps<Result>(
  rows: Generator<undefined, Result>,
  resume: () => void = () => {},
): Generator<undefined, Result> {
  let firstRendered = renderedCount();
  let rowCount = 0;
  for (;;) {
    const { done, value } = rows.next();
    if (done === true) return value;
    if (rowCount === ROWS_A_STEP || renderedCount() - firstRendered >= RENDERED_A_STEP) {
      yield;
      resume();
      firstRendered = renderedCount();
      rowCount = 0;
    }
    rowCount += 1;
  }
}
