// Order signatures of all types against published ones and against viem; malformed or altered ones are refused. No
// malformed signature may throw: a signature that cannot be verified is a regular answer.
import fc from 'fast-check';
import { recoverTypedDataAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { bytesToHex, hexToBytes } from '../../server/auth/hex.ts';
import { type OrderHasher, orderHasher, type SignableOrder } from '../../server/auth/orderDigest.ts';
import { signOrder, verifyOrderSignature } from '../../server/auth/orderSignature.ts';
import { addressOfPrivateKey } from '../../server/auth/secp256k1.ts';
import { walletDeriver } from '../../server/auth/wallets.ts';
import { arbitraryOrder, asHex, typedDataOf, wrappedTypedDataOf } from './orders.ts';
import { ADDRESS_0, EXCHANGE, KEY_0, NEG_RISK_EXCHANGE, ORDER_V1, ORDERS_V2 } from './vectors.ts';

function hasherOf(chainId: number): OrderHasher {
  return orderHasher({ chainId, exchange: EXCHANGE, negRiskExchange: NEG_RISK_EXCHANGE });
}

const polygon = hasherOf(137);

function verify(order: SignableOrder, signature: string | Uint8Array, negRisk = false, hasher = polygon) {
  const text = typeof signature === 'string' ? signature : bytesToHex(signature);
  return verifyOrderSignature(order, hasher.digest(order, negRisk), text, hasher.domain(negRisk));
}

function flippedAt(bytes: Uint8Array, index: number): Uint8Array {
  const changed = Uint8Array.from(bytes);
  changed[index] ^= 0x01;
  return changed;
}

function bytesOf(text: string): Uint8Array {
  const bytes = hexToBytes(text);
  if (bytes === undefined) throw new Error(`${text} is not hex.`);
  return bytes;
}

const plain = ORDERS_V2[0];
const wrapped = ORDERS_V2[5];

describe('published order signatures', () => {
  for (const vector of ORDERS_V2) {
    const hasher = hasherOf(vector.chainId);
    test(`${vector.name}: the signer is recovered`, () => {
      const check = verify(vector.order, vector.signature, vector.negRisk, hasher);
      expect(check).toEqual({ ok: true, signer: vector.signer });
    });
    test(`${vector.name}: not valid for the other exchange contract`, () => {
      expect(verify(vector.order, vector.signature, !vector.negRisk, hasher).ok).toBe(false);
    });
    test(`${vector.name}: not valid on another chain`, () => {
      expect(verify(vector.order, vector.signature, vector.negRisk, hasherOf(31337)).ok).toBe(false);
    });
  }
  for (const vector of ORDERS_V2.filter(({ signedByKey0 }) => signedByKey0)) {
    test(`${vector.name}: signOrder makes the same signature`, () => {
      expect(signOrder(vector.order, KEY_0, hasherOf(vector.chainId).domain(vector.negRisk))).toBe(vector.signature);
    });
  }
});

test('a V1 signature is invalid for the V2 order with the same fields', () => {
  for (const signature of ORDER_V1.signatures) {
    for (const negRisk of [false, true]) {
      const check = verify(ORDER_V1.asV2, signature, negRisk, hasherOf(ORDER_V1.chainId));
      expect(check.ok).toBe(false);
    }
  }
});

test('changing any signed field invalidates the signature', () => {
  const changes: Partial<SignableOrder>[] = [
    { salt: '123456790' },
    { maker: EXCHANGE },
    { signer: EXCHANGE },
    { tokenId: '1' },
    { makerAmount: 100000001 },
    { takerAmount: 50000001 },
    { side: 1 },
    { timestamp: 1713398400001 },
    { metadata: `0x${'1'.repeat(64)}` },
    { builder: `0x${'1'.repeat(64)}` },
  ];
  for (const change of [...changes, { signatureType: 1 as const }]) {
    expect(verify({ ...plain.order, ...change }, plain.signature).ok).toBe(false);
  }
  for (const change of changes) expect(verify({ ...wrapped.order, ...change }, wrapped.signature).ok).toBe(false);
});

describe('random orders', () => {
  const keys = fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .map((bytes) => bytesToHex(bytes))
    .filter((key) => BigInt(key) > 0n && BigInt(key) < 2n ** 255n);

  test('signed by signOrder: our verification and viem recover the signer', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryOrder, keys, fc.boolean(), async (random, key, negRisk) => {
        const owner = addressOfPrivateKey(key);
        const order = random.signatureType === 3 ? random : { ...random, signer: owner };
        const domain = polygon.domain(negRisk);
        const signature = signOrder(order, key, domain);
        expect(verify(order, signature, negRisk)).toEqual({ ok: true, signer: owner });
        const exchange = negRisk ? NEG_RISK_EXCHANGE : EXCHANGE;
        const inner = asHex(signature.slice(0, 132));
        const referee =
          order.signatureType === 3
            ? await recoverTypedDataAddress({ ...wrappedTypedDataOf(order, 137, exchange), signature: inner })
            : await recoverTypedDataAddress({ ...typedDataOf(order, 137, exchange), signature: inner });
        expect(referee.toLowerCase()).toBe(owner);
      }),
      { numRuns: 100 },
    );
  });

  test('signed by viem: our verification recovers the signer', async () => {
    const account = privateKeyToAccount(asHex(KEY_0));
    await fc.assert(
      fc.asyncProperty(arbitraryOrder, async (random) => {
        const order: SignableOrder = { ...random, signer: account.address, signatureType: 0 };
        const signature = await account.signTypedData(typedDataOf(order, 137, EXCHANGE));
        expect(verify(order, signature)).toEqual({ ok: true, signer: ADDRESS_0.toLowerCase() });
      }),
      { numRuns: 100 },
    );
  });
});

