// The hand-encoded order digest against published ids and against viem's hashTypedData. The digest is the order's id, so a
// single wrong bit would make every client's own id differ.
import fc from 'fast-check';
import { hashTypedData } from 'viem';
import { describe, expect, test } from 'vitest';
import { bytesToHex } from '../../server/auth/hex.ts';
import { keccak256Text } from '../../server/auth/keccak.ts';
import { ORDER_TYPE, orderHasher, orderStructHash, type SignableOrder } from '../../server/auth/orderDigest.ts';
import { arbitraryOrder, typedDataOf } from './orders.ts';
import { EXCHANGE, NEG_RISK_EXCHANGE, ORDERS_V2 } from './vectors.ts';

const contracts = { exchange: EXCHANGE, negRiskExchange: NEG_RISK_EXCHANGE };
const hasher = orderHasher({ chainId: 137, ...contracts });
const sample = ORDERS_V2[0].order;

describe('published order ids', () => {
  for (const vector of ORDERS_V2.filter(({ digest }) => digest !== undefined)) {
    test(vector.name, () => {
      expect(bytesToHex(hasher.digest(vector.order, vector.negRisk))).toBe(vector.digest);
    });
  }

  test('the order type hash is the one that the interface specifies', () => {
    expect(bytesToHex(keccak256Text(ORDER_TYPE))).toBe(
      '0xbb86318a2138f5fa8ae32fbe8e659f8fcf13cc6ae4014a707893055433818589',
    );
    expect(ORDER_TYPE).toHaveLength(186);
  });
});

test('digests of random orders on random chains equal those of viem', () => {
  const chains = fc.constantFrom(1, 137, 80002, 31337, 2 ** 40);
  fc.assert(
    fc.property(arbitraryOrder, chains, fc.boolean(), (order, chainId, negRisk) => {
      const ours = orderHasher({ chainId, ...contracts }).digest(order, negRisk);
      const exchange = negRisk ? NEG_RISK_EXCHANGE : EXCHANGE;
      expect(bytesToHex(ours)).toBe(hashTypedData(typedDataOf(order, chainId, exchange)));
    }),
    { numRuns: 300 },
  );
});

test('hashing further orders does not change an earlier digest', () => {
  const first = hasher.digest(sample, false);
  const text = bytesToHex(first);
  hasher.digest({ ...sample, salt: 7, maker: EXCHANGE }, true);
  expect(bytesToHex(first)).toBe(text);
});

test('equivalent forms of salt, maker and signer give the same digest', () => {
  const text = bytesToHex(hasher.digest(sample, false));
  const variants: SignableOrder[] = [
    { ...sample, salt: 123456789 },
    { ...sample, salt: '00000000000000000123456789' },
    { ...sample, maker: sample.maker.toLowerCase() },
    { ...sample, signer: `0x${sample.signer.slice(2).toUpperCase()}` },
  ];
  // A salt that fills all 32 bytes in between must leave no trace.
  for (const variant of variants) {
    hasher.digest({ ...sample, salt: (2n ** 256n - 1n).toString() }, false);
    expect(bytesToHex(hasher.digest(variant, false))).toBe(text);
  }
});

describe('a malformed field throws a TypeError and does not affect the next order', () => {
  const malformed: [string, Partial<SignableOrder>][] = [
    ['maker too short', { maker: '0x1234' }],
    ['maker with a non-digit', { maker: `${sample.maker.slice(0, -1)}g` }],
    ['maker with a character beyond one byte', { maker: `${sample.maker.slice(0, -1)}\u0130` }],
    ['signer without 0x', { signer: `00${sample.signer.slice(2)}` }],
    ['token id not decimal', { tokenId: '0x12' }],
    ['token id of 2^256', { tokenId: (2n ** 256n).toString() }],
    ['salt empty', { salt: '' }],
    ['salt negative', { salt: -1 }],
    ['salt past 2^53 as a number', { salt: 2 ** 53 }],
    ['salt of 2^256', { salt: (2n ** 256n).toString() }],
    ['amount fractional', { makerAmount: 1.5 }],
    ['amount negative', { takerAmount: -1 }],
    ['timestamp not a number', { timestamp: Number.NaN }],
    ['metadata empty', { metadata: '' }],
    ['builder of 31 bytes', { builder: `0x${'0'.repeat(62)}` }],
  ];
  for (const [name, fields] of malformed) {
    test(name, () => {
      const before = bytesToHex(orderStructHash(sample));
      expect(() => hasher.digest({ ...sample, ...fields }, false)).toThrow(TypeError);
      expect(bytesToHex(orderStructHash(sample))).toBe(before);
    });
  }
});
