// CRC32C against its published results (RFC 3720 B.4 and the check value of the CRC catalogue), and against a bit-by-bit
// computation for every length around the eight bytes of a step.
import { expect, test } from 'vitest';
import { crc32c } from '../../engine/journal/crc32c.ts';

const filled = (count: number, byteAt: (index: number) => number): Uint8Array =>
  Uint8Array.from({ length: count }, (_, i) => byteAt(i));

function bitByBit(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc >>> 0;
}

test('the published CRC32C test vectors give the published results', () => {
  expect(crc32c(new TextEncoder().encode('123456789'))).toBe(0xe3069283);
  expect(crc32c(filled(32, () => 0))).toBe(0x8a9136aa);
  expect(crc32c(filled(32, () => 0xff))).toBe(0x62a8ab43);
  expect(crc32c(filled(32, (i) => i))).toBe(0x46dd794e);
  expect(crc32c(filled(32, (i) => 31 - i))).toBe(0x113fdb5c);
  const iscsiRead = Buffer.from(
    '01c0000000000000000000000000000014000000000004000000001400000018280000000000000002000000000000',
    'hex',
  );
  expect(crc32c(Buffer.concat([iscsiRead, Buffer.alloc(48 - iscsiRead.length)]))).toBe(0xd9963a56);
});

test('every length and every start agree with the bit-by-bit computation', () => {
  const bytes = filled(80, (i) => (i * 167 + 13) & 0xff);
  for (let start = 0; start < 10; start += 1) {
    for (let end = start; end <= bytes.length; end += 1) {
      expect(crc32c(bytes, start, end)).toBe(bitByBit(bytes.subarray(start, end)));
    }
  }
});
