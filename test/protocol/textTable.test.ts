// TextTable against a Map: whatever is set, changed and removed, in whatever order, both must know the same texts. Texts are
// drawn from a small pool, so that runs of neighbours form, break and are set again. A snapshot restores the same table.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TextTable } from '../../engine/protocol/index.ts';
import { KeptSections } from '../support/keptSections.ts';

const POOL = 150;
/** Rows with the same remainder have the same text. */
const textOf = (row: number): string => `text ${row % POOL}`;

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom('set', 'set', 'delete', 'get'),
    text: fc.nat(POOL - 1),
    round: fc.nat(9),
  }),
  { maxLength: 600, size: 'max' },
);

test('a text table agrees with a Map, also after a snapshot round trip', () => {
  fc.assert(
    fc.property(steps, (list) => {
      const table = new TextTable(textOf);
      const map = new Map<string, number>();
      for (const { kind, text, round } of list) {
        const row = text + round * POOL;
        if (kind === 'set') {
          table.set(textOf(text), row);
          map.set(textOf(text), row);
        } else if (kind === 'delete') {
          table.delete(textOf(text));
          map.delete(textOf(text));
        }
        expect(table.get(textOf(text))).toBe(map.get(textOf(text)) ?? -1);
        expect(table.size).toBe(map.size);
      }
      const kept = new Map<string, unknown>();
      table.visit(new KeptSections(kept, false));
      const loaded = new TextTable(textOf);
      loaded.visit(new KeptSections(kept, true));
      for (const one of [table, loaded]) {
        for (let text = 0; text < POOL; text += 1) expect(one.get(textOf(text))).toBe(map.get(textOf(text)) ?? -1);
        expect(one.has('no such text')).toBe(false);
      }
    }),
    { numRuns: 200 },
  );
});
