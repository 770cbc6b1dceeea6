// Heartbeats of API keys: POST /v1/heartbeats, and the older POST /heartbeats without ids (wire.md C.4, F.8). Each accepted
// heartbeat keeps the key's orders alive for the exchange's window; without one the core cancels them.

import { randomUUID } from 'node:crypto';
import type { CommandOf, LogRecord, RunningExchange } from '../../engine/index.ts';
import type { Caller } from '../auth/caller.ts';
import { ZERO_BYTES16 } from '../auth/hex.ts';
import { keyIdOfUuid, requireKeyId, uuidOfKeyId } from '../auth/keyIds.ts';
import { eventOf, submitAccepted } from '../commands/submit.ts';
import type { Endpoint, Handler } from '../http/endpoint.ts';
import { isAbsent, isFields } from '../lib/jsonFields.ts';
import { BadRequest } from '../wire/badRequest.ts';
import * as schemas from '../wire/schemas/orders.ts';

const TEXT = 'Invalid Heartbeat ID';

/** The refusal of a wrong id. Clients read the text under either key, and the id that they must send. */
function wrongId(expected: string | undefined): BadRequest {
  const heartbeatId = expected === undefined ? '' : uuidOfKeyId(expected);
  return new BadRequest(TEXT, { extra: { error_msg: TEXT, heartbeat_id: heartbeatId } });
}

/** The id in a body, as 16 bytes of hex: zero if absent, undefined if it is not a UUID. */
function givenId(body: unknown): string | undefined {
  if (body === undefined || body === null) return ZERO_BYTES16;
  if (!isFields(body)) throw new BadRequest('Invalid heartbeat payload: the body must be an object with heartbeat_id');
  const id = body.heartbeat_id;
  if (isAbsent(id)) return ZERO_BYTES16;
  return typeof id === 'string' ? keyIdOfUuid(id) : undefined;
}

function submit(
  exchange: RunningExchange,
  { owner, keyId }: Caller,
  given: string,
  refresh: 0 | 1,
): Promise<LogRecord> {
  const next = requireKeyId(randomUUID());
  const command: CommandOf<'Heartbeat'> = { type: 'Heartbeat', owner, keyId, given, next, refresh };
  return submitAccepted(exchange, command);
}

const heartbeat: Handler = async (request, { services: { exchange, views }, caller }) => {
  const given = givenId(request.json());
  if (given === undefined) throw wrongId(views.keys.expectedHeartbeat(caller().keyId));
  const record = await submit(exchange, caller(), given, 0);
  const refused = eventOf(record, 'HeartbeatRefused');
  if (refused !== undefined) throw wrongId(refused.expected);
  const accepted = eventOf(record, 'HeartbeatAccepted');
  if (accepted === undefined) throw new Error('a heartbeat was neither accepted nor refused');
  return { body: JSON.stringify({ heartbeat_id: uuidOfKeyId(accepted.next) }) };
};

const refresh: Handler = async (_request, { services: { exchange }, caller }) => {
  await submit(exchange, caller(), ZERO_BYTES16, 1);
  return { body: '{"status":"ok"}' };
};

const row = { method: 'POST', auth: 'l2', section: 'wire C.4' } as const;

export const heartbeatEndpoints: readonly Endpoint[] = [
  {
    ...row,
    path: '/v1/heartbeats',
    throttle: 'general',
    summary:
      'Keeps the orders of the API key alive: after its first heartbeat, they are cancelled once 10 seconds pass without another.',
    schema: schemas.heartbeat,
    handler: heartbeat,
  },
  {
    ...row,
    path: '/heartbeats',
    throttle: 'general',
    summary: 'The same, without heartbeat ids.',
    schema: schemas.heartbeats,
    handler: refresh,
  },
];
