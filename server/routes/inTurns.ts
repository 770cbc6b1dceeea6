// Work on a reply that may take long, large replies and searches through all trades: a step in the request's own turn of the
// loop, and where that is not all, a step a turn, one reply after the other, since orders wait for the thread that does it.
// Used by rowsReply.ts and by the routes of trades. What a step has read may have changed by the next one.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Resolves when the last one of the replies that wait is made. */
let line: Promise<unknown> = Promise.resolve();

async function finish<Result>(steps: Generator<undefined, Result>): Promise<Result> {
  for (;;) {
    await nextTurn();
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** @param steps which end with the result, each some milliseconds of work */
export function inTurns<Result>(steps: Generator<undefined, Result>): Result | Promise<Result> {
  const { done, value } = steps.next();
  if (done === true) return value;
  const result = line.then(() => finish(steps));
  line = result.catch(() => undefined); // a failure is told to who asked, and is nothing to the next one
  return result;
}
