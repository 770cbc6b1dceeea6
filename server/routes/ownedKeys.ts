// Makes and takes away the API keys that an owner asks for by a key that it has already, read-only ones and those of builders,
// and lists those of every kind. Called by their routes. Like all keys they are derived from the server's secret, and nothing
// secret is stored. An owner may have any number of them: what is done to all goes a part at a time.
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

/** Nobody chooses these nonces; they are drawn, so that two requests at the same time never meet. */
const NONCES = 2 ** 48 - 1;

/** A new key of the caller's owner. @throws BadRequest when the log refuses it */
export async function makeOwnedKey({ services, caller }: Context, kind: ApiKeyKind): Promise<ApiCredentials> {
  const { owner } = caller();
  const nonce = randomInt(NONCES);
  const identity = { kind, owner, nonce, generation: 0 };
  const credentials = deriveCredentials(services.secret, identity);
  const keyId = requireKeyId(credentials.apiKey);
  await submitAccepted(services.exchange, { type: 'CreateApiKey', keyId, ...identity });
  return credentials;
}

/** Deletions that are submitted together. */
const DELETED_AT_ONCE = 500;

async function deleteKey(exchange: RunningExchange, { owner, keyId }: ApiKeyRow): Promise<boolean> {
  const record = await exchange.submit(encodeCommand({ type: 'DeleteApiKey', owner, keyId }));
  const refused = eventOf(record, 'Rejected');
  if (refused === undefined) return true;
  if (rejectionName(refused.code) === 'KEY_UNKNOWN') return false;
  throw rejectionError(refused);
}

/** Deletes keys. @returns how many of them no other request had deleted by then */
export async function deleteKeys({ exchange }: Context['services'], keys: readonly ApiKeyRow[]): Promise<number> {
  let count = 0;
  for (let start = 0; start < keys.length; start += DELETED_AT_ONCE) {
    const part = keys.slice(start, start + DELETED_AT_ONCE);
    const deleted = await Promise.all(part.map((key) => deleteKey(exchange, key)));
    count += deleted.filter(Boolean).length;
  }
  return count;
}

/** Those of the keys that the server's secret gives, each as its row of a list. */
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
