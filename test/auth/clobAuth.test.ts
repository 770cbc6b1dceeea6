// L1: the ClobAuth statement against the published vector and viem, and the requests that must be answered with 401. viem
// is the referee of the hand-encoded digest; the vector is that of the official clients' own tests.
import fc from 'fast-check';
import { hashTypedData } from 'viem';
import { describe, expect, test } from 'vitest';
import { clobAuthDigest, signClobAuth, verifyL1 } from '../../server/auth/clobAuth.ts';
import type { AuthHeaders } from '../../server/auth/headers.ts';
import { bytesToHex, hexToBytes } from '../../server/auth/hex.ts';
import { asHex } from './orders.ts';
import { ADDRESS_0, ADDRESS_1, CLOB_AUTH, KEY_0 } from './vectors.ts';

const NOW_MS = 10_000_000_000;

const headers: AuthHeaders = {
  family: 'poly',
  address: CLOB_AUTH.address,
  apiKey: '',
  passphrase: '',
  signature: CLOB_AUTH.signature,
  timestamp: CLOB_AUTH.timestamp,
  nonce: CLOB_AUTH.nonce,
};

test('digest and signature equal those of the published vector', () => {
  expect(bytesToHex(clobAuthDigest(CLOB_AUTH, CLOB_AUTH.chainId))).toBe(CLOB_AUTH.digest);
  expect(signClobAuth(CLOB_AUTH, CLOB_AUTH.chainId, KEY_0)).toBe(CLOB_AUTH.signature);
});

test('digests of random statements equal those of viem', () => {
  const statements = fc.record({
    timestamp: fc.nat().map(String),
    nonce: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String),
    address: fc.constantFrom(ADDRESS_0, ADDRESS_1.toLowerCase()),
  });
  fc.assert(
    fc.property(statements, fc.integer({ min: 1 }), (statement, chainId) => {
      const byViem = hashTypedData({
        domain: { name: 'ClobAuthDomain', version: '1', chainId },
        types: {
          ClobAuth: [
            { name: 'address', type: 'address' },
            { name: 'timestamp', type: 'string' },
            { name: 'nonce', type: 'uint256' },
            { name: 'message', type: 'string' },
          ],
        },
        primaryType: 'ClobAuth',
        message: {
          address: asHex(statement.address),
          timestamp: statement.timestamp,
          nonce: BigInt(statement.nonce),
          message: 'This message attests that I control the given wallet',
        },
      });
      expect(bytesToHex(clobAuthDigest(statement, chainId))).toBe(byViem);
    }),
    { numRuns: 100 },
  );
});

describe('accepted headers', () => {
  const owner = ADDRESS_0.toLowerCase();

  test('the published ones, also with a lower-case address and with the service header family', () => {
    expect(verifyL1(headers, 80002, NOW_MS)).toBe(owner);
    expect(verifyL1({ ...headers, address: ADDRESS_0.toLowerCase() }, 80002, NOW_MS)).toBe(owner);
    expect(verifyL1({ ...headers, family: 'service' }, 80002, NOW_MS)).toBe(owner);
  });

  test('leading zeros of a nonce are ignored', () => {
    expect(verifyL1({ ...headers, nonce: '0023' }, 80002, NOW_MS)).toBe(owner);
  });

  test('an empty nonce counts as nonce 0', () => {
    const signature = signClobAuth({ ...CLOB_AUTH, nonce: '0' }, 80002, KEY_0);
    expect(verifyL1({ ...headers, nonce: '', signature }, 80002, NOW_MS)).toBe(owner);
  });

  test('timestamps from 300 s in the past to 30 s in the future', () => {
    expect(verifyL1(headers, 80002, NOW_MS + 300_000)).toBe(owner);
    expect(verifyL1(headers, 80002, NOW_MS + 300_001)).toBeUndefined();
    expect(verifyL1(headers, 80002, NOW_MS - 30_000)).toBe(owner);
    expect(verifyL1(headers, 80002, NOW_MS - 30_001)).toBeUndefined();
  });
});

describe('rejected headers', () => {
  const funder = '0xd93b25Cb943D14d0d34FBAf01fc93a0F8b5f6e47';
  const cases: [string, Partial<AuthHeaders>][] = [
    ["another key's address", { address: ADDRESS_1 }],
    ['a funder wallet as the address', { address: funder }],
    ['a malformed address', { address: '0x12' }],
    ['no address', { address: '' }],
    ['another nonce', { nonce: '24' }],
    ['a nonce that is not decimal', { nonce: '0x17' }],
    ['a negative nonce', { nonce: '-1' }],
    ['a nonce of 2^256', { nonce: (2n ** 256n).toString() }],
    ['another timestamp', { timestamp: '10000001' }],
    ['a timestamp that is not digits', { timestamp: '1e7' }],
    ['no timestamp', { timestamp: '' }],
    ['no signature', { signature: '' }],
    ['a signature that is not hex', { signature: `0x${'zz'.repeat(65)}` }],
    ['a short signature', { signature: CLOB_AUTH.signature.slice(0, -2) }],
    ['v of 0', { signature: `${CLOB_AUTH.signature.slice(0, -2)}00` }],
  ];
  for (const [name, fields] of cases) {
    test(name, () => expect(verifyL1({ ...headers, ...fields }, 80002, NOW_MS)).toBeUndefined());
  }

  test('another chain', () => expect(verifyL1(headers, 137, NOW_MS)).toBeUndefined());

  test('a signature with any byte changed', () => {
    const bytes = hexToBytes(CLOB_AUTH.signature) ?? new Uint8Array();
    for (let index = 0; index < 65; index++) {
      const changed = Uint8Array.from(bytes);
      changed[index] ^= 1;
      expect(verifyL1({ ...headers, signature: bytesToHex(changed) }, 80002, NOW_MS)).toBeUndefined();
    }
  });

  test('arbitrary header text never throws', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }));
    const anyHeaders = fc.record(
      { address: text, signature: text, timestamp: text, nonce: text },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(anyHeaders, (fields) => {
        const given = { ...headers, ...fields };
        const isUnchanged = JSON.stringify(given) === JSON.stringify(headers);
        expect(verifyL1(given, 80002, NOW_MS) !== undefined).toBe(isUnchanged);
      }),
      { numRuns: 500 },
    );
  });
});
