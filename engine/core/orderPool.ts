// All live orders (resting and delayed) as 64-byte records in one typed array, addressed by slot, with the index from order id
// to slot. Written by entry, matching and cancels; the ladder and the ledger link slots into their lists here. A record is one
// cache line. Only this file knows the places of its words: V8 folds a file's own constants into its code, but loads those of
// another file each time.
// Slots are reused and never leave the core: events carry order numbers.
import type { Message } from '../protocol/message.ts';
import { isCapacity, requireSound, type Sections } from '../protocol/sections.ts';
import * as entries from './entries.ts';
import { doublesOf, newRecords } from './grow.ts';
import * as links from './links.ts';

// File-local constants, see engine/compiler.ts.
const { correctValues, firstValues } = entries;
const { orWhereNone } = links;

/** No slot, level or position, and no account, owner or key. Hot code tests `< 0`. */
export const NONE = -1;
const FREE = -1;

/** A record has 16 words and starts at word slot << 4. The places of its fields follow. */
const SHIFT = 4;
const STRIDE = 16;
/** Neighbours at the same price level; of a free slot, the next free one. */
const NEXT = 0;
const PREV = 1;
/** Lots left. */
const LOTS = 2;
/** Position (account × market) in the ledger. */
const POSITION = 3;
const OWNER = 4;
/** Price in the first token's terms (pips) above four bits of flags. */
const PRICE = 5;
const KEY = 6;
const OWN_NEXT = 7;
const OWN_PREV = 8;
const HEAP_PLACE = 9;
/** The order's number, a 64-bit float: words 10 and 11. */
const NUMBER = 5;
/** 128 of an id's 256 bits. Ids are digests: nobody can make two that share them. */
const ID = 12;
const ID_WORDS = 4;
/** Words of an entry of the index from ids to slots. */
const ENTRY_WORDS = 2;
/**
 * The minimum of index entries per slot in use. There are up to twice as many, since their number is a power of two. At this
 * load factor an id is nearly always in its home entry, which a batch prefetches.
 */
const ENTRIES_A_SLOT = 2;
const FIRST_ENTRIES = 256;
const FIRST_CAPACITY = 64;
/**
 * Records grow by an eleventh: with its entries, an order takes 80 to 102 bytes, and with its id among the remembered ones less
 * than 120, even where all tables have just grown. An eighth would exceed that at some numbers of orders; a smaller part would
 * copy each record more often while as many orders come as never before.
 */
const GROWTH = 11;

/** Flags: the side (0 BUY, 1 SELL), the token (0 first, 1 second), is delayed, and was delayed. */
const SIDE_BIT = 1;
const OUTCOME_SHIFT = 1;
const DELAYED_BIT = 4;
const WAS_DELAYED_BIT = 8;
const FLAG_BITS = 4;

export class OrderPool {
  liveCount = 0;
  declare private records: Int32Array<ArrayBuffer>;
  /** The same bytes as 64-bit floats: a record is eight of them. */
  declare private numbers: Float64Array<ArrayBuffer>;
  declare private capacity: number;
  private freeHead = FREE;
  private used = 0;
  /** The number of slots that may be in use before the records or the index must grow. */
  declare private usedMax: number;
  /** Open addressing: entry i holds a slot at 2i (NONE when free) and the hash of its id at 2i + 1. */
  declare private index: Int32Array<ArrayBuffer>;
  declare private shift: number;

  constructor() {
    this.capacity = FIRST_CAPACITY;
    this.records = newRecords(FIRST_CAPACITY * STRIDE);
    this.numbers = doublesOf(this.records);
    this.index = new Int32Array(FIRST_ENTRIES * ENTRY_WORDS).fill(FREE);
    this.shift = shiftOf(this.index);
    this.usedMax = Math.min(this.capacity, slotsOf(this.index));
  }

  /** Whether there is room for one more order. */
  hasRoom(): boolean {
    return this.freeHead >= 0 || this.used < this.usedMax;
  }

  /** Makes room for one more order if there is none: grows the records, the index or both. */
  makeRoom(): void {
    if (this.hasRoom()) return;
    if (this.used === this.capacity) this.growRecords();
    if (this.used === slotsOf(this.index)) this.growIndex();
    this.usedMax = Math.min(this.capacity, slotsOf(this.index));
  }

