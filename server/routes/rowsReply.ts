// Replies of many rows that are rendered when somebody asks: a part in the request's own turn of the loop, and where that
// is not all, a part a turn, one reply after the other, since orders wait for the thread that renders. Used by the routes
// of market data and of histories. A row is whole in itself; later ones may tell of later records.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Reply } from '../http/endpoint.ts';
import { bytesOf, type Pieces } from '../wire/pieces.ts';

/** Characters of one part: some milliseconds of work, and hundreds of usual books. */
const PART_CHARACTERS = 256 * 1024;

/** What stands before and behind the rows. */
type Frame = readonly [open: string, close: string];

/** Resolves when the last one of the replies that wait is rendered. */
let line: Promise<unknown> = Promise.resolve();

/** Renders a part a step. */
function* rendering(rows: Iterable<string>, [open, close]: Frame): Generator<undefined, Reply> {
  const pieces: Pieces = [];
  let text = open;
  let comma = '';
  for (const row of rows) {
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

async function finish(steps: Generator<undefined, Reply>): Promise<Reply> {
  for (;;) {
    await nextTurn();
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** @param rows JSON texts, each made when it is asked for */
export function rowsReply(rows: Iterable<string>, frame: Frame): Reply | Promise<Reply> {
  const steps = rendering(rows, frame);
  const { done, value } = steps.next();
  if (done === true) return value;
  const reply = line.then(() => finish(steps));
  line = reply.catch(() => undefined); // a failure is told to who asked, and is nothing to the next one
  return reply;
}
