// Creates, deletes and lists the API keys that an owner requests with an existing key: read-only keys and builder keys;
// lists keys of every kind. Called by their routes. Like all keys they are derived from the server's secret, and no secret
// is stored, but whoever knows the id of a read-only key reads with it. An owner may have thousands of keys, so work on all
// of them is done in parts.
import { randomInt } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiKeyKind, encodeCommand, type RunningExchange, rejectionName } from '../../engine/index.ts';
import { type ApiCredentials, deriveCredentials, isOfSecret } from '../auth/apiKeys.ts';
import { requireKeyId } from '../auth/keyIds.ts';
import { eventOf, submitAccepted } from '../commands/submit.ts';
import type { Context, ReplySteps } from '../http/endpoint.ts';
import { httpLimits } from '../http/limits.ts';
import { type Frame, rowsReply } from '../http/rowsReply.ts';
import type { ApiKeyRow } from '../views/index.ts';
import { BadRequest } from '../wire/badRequest.ts';
import { search } from '../wire/pages.ts';
import { rejectionError } from '../wire/rejections.ts';

/** The range of the nonces, which are drawn at random so that concurrent requests never collide. */
const NONCES = 2 ** 48 - 1;

const KIND_TEXTS: Readonly<Record<ApiKeyKind, string>> = {
  [ApiKeyKind.TRADING]: 'API keys',
  [ApiKeyKind.READONLY]: 'read-only keys',
  [ApiKeyKind.BUILDER]: 'builder keys',
};

/**
 * Keys of another server secret do not count, as no list shows them.
 * @throws BadRequest if the owner has as many active keys of a kind as it may; requests under way do not count
 */
export async function requireRoomForKey(
  { views, secret }: Context['services'],
  owner: string,
  kind: ApiKeyKind,
): Promise<void> {
  const keys = views.keys.activeOf(owner, kind);
  if (keys.length < httpLimits.ownedKeysMax) return;
  let count = 0;
  for (const key of search(keys, (one) => isOfSecret(one, secret))) {
    if (key === undefined) await nextTurn();
    else count += 1;
  }
  if (count < httpLimits.ownedKeysMax) return;
  throw new BadRequest(
    `Could not create api key: ${owner} has ${count} active ${KIND_TEXTS[kind]}; ` +
      `an owner may have ${httpLimits.ownedKeysMax}. Delete one that is no longer needed`,
  );
}

/** Creates a key for the caller's owner. @throws BadRequest if it has too many, or the log refuses it */
export async function makeOwnedKey({ services, caller }: Context, kind: ApiKeyKind): Promise<ApiCredentials> {
  const { owner } = caller();
  await requireRoomForKey(services, owner, kind);
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

/** A list of keys of one kind: each is rendered as a row. */
interface KeyList {
  readonly kind: ApiKeyKind;
  readonly rowOf: (key: ApiKeyRow) => string;
  readonly frame: Frame;
}

/** A reply with those keys of a kind that derive from the present server secret. */
export function keysReply(
  { secret }: Context['services'],
  keys: readonly ApiKeyRow[],
  { kind, rowOf, frame }: KeyList,
): ReplySteps {
  function* rows(): Generator<string | undefined> {
    for (const key of search(keys, (one) => one.kind === kind && isOfSecret(one, secret))) yield key && rowOf(key);
  }
  return rowsReply(rows(), frame);
}
