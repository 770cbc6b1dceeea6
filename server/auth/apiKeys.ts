// API credentials, derived from the server's one secret and a key's identity: no secret is stored, and a lost triple can be
// derived again (wire.md A.2). Only a read-only key is a credential by itself, and its id is stored. Called when a key is
// created or derived, and when a gateway first sees a key. The server's secret must never be logged or returned.
import { createHmac } from 'node:crypto';
import { ApiKeyKind } from '../../engine/index.ts';
import { isAddress } from './hex.ts';
import { uuidOfKeyId } from './keyIds.ts';

/** The names of the key kinds in a derivation. Changing one would change every existing key of that kind. */
const KIND_NAMES = {
  [ApiKeyKind.TRADING]: 'trading',
  [ApiKeyKind.READONLY]: 'readonly',
  [ApiKeyKind.BUILDER]: 'builder',
} as const satisfies Record<ApiKeyKind, string>;

/** Everything that determines a key's credentials besides the server's secret. */
export interface ApiKeyIdentity {
  readonly kind: ApiKeyKind;
  /** 0x address in any letter case. */
  readonly owner: string;
  readonly nonce: number;
  /** 0 for the first key of (kind, owner, nonce), plus one each time that key is deleted and created again. */
  readonly generation: number;
}

/** The credentials that a client receives. */
export interface ApiCredentials {
  /** UUID, version 4 in shape. */
  readonly apiKey: string;
  /** Padded url-safe base64 of 32 bytes: 44 characters. */
  readonly secret: string;
  /** 64 lower-case hex digits. */
  readonly passphrase: string;
}

function deriveBytes(serverSecret: Uint8Array, part: string, identity: string): Buffer {
  return createHmac('sha256', serverSecret).update(`outcry/api-credentials/1/${part}\n${identity}`).digest();
}

/** The identity as one text. No part's alphabet contains the separator, so distinct identities give distinct texts. */
function identityText({ kind, owner, nonce, generation }: ApiKeyIdentity): string {
  if (!isAddress(owner))
    throw new TypeError(`The owner of an API key must be an address, not ${JSON.stringify(owner)}.`);
  for (const [name, number] of Object.entries({ nonce, generation })) {
    if (Number.isSafeInteger(number) && number >= 0) continue;
    throw new TypeError(`The ${name} of an API key must be a whole number of at least 0, not ${number}.`);
  }
  return `${KIND_NAMES[kind]}\n${owner.toLowerCase()}\n${nonce}\n${generation}`;
}

function uuidOfBytes(bytes: Buffer): string {
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return uuidOfKeyId(`0x${bytes.toString('hex', 0, 16)}`);
}

/** The API key that an identity's text derives. */
const apiKeyOf = (serverSecret: Uint8Array, identity: string): string =>
  uuidOfBytes(deriveBytes(serverSecret, 'key', identity));

/**
 * The credentials of a key; the same identity and server secret always give the same triple.
 * @param serverSecret 32 bytes (serverSecret.ts)
 * @throws TypeError on a malformed identity
 */
export function deriveCredentials(serverSecret: Uint8Array, identity: ApiKeyIdentity): ApiCredentials {
  const text = identityText(identity);
  return {
    apiKey: apiKeyOf(serverSecret, text),
    secret: `${deriveBytes(serverSecret, 'secret', text).toString('base64url')}=`,
    passphrase: deriveBytes(serverSecret, 'passphrase', text).toString('hex'),
  };
}

/** The credentials of a key in the log; undefined if it was made under another secret, so nobody can sign with it. */
export function credentialsOf(
  serverSecret: Uint8Array,
  key: ApiKeyIdentity & { readonly apiKey: string },
): ApiCredentials | undefined {
  const derived = deriveCredentials(serverSecret, key);
  return derived.apiKey === key.apiKey ? derived : undefined;
}

/** Whether a key derives from the present server secret. A key made under another one is active in the log but unusable. */
export function isOfSecret(key: ApiKeyIdentity & { readonly apiKey: string }, serverSecret: Uint8Array): boolean {
  return apiKeyOf(serverSecret, identityText(key)) === key.apiKey;
}
