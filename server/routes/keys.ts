// API keys of an owner: created and derived with a wallet's signature, deleted by a key itself, listed with either (wire.md
// A.2). Credentials are derived from the server's secret, so no secret is stored; a key works as soon as its creation is
// answered.

import { ApiKeyKind, encodeCommand } from '../../engine/index.ts';
import { credentialsOf, deriveCredentials, isOfSecret } from '../auth/apiKeys.ts';
import { readAuthHeaders } from '../auth/headers.ts';
import { requireKeyId } from '../auth/keyIds.ts';
import { walletsOfOwner } from '../commands/ownerWallets.ts';
import { claimWallets, submitAccepted } from '../commands/submit.ts';
import type { Endpoint, Handler, HttpRequest } from '../http/endpoint.ts';
import { httpLimits } from '../http/limits.ts';
import { parseWhole } from '../lib/decimals.ts';
import { BadRequest } from '../wire/badRequest.ts';
import * as schemas from '../wire/schemas/account.ts';
import { keysReply, requireRoomForKey } from './ownedKeys.ts';

/** The nonce of a verified L1 request; undefined if it exceeds what the exchange stores. */
function nonceOf(request: HttpRequest): number | undefined {
  const { nonce } = readAuthHeaders(request.header);
  return nonce === '' ? 0 : parseWhole(nonce);
}

const createKey: Handler = async (request, context) => {
  const { owner } = context.caller();
  const { exchange, views, wallets, secret } = context.services;
  const nonce = nonceOf(request);
  if (nonce === undefined) {
    throw new BadRequest(`Could not create api key: the nonce must be at most ${Number.MAX_SAFE_INTEGER}`);
  }
  const latest = views.keys.latest(owner, nonce, ApiKeyKind.TRADING);
  if (latest?.isActive && isOfSecret(latest, secret)) throw new BadRequest('Could not create api key');
  await requireRoomForKey(context.services, owner, ApiKeyKind.TRADING);
  const generation = latest === undefined ? 0 : latest.generation + 1;
  const identity = { kind: ApiKeyKind.TRADING, owner, nonce, generation };
  const credentials = deriveCredentials(secret, identity);
  const keyId = requireKeyId(credentials.apiKey);
  // In a log begun under the first rules, a wallet bound to somebody else may have no account: it must not get the account
  // of the owner it derives from.
  const items = walletsOfOwner(owner, wallets).filter((wallet) => !views.accounts.isBoundToAnother(wallet, owner));
  // A key of another server secret is replaced. Of two concurrent requests the second finds the stale key already deleted,
  // which is the desired result.
  if (latest?.isActive) await exchange.submit(encodeCommand({ type: 'DeleteApiKey', owner, keyId: latest.keyId }));
  await claimWallets(context.services, owner);
  await submitAccepted(exchange, { type: 'CreateApiKey', keyId, ...identity, items });
  // Claims again, for money that reached a wallet while the key was being created.
  await claimWallets(context.services, owner);
  return { body: JSON.stringify(credentials) };
};

const deriveKey: Handler = (request, { services: { views, secret }, caller }) => {
  const { owner } = caller();
  const nonce = nonceOf(request);
  const key = nonce === undefined ? undefined : views.keys.latest(owner, nonce, ApiKeyKind.TRADING);
  const credentials = key?.isActive ? credentialsOf(secret, key) : undefined;
  if (credentials === undefined) throw new BadRequest('Could not derive api key!');
  return { body: JSON.stringify(credentials) };
};

const listKeys: Handler = (_request, { services, caller }) => {
  const keys = services.views.keys.activeOf(caller().owner, ApiKeyKind.TRADING);
  return keysReply(services, keys, {
    kind: ApiKeyKind.TRADING,
    rowOf: ({ apiKey }) => `"${apiKey}"`,
    frame: ['{"apiKeys":[', ']}'],
  });
};

const deleteKey: Handler = async (_request, context) => {
  const { owner, keyId } = context.caller();
  await submitAccepted(context.services.exchange, { type: 'DeleteApiKey', owner, keyId });
  return { body: '"OK"' };
};

const row = { throttle: 'general', section: 'A.2' } as const;
const made = { ...row, throttle: 'keys' } as const;

export const keysEndpoints: readonly Endpoint[] = [
  {
    ...made,
    method: 'POST',
    path: '/auth/api-key',
    auth: 'l1',
    summary: `Creates the API key of a wallet and nonce; 400 if it exists, or the wallet has ${httpLimits.ownedKeysMax} active ones.`,
    schema: schemas.createKey,
    handler: createKey,
  },
  {
    ...row,
    method: 'DELETE',
    path: '/auth/api-key',
    auth: 'l2',
    summary: 'Deletes the API key that signs the request.',
    schema: schemas.deleteKey,
    handler: deleteKey,
  },
  {
    ...made,
    method: 'GET',
    path: '/auth/derive-api-key',
    auth: 'l1',
    summary: 'The credentials of the existing API key of a wallet and nonce.',
    schema: schemas.deriveKey,
    handler: deriveKey,
  },
  {
    ...row,
    method: 'GET',
    path: '/auth/api-keys',
    auth: 'l1-or-l2',
    summary: 'The active API keys of the caller.',
    schema: schemas.listKeys,
    handler: listKeys,
  },
];
