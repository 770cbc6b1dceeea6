// KeyTable against a Map: whatever is set, changed and removed, in whatever order, both must know the same keys. Keys are
// drawn from a small pool, so that runs of neighbours form, break and are set again. A snapshot restores the same table.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KeyTable } from '../../engine/protocol/index.ts';
import { KeptSections } from '../support/keptSections.ts';

type KeyBytes = 16 | 20;

interface Step {
  readonly kind: 'set' | 'delete' | 'get';
  readonly key: number;
  readonly value: number;
}

const steps = (keyCount: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      kind: fc.constantFrom('set', 'set', 'delete', 'get'),
      key: fc.nat(keyCount - 1),
      value: fc.nat(2_147_483_647),
    }),
    { maxLength: 400, size: 'max' },
  );

/** Key number n of a pool: all zero but for a few bytes, so that only the hash keeps them apart. */
function keyBytesOf(n: number, keyBytes: KeyBytes): Uint8Array {
  const bytes = new Uint8Array(keyBytes);
  bytes[n % keyBytes] = (n * 37) % 256;
  bytes[keyBytes - 1] ^= n % 251;
  bytes[keyBytes - 2] ^= Math.floor(n / 251);
  return bytes;
}

const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;

function agrees(list: readonly Step[], keyBytes: KeyBytes, capacity: number, offset: number): void {
  const table = new KeyTable(keyBytes, capacity);
  const map = new Map<string, number>();
  for (const { kind, key, value } of list) {
    const bytes = keyBytesOf(key, keyBytes);
    const words = new Int32Array(offset + keyBytes / 4 + 3);
    words.set(new Int32Array(bytes.buffer), offset);
    if (kind === 'set') {
      table.set(words, offset, value);
      map.set(hex(bytes), value);
    } else if (kind === 'delete') {
      table.delete(words, offset);
      map.delete(hex(bytes));
    }
    expect(table.get(words, offset)).toBe(map.get(hex(bytes)) ?? -1);
    expect(table.size).toBe(map.size);
  }
  const kept = new Map<string, unknown>();
  table.visit(new KeptSections(kept, false));
  const loaded = new KeyTable(keyBytes, capacity);
  loaded.visit(new KeptSections(kept, true));
  for (const one of [table, loaded]) {
    expect(new Map(one.entries())).toEqual(map);
    for (const [key, value] of map) {
      const bytes = new Uint8Array(Buffer.from(key.slice(2), 'hex'));
      expect(one.get(new Int32Array(bytes.buffer), 0)).toBe(value);
    }
  }
}

for (const keyBytes of [16, 20] as const) {
  test(`a table of ${keyBytes}-byte keys agrees with a Map`, () => {
    const same = fc.property(fc.integer({ min: 1, max: 200 }).chain(steps), fc.nat(7), (list, offset) => {
      agrees(list, keyBytes, 8, offset);
    });
    fc.assert(same, { numRuns: 300 });
  });
}

test('a crowded table of few slots keeps its keys through deletions', () => {
  const same = fc.property(steps(12), (list) => agrees(list, 20, 2, 0));
  fc.assert(same, { numRuns: 500 });
});

test('a table of 50,000 keys finds exactly those that remain after half are deleted', () => {
  const table = new KeyTable(20, 2);
  const words = new Int32Array(5);
  for (let n = 0; n < 50_000; n += 1) {
    words[3] = n;
    table.set(words, 0, n);
  }
  for (let n = 0; n < 50_000; n += 2) {
    words[3] = n;
    table.delete(words, 0);
  }
  expect(table.size).toBe(25_000);
  const wrong: number[] = [];
  for (let n = 0; n < 50_000; n += 1) {
    words[3] = n;
    if (table.get(words, 0) !== (n % 2 === 0 ? -1 : n)) wrong.push(n);
  }
  expect(wrong).toEqual([]);
});
