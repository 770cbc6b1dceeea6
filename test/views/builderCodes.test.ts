// Builder codes: each gets one number and is found by it, whatever the codes look like and after a snapshot too; and a snapshot
// whose tree does not hold together is refused, since look-ups would never end.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SnapshotUnusable } from '../../engine/index.ts';
import { BuilderCodes } from '../../server/views/builderCodes.ts';
import { KeptSections } from '../support/keptSections.ts';

function saved(codes: BuilderCodes): Map<string, unknown> {
  const values = new Map<string, unknown>();
  codes.visit(new KeptSections(values, false));
  return values;
}

function loaded(values: Map<string, unknown>): BuilderCodes {
  const codes = new BuilderCodes();
  codes.visit(new KeptSections(values, true));
  return codes;
}

const hexOf = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`;
/** Codes at random, and codes that differ in single bits or have long beginnings in common. */
const drawn = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  fc.nat(255).map((bit) => 1n << BigInt(bit)),
  fc.nat(255).map((bit) => 2n ** 256n - (1n << BigInt(bit))),
  fc.nat(40).map(BigInt),
);

test('codes have the numbers that a Map would give them, also after a snapshot', () => {
  fc.assert(
    fc.property(fc.array(drawn, { maxLength: 120, size: 'max' }), fc.nat(119), (values, reloadAt) => {
      let codes = new BuilderCodes();
      const numbers = new Map<string, number>();
      for (const [index, value] of values.entries()) {
        const code = hexOf(value);
        expect(codes.find(code)).toBe(numbers.get(code));
        if (!numbers.has(code)) numbers.set(code, numbers.size);
        expect(codes.numberOf(code)).toBe(numbers.get(code));
        if (index === reloadAt) codes = loaded(saved(codes));
      }
      expect(codes.count).toBe(numbers.size);
      for (const [code, number] of numbers) expect([codes.find(code), codes.textOf(number)]).toEqual([number, code]);
      expect(saved(loaded(saved(codes)))).toEqual(saved(codes));
    }),
    { numRuns: 60 },
  );
});

/** The codes 0, 1, 2 and so on: more than fit into one chunk. */
function many(): BuilderCodes {
  const codes = new BuilderCodes();
  for (let value = 0n; value < 10_000n; value += 1n) codes.numberOf(hexOf(value));
  return codes;
}

test('a snapshot whose codes are incomplete or lead in circles is refused', () => {
  const sound = saved(many());
  const [first, last] = ['chunk 0', 'chunk 2'].map((name) => sound.get(name) as Int32Array); // as written under these names
  const load = (changes: Readonly<Record<string, unknown>>): BuilderCodes =>
    loaded(new Map([...sound, ...Object.entries(changes)]));
  expect(load({}).find(hexOf(9_999n))).toBe(9_999);
  // Words of a record: 8 of the code, its node's bit, its two children.
  const [recordWords, bit, child] = [11, 8, 9];
  const damaged: readonly Readonly<Record<string, unknown>>[] = [
    ...[-1, 0.5, 100, Infinity].map((count) => ({ count })),
    ...[0, last.length - 1].map((length) => ({ 'chunk 2': last.slice(0, length) })),
    // The root, and the children of a node: itself, a node before it, one that is not there, a code that is not there.
    ...[0, 10_000, -10_001].map((root) => ({ 'chunk 0': first.with(child, root) })),
    ...[0, 7, 10_000, -10_001].map((to) => ({ 'chunk 0': first.with(7 * recordWords + child, to) })),
    ...[-1, 256].map((to) => ({ 'chunk 0': first.with(first[child] * recordWords + bit, to) })),
  ];
  for (const [index, changes] of damaged.entries()) {
    expect(() => load(changes), `${index}: ${Object.keys(changes).join()}`).toThrow(SnapshotUnusable);
  }
});
