// The pool of orders as it fills, grows and empties: every live order keeps its record and is found by its id, forgotten
// ids are not found, and the memory stays within the bound per order at any size, not only at those that a bench picks. Orders
// whose ids share an entry of the index, numbers of any size, and snapshots with an index that is not that of their orders.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { arrayBytes } from '../../bench/core/orderBytes.ts';
import { NONE, OrderPool } from '../../engine/core/orderPool.ts';
import { Message, SnapshotUnusable } from '../../engine/protocol/index.ts';
import { Random } from '../model/random.ts';
import { KeptSections } from '../support/keptSections.ts';

const SEED = 7;
const ORDERS = 150_000;
/** The bound holds from this many live orders on; the steps in which a pool grows are too large for fewer. */
const BOUND_FROM = 512;
const ORDER_BYTES_MAX = 88;
/** How often, in orders, all of them are looked up. */
const CHECK_EVERY = 30_011;

const message = new Message();

/** Writes the id of an order's number; ids of neighbouring numbers are adjacent in an index, as few digests would be. */
function writeId(number: number): void {
  for (let word = 0; word < 8; word += 1) message.words[word] = Math.imul(number + word, 0x85ebca6b) ^ word;
}

function find(pool: OrderPool, number: number): number {
  writeId(number);
  return pool.find(message, 0);
}

test('a pool keeps every live order while it grows to 150,000 and empties, within its memory bound', () => {
  const random = new Random(SEED);
  const pool = new OrderPool();
  const live: { readonly number: number; readonly slot: number }[] = [];
  const checkAll = (): void => {
    pool.checkIndex();
    for (const { number, slot } of live) {
      if (find(pool, number) !== slot || pool.numberOf(slot) !== number || pool.lotsOf(slot) !== number % 1_000) {
        throw new Error(`order ${number} of seed ${SEED} is not where it was put`);
      }
    }
  };
  let bytesMost = 0;
  for (let number = 1; live.length < ORDERS; number += 1) {
    pool.makeRoom();
    const slot = pool.allocate(number, 0, 0, 100, number % 1_000, 0, 0, 0);
    writeId(number);
    pool.setId(slot, message, 0);
    live.push({ number, slot });
    if (live.length >= BOUND_FROM) bytesMost = Math.max(bytesMost, arrayBytes(pool) / live.length);
    if (number % CHECK_EVERY === 0) checkAll();
    // Now and then one leaves and its slot is reused at once, so that no size leaves slots empty.
    if (!random.chance(20)) continue;
    const at = random.int(0, live.length - 1);
    const left = live[at];
    live[at] = live[live.length - 1];
    live.pop();
    pool.forgetId(left.slot);
    pool.release(left.slot);
    expect(find(pool, left.number)).toBe(NONE);
  }
  checkAll();
  expect(pool.liveCount).toBe(ORDERS);
  expect(bytesMost).toBeLessThanOrEqual(ORDER_BYTES_MAX);
  for (const { slot } of live.splice(0)) {
    pool.forgetId(slot);
    pool.release(slot);
  }
  checkAll();
  expect(pool.liveCount).toBe(0);
});

test('an order keeps its number, up to 2^46, beside its price, side and token', () => {
  const pool = new OrderPool();
  const number = fc.oneof(fc.integer({ min: 1, max: 2 ** 46 - 1 }), fc.constantFrom(2 ** 31, 2 ** 32 - 1, 2 ** 32));
  const bit = fc.integer({ min: 0, max: 1 });
  fc.assert(
    fc.property(number, fc.integer({ min: 1, max: 9_999 }), bit, bit, (orderNumber, pips, side, outcome) => {
      pool.makeRoom();
      const slot = pool.allocate(orderNumber, side, outcome, pips, 5, 3, 2, 1);
      const has = (): number[] => [
        pool.numberOf(slot),
        pool.ladderPipsOf(slot),
        pool.sideOf(slot),
        pool.outcomeOf(slot),
        pool.termsOf(slot) & ~12, // without the flags of a delay
      ];
      const terms = pips * 16 + outcome * 2 + side;
      expect([...has(), pool.isDelayed(slot)]).toEqual([orderNumber, pips, side, outcome, terms, false]);
      pool.delay(slot);
      expect([...has(), pool.isDelayed(slot)]).toEqual([orderNumber, pips, side, outcome, terms, true]);
      pool.endDelay(slot);
      expect([...has(), pool.wasDelayed(slot)]).toEqual([orderNumber, pips, side, outcome, terms, true]);
      pool.release(slot);
    }),
  );
});

