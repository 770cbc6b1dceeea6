// L2 credentials: the HMAC-SHA256 that signs each private request with an API key's secret (wire.md A.3).
// Called for every private request, by node:crypto, which is several times faster than JavaScript's. It must never
// compare digests in a way whose time tells about them, and never keep a memory of signatures: clients reuse them.
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { isFreshTimestamp } from './headers.ts';

/** What is signed. */
export type L2Request = {
  /** Unix seconds as decimal text, exactly as in the header. */
  readonly timestamp: string;
  /** As on the request line, upper case. */
  readonly method: string;
  /** Without the query string. */
  readonly path: string;
  /** The raw bytes received; undefined or empty if there is no body. */
  readonly body?: Uint8Array | undefined;
};

const APOSTROPHE = 0x27;
const QUOTE = 0x22;
const HEX_DIGEST = /^[0-9a-fA-F]{64}$/;
const BASE64_DIGEST = /^[A-Za-z0-9+/_-]{43}=?$/;

/** The 32 bytes of a signature's text: hex, base64 or url-safe base64 (padded or not); undefined if none of these. */
function digestOfText(text: string): Buffer | undefined {
  if (BASE64_DIGEST.test(text)) return Buffer.from(text, 'base64');
  if (HEX_DIGEST.test(text)) return Buffer.from(text, 'hex');
  return undefined;
}

function digestOfRequest(request: L2Request, body: Uint8Array | undefined, key: Uint8Array): Buffer {
  const hmac = createHmac('sha256', key).update(request.timestamp + request.method + request.path);
  if (body !== undefined && body.length > 0) hmac.update(body);
  return hmac.digest();
}

function keyOfSecret(secret: string | Uint8Array): Uint8Array {
  return typeof secret === 'string' ? Buffer.from(secret, 'base64') : secret;
}

/** Some clients sign the body with every apostrophe turned into a quotation mark. */
function withQuotes(body: Uint8Array): Uint8Array {
  return body.map((byte) => (byte === APOSTROPHE ? QUOTE : byte));
}

/**
 * True if the signature is that of the request under the secret and its timestamp is fresh. Never throws.
 * @param signature hex, base64 or url-safe base64 of the digest
 * @param secret url-safe base64 as given to the client, or its bytes
 * @param nowMs the clock, milliseconds since the epoch; the timestamp may be 300 s old or 30 s ahead
 */
export function verifyL2(request: L2Request, signature: string, secret: string | Uint8Array, nowMs: number): boolean {
  if (!isFreshTimestamp(request.timestamp, nowMs)) return false;
  const given = digestOfText(signature);
  if (given === undefined) return false;
  const key = keyOfSecret(secret);
  const { body } = request;
  if (timingSafeEqual(digestOfRequest(request, body, key), given)) return true;
  if (body === undefined || !body.includes(APOSTROPHE)) return false;
  return timingSafeEqual(digestOfRequest(request, withQuotes(body), key), given);
}

/** The signature of a request: url-safe base64 with padding, as official clients send it, or hex. */
export function signL2(
  request: L2Request,
  secret: string | Uint8Array,
  encoding: 'base64url' | 'hex' = 'base64url',
): string {
  const digest = digestOfRequest(request, request.body, keyOfSecret(secret));
  if (encoding === 'hex') return digest.toString('hex');
  // 32 bytes make 43 characters and one of padding, which Node's base64url leaves out.
  return `${digest.toString('base64url')}=`;
}

/** True if two secret texts (a passphrase given and expected) are equal, in a time that does not tell where they differ. */
export function equalSecretTexts(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));
}