  /**
   * Allocates a slot for a new order and sets its fixed fields. The caller has made room, and must set the id and link the
   * slot: its links are undefined until then.
   */
  allocate(
    orderNumber: number,
    side: number,
    outcome: number,
    ladderPips: number,
    lots: number,
    position: number,
    owner: number,
    key: number,
  ): number {
    const slot = this.takeSlot();
    const { records } = this;
    const base = slot << SHIFT;
    records[base | LOTS] = lots;
    records[base | POSITION] = position;
    records[base | OWNER] = owner;
    records[base | PRICE] = (ladderPips << FLAG_BITS) | (outcome << OUTCOME_SHIFT) | side;
    records[base | KEY] = key;
    records[base | HEAP_PLACE] = FREE;
    this.numbers[(slot << 3) | NUMBER] = orderNumber;
    this.liveCount += 1;
    return slot;
  }

  /** Frees a slot. The caller has unlinked it everywhere and called forgetId(). */
  release(slot: number): void {
    this.records[(slot << SHIFT) | NEXT] = this.freeHead;
    this.freeHead = slot;
    this.liveCount -= 1;
  }

  /** Copies the id at `offset` of a message into the record and adds it to the index. */
  setId(slot: number, message: Message, offset: number): void {
    const { records } = this;
    const { words } = message;
    const at = offset >> 2;
    const base = (slot << SHIFT) | ID;
    const first = words[at];
    const second = words[at + 1];
    records[base] = first;
    records[base | 1] = second;
    records[base | 2] = words[at + 2];
    records[base | 3] = words[at + 3];
    this.insertIndex(slot, idHash(first, second));
  }

  /** Removes a slot's id from the index. Later entries of the same run move up, so no tombstones pile up. */
  forgetId(slot: number): void {
    const { index, records, shift } = this;
    const last = index.length - 1;
    const base = (slot << SHIFT) | ID;
    let gap = (idHash(records[base], records[base | 1]) >>> shift) << 1;
    while (index[gap] !== slot) gap = (gap + 2) & last;
    let at = (gap + 2) & last;
    while (index[at] >= 0) {
      const home = (index[at | 1] >>> shift) << 1;
      if (((at - home) & last) >= ((at - gap) & last)) {
        index[gap] = index[at];
        index[gap | 1] = index[at | 1];
        gap = at;
      }
      at = (at + 2) & last;
    }
    index[gap] = FREE;
  }

  /** The slot of a live order by the id at `offset` of a message, or NONE. */
  find(message: Message, offset: number): number {
    const { index, records } = this;
    const { words } = message;
    const last = index.length - 1;
    const id = offset >> 2;
    const hash = idHash(words[id], words[id + 1]);
    let at = (hash >>> this.shift) << 1;
    for (;;) {
      const slot = index[at];
      if (slot < 0) return FREE;
      const base = (slot << SHIFT) | ID;
      if (
        index[at | 1] === hash &&
        records[base] === words[id] &&
        records[base | 1] === words[id + 1] &&
        records[base | 2] === words[id + 2] &&
        records[base | 3] === words[id + 3]
      ) {
        return slot;
      }
      at = (at + 2) & last;
    }
  }

  /** The hash of the id at word `id`. */
  hashAt(words: Int32Array, id: number): number {
    return idHash(words[id], words[id + 1]);
  }

  /** Reads the slots in the home entries of these hashes: possibly those of other ids, or NONE. */
  slotsOf(hashes: Int32Array, count: number, slots: Int32Array): void {
    firstValues(this.index, this.shift, hashes, count, slots);
  }

  /** Corrects the results of slotsOf: where the home entry has another hash, takes the first with the same one, or NONE. */
  correct(hashes: Int32Array, count: number, slots: Int32Array): void {
    correctValues(this.index, this.shift, hashes, count, slots);
  }

  /** Prefetches the home entries of these hashes. The result means nothing. */
  touchEntries(hashes: Int32Array, count: number): number {
    const { index, shift } = this;
    let read = 0;
    for (let i = 0; i < count; i += 1) read ^= index[(hashes[i] >>> shift) << 1];
    return read;
  }

  /** Replaces each slot by its order's position; negative ones stay. */
  positionsOf(slots: Int32Array, count: number): void {
    const { records } = this;
    for (let i = 0; i < count; i += 1) {
      const slot = slots[i];
      if (slot >= 0) slots[i] = records[(slot << SHIFT) | POSITION];
    }
  }

  /** Appends to `count` slots, up to `end`, the next orders at their levels, then the ones after these; NONE follows NONE. */
  followersOf(slots: Int32Array, count: number, end: number): void {
    const { records } = this;
    for (let i = count; i < end; i += 1) {
      const slot = slots[i - count];
      slots[i] = slot < 0 ? FREE : records[(slot << SHIFT) | NEXT];
    }
  }

