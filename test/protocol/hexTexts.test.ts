// The cache of the texts of ids, so small that ids evict each other all the time: whatever it was asked before, it returns the
// text of the very bytes. The ids differ in one word at most.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readHex } from '../../engine/protocol/bytes.ts';
import { HexTexts } from '../../engine/protocol/hexTexts.ts';

test.each([16, 20] as const)(
  'ids of %i bytes that share the entries of the cache never get the text of another',
  (idBytes) => {
    const id = fc.record({ word: fc.nat(idBytes / 4 - 1), byte: fc.nat(3), value: fc.nat(3) });
    const ids = fc.array(id, { minLength: 1, maxLength: 200, size: 'max' });
    fc.assert(
      fc.property(ids, fc.constantFrom(1, 2, 8), (asked, capacity) => {
        const texts = new HexTexts(idBytes, capacity);
        const bytes = new Uint8Array(8 + idBytes);
        const view = new DataView(bytes.buffer);
        for (const { word, byte, value } of asked) {
          bytes.fill(0);
          bytes[8 + word * 4 + byte] = value;
          expect(texts.get(bytes, view, 8)).toBe(readHex(bytes, 8, idBytes));
        }
      }),
    );
  },
);
