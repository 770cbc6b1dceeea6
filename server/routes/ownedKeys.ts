// Makes the API keys that an owner asks for by a key that it has already: read-only ones and those of builders. Called by
// their routes. Like all keys they are derived from the server's secret, and nothing secret is stored.
import { randomInt } from 'node:crypto';
import type { ApiKeyKind } from '../../engine/index.ts';
import { type ApiCredentials, deriveCredentials } from '../auth/apiKeys.ts';
import { KIND_NAMES } from '../http/authenticate.ts';
import type { Context } from '../http/endpoint.ts';
import { keyIdOfUuid } from '../wire/ids.ts';
import { submitAccepted } from './submit.ts';

/** Nobody chooses these nonces; they are drawn, so that two requests at the same time never meet. */
const NONCES = 2 ** 48 - 1;

/** A new key of the caller's owner. @throws BadRequest when the log refuses it */
export async function makeOwnedKey({ services, caller }: Context, kind: ApiKeyKind): Promise<ApiCredentials> {
  const { owner } = caller();
  const nonce = randomInt(NONCES);
  const identity = { kind: KIND_NAMES[kind], owner, nonce: String(nonce), generation: 0 };
  const credentials = deriveCredentials(services.secret, identity);
  const keyId = keyIdOfUuid(credentials.apiKey);
  if (keyId === undefined) throw new Error('a derived API key is no UUID');
  await submitAccepted(services.exchange, { type: 'CreateApiKey', owner, keyId, nonce, generation: 0, kind });
  return credentials;
}