describe('malformed signatures', () => {
  test('arbitrary text or bytes are rejected without an exception', () => {
    const anyBytes = fc.uint8Array({ maxLength: 400, size: 'max' });
    const anySignature = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), anyBytes, anyBytes.map(bytesToHex));
    fc.assert(
      fc.property(anySignature, fc.constantFrom(plain, wrapped), (signature, vector) => {
        expect(verify(vector.order, signature).ok).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  test('plain signatures must have 65 bytes and wrapped ones 317; other lengths are rejected', () => {
    const plainBytes = bytesOf(plain.signature);
    const wrappedBytes = bytesOf(wrapped.signature);
    for (const [vector, bytes] of [
      [plain, plainBytes],
      [wrapped, wrappedBytes],
    ] as const) {
      expect(verify(vector.order, bytes.subarray(1)).ok).toBe(false);
      expect(verify(vector.order, bytes.subarray(0, -1)).ok).toBe(false);
      expect(verify(vector.order, Uint8Array.of(...bytes, 0)).ok).toBe(false);
      expect(verify(vector.order, Uint8Array.of(0, ...bytes)).ok).toBe(false);
    }
    expect(verify(plain.order, wrappedBytes).ok).toBe(false);
    expect(verify(wrapped.order, plainBytes).ok).toBe(false);
    expect(verify(wrapped.order, wrappedBytes.subarray(0, 65)).ok).toBe(false);
    const stretched = Buffer.concat([wrappedBytes.subarray(0, -2), Buffer.from('more'), wrappedBytes.subarray(-2)]);
    expect(verify(wrapped.order, stretched).ok).toBe(false);
  });

  test('a plain signature with any byte changed is rejected', () => {
    const bytes = bytesOf(plain.signature);
    for (let index = 0; index < bytes.length; index++) {
      expect(verify(plain.order, flippedAt(bytes, index)).ok).toBe(false);
    }
  });
});

describe('a wrapped signature', () => {
  const { derivedWallets, walletType } = walletDeriver();
  const wallet = derivedWallets(ADDRESS_0).depositBeacon;
  const order: SignableOrder = { ...wrapped.order, maker: wallet, signer: wallet };
  const bytes = bytesOf(signOrder(order, KEY_0, polygon.domain(false)));

  test('recovers the owner of the wallet when unchanged', () => {
    const check = verify(order, bytes);
    expect(check).toEqual({ ok: true, signer: ADDRESS_0.toLowerCase() });
    expect(walletType(ADDRESS_0, wallet)).toBe('depositBeacon');
  });

  test('is rejected with any byte of the wrapper changed', () => {
    for (let index = 65; index < bytes.length; index++) {
      expect(verify(order, flippedAt(bytes, index)).ok).toBe(false);
    }
  });

  test('is rejected or recovers a key that does not own the wallet with any inner byte changed', () => {
    for (let index = 0; index < 65; index++) {
      const check = verify(order, flippedAt(bytes, index));
      if (check.ok) expect(walletType(check.signer, wallet)).toBeUndefined();
    }
  });
});
