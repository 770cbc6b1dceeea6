// Packed lists read as arrays of the same rows would, however they grow and shrink, also after a snapshot; and a snapshot
// whose extents, lengths, pages or ordinals do not fit together is refused.
import { serialize } from 'node:v8';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SnapshotUnusable } from '../../engine/index.ts';
import { PackedLists } from '../../server/views/packedLists.ts';
import { KeptSections } from '../support/keptSections.ts';
import { numbersOf } from '../support/numbersOf.ts';

const ROW_BYTES = 6;
const LISTS = 5;
type Row = readonly [u32: number, u16: number];

/** Packed lists beside arrays of the same rows. */
class Pair {
  readonly arrays: Row[][] = Array.from({ length: LISTS }, () => []);
  packed = new PackedLists(ROW_BYTES);

  add(list: number, row: Row): void {
    this.set(list, this.packed.add(list), row);
  }

  set(list: number, index: number, row: Row): void {
    this.arrays[list][index] = row;
    this.packed.setU32(list, index, 0, row[0]);
    this.packed.setU16(list, index, 4, row[1]);
  }

  removeLast(list: number): void {
    if (this.arrays[list].length === 0) return;
    this.arrays[list].pop();
    this.packed.removeLast(list);
  }

  reload(): void {
    const values = saved(this.packed);
    this.packed = loaded(values);
    expect(serialize(saved(this.packed)).equals(serialize(values))).toBe(true);
  }

  compare(): void {
    for (const [list, rows] of this.arrays.entries()) {
      const read = numbersOf(this.packed.numbersOf(list)).map((u32, index) => [u32, this.packed.u16(list, index, 4)]);
      expect(read.join(' ')).toBe(rows.join(' '));
    }
  }
}

function saved(lists: PackedLists): Map<string, unknown> {
  const values = new Map<string, unknown>();
  lists.visit(new KeptSections(values, false));
  return values;
}

function loaded(values: Map<string, unknown>): PackedLists {
  const lists = new PackedLists(ROW_BYTES);
  lists.visit(new KeptSections(values, true));
  return lists;
}

const row = fc.tuple(fc.nat(2 ** 32 - 1), fc.nat(2 ** 16 - 1));
const step = fc.record({ list: fc.nat(LISTS - 1), count: fc.integer({ min: -6, max: 12 }), row, at: fc.nat() });

test('packed lists equal arrays, also after a snapshot', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), fc.nat(59), (steps, reloadAt) => {
      const pair = new Pair();
      for (const [
        index,
        {
          list,
          count,
          row: [u32, u16],
          at,
        },
      ] of steps.entries()) {
        for (let added = 0; added < count; added += 1) pair.add(list, [(u32 + added) % 2 ** 32, u16]);
        for (let removed = 0; removed > count; removed -= 1) pair.removeLast(list);
        const { length } = pair.arrays[list];
        if (length > 0) pair.set(list, at % length, [u16, u32 % 2 ** 16]);
        if (index === reloadAt) pair.reload();
      }
      pair.compare();
    }),
    { numRuns: 300 },
  );
});

/** Lists that fill several pages: two long ones and a short one. */
function longLists(): Pair {
  const pair = new Pair();
  for (let index = 0; index < 300_000; index += 1) pair.add(index % 3 === 0 ? 3 : 1, [index + 1, index % 65_536]);
  for (let index = 0; index < 5; index += 1) pair.add(4, [index + 1, 0]);
  return pair;
}

test('lists of several pages keep every row, also after a snapshot, and go on', () => {
  const pair = longLists();
  pair.compare();
  pair.reload();
  for (let index = 0; index < 10_000; index += 1) pair.add(index % LISTS, [index, 7]);
  pair.compare();
});

test('the first page keeps every row as it grows, also after a snapshot', () => {
  const pair = new Pair();
  for (let index = 0; index < 60_000; index += 1) {
    pair.add(index % 7 === 0 ? 3 : 1, [index + 1, index % 65_536]);
    if (index % 10_007 === 1_000) pair.reload();
    if (index % 5_003 === 0) pair.compare();
  }
  pair.compare();
});

test('loading packed lists that do not fit together throws SnapshotUnusable', () => {
  const sound = saved(longLists().packed);
  const extents = sound.get('extents') as Int32Array;
  const lengths = sound.get('lengths') as Int32Array;
  const first = sound.get('page 0') as Uint8Array;
  const last = sound.get('page 1') as Uint8Array;
  expect([...lengths]).toEqual([0, 200_000, 0, 100_000, 5]);
  const load = (changes: Readonly<Record<string, unknown>>): PackedLists =>
    loaded(new Map([...sound, ...Object.entries(changes)]));
  load({}).requireOrdinals(300_000, LISTS);
  const damaged: readonly Readonly<Record<string, unknown>>[] = [
    ...[-1, LISTS].map((list) => ({ extents: extents.with(3, list) })),
    ...[0, 2, 4].map((list) => ({ extents: extents.with(3, list) })),
    ...[0, extents.length - 1].map((count) => ({ extents: extents.slice(0, count) })),
    { extents: Int32Array.from([...extents, 1]) },
    ...[-1, 1].map((length) => ({ lengths: lengths.with(0, length) })),
    ...[-1, 13].map((length) => ({ lengths: lengths.with(4, length) })),
    ...[0, 4].map((count) => ({ lengths: Int32Array.from({ length: count }, (_, list) => lengths[list]) })),
    ...[0, first.length - 1].map((bytes) => ({ 'page 0': first.slice(0, bytes) })),
    ...[0, last.length - 1].map((bytes) => ({ 'page 1': last.slice(0, bytes) })),
    { 'page 1': new Uint8Array(last.length + 1) },
  ];
  for (const [index, changes] of damaged.entries()) {
    const name = `${index}: ${Object.keys(changes).join()}`;
    expect(() => load(changes).requireOrdinals(300_000, LISTS), name).toThrow(SnapshotUnusable);
  }
  // Ordinals that are too large, a list too few, and ordinals that fall.
  const lists = load({});
  expect(() => lists.requireOrdinals(299_999)).toThrow(SnapshotUnusable);
  expect(() => lists.requireOrdinals(300_000, LISTS + 1)).toThrow(SnapshotUnusable);
  for (const ordinal of [0, 2 ** 32 - 1]) {
    const changed = load({});
    changed.setU32(3, 70_000, 0, ordinal);
    expect(() => changed.requireOrdinals(300_000)).toThrow(SnapshotUnusable);
  }
});