  /** Prefetches the home entries of these slots' ids; skips negative ones. The result means nothing. */
  touchEntriesOf(slots: Int32Array, count: number): number {
    let read = 0;
    for (let i = 0; i < count; i += 1) {
      const slot = slots[i];
      if (slot >= 0) read ^= this.peekOf(slot);
    }
    return read;
  }

  /** Prefetches the home entry of a live order's id. The result means nothing. */
  peekOf(slot: number): number {
    const base = (slot << SHIFT) | ID;
    return this.index[(idHash(this.records[base], this.records[base | 1]) >>> this.shift) << 1];
  }

  numberOf(slot: number): number {
    return this.numbers[(slot << 3) | NUMBER];
  }

  lotsOf(slot: number): number {
    return this.records[(slot << SHIFT) | LOTS];
  }

  setLots(slot: number, lots: number): void {
    this.records[(slot << SHIFT) | LOTS] = lots;
  }

  positionOf(slot: number): number {
    return this.records[(slot << SHIFT) | POSITION];
  }

  ownerOf(slot: number): number {
    return this.records[(slot << SHIFT) | OWNER];
  }

  /** Index of the API key that posted it. */
  keyOf(slot: number): number {
    return this.records[(slot << SHIFT) | KEY];
  }

  /** Price in the first token's terms, pips. */
  ladderPipsOf(slot: number): number {
    return this.records[(slot << SHIFT) | PRICE] >> FLAG_BITS;
  }

  /** 0 for a BUY, 1 for a SELL. */
  sideOf(slot: number): number {
    return this.records[(slot << SHIFT) | PRICE] & SIDE_BIT;
  }

  outcomeOf(slot: number): number {
    return (this.records[(slot << SHIFT) | PRICE] >> OUTCOME_SHIFT) & 1;
  }

  isDelayed(slot: number): boolean {
    return (this.records[(slot << SHIFT) | PRICE] & DELAYED_BIT) !== 0;
  }

  wasDelayed(slot: number): boolean {
    return (this.records[(slot << SHIFT) | PRICE] & WAS_DELAYED_BIT) !== 0;
  }

  /** Price and flags in one number: for the state hash. */
  termsOf(slot: number): number {
    return this.records[(slot << SHIFT) | PRICE];
  }

  delay(slot: number): void {
    this.records[(slot << SHIFT) | PRICE] |= DELAYED_BIT;
  }

  endDelay(slot: number): void {
    const at = (slot << SHIFT) | PRICE;
    this.records[at] = (this.records[at] & ~DELAYED_BIT) | WAS_DELAYED_BIT;
  }

  heapPlace(slot: number): number {
    return this.records[(slot << SHIFT) | HEAP_PLACE];
  }

  setHeapPlace(slot: number, place: number): void {
    this.records[(slot << SHIFT) | HEAP_PLACE] = place;
  }

  /** The next order at the same price, or NONE. */
  nextOf(slot: number): number {
    return this.records[(slot << SHIFT) | NEXT];
  }

  previousOf(slot: number): number {
    return this.records[(slot << SHIFT) | PREV];
  }

  /** Links an order behind the last one of its level; `last` is NONE for the first order. */
  linkLast(slot: number, last: number): void {
    const { records } = this;
    records[(slot << SHIFT) | NEXT] = FREE;
    records[(slot << SHIFT) | PREV] = last;
    if (last >= 0) records[(last << SHIFT) | NEXT] = slot;
  }

  /** Links the neighbours of an order that leaves its level to each other. */
  unlink(previous: number, next: number): void {
    const { records } = this;
    if (previous >= 0) records[(previous << SHIFT) | NEXT] = next;
    if (next >= 0) records[(next << SHIFT) | PREV] = previous;
  }

  /** The next newer order of the same position, or NONE. */
  ownNext(slot: number): number {
    return this.records[(slot << SHIFT) | OWN_NEXT];
  }

  ownPrev(slot: number): number {
    return this.records[(slot << SHIFT) | OWN_PREV];
  }

  /** Links an order behind the last one of its position; `last` is NONE for the first order. */
  linkOwnLast(slot: number, last: number): void {
    const { records } = this;
    // Without a predecessor this writes its own link, which the next line overwrites.
    records[(orWhereNone(last, last, slot) << SHIFT) | OWN_NEXT] = slot;
    records[(slot << SHIFT) | OWN_NEXT] = FREE;
    records[(slot << SHIFT) | OWN_PREV] = last;
  }

