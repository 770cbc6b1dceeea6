// L2: the HMAC of requests against the published vector, its encodings, its tolerance, and the parsing of headers. The
// vector is that of the official clients' own tests.
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isFreshTimestamp, readAuthHeaders } from '../../server/auth/headers.ts';
import { equalSecretTexts, type L2Request, signL2, verifyL2 } from '../../server/auth/l2.ts';
import { HMAC } from './vectors.ts';

const NOW_MS = 1_000_000_000;
/** The published secret's bytes. */
const KEY = Buffer.from(HMAC.secret, 'base64');
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const request: L2Request = {
  timestamp: HMAC.timestamp,
  method: HMAC.method,
  path: HMAC.path,
  body: encode(HMAC.body),
};

describe('the published signature', () => {
  test('is reproduced and accepted', () => {
    expect(signL2(request, HMAC.secret)).toBe(HMAC.signature);
    expect(verifyL2(request, HMAC.signature, KEY, NOW_MS)).toBe(true);
  });

  test('is accepted in every encoding of the same digest', () => {
    const standard = HMAC.signature.replaceAll('-', '+').replaceAll('_', '/');
    const hex = Buffer.from(standard, 'base64').toString('hex');
    for (const text of [standard, standard.slice(0, -1), HMAC.signature.slice(0, -1), hex, hex.toUpperCase()]) {
      expect(verifyL2(request, text, KEY, NOW_MS)).toBe(true);
    }
  });

  test('is accepted from 300 s old to 30 s ahead, and more than once', () => {
    const accepts = (nowMs: number) => verifyL2(request, HMAC.signature, KEY, nowMs);
    expect([accepts(NOW_MS + 300_000), accepts(NOW_MS + 300_001)]).toEqual([true, false]);
    expect([accepts(NOW_MS - 30_000), accepts(NOW_MS - 30_001)]).toEqual([true, false]);
    expect(accepts(NOW_MS)).toBe(true);
  });
});

test('a request with any signed part changed is rejected, and so is another secret', () => {
  const changes: Partial<L2Request>[] = [
    { timestamp: '1000001' },
    { method: 'GET' },
    { path: '/order' },
    { path: '/orders?x=1' },
    { body: encode('{"hash": "0x124"}') },
    { body: undefined },
  ];
  for (const change of changes) {
    expect(verifyL2({ ...request, ...change }, HMAC.signature, KEY, NOW_MS)).toBe(false);
  }
  expect(verifyL2(request, HMAC.signature, new Uint8Array(32).fill(1), NOW_MS)).toBe(false);
});

test('signatures of short and long bodies with keys of 0 to 200 bytes equal those of node:crypto', () => {
  const bodies = [0, 1, 8_000, 8_100, 8_127, 8_128, 8_129, 8_191, 8_192, 8_193, 100_000];
  // The published secret is all zeros, which is also how a key is padded: other keys show whether a key is used at all.
  for (const keyBytes of [0, 1, 32, 63, 64, 65, 200]) {
    const key = Buffer.from(Array.from({ length: keyBytes }, (_, index) => 255 - index));
    for (const length of bodies) {
      const long = { ...request, body: Buffer.alloc(length, 'a') };
      const head = `${long.timestamp}${long.method}${long.path}`;
      const expected = createHmac('sha256', key).update(head).update(long.body).digest('base64url');
      expect([keyBytes, length, signL2(long, key.toString('base64url'))]).toEqual([keyBytes, length, `${expected}=`]);
      expect(verifyL2(long, expected, key, NOW_MS)).toBe(true);
      expect(verifyL2(long, expected, KEY, NOW_MS)).toBe(keyBytes === 0);
    }
  }
});

test('an empty body gives the same signature as no body', () => {
  const bare = { timestamp: '1000000', method: 'GET', path: '/data/orders' };
  const signature = signL2(bare, HMAC.secret);
  expect(verifyL2({ ...bare, body: new Uint8Array(0) }, signature, KEY, NOW_MS)).toBe(true);
  const expected = createHmac('sha256', new Uint8Array(32)).update('1000000GET/data/orders').digest('base64url');
  expect(signature).toBe(`${expected}=`);
});

