// Handlers called without a socket, so that a test can count the turns of the loop in which a reply is result, and do
// something before the last of them. Used by the tests of long replies and searches.
import { expect } from 'vitest';
import type { Context, Handler, HttpRequest } from '../../server/http/endpoint.ts';
import { inTurns } from '../../server/http/inTurns.ts';
import { bytesOfBody } from '../../server/http/replyBody.ts';
import { endpointOf } from '../support/endpointOf.ts';

type HandlerResult = ReturnType<Handler>;

/** Calls an endpoint's handler with the parts of a request and of a context that it needs. */
export function callHandler(
  method: string,
  path: string,
  request: Partial<HttpRequest>,
  context: object,
): HandlerResult {
  const whole = { params: {}, query: new URLSearchParams(), ...request };
  return endpointOf(method, path).handler(whole as HttpRequest, context as Context); // it needs no more
}

/** The reply that the door makes of a handler's result, for a client that waits. */
export function replyOf(result: HandlerResult) {
  const client = { isAborted: false, network: '127.0.0.1' };
  return result instanceof Promise ? result.then((made) => inTurns(made, client)) : inTurns(result, client);
}

/**
 * The text of that reply, and in how many turns of the loop it was made.
 * @param meanwhile runs before the first of them
 */
export async function replyInTurns(
  result: HandlerResult,
  meanwhile: () => unknown = () => {},
): Promise<{ readonly text: string; readonly turns: number }> {
  const reply = Promise.resolve(replyOf(result));
  let isMade = false;
  const end = (): void => {
    isMade = true;
  };
  reply.then(end, end);
  for (let turns = 0; ; turns += 1) {
    await null;
    await null;
    if (isMade) {
      const { body } = (await reply) ?? expect.unreachable('the client has not gone');
      return { text: Buffer.from(bytesOfBody(body)).toString(), turns };
    }
    if (turns === 0) await meanwhile();
    await new Promise((resolve) => setImmediate(resolve));
  }
}