  /** Links the neighbours of an order that leaves its position's list to each other. Its own links are undefined afterwards. */
  unlinkOwn(slot: number, previous: number, next: number): void {
    const { records } = this;
    records[(orWhereNone(previous, previous, slot) << SHIFT) | OWN_NEXT] = next;
    records[(orWhereNone(next, next, slot) << SHIFT) | OWN_PREV] = previous;
  }

  /** The stored words of a slot's id: for the state hash. */
  idWords(slot: number): Int32Array {
    return this.records.subarray(slot * STRIDE + ID, slot * STRIDE + ID + ID_WORDS);
  }

  /** Invariant: the index finds exactly the live slots. Throws with the count that differs. */
  checkIndex(): void {
    let indexed = 0;
    for (let at = 0; at < this.index.length; at += 2) {
      const slot = this.index[at];
      if (slot < 0) continue;
      indexed += 1;
      const [first, second] = this.idWords(slot);
      const hash = idHash(first, second);
      let entry = (hash >>> this.shift) << 1;
      while (this.index[entry] >= 0 && this.index[entry] !== slot) entry = (entry + 2) & (this.index.length - 1);
      if (this.index[entry] !== slot || this.index[entry | 1] !== hash) {
        throw new Error(`order pool: slot ${slot} is lost`);
      }
    }
    if (indexed !== this.liveCount)
      throw new Error(`order pool: ${indexed} ids indexed, ${this.liveCount} orders live`);
  }

  /** Saves or loads its part of a snapshot. */
  visit(sections: Sections): void {
    this.liveCount = sections.number('liveCount', this.liveCount);
    this.freeHead = sections.number('freeHead', this.freeHead);
    this.used = sections.number('used', this.used);
    this.records = sections.int32('records', this.records);
    this.numbers = doublesOf(this.records);
    this.index = sections.int32('index', this.index);
    this.capacity = this.records.length / STRIDE;
    const { capacity, used, liveCount, index } = this;
    const isWhole = Number.isSafeInteger(capacity) && isCapacity(index.length, FIRST_ENTRIES * ENTRY_WORDS);
    requireSound(isWhole, `orders have ${this.records.length} words, and ${index.length} in their index`);
    requireSound(liveCount >= 0 && liveCount <= used && used <= capacity, `${liveCount} of ${used} orders are live`);
    requireSound(used <= slotsOf(index), `${used} orders have ${index.length} words in their index`);
    this.shift = shiftOf(index);
    this.usedMax = Math.min(capacity, slotsOf(index));
  }

  /** Whether a slot has ever been in use. A snapshot may refer to no others. */
  hasSlot(slot: number): boolean {
    return slot >= 0 && slot < this.used;
  }

  private takeSlot(): number {
    const slot = this.freeHead;
    if (slot >= 0) {
      this.freeHead = this.records[(slot << SHIFT) | NEXT];
      return slot;
    }
    this.used += 1;
    return this.used - 1;
  }

  private insertIndex(slot: number, hash: number): void {
    const { index } = this;
    const last = index.length - 1;
    let at = (hash >>> this.shift) << 1;
    while (index[at] >= 0) at = (at + 2) & last;
    index[at] = slot;
    index[at | 1] = hash;
  }

  private growRecords(): void {
    this.capacity += Math.max(FIRST_CAPACITY, Math.floor(this.capacity / GROWTH));
    this.records = newRecords(this.capacity * STRIDE, this.records);
    this.numbers = doublesOf(this.records);
  }

  private growIndex(): void {
    const old = this.index;
    this.index = new Int32Array(old.length * 2).fill(FREE);
    this.shift = shiftOf(this.index);
    for (let at = 0; at < old.length; at += ENTRY_WORDS) {
      if (old[at] >= 0) this.insertIndex(old[at], old[at | 1]);
    }
  }
}

/** The shift that reduces a hash to the number of its home entry. */
const shiftOf = (index: Int32Array): number => Math.clz32(index.length / ENTRY_WORDS) + 1;

/** The number of slots for which an index has enough entries. */
const slotsOf = (index: Int32Array): number => Math.floor(index.length / (ENTRIES_A_SLOT * ENTRY_WORDS));

/** Ids are digests, so two of their words, lightly mixed, spread well. */
const idHash = (low: number, high: number): number => {
  return Math.imul(low ^ (high >>> 7), 0x9e3779b1);
};
