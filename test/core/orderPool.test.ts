// The pool of orders as it fills, grows and empties: every live order keeps its record and is found by its id, forgotten
// ids are not found, and the memory stays within the bound per order at any size, not only at those that a bench picks.
import { expect, test } from 'vitest';
import { arrayBytes } from '../../bench/core/orderBytes.ts';
import { NONE, OrderPool } from '../../engine/core/orderPool.ts';
import { Message } from '../../engine/protocol/index.ts';
import { Random } from '../model/random.ts';

const SEED = 7;
const ORDERS = 150_000;
/** The bound holds from this many live orders on; the steps in which a pool grows are too large for fewer. */
const BOUND_FROM = 512;
const ORDER_BYTES_MAX = 104;
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