/** Writes an id that has the same place in any index as all others that this writes: they differ behind the hashed words. */
function writeSharing(number: number): void {
  message.words.fill(7, 0, 8);
  message.words[2 + (number & 1)] = number;
}

const placed = (pool: OrderPool, number: number, write: (number: number) => void): number => {
  pool.makeRoom();
  const slot = pool.allocate(number, 0, 0, 100, 1, 0, 0, 0);
  write(number);
  pool.setId(slot, message, 0);
  return slot;
};

test('orders whose ids share an entry are all found, and leave in any order', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray([10, 11, 12, 13, 14], { minLength: 5 }), (leaving) => {
      const pool = new OrderPool();
      const slots = new Map([10, 11, 12, 13, 14].map((number) => [number, placed(pool, number, writeSharing)]));
      for (const left of leaving) {
        const slot = slots.get(left) ?? NONE;
        pool.forgetId(slot);
        pool.release(slot);
        slots.delete(left);
        pool.checkIndex();
        for (const number of [10, 11, 12, 13, 14]) {
          writeSharing(number);
          expect(pool.find(message, 0)).toBe(slots.get(number) ?? NONE);
        }
      }
    }),
  );
});

test('with another salt all ids lie elsewhere and are found, also in a pool loaded from a snapshot', () => {
  const pool = new OrderPool();
  const slots = Array.from({ length: 1_000 }, (_, number) => placed(pool, number, writeId));
  const hashOf = (in_: OrderPool, number: number): number => {
    writeId(number);
    return in_.hashAt(message.words, 0);
  };
  const before = slots.map((_, number) => hashOf(pool, number));
  pool.hide(1_234_567_890);
  const after = slots.map((_, number) => hashOf(pool, number));
  expect(after.filter((hash, number) => hash === before[number])).toEqual([]);
  // A factor that is even would lose bits, and with them the spread of ids.
  expect(new Set(after).size).toBeGreaterThan(990);
  const values = new Map<string, unknown>();
  pool.visit(new KeptSections(values, false));
  const loaded = new OrderPool();
  loaded.visit(new KeptSections(values, true));
  for (const [number, slot] of slots.entries())
    expect([find(pool, number), find(loaded, number)]).toEqual([slot, slot]);
  expect(hashOf(loaded, 5)).toBe(after[5]);
});

test('a snapshot whose index is not that of its orders is refused', () => {
  const pool = new OrderPool();
  const slots = [10, 11, 12].map((number) => placed(pool, number, writeSharing));
  pool.forgetId(slots[1]);
  pool.release(slots[1]);
  const values = new Map<string, unknown>();
  pool.visit(new KeptSections(values, false));
  const [records, index] = ['records', 'index'].map((name) => values.get(name) as Int32Array);
  const entry = index.indexOf(slots[2]);
  const linkOf = (slot: number): number => slot * 16 + 11;
  const outcomeOf = (change: (records: Int32Array, index: Int32Array) => void): string => {
    const [changed, lists] = [records.slice(), index.slice()];
    change(changed, lists);
    try {
      new OrderPool().visit(new KeptSections(new Map([...values, ['records', changed], ['index', lists]]), true));
      return 'loaded';
    } catch (error) {
      if (error instanceof SnapshotUnusable) return error.reason;
      throw error;
    }
  };
  expect(outcomeOf(() => {})).toBe('loaded');
  expect(outcomeOf((changed) => changed.fill(slots[2], linkOf(slots[0]), linkOf(slots[0]) + 1))).toMatch(/indexed/);
  expect(outcomeOf((changed) => changed.fill(slots[1], linkOf(slots[0]), linkOf(slots[0]) + 1))).toMatch(
    /1 is indexed/,
  );
  expect(outcomeOf((changed) => changed.fill(9, linkOf(slots[0]), linkOf(slots[0]) + 1))).toMatch(/9 is indexed/);
  expect(outcomeOf((changed) => changed.fill(-2, linkOf(slots[0]), linkOf(slots[0]) + 1))).toMatch(/-2 is indexed/);
  expect(outcomeOf((_, lists) => lists.copyWithin(entry + 1, entry, entry + 1).fill(-1, entry, entry + 1))).toMatch(
    /lost/,
  );
  expect(outcomeOf((_, lists) => lists.fill(-1))).toBe('0 ids are indexed, and 2 orders live');
  expect(outcomeOf((_, lists) => lists.fill(slots[0], entry, entry + 1))).toBe('1 ids are indexed, and 2 orders live');
});
