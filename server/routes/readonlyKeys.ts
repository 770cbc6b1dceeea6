// Read-only API keys of an owner (wire.md A.2). A read-only key is used with only address and key, and only for reads; an owner
// may have many. Each is a key of the log like any other.

import { ApiKeyKind } from '../../engine/index.ts';
import { isOfSecret } from '../auth/apiKeys.ts';
import { isUuid } from '../auth/keyIds.ts';
import type { Endpoint, Handler } from '../http/endpoint.ts';
import { httpLimits } from '../http/limits.ts';
import { isFields } from '../lib/jsonFields.ts';
import type { ApiKeyRow } from '../views/index.ts';
import { BadRequest } from '../wire/badRequest.ts';
import { readAddress } from '../wire/readIds.ts';
import * as schemas from '../wire/schemas/account.ts';
import { deleteKeys, keysReply, makeOwnedKey } from './ownedKeys.ts';

const create: Handler = async (_request, context) => {
  const { apiKey } = await makeOwnedKey(context, ApiKeyKind.READONLY);
  return { body: JSON.stringify({ apiKey }) };
};

const list: Handler = (_request, { services, caller }) => {
  const keys = services.views.keys.activeOf(caller().owner, ApiKeyKind.READONLY);
  return keysReply(services, keys, {
    kind: ApiKeyKind.READONLY,
    rowOf: ({ apiKey }) => `"${apiKey}"`,
    frame: ['[', ']'],
  });
};

const isReadonly = (key: ApiKeyRow | undefined, owner: string): key is ApiKeyRow =>
  key?.isActive === true && key.kind === ApiKeyKind.READONLY && key.owner === owner;

const remove: Handler = async (request, { services, caller }) => {
  const { owner } = caller();
  const body = request.json();
  const named = isFields(body) ? body.key : undefined;
  if (typeof named !== 'string' || !isUuid(named)) {
    throw new BadRequest('Invalid key: the body must be an object with key, the UUID of a read-only key');
  }
  const key = services.views.keys.byApiKey(named.toLowerCase());
  const count = isReadonly(key, owner) ? await deleteKeys(services, [key]) : 0;
  if (count === 0) throw new BadRequest('read-only key not found', { status: 404 });
  return { body: 'true' };
};

const validate: Handler = (request, { services: { views, secret } }) => {
  const owner = readAddress(request.query.get('address'));
  const key = request.query.get('key') ?? '';
  if (!isUuid(key)) throw new BadRequest('Invalid key: a key is a UUID');
  const found = views.keys.byApiKey(key.toLowerCase());
  if (!isReadonly(found, owner) || !isOfSecret(found, secret)) {
    throw new BadRequest('Unauthorized/Invalid api key', { status: 401 });
  }
  return { body: '"OK"' };
};

const row = { throttle: 'general', section: 'A.2' } as const;

export const readonlyKeyEndpoints: readonly Endpoint[] = [
  {
    ...row,
    throttle: 'keys',
    method: 'POST',
    path: '/auth/readonly-api-key',
    auth: 'l2',
    summary: `Creates a read-only key for the caller, who may have ${httpLimits.ownedKeysMax}.`,
    schema: schemas.createReadonlyKey,
    handler: create,
  },
  {
    ...row,
    method: 'DELETE',
    path: '/auth/readonly-api-key',
    auth: 'l2',
    summary: 'Deletes a read-only key of the caller.',
    schema: schemas.deleteReadonlyKey,
    handler: remove,
  },
  {
    ...row,
    method: 'GET',
    path: '/auth/readonly-api-keys',
    auth: 'l2',
    summary: 'The read-only keys of the caller.',
    schema: schemas.listReadonlyKeys,
    handler: list,
  },
  {
    ...row,
    method: 'GET',
    path: '/auth/validate-readonly-api-key',
    auth: 'none',
    summary: 'Whether a read-only key belongs to an address.',
    schema: schemas.validateReadonlyKey,
    handler: validate,
  },
];
