// Ethereum's hash by hash-wasm against the same hash by @noble/hashes, which is plain JavaScript. Order ids, token ids and
// wallets depend on it; its blocks of 136 bytes and its padding are where two implementations could differ.
import { keccak_256 } from '@noble/hashes/sha3.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keccak256, keccak256Text } from '../../server/auth/keccak.ts';

test('keccak256 of every length up to three blocks is that of @noble/hashes', () => {
  const bytes = Uint8Array.from({ length: 3 * 136 + 1 }, (_, index) => (index * 167 + 13) & 0xff);
  for (let length = 0; length <= bytes.length; length += 1) {
    const part = bytes.subarray(0, length);
    expect(keccak256(part), `${length} bytes`).toEqual(keccak_256(part));
  }
});

test('keccak256 of any text is that of its UTF-8 bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300, size: 'max' }), (text) => {
      expect(keccak256Text(text)).toEqual(keccak_256(new TextEncoder().encode(text)));
    }),
  );
});
