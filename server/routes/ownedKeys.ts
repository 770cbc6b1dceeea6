// Creates, deletes and lists the API keys that an owner requests with an existing key: read-only keys and builder keys;
// lists keys of every kind. Called by their routes. Like all keys they are derived from the server's secret, and no secret
// is stored, but whoever knows the id of a read-only key reads with it. An owner may have any number of keys, so work on all
// of them is done in parts.
import { randomInt } from 'node:crypto';
import { type ApiKeyKind, encodeCommand, type RunningExchange, rejectionName } from '../../engine/index.ts';
import { type ApiCredentials, deriveCredentials, isOfSecret } from '../auth/apiKeys.ts';
import type { Context, ReplySteps } from '../http/endpoint.ts';
import type { ApiKeyRow } from '../views/index.ts';
import { requireKeyId } from '../wire/ids.ts';
import { search } from '../wire/pages.ts';
import { rejectionError } from '../wire/rejections.ts';
import { type Frame, rowsReply } from './rowsReply.ts';
import { eventOf, submitAccepted } from './submit.ts';

/** The range of the nonces, which are drawn at random so that concurrent requests never collide. */
const NONCES = 2 ** 48 - 1;

/** Creates a key for the caller's owner. @throws BadRequest if the log refuses it */
export async function makeOwnedKey({ services, caller }: Context, kind: ApiKeyKind): Promise<ApiCredentials> {
  const { owner } = caller();
  const nonce = randomInt(NONCES);
  const identity = { kind, owner, nonce, generation: 0 };
  const credentials = deriveCredentials(services.secret, identity);
  const keyId = requireKeyId(credentials.apiKey);
  await submitAccepted(services.exchange, { type: 'CreateApiKey', keyId, ...identity });
  return credentials;
}

/** Deletions submitted together. */
const DELETED_AT_ONCE = 500;

async function deleteKey(exchange: RunningExchange, { owner, keyId }: ApiKeyRow): Promise<boolean> {
  const record = await exchange.submit(encodeCommand({ type: 'DeleteApiKey', owner, keyId }));
  const refused = eventOf(record, 'Rejected');
  if (refused === undefined) return true;
  if (rejectionName(refused.code) === 'KEY_UNKNOWN') return false;
  throw rejectionError(refused);
}

/** Deletes keys. @returns the number that no other request had already deleted */
export async function deleteKeys({ exchange }: Context['services'], keys: readonly ApiKeyRow[]): Promise<number> {
  let count = 0;
  for (let start = 0; start < keys.length; start += DELETED_AT_ONCE) {
    const part = keys.slice(start, start + DELETED_AT_ONCE);
    const deleted = await Promise.all(part.map((key) => deleteKey(exchange, key)));
    count += deleted.filter(Boolean).length;
  }
  return count;
}

/** A reply with the keys that derive from the present server secret, each rendered as a row. */
export function keysReply(
  { secret }: Context['services'],
  keys: readonly ApiKeyRow[],
  rowOf: (key: ApiKeyRow) => string,
  frame: Frame,
): ReplySteps {
  function* rows(): Generator<string | undefined> {
    for (const key of search(keys, (one) => isOfSecret(one, secret))) yield key && rowOf(key);
  }
  return rowsReply(rows(), frame);
}
