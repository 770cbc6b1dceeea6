// All live orders (resting and delayed) as 64-byte records in one typed array, addressed by slot, with the index from order
// id to slot. Written by entry, matching and cancels; the ladder and the ledger link slots into their lists here. A record
// is one cache line: what costs time here is the memory touched, not the instructions.
// Slots are reused: nothing outside the core ever sees one, events carry order numbers.
import { growInt32 } from './grow.ts';

/** No slot, no level, no position. */
export const NONE = -1;

/** Words of a record: slot × 16 is where it starts. */
export const STRIDE = 16;
/** Neighbours at the same price level; of a free slot, the next free one. */
export const NEXT = 0;
export const PREV = 1;
/** Lots left. */
export const LOTS = 2;
/** Position (account × market) in the ledger. */
export const POSITION = 3;
export const OWNER = 4;
/** Price in the first token's terms (pips) above four bits of flags. */
export const PRICE = 5;
export const KEY = 6;
export const OWN_NEXT = 7;
export const OWN_PREV = 8;
const HEAP_PLACE = 9;
const NUMBER_LOW = 10;
const NUMBER_HIGH = 11;
/** 128 of an id's 256 bits: ids are digests, nobody can make two that share them. */
const ID = 12;
const ID_WORDS = 4;

/** Flags: the side (0 BUY, 1 SELL), the token (0 first, 1 second), delayed, and came out of a delay. */
export const FLAG_SELL = 1;
export const FLAG_SECOND = 2;
export const FLAG_DELAYED = 4;
export const FLAG_WAS_DELAYED = 8;
const FLAG_BITS = 4;

/** Ladder price of a PRICE word, pips. */
export function pipsOfWord(word: number): number {
  return word >> FLAG_BITS;
}

/** A PRICE word: its low four bits are the flags, so that a mask can test the word itself. */
export function priceWord(ladderPips: number, flags: number): number {
  return (ladderPips << FLAG_BITS) | flags;
}

const TWO_32 = 4_294_967_296;

export class OrderPool {
  records: Int32Array;
  liveCount = 0;
  private capacity: number;
  private freeHead = NONE;
  private used = 0;
  /** Open addressing: entry i is the slot at 2i (NONE when free) and its id's hash at 2i + 1. */
  private index: Int32Array;

  constructor(capacity = 1024) {
    this.capacity = capacity;
    this.records = new Int32Array(capacity * STRIDE);
    this.index = new Int32Array(capacity * 4).fill(NONE);
  }

  /** A slot for a new order, every link unset; the caller fills the rest and gives it its id. */
  allocate(orderNumber: number): number {
    let slot = this.freeHead;
    if (slot === NONE) {
      if (this.used === this.capacity) this.grow();
      slot = this.used;
      this.used += 1;
    } else {
      this.freeHead = this.records[slot * STRIDE + NEXT];
    }
    const { records } = this;
    const base = slot * STRIDE;
    records[base + NEXT] = NONE;
    records[base + PREV] = NONE;
    records[base + OWN_NEXT] = NONE;
    records[base + OWN_PREV] = NONE;
    records[base + HEAP_PLACE] = NONE;
    records[base + NUMBER_LOW] = orderNumber | 0;
    records[base + NUMBER_HIGH] = (orderNumber / TWO_32) | 0;
    this.liveCount += 1;
    return slot;
  }

  /** Gives a slot back. The caller has unlinked it everywhere and forgotten its id. */
  release(slot: number): void {
    this.records[slot * STRIDE + NEXT] = this.freeHead;
    this.freeHead = slot;
    this.liveCount -= 1;
  }

  /** Takes the id at `offset` of a message into the record and the index. */
  setId(slot: number, message: DataView, offset: number): void {
    const { records } = this;
    const base = slot * STRIDE + ID;
    const first = message.getInt32(offset, true);
    const second = message.getInt32(offset + 4, true);
    records[base] = first;
    records[base + 1] = second;
    records[base + 2] = message.getInt32(offset + 8, true);
    records[base + 3] = message.getInt32(offset + 12, true);
    this.insertIndex(slot, idHash(first, second));
  }

