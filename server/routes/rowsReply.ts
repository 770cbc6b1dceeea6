// Replies of many rows that are rendered when somebody asks, a part a turn of the loop. Used by the routes of market data,
// of histories and of keys. A row is whole in itself; later ones may tell of later records.
import type { ReplySteps } from '../http/endpoint.ts';
import { bytesOf, type Pieces } from '../wire/pieces.ts';

/** Characters of one part: some milliseconds of work, and hundreds of usual books. */
const PART_CHARACTERS = 256 * 1024;

/** What stands before and behind the rows. */
export type Frame = readonly [open: string, close: string];

/**
 * Renders a part a step.
 * @param rows JSON texts, each made when it is asked for; undefined is a rest
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
