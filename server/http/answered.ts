// A diagnostics channel that publishes every reply, for observers in the server's own process (tracing, the tests' check
// against /openapi.json). It has no subscribers by default, and then costs nothing.
import { channel } from 'node:diagnostics_channel';
import type { Endpoint, HttpRequest, Reply } from './endpoint.ts';
import { bytesOfBody } from './replyBody.ts';

/**
 * A reply with its endpoint and request, which are undefined if the request was refused before they were known. A reply that
 * is built in several turns (inTurns.ts) comes without its request, whose memory is not held that long.
 */
export interface Answered {
  readonly endpoint: Endpoint | undefined;
  readonly request: HttpRequest | undefined;
  readonly reply: Reply;
}

export const ANSWERED_CHANNEL = 'outcry:http:answered';

const answered = channel(ANSWERED_CHANNEL);

/** Publishes a reply to any subscribers. Bytes are copied, since their memory is reused and subscribers may keep the reply. */
export function publishAnswered(endpoint: Answered['endpoint'], request: Answered['request'], reply: Reply): void {
  if (!answered.hasSubscribers) return;
  const { body } = reply;
  const kept = { ...reply, body: typeof body === 'string' ? body : new Uint8Array(bytesOfBody(body)) };
  answered.publish({ endpoint, request, reply: kept } satisfies Answered);
}
