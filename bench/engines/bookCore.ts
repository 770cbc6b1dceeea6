// Our book alone: the exchange's ladder and order pool under the plainest match loop, without accounts, money, events or
// codec. It shows the cost of the data structures. child.ts uses it in two forms: `bookCore` names an order by its number,
// as the op file does; `bookCoreWithIds` by a 32-byte id through the pool's index, as the exchange does. The loops are
// those of the exchange's matching reduced to price, time and lots; rules on who may trade are left out. Ops come in
// batches and are prefetched as in engine/core/lookAhead.ts: the orders that leave or are met first are read in parallel.
import { AHEAD_MAX } from '../../engine/core/index.ts';
import { ASK, BID, Ladder } from '../../engine/core/ladder.ts';
import { LadderSpace } from '../../engine/core/ladderSpace.ts';
import { NONE, OrderPool } from '../../engine/core/orderPool.ts';
import { Message } from '../../engine/protocol/message.ts';
import { emptyTotals, type Totals } from '../lib/totals.ts';
import { OP_BYTES, OpType } from '../opFile.ts';
import type { BenchEngine, Ops } from './engine.ts';
import { writeOrderId } from './orderIds.ts';

const PIPS_PER_UNIT = 10_000;
const ID_BYTES = 32;
/** 32-bit words of a record: type, side and book; price; lots; id. */
const OP_WORDS = OP_BYTES / 4;

/** Maps the op at hand to the slot of its order and back. `at` is the op's index within the chunk. */
interface Names {
  prepare(words: Int32Array, fromOp: number, toOp: number): void;
  /** The slot of the live order that an op names, or NONE. */
  find(id: number, at: number): number;
  set(slot: number, id: number, at: number): void;
  forget(slot: number): void;
  /**
   * Prefetching: the hash that decides where an id is looked up, the slots found there, and a read of the index entries alone.
   */
  hashOf(id: number, at: number): number;
  slotsOf(hashes: Int32Array, count: number, slots: Int32Array): void;
  touch(hashes: Int32Array, count: number): number;
}

/** Numbers below the op count, one slot each. A slot whose record bears another number, or no lots, belongs to another order. */
class NumberNames implements Names {
  private readonly pool: OrderPool;
  private readonly slots: Int32Array;

  constructor(pool: OrderPool, idsMax: number) {
    this.pool = pool;
    this.slots = new Int32Array(idsMax).fill(NONE);
  }

  prepare(): void {}

  find(id: number): number {
    const { pool } = this;
    const slot = this.slots[id];
    return slot !== NONE && pool.numberOf(slot) === id && pool.lotsOf(slot) > 0 ? slot : NONE;
  }

  set(slot: number, id: number): void {
    this.slots[id] = slot;
  }

  forget(): void {}

  hashOf(id: number): number {
    return id;
  }

  slotsOf(hashes: Int32Array, count: number, slots: Int32Array): void {
    for (let i = 0; i < count; i += 1) slots[i] = this.slots[hashes[i]];
  }

  /** New numbers are consecutive, so their entries need no prefetch. */
  touch(): number {
    return 0;
  }
}

/** Ids as they would arrive, one after another in a message. */
class IdNames implements Names {
  private readonly pool: OrderPool;
  private message = new Message();

  constructor(pool: OrderPool) {
    this.pool = pool;
  }

  prepare(words: Int32Array, fromOp: number, toOp: number): void {
    const bytes = (toOp - fromOp) * ID_BYTES;
    if (this.message.bytes.length < bytes) this.message = new Message(new ArrayBuffer(bytes));
    for (let op = fromOp; op < toOp; op += 1) {
      writeOrderId(words[op * OP_WORDS + 3], this.message.view, (op - fromOp) * ID_BYTES);
    }
  }

  find(_id: number, at: number): number {
    return this.pool.find(this.message, at * ID_BYTES);
  }

