// Carries out replies that take long to make, large ones and searches through all trades: a step in the request's own turn of
// the loop, and where that is not all, a step a turn, one reply after the other, since orders wait for the thread that does it.
// Called by handle.ts with what a handler returns. What a step has read may have changed by the next one.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Handler, Reply, ReplySteps } from './endpoint.ts';

type Made = ReturnType<Handler>;

/** Who waits for a reply. */
interface Client {
  /** It has gone. */
  readonly isAborted: boolean;
}

const isSteps = (made: Made): made is ReplySteps => 'next' in made;

/** Resolves when the last one of the replies that wait is made. */
let line: Promise<unknown> = Promise.resolve();

/** The reply at the end of the steps; undefined, and the rest is left undone, once nobody is there to read it. */
async function finish(steps: ReplySteps, client: Client): Promise<Reply | undefined> {
  while (!client.isAborted) {
    await nextTurn();
    const { done, value } = steps.next();
    if (done === true) return value;
  }
  return undefined;
}

/**
 * The reply that a handler has made or goes on to make.
 * @param client once it has gone, it gets no reply, and what it asked for keeps nobody waiting
 */
export function inTurns(made: Made, client: Client): Reply | Promise<Reply | undefined> {
  if (!isSteps(made)) return made;
  const { done, value } = made.next();
  if (done === true) return value;
  const reply = line.then(() => finish(made, client));
  line = reply.catch(() => undefined); // a failure is told to who asked, and is nothing to the next one
  return reply;
}
