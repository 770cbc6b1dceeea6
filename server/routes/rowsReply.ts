// Replies of many rows, rendered on request in parts, one a turn of the event loop. Used by the routes of market data,
// histories and keys. Each row is consistent in itself; later rows may reflect later records.
import type { ReplySteps } from '../http/endpoint.ts';
import { bytesOf, type Pieces } from '../wire/pieces.ts';

/** Characters in one part: a few milliseconds of work, or hundreds of typical books. */
const PART_CHARACTERS = 256 * 1024;

/** The text before and after the rows. */
export type Frame = readonly [open: string, close: string];

/**
 * Renders one part in each step.
 * @param rows JSON texts, rendered lazily; undefined marks a pause
 */
export function* rowsReply(rows: Iterable<string | undefined>, [open, close]: Frame): ReplySteps {
  const pieces: Pieces = [];
  let text = open;
  let comma = '';
  for (const row of rows) {
    if (row === undefined) {
      yield;
      continue;
    }
    text += comma + row;
    comma = ',';
    if (text.length < PART_CHARACTERS) continue;
    pieces.push(bytesOf(text));
    text = '';
    yield;
  }
  text += close;
  if (pieces.length === 0) return { body: text };
  pieces.push(bytesOf(text));
  return { body: pieces };
}