  set(slot: number, _id: number, at: number): void {
    this.pool.setId(slot, this.message, at * ID_BYTES);
  }

  forget(slot: number): void {
    this.pool.forgetId(slot);
  }

  hashOf(_id: number, at: number): number {
    return this.pool.hashAt(this.message.words, (at * ID_BYTES) >> 2);
  }

  slotsOf(hashes: Int32Array, count: number, slots: Int32Array): void {
    this.pool.slotsOf(hashes, count, slots);
  }

  touch(hashes: Int32Array, count: number): number {
    return this.pool.touchEntries(hashes, count);
  }
}

/** The slot that a taker on this side of a ladder meets first, or NONE. */
function firstMaker(ladder: Ladder, takerSide: number): number {
  if (takerSide !== BID) return ladder.firstOf(ladder.bestBid);
  return ladder.bestAsk < ladder.levelCount ? ladder.firstOf(ladder.bestAsk) : NONE;
}

class BookCoreEngine implements BenchEngine {
  private readonly words: Int32Array;
  private readonly tickPips: number;
  private readonly ladders: Ladder[];
  private readonly pool = new OrderPool();
  private readonly names: Names;
  /** The orders a batch is prefetched for: those that enter, are canceled, leave, and are met first. */
  private readonly entering = new Int32Array(AHEAD_MAX);
  private readonly canceled = new Int32Array(AHEAD_MAX);
  private readonly leaving = new Int32Array(AHEAD_MAX);
  private readonly met = new Int32Array(AHEAD_MAX);
  /** What was prefetched, kept so that the compiler does not drop the reads. */
  prefetched = 0;
  private readonly done = emptyTotals();

  constructor(ops: Ops, makeNames: (pool: OrderPool, idsMax: number) => Names) {
    this.words = new Int32Array(
      ops.bytes.buffer,
      ops.bytes.byteOffset,
      ops.bytes.length / Int32Array.BYTES_PER_ELEMENT,
    );
    this.tickPips = PIPS_PER_UNIT / (ops.ticks + 1);
    const space = new LadderSpace();
    this.ladders = Array.from({ length: ops.books }, () => new Ladder(this.tickPips, space));
    this.names = makeNames(this.pool, ops.bytes.length / OP_BYTES);
  }

  prepare(fromOp: number, toOp: number): void {
    this.names.prepare(this.words, fromOp, toOp);
  }

  run(fromOp: number, toOp: number): void {
    for (let from = fromOp; from < toOp; from += AHEAD_MAX) {
      const to = Math.min(from + AHEAD_MAX, toOp);
      this.lookAhead(from, to, fromOp);
      this.runBatch(from, to, fromOp);
    }
  }

  totals(): Totals {
    const { done, pool, ladders } = this;
    const totals = { ...done, restingOrders: pool.liveCount };
    for (const ladder of ladders) {
      for (let level = 1; level < ladder.levelCount; level += 1) {
        for (let slot = ladder.firstOf(level); slot !== NONE; slot = pool.nextOf(slot)) {
          totals.restingLots += pool.lotsOf(slot);
        }
      }
    }
    return totals;
  }

  private lookAhead(from: number, to: number, chunk: number): void {
    const { words, names, ladders, pool, entering, canceled, leaving, met } = this;
    let enterings = 0;
    let cancels = 0;
    let takes = 0;
    for (let op = from; op < to; op += 1) {
      const head = words[op * OP_WORDS];
      const type = head & 0xff;
      const id = words[op * OP_WORDS + 3];
      if (type === OpType.CANCEL) {
        canceled[cancels] = names.hashOf(id, op - chunk);
        cancels += 1;
      } else if (type === OpType.ADD) {
        entering[enterings] = names.hashOf(id, op - chunk);
        enterings += 1;
      } else {
        met[takes] = firstMaker(ladders[head >>> 16], (head >>> 8) & 0xff);
        takes += 1;
      }
    }
    names.slotsOf(canceled, cancels, leaving);
    this.prefetched = names.touch(entering, enterings);
    pool.positionsOf(leaving, cancels);
    pool.positionsOf(met, takes);
  }

