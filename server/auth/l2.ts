// L2 credentials: the HMAC-SHA256 that signs each private request with an API key's secret (wire.md A.3). Called for every
// private request; uses node:crypto, which is several times faster than JavaScript. Digests must be compared in constant
// time, and signatures must not be remembered: clients reuse them. The buffers are shared by all calls, so nothing here may
// be asynchronous.
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { isFreshTimestamp } from './headers.ts';

/** The signed parts of a request. */
export type L2Request = {
  /** Unix seconds as decimal text, exactly as in the header. */
  readonly timestamp: string;
  /** As in the request line, upper case. */
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

const DIGEST_BYTES = 32;
/** SHA-256's block size, to which HMAC pads its key. */
const BLOCK_BYTES = 64;

const givenDigest = Buffer.alloc(DIGEST_BYTES);
const ownDigest = Buffer.alloc(DIGEST_BYTES);

/** Decodes a signature into `givenDigest` from hex, base64 or url-safe base64 (padded or not); false if it is none of these. */
function readDigest(text: string): boolean {
  if (BASE64_DIGEST.test(text)) return givenDigest.write(text, 'base64') === DIGEST_BYTES;
  return HEX_DIGEST.test(text) && givenDigest.write(text, 'hex') === DIGEST_BYTES;
}

/** The inputs of HMAC's two hashes: the padded key with the message, and the padded key with the inner digest. */
const inner = Buffer.alloc(8_192);
const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);

/** Writes the HMAC of a request into `ownDigest`. */
function signRequest(request: L2Request, body: Uint8Array | undefined, key: Uint8Array): void {
  const head = request.timestamp + request.method + request.path;
  const headBytes = Buffer.byteLength(head);
  const length = BLOCK_BYTES + headBytes + (body?.length ?? 0);
  if (length > inner.length || key.length > BLOCK_BYTES) {
    const hmac = createHmac('sha256', key).update(head);
    if (body !== undefined) hmac.update(body);
    hmac.digest().copy(ownDigest);
    return;
  }
  // RFC 2104 by two one-shot hashes with string results: creating an Hmac object costs more than hashing everything.
  inner.fill(0x36, 0, BLOCK_BYTES);
  outer.fill(0x5c, 0, BLOCK_BYTES);
  for (let index = 0; index < key.length; index += 1) {
    inner[index] ^= key[index];
    outer[index] ^= key[index];
  }
  inner.write(head, BLOCK_BYTES);
  if (body !== undefined) inner.set(body, BLOCK_BYTES + headBytes);
  outer.write(hash('sha256', inner.subarray(0, length), 'binary'), BLOCK_BYTES, 'latin1');
  ownDigest.write(hash('sha256', outer, 'binary'), 'latin1');
}

function isSignedBy(request: L2Request, body: Uint8Array | undefined, key: Uint8Array): boolean {
  signRequest(request, body, key);
  return timingSafeEqual(ownDigest, givenDigest);
}

/** Some clients sign the body with every apostrophe replaced by a quotation mark. */
function withQuotes(body: Uint8Array): Uint8Array {
  return body.map((byte) => (byte === APOSTROPHE ? QUOTE : byte));
}

/**
 * Whether the signature is the request's under the key and its timestamp is fresh. Never throws.
 * @param signature hex, base64 or url-safe base64 of the digest
 * @param key the bytes of the client's secret
 * @param nowMs the clock, milliseconds since the epoch; the timestamp may be 300 s old or 30 s ahead
 */
export function verifyL2(request: L2Request, signature: string, key: Uint8Array, nowMs: number): boolean {
  if (!isFreshTimestamp(request.timestamp, nowMs)) return false;
  if (!readDigest(signature)) return false;
  const { body } = request;
  if (isSignedBy(request, body, key)) return true;
  if (body === undefined || !body.includes(APOSTROPHE)) return false;
  return isSignedBy(request, withQuotes(body), key);
}

/**
 * A request's signature: padded url-safe base64, as official clients send it.
 * @param secret url-safe base64 as given to the client
 */
export function signL2(request: L2Request, secret: string): string {
  signRequest(request, request.body, Buffer.from(secret, 'base64'));
  // 32 bytes take 43 characters and one of padding, which Node's base64url omits.
  return `${ownDigest.toString('base64url')}=`;
}

/** Whether two secret texts (a passphrase given and expected) are equal, in a time independent of where they differ. */
export function equalSecretTexts(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));
}
