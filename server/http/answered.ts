// A diagnostics channel on which the door tells every reply that it gives, for whoever watches a server from inside its
// process (tracing, the tests' check against /openapi.json). Nobody listens unless told to, and then it costs nothing.
import { channel } from 'node:diagnostics_channel';
import type { Endpoint, HttpRequest, Reply } from './endpoint.ts';
import { keptBytes } from './replyBody.ts';

/** A reply and what it answers; endpoint and request are missing where the door refused before it knew them. */
export interface Answered {
  readonly endpoint: Endpoint | undefined;
  readonly request: HttpRequest | undefined;
  readonly reply: Reply;
}

export const ANSWERED_CHANNEL = 'outcry:http:answered';

const answered = channel(ANSWERED_CHANNEL);

/** Tells the watchers, if there are any. They may keep what they are told: bytes are copied, whose memory is used again. */
export function tellAnswered(endpoint: Answered['endpoint'], request: Answered['request'], reply: Reply): void {
  if (!answered.hasSubscribers) return;
  const { body } = reply;
  const kept = { ...reply, body: typeof body === 'string' ? body : keptBytes(body).slice() };
  answered.publish({ endpoint, request, reply: kept } satisfies Answered);
}