test('a signature over quotation marks instead of apostrophes is accepted, but not the reverse', () => {
  const sent = { ...request, body: encode(`{"name":"it's"}`) };
  const signed = { ...request, body: encode(`{"name":"it"s"}`) };
  expect(verifyL2(sent, signL2(signed, HMAC.secret), KEY, NOW_MS)).toBe(true);
  expect(verifyL2(sent, signL2(sent, HMAC.secret), KEY, NOW_MS)).toBe(true);
  expect(verifyL2(signed, signL2(sent, HMAC.secret), KEY, NOW_MS)).toBe(false);
});

test('malformed signatures, timestamps and keys are rejected without an exception', () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.base64String());
  fc.assert(
    fc.property(text, text, text, (signature, timestamp, key) => {
      expect(verifyL2(request, signature, KEY, NOW_MS)).toBe(false);
      expect(verifyL2({ ...request, timestamp }, HMAC.signature, KEY, NOW_MS)).toBe(false);
      expect(verifyL2(request, signature, encode(key), NOW_MS)).toBe(false);
    }),
    { numRuns: 500 },
  );
  const hex = Buffer.from(HMAC.signature, 'base64url').toString('hex');
  const near = ['', '=', HMAC.signature.slice(1), `${HMAC.signature}=`, ` ${HMAC.signature}`, hex.slice(2), `0x${hex}`];
  for (const text of [...near, `${hex}00`, `${hex}x`, `${hex} `]) {
    expect([text, verifyL2(request, text, KEY, NOW_MS)]).toEqual([text, false]);
  }
});

test('only timestamps in whole seconds and plain digits count as fresh', () => {
  expect(isFreshTimestamp('1000000', NOW_MS)).toBe(true);
  for (const text of ['', '1000000.0', '+1000000', ' 1000000', '1e6', '0xf4240', '1000000000', '9'.repeat(400)]) {
    expect(isFreshTimestamp(text, NOW_MS)).toBe(false);
  }
});

test('equalSecretTexts is true only for identical texts', () => {
  expect(equalSecretTexts('a'.repeat(64), 'a'.repeat(64))).toBe(true);
  expect(equalSecretTexts('a'.repeat(64), 'a'.repeat(63))).toBe(false);
  expect(equalSecretTexts('', 'a')).toBe(false);
});

describe('the headers of both families', () => {
  const poly = {
    poly_address: '0xA',
    poly_api_key: 'k',
    poly_passphrase: 'p',
    poly_signature: 's',
    poly_timestamp: '1',
  };
  const service = {
    service_address: '0xB',
    service_api_key: 'l',
    service_passphrase: 'q',
    service_signature: 't',
    service_timestamp: '2',
  };
  const read = (headers: { readonly [name: string]: string }) => readAuthHeaders((name) => headers[name] ?? '');

  test('are read into one object', () => {
    const expected = { family: 'poly', address: '0xA', apiKey: 'k', passphrase: 'p', signature: 's', timestamp: '1' };
    expect(read(poly)).toEqual({ ...expected, nonce: '' });
    expect(read(service)).toMatchObject({ family: 'service', address: '0xB', apiKey: 'l', signature: 't' });
  });

  test('POLY_ headers take precedence if they include an API key', () => {
    expect(read({ ...poly, ...service }).family).toBe('poly');
    expect(read({ ...service, poly_address: '0xA', poly_signature: 's' }).family).toBe('service');
  });

  test('L1 headers have an address and a nonce but no API key', () => {
    const l1 = { poly_address: '0xA', poly_signature: 's', poly_timestamp: '1', poly_nonce: '0' };
    expect(read(l1)).toMatchObject({ family: 'poly', address: '0xA', nonce: '0', apiKey: '' });
    expect(read({ service_address: '0xB', service_nonce: '3' })).toMatchObject({ family: 'service', nonce: '3' });
  });

  test('absent headers are read as empty strings', () => {
    expect(read({})).toMatchObject({
      address: '',
      apiKey: '',
      passphrase: '',
      signature: '',
      timestamp: '',
      nonce: '',
    });
  });
});
