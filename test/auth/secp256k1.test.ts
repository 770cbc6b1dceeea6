// Recovery and signing: native and WASM libsecp256k1 against each other, against noble and viem; odd forms refused. The
// slow JavaScript fallback of the secp256k1 package must never be the code that runs.
import { secp256k1 as noble } from '@noble/curves/secp256k1.js';
import { bytesToNumberBE, concatBytes, numberToBytesBE } from '@noble/curves/utils.js';
import fc from 'fast-check';
import { recoverAddress as viemRecoverAddress } from 'viem';
import { describe, expect, test } from 'vitest';
import { bytesToHex } from '../../server/auth/hex.ts';
import { keccak256 } from '../../server/auth/keccak.ts';
import {
  addressOfPrivateKey,
  loadNativeBackend,
  loadWasmBackend,
  recoverAddress,
  type Secp256k1,
  secp256k1With,
  signatureBackend,
  signDigest,
} from '../../server/auth/secp256k1.ts';
import { asHex } from './orders.ts';
import { ADDRESS_0, KEY_0 } from './vectors.ts';

const ORDER_N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const native = loadNativeBackend();
const curves: Secp256k1[] = [secp256k1With(await loadWasmBackend())];
if (native !== undefined) curves.push(secp256k1With(native));

const bytes32Of = (value: bigint): Uint8Array => numberToBytesBE(value, 32);

const digests = fc.uint8Array({ minLength: 32, maxLength: 32 });
const keys = fc.bigInt({ min: 1n, max: ORDER_N - 1n }).map(bytes32Of);

function nobleAddress(digest: Uint8Array, signature: Uint8Array): string {
  const recovered = concatBytes(Uint8Array.of(signature[64] - 27), signature.subarray(0, 64));
  const compressed = noble.recoverPublicKey(recovered, digest, { prehash: false });
  const publicKey = noble.Point.fromBytes(compressed).toBytes(false);
  return bytesToHex(keccak256(publicKey.subarray(1)).subarray(12));
}

test('the native backend is used if it loads, and WASM otherwise', () => {
  expect(signatureBackend).toBe(native === undefined ? 'wasm' : 'native');
});

test('signatures recover to the signing key in every implementation', async () => {
  await fc.assert(
    fc.asyncProperty(digests, keys, async (digest, key) => {
      const signature = signDigest(digest, key);
      const address = addressOfPrivateKey(key);
      expect(recoverAddress(digest, signature)).toBe(address);
      expect(nobleAddress(digest, signature)).toBe(address);
      const byViem = await viemRecoverAddress({
        hash: asHex(bytesToHex(digest)),
        signature: asHex(bytesToHex(signature)),
      });
      expect(byViem.toLowerCase()).toBe(address);
      for (const curve of curves) {
        expect(curve.recoverAddress(digest, signature)).toBe(address);
        expect(bytesToHex(curve.signDigest(digest, key))).toBe(bytesToHex(signature));
        expect(curve.addressOfPrivateKey(key)).toBe(address);
      }
    }),
    { numRuns: 60 },
  );
});

test('both backends agree on random r and s with v of 27 or 28', () => {
  const recoveryByte = fc.constantFrom(27, 28);
  const r = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const s = fc.bigInt({ min: 0n, max: ORDER_N / 2n + 1n }).map(bytes32Of);
  fc.assert(
    fc.property(digests, r, s, recoveryByte, (digest, rBytes, sBytes, v) => {
      const signature = concatBytes(rBytes, sBytes, Uint8Array.of(v));
      const addresses = curves.map((curve) => curve.recoverAddress(digest, signature));
      expect(new Set(addresses).size).toBe(1);
    }),
    { numRuns: 500 },
  );
});

describe('rejected forms', () => {
  const digest = keccak256(Uint8Array.of(1, 2, 3));
  const signature = signDigest(digest, KEY_0);
  const r = signature.subarray(0, 32);
  const s = bytesToNumberBE(signature.subarray(32, 64));
  const v = signature[64];
  const withParts = (rBytes: Uint8Array, sValue: bigint, vByte: number): Uint8Array =>
    concatBytes(rBytes, bytes32Of(sValue), Uint8Array.of(vByte));

  const refused: [string, Uint8Array][] = [
    ['high s with the other v', withParts(r, ORDER_N - s, 55 - v)],
    ['high s with the same v', withParts(r, ORDER_N - s, v)],
    ['s just above n / 2', withParts(r, ORDER_N / 2n + 1n, v)],
    ['s of zero', withParts(r, 0n, v)],
    ['s of n', withParts(r, ORDER_N, v)],
    ['r of zero', withParts(new Uint8Array(32), s, v)],
    ['r of n', withParts(bytes32Of(ORDER_N), s, v)],
    ['r of 2^256 - 1', withParts(new Uint8Array(32).fill(0xff), s, v)],
    ['64 bytes', signature.subarray(0, 64)],
    ['66 bytes', Uint8Array.of(...signature, 0)],
    ['no bytes', new Uint8Array(0)],
    ...[0, 1, 2, 26, 29, 30, 35, 255].map((vByte): [string, Uint8Array] => [`v of ${vByte}`, withParts(r, s, vByte)]),
  ];
  for (const [name, bytes] of refused) {
    test(name, () => {
      for (const curve of curves) expect(curve.recoverAddress(digest, bytes)).toBeUndefined();
      expect(recoverAddress(digest, bytes)).toBeUndefined();
    });
  }

  test('a digest that is not 32 bytes', () => {
    for (const curve of curves) {
      expect(curve.recoverAddress(digest.subarray(1), signature)).toBeUndefined();
      expect(() => curve.signDigest(digest.subarray(1), KEY_0)).toThrow('A digest has 32 bytes, not 31.');
    }
  });

  test('s of exactly n / 2, the largest valid value, is accepted', () => {
    const largest = withParts(r, ORDER_N / 2n, v);
    const signer = nobleAddress(digest, largest);
    for (const curve of curves) expect(curve.recoverAddress(digest, largest)).toBe(signer);
  });

  test('the unchanged signature is accepted', () => {
    for (const curve of curves) expect(curve.recoverAddress(digest, signature)).toBe(ADDRESS_0.toLowerCase());
  });

  test('bad private keys, with an error that does not reveal them', () => {
    const bad = ['0x12', 'secret-key', `0x${'0'.repeat(64)}`, new Uint8Array(31), bytes32Of(ORDER_N)];
    for (const curve of curves) {
      for (const key of bad) {
        expect(() => curve.signDigest(digest, key)).toThrow();
        expect(() => curve.addressOfPrivateKey(key)).toThrow();
      }
      expect(() => curve.signDigest(digest, 'secret-key')).toThrow(/^(?!.*secret-key)/);
    }
  });
});
