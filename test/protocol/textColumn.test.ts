// Columns of texts: a snapshot returns the texts that were written, whatever their characters and lengths, and incomplete
// ones are refused.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { visitTexts } from '../../engine/protocol/index.ts';
import { KeptSections } from '../support/keptSections.ts';

function roundTrip(texts: readonly string[]): readonly string[] {
  const kept = new Map<string, unknown>();
  expect(visitTexts(new KeptSections(kept, false), 'column', texts)).toBe(texts);
  return visitTexts(new KeptSections(kept, true), 'column', []);
}

test('any texts read back from a column unchanged', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', 'é', '–', '🏀'));
  fc.assert(
    fc.property(fc.array(text), (texts) => {
      expect(roundTrip(texts)).toEqual(texts);
    }),
  );
});

test('a column of several blocks reads back unchanged, including empty texts at block ends', () => {
  const texts = ['', 'a'.repeat(262_144), '', '', '–', 'b'.repeat(262_143), 'c', '', 'd'.repeat(600_000), '', 'e'];
  expect(roundTrip(texts)).toEqual(texts);
});

test('a column whose texts and lengths do not match is rejected', () => {
  const kept = new Map<string, unknown>();
  visitTexts(new KeptSections(kept, false), 'column', ['one', 'two']);
  for (const [name, value] of kept) if (value instanceof Int32Array) kept.set(name, Int32Array.of(3, 4));
  expect(() => visitTexts(new KeptSections(kept, true), 'column', [])).toThrow('text 1 of a column is incomplete');
});