  private runBatch(from: number, to: number, chunk: number): void {
    const { words, names, ladders } = this;
    for (let op = from; op < to; op += 1) {
      const head = words[op * OP_WORDS];
      const type = head & 0xff;
      if (type === OpType.CANCEL) {
        const slot = names.find(words[op * OP_WORDS + 3], op - chunk);
        if (slot !== NONE) this.cancel(slot);
        continue;
      }
      const side = (head >>> 8) & 0xff;
      const book = head >>> 16;
      const level = words[op * OP_WORDS + 1];
      const lots = words[op * OP_WORDS + 2];
      const ladder = ladders[book];
      if (type === OpType.TAKE_ALL_OR_NOTHING && !this.isFillable(ladder, side, level, lots)) continue;
      const left = this.match(ladder, side, level, lots);
      if (type !== OpType.ADD || left === 0) continue;
      const id = words[op * OP_WORDS + 3];
      names.set(this.rest(ladder, id, book, side, level, left), id, op - chunk);
    }
  }

  private rest(ladder: Ladder, id: number, book: number, side: number, level: number, lots: number): number {
    const { pool } = this;
    pool.makeRoom();
    const slot = pool.allocate(id, side, 0, level * this.tickPips, lots, book, 0, 0);
    ladder.append(pool, slot, side);
    return slot;
  }

  private cancel(slot: number): void {
    const { pool } = this;
    this.ladders[pool.positionOf(slot)].remove(pool, slot);
    pool.setLots(slot, 0);
    this.names.forget(slot);
    pool.release(slot);
  }

  /** Whether the opposite side holds `lots` up to the limit. */
  private isFillable(ladder: Ladder, side: number, limit: number, lots: number): boolean {
    const { pool } = this;
    const other = side === BID ? ASK : BID;
    let left = lots;
    let level = other === BID ? ladder.bestBid : ladder.bestAsk;
    while (level > 0 && level < ladder.levelCount && (side === BID ? level <= limit : level >= limit)) {
      for (let slot = ladder.firstOf(level); slot !== NONE; slot = pool.nextOf(slot)) {
        left -= pool.lotsOf(slot);
        if (left <= 0) return true;
      }
      level = ladder.nextWorse(other, level);
    }
    return false;
  }

  /** Fills against the opposite side up to the limit and returns the lots left. */
  private match(ladder: Ladder, side: number, limit: number, lots: number): number {
    let left = lots;
    while (left > 0) {
      const level = side === BID ? ladder.bestAsk : ladder.bestBid;
      if (side === BID ? level > limit || level === ladder.levelCount : level < limit || level === 0) break;
      left = this.matchLevel(ladder, level, left);
    }
    return left;
  }

  private matchLevel(ladder: Ladder, level: number, lots: number): number {
    const { pool, names, done } = this;
    let left = lots;
    let slot = ladder.firstOf(level);
    while (slot !== NONE && left > 0) {
      const makerLots = pool.lotsOf(slot);
      const filled = left < makerLots ? left : makerLots;
      left -= filled;
      done.fills += 1;
      done.lots += filled;
      done.notional += filled * level;
      pool.setLots(slot, makerLots - filled);
      if (filled < makerLots) break;
      const next = pool.nextOf(slot);
      ladder.remove(pool, slot);
      names.forget(slot);
      pool.release(slot);
      slot = next;
    }
    return left;
  }
}

export const bookCore = (ops: Ops): BenchEngine =>
  new BookCoreEngine(ops, (pool, idsMax) => new NumberNames(pool, idsMax));

export const bookCoreWithIds = (ops: Ops): BenchEngine => new BookCoreEngine(ops, (pool) => new IdNames(pool));
