// API credentials, derived from the server's one secret and the identity of a key, so that nothing secret is stored
// and a lost triple can be derived again (wire.md A.2). Called when a key is created or derived, and when a gateway
// first meets a key. The server's secret must never be logged, returned or written anywhere but its own file.
import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ApiKeyKind, writeWhole } from '../../engine/index.ts';
import { isAddress } from './hex.ts';

/** What the kinds of keys are called in a derivation: every key there is depends on it. */
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
  /** 0 for the first key of (kind, owner, nonce); one more each time that key was deleted and made anew. */
  readonly generation: number;
}

/** A triple as clients need it. */
export interface ApiCredentials {
  /** UUID, version 4 in shape. */
  readonly apiKey: string;
  /** Url-safe base64 with padding of 32 bytes: 44 characters. */
  readonly secret: string;
  /** 64 lower-case hex digits. */
  readonly passphrase: string;
}

const SECRET_BYTES = 32;
const SECRET_TEXT_CHARACTERS_MIN = 32;

function deriveBytes(serverSecret: Uint8Array, part: string, identity: string): Buffer {
  return createHmac('sha256', serverSecret).update(`outcry/api-credentials/1/${part}\n${identity}`).digest();
}

/** The identity as one text: each part has a fixed alphabet without the separator, so no two identities share it. */
function identityText({ kind, owner, nonce, generation }: ApiKeyIdentity): string {
  if (!isAddress(owner))
    throw new TypeError(`The owner of an API key must be an address, not ${JSON.stringify(owner)}.`);
  for (const [name, number] of Object.entries({ nonce, generation })) {
    if (Number.isSafeInteger(number) && number >= 0) continue;
    throw new TypeError(`The ${name} of an API key must be a whole number from 0, not ${number}.`);
  }
  return `${KIND_NAMES[kind]}\n${owner.toLowerCase()}\n${nonce}\n${generation}`;
}

function uuidOfBytes(bytes: Buffer): string {
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = bytes.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** The key of an identity's text. */
const apiKeyOf = (serverSecret: Uint8Array, identity: string): string =>
  uuidOfBytes(deriveBytes(serverSecret, 'key', identity));

/**
 * The credentials of a key; the same identity and server secret always give the same triple.
 * @param serverSecret 32 bytes (loadServerSecret)
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

/** The credentials of a key of the log; undefined where it was made under another secret: with it nobody can sign. */
export function credentialsOf(
  serverSecret: Uint8Array,
  key: ApiKeyIdentity & { readonly apiKey: string },
): ApiCredentials | undefined {
  const derived = deriveCredentials(serverSecret, key);
  return derived.apiKey === key.apiKey ? derived : undefined;
}

/** Whether a key derives from the server's secret: one that was made under another is active in the log, and is nobody's. */
export function isOfSecret(key: ApiKeyIdentity & { readonly apiKey: string }, serverSecret: Uint8Array): boolean {
  return apiKeyOf(serverSecret, identityText(key)) === key.apiKey;
}

/** The file in the data directory that holds the server's secret when OUTCRY_SECRET is not set. */
export const SERVER_SECRET_FILE = 'server-secret';

function secretOfText(text: string): Uint8Array {
  const trimmed = text.trim();
  if (/^(0x)?[0-9a-fA-F]{64}$/.test(trimmed)) return Buffer.from(trimmed.slice(-64), 'hex');
  if (trimmed.length < SECRET_TEXT_CHARACTERS_MIN) {
    throw new RangeError(
      `OUTCRY_SECRET has ${trimmed.length} characters; it needs at least ${SECRET_TEXT_CHARACTERS_MIN}, ` +
        'for example the output of "openssl rand -hex 32".',
    );
  }
  return createHmac('sha256', 'outcry/server-secret/1').update(trimmed).digest();
}

function readSecretFile(path: string): Uint8Array {
  const mode = statSync(path).mode & 0o777;
  // Windows has no such permissions and always reports them open.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new Error(
      `${path} can be read or written by other users (mode ${mode.toString(8)}); it needs 600. ` +
        'Run chmod 600 on it, and delete it if others may have seen it: all API keys then change.',
    );
  }
  const text = readFileSync(path, 'utf8').trim();
  if (!/^[0-9a-fA-F]{64}$/.test(text)) {
    throw new Error(
      `${path} does not hold 64 hex digits. Restore it from a backup, or delete it: all API keys then change.`,
    );
  }
  return Buffer.from(text, 'hex');
}

/** Written beside and renamed, so that a crash leaves the whole file or none. */
function createSecretFile(dataDir: string, path: string): Uint8Array {
  const secret = randomBytes(SECRET_BYTES);
  mkdirSync(dataDir, { recursive: true });
  writeWhole(path, `${secret.toString('hex')}\n`, 0o600);
  return secret;
}

type SecretEnvironment = { readonly [name: string]: string | undefined };

/**
 * The secret that there is, in OUTCRY_SECRET or in the file of the data directory; undefined where one is still to be made.
 * @throws Error with a sentence if the text is too short, or the file is open to others or not a secret
 */
export function findServerSecret(dataDir: string, { OUTCRY_SECRET: given }: SecretEnvironment): Uint8Array | undefined {
  if (given !== undefined && given !== '') return secretOfText(given);
  const path = join(dataDir, SERVER_SECRET_FILE);
  return existsSync(path) ? readSecretFile(path) : undefined;
}

/**
 * The server's 32-byte secret: from OUTCRY_SECRET (64 hex digits, or any text of at least 32 characters), else from
 * the 0600 file in the data directory, which is made on first use. Call it holding the directory's lock.
 * @throws Error as findServerSecret does
 */
export const loadServerSecret = (dataDir: string, env: SecretEnvironment): Uint8Array =>
  findServerSecret(dataDir, env) ?? createSecretFile(dataDir, join(dataDir, SERVER_SECRET_FILE));