  /** Takes a slot's id out of the index; later entries of the same run move up, so that no tombstones pile up. */
  forgetId(slot: number): void {
    const { index, records } = this;
    const mask = (index.length >>> 1) - 1;
    let gap = idHash(records[slot * STRIDE + ID], records[slot * STRIDE + ID + 1]) & mask;
    while (index[gap * 2] !== slot) gap = (gap + 1) & mask;
    let at = (gap + 1) & mask;
    while (index[at * 2] !== NONE) {
      const home = index[at * 2 + 1] & mask;
      if (((at - home) & mask) >= ((at - gap) & mask)) {
        index[gap * 2] = index[at * 2];
        index[gap * 2 + 1] = index[at * 2 + 1];
        gap = at;
      }
      at = (at + 1) & mask;
    }
    index[gap * 2] = NONE;
  }

  /** The slot of a live order by the id at `offset` of a message, or NONE. */
  find(message: DataView, offset: number): number {
    const { index } = this;
    const mask = (index.length >>> 1) - 1;
    const hash = idHash(message.getInt32(offset, true), message.getInt32(offset + 4, true));
    let at = hash & mask;
    for (;;) {
      const slot = index[at * 2];
      if (slot === NONE) return NONE;
      if (index[at * 2 + 1] === hash && this.hasId(slot, message, offset)) return slot;
      at = (at + 1) & mask;
    }
  }

  /** Reads the entry that an id would be looked up at first, so that it is near by then. */
  peek(message: DataView, offset: number): number {
    const hash = idHash(message.getInt32(offset, true), message.getInt32(offset + 4, true));
    return this.index[(hash & ((this.index.length >>> 1) - 1)) * 2];
  }

  /** The same for the id of a live order. */
  peekOf(slot: number): number {
    const base = slot * STRIDE + ID;
    const hash = idHash(this.records[base], this.records[base + 1]);
    return this.index[(hash & ((this.index.length >>> 1) - 1)) * 2];
  }

  numberOf(slot: number): number {
    const base = slot * STRIDE;
    return this.records[base + NUMBER_HIGH] * TWO_32 + (this.records[base + NUMBER_LOW] >>> 0);
  }

  heapPlace(slot: number): number {
    return this.records[slot * STRIDE + HEAP_PLACE];
  }

  setHeapPlace(slot: number, place: number): void {
    this.records[slot * STRIDE + HEAP_PLACE] = place;
  }

  /** Index of the API key that posted it. */
  keyOf(slot: number): number {
    return this.records[slot * STRIDE + KEY];
  }

  ownNext(slot: number): number {
    return this.records[slot * STRIDE + OWN_NEXT];
  }

  ownPrev(slot: number): number {
    return this.records[slot * STRIDE + OWN_PREV];
  }

  /** The remembered words of a slot's id: for the state hash. */
  idWords(slot: number): Int32Array {
    return this.records.subarray(slot * STRIDE + ID, slot * STRIDE + ID + ID_WORDS);
  }

  /** Invariant: the index finds exactly the live slots. Throws with the count that differs. */
  checkIndex(): void {
    let indexed = 0;
    const message = new DataView(this.records.buffer);
    for (let at = 0; at < this.index.length; at += 2) {
      const slot = this.index[at];
      if (slot === NONE) continue;
      indexed += 1;
      if (this.find(message, (slot * STRIDE + ID) * 4) !== slot) throw new Error(`order pool: slot ${slot} is lost`);
    }
    if (indexed !== this.liveCount)
      throw new Error(`order pool: ${indexed} ids indexed, ${this.liveCount} orders live`);
  }

  private hasId(slot: number, message: DataView, offset: number): boolean {
    const { records } = this;
    const base = slot * STRIDE + ID;
    return (
      records[base] === message.getInt32(offset, true) &&
      records[base + 1] === message.getInt32(offset + 4, true) &&
      records[base + 2] === message.getInt32(offset + 8, true) &&
      records[base + 3] === message.getInt32(offset + 12, true)
    );
  }

  private insertIndex(slot: number, hash: number): void {
    const { index } = this;
    const mask = (index.length >>> 1) - 1;
    let at = hash & mask;
    while (index[at * 2] !== NONE) at = (at + 1) & mask;
    index[at * 2] = slot;
    index[at * 2 + 1] = hash;
  }

  private grow(): void {
    this.capacity *= 2;
    this.records = growInt32(this.records, this.capacity * STRIDE);
    const old = this.index;
    this.index = new Int32Array(this.capacity * 4).fill(NONE);
    for (let at = 0; at < old.length; at += 2) {
      if (old[at] !== NONE) this.insertIndex(old[at], old[at + 1]);
    }
  }
}

/** Ids are digests, so two of their words, lightly mixed, spread well. */
function idHash(low: number, high: number): number {
  const mixed = Math.imul(low ^ (high >>> 7), 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}
