// Hex text and uint256 conversions: round trips, and strictness on everything else. They stand between untrusted text and
// signed bytes, so anything but exact forms must be refused.
import { bytesToNumberBE } from '@noble/curves/utils.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writeHex } from '../../engine/index.ts';
import { bytesToHex, hexToBytes, isAddress, isBytes32, ZERO_BYTES32 } from '../../server/auth/hex.ts';
import { decimalToBytes32, isUint256Decimal, writeUint53 } from '../../server/auth/uint256.ts';

describe('hex', () => {
  test('bytes round-trip through hex text, also from a view into a larger buffer', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.nat({ max: 3 }), (bytes, skipped) => {
        const view = bytes.subarray(Math.min(skipped, bytes.length));
        const text = bytesToHex(view);
        expect(text).toBe(`0x${Buffer.from(view).toString('hex')}`);
        expect(hexToBytes(text)).toEqual(Uint8Array.from(view));
        expect(hexToBytes(`0x${text.slice(2).toUpperCase()}`)).toEqual(Uint8Array.from(view));
      }),
    );
  });

  test('hexToBytes accepts only well-formed text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 12, size: 'max' }), (text) => {
        for (const candidate of [text, `0x${text}`]) {
          expect(hexToBytes(candidate) !== undefined).toBe(/^0x([0-9a-fA-F]{2})*$/.test(candidate));
        }
      }),
      { numRuns: 1000 },
    );
    for (const text of ['', '0', '0x0', '0X00', '0x0g', '0x\u01300', '0x00\n', ' 0x00']) {
      expect(hexToBytes(text)).toBeUndefined();
    }
  });

  test('writeHex accepts only hex digits among the character codes below 0x500', () => {
    const target = new Uint8Array(1);
    for (let code = 0; code < 0x500; code++) {
      const digit = String.fromCharCode(code);
      const isDigit = /^[0-9a-fA-F]$/.test(digit);
      expect(writeHex(`0x${digit}0`, target, 0, 1)).toBe(isDigit);
      expect(writeHex(`0x0${digit}`, target, 0, 1)).toBe(isDigit);
      if (isDigit) expect(target[0]).toBe(Number.parseInt(digit, 16));
    }
  });

  test('isAddress and isBytes32 distinguish addresses from 32-byte texts', () => {
    const address = `0x${'aB'.repeat(20)}`;
    expect([isAddress(address), isBytes32(address)]).toEqual([true, false]);
    expect([isAddress(ZERO_BYTES32), isBytes32(ZERO_BYTES32)]).toEqual([false, true]);
  });
});

describe('uint256', () => {
  test('decimals are written as 32 bytes, and texts that are none throw a TypeError', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (value) => {
        const bytes = decimalToBytes32(value.toString());
        expect(bytes).toHaveLength(32);
        expect(bytesToNumberBE(bytes)).toBe(value);
      }),
    );
    for (const text of ['', '-1', '0x1', (2n ** 256n).toString()])
      expect(() => decimalToBytes32(text)).toThrow(TypeError);
  });

  test('whole numbers below 2^53 are written exactly', () => {
    const bytes = new Uint8Array(32);
    const edges = fc.constantFrom(0, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER);
    fc.assert(
      fc.property(fc.oneof(fc.maxSafeNat(), edges), (value) => {
        writeUint53(new DataView(bytes.buffer), 0, value);
        expect(bytesToNumberBE(bytes)).toBe(BigInt(value));
      }),
    );
  });

  test('isUint256Decimal accepts only plain digits below 2^256', () => {
    for (const text of ['0', '007', (2n ** 256n - 1n).toString()]) expect(isUint256Decimal(text)).toBe(true);
    const refused = ['', '-1', '+1', '1.0', '1e3', '0x1', ' 1', '\u0661', (2n ** 256n).toString(), '0'.repeat(79)];
    for (const text of refused) expect(isUint256Decimal(text)).toBe(false);
  });
});
