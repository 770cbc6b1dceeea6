// Builds replies that take long, such as large lists and searches through all trades, in steps: the first at once, the
// others in later turns of the loop, one step a turn and one reply after the other, so that orders do not wait for them.
// Called by handle.ts with a handler's result. Data that a step has read may have changed by the next one.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Handler, Reply, ReplySteps } from './endpoint.ts';

type HandlerResult = ReturnType<Handler>;

/** The client waiting for a reply. */
interface Client {
  /** Whether it has closed the connection. */
  readonly isAborted: boolean;
}

const isSteps = (result: HandlerResult): result is ReplySteps => 'next' in result;

/** The queue of replies; resolves when the last one in it is built. */
let queue: Promise<unknown> = Promise.resolve();

/** Runs the remaining steps and returns the reply; stops and returns undefined once the client has disconnected. */
async function finish(steps: ReplySteps, client: Client): Promise<Reply | undefined> {
  while (!client.isAborted) {
    await nextTurn();
    const { done, value } = steps.next();
    if (done === true) return value;
  }
  return undefined;
}

/**
 * The reply that a handler returned, or that its steps will return.
 * @param client no further steps run once it has disconnected
 */
export function inTurns(result: HandlerResult, client: Client): Reply | Promise<Reply | undefined> {
  if (!isSteps(result)) return result;
  const { done, value } = result.next();
  if (done === true) return value;
  const reply = queue.then(() => finish(result, client));
  queue = reply.catch(() => undefined); // a failure goes to its own request and must not affect the next
  return reply;
}
