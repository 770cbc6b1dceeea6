// All live orders (resting and delayed) as 64-byte records in one typed array, addressed by slot, and found by their ids. Written
// by entry, matching and cancels; the ladder and the ledger link slots into their lists here. A record is one cache line. Only
// this file knows the places of its words: V8 folds a file's own constants into its code, but loads those of another file each
// time.
// Slots are reused and never leave the core: events carry order numbers.
import type { Message } from '../protocol/message.ts';
import { isCapacity, requireSound, type Sections } from '../protocol/sections.ts';
import { newRecords } from './grow.ts';
import * as hashLists from './hashLists.ts';
import * as links from './links.ts';

// File-local constants, see engine/compiler.ts.
const { firstValues, shiftOf } = hashLists;
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
/** Position (account × market) in the ledger; NONE in a free slot. */
const POSITION = 3;
const OWNER = 4;
/** From the lowest bits on: four flags, the price in the first token's terms (pips), and the order number's high bits. */
const TERMS = 5;
const KEY = 6;
const OWN_NEXT = 7;
const OWN_PREV = 8;
const HEAP_PLACE = 9;
/** The low 32 bits of the order's number. */
const NUMBER = 10;
/** The next order whose id has the same place in the index. */
const NEXT_OF_ID = 11;
/** 128 of an id's 256 bits. Ids are digests: nobody can make two that share them. */
const ID = 12;
const ID_WORDS = 4;
/**
 * The minimum of index entries per slot in use. There are up to twice as many, since their number is a power of two. Few orders
 * share an entry then: the one that an entry leads to is nearly always the one that is looked for.
 */
const ENTRIES_A_SLOT = 2;
const FIRST_ENTRIES = 256;
const FIRST_CAPACITY = 64;
/** The salt of hashes until hide() sets another, and what makes the second of its two factors of the first: arbitrary. */
const DEFAULT_SALT = 0x4f1bbcd8;
const FACTOR_STEP = 0x85ebca6b;
/**
 * Records grow by an eleventh: with its entries, an order takes 72 to 88 bytes, and with its id among the remembered ones less
 * than 107, even where all tables have just grown. A smaller part would copy each record more often while as many orders come as
 * never before.
 */
const GROWTH = 11;

/** Flags: the side (0 BUY, 1 SELL), the token (0 first, 1 second), is delayed, and was delayed. */
const SIDE_BIT = 1;
const OUTCOME_SHIFT = 1;
const DELAYED_BIT = 4;
const WAS_DELAYED_BIT = 8;
const FLAG_BITS = 4;
/** Prices, in pips, are below 2^14. Above them there is room for the high bits of numbers up to 2^46. */
const PRICE_MASK = 0x3fff;
const HIGH_SHIFT = FLAG_BITS + 14;
const TERMS_MASK = (1 << HIGH_SHIFT) - 1;
const HIGH = 2 ** 32;

export class OrderPool {
  liveCount = 0;
  declare private records: Int32Array<ArrayBuffer>;
  declare private capacity: number;
  private freeHead = FREE;
  private used = 0;
  /** The number of slots that may be in use before the records or the index must grow. */
  declare private usedMax: number;
  /** Lists of slots by the hashes of their ids, see hashLists.ts. */
  declare private index: Int32Array<ArrayBuffer>;
  declare private shift: number;
  declare private salt: number;
  declare private firstFactor: number;
  declare private secondFactor: number;

  constructor() {
    this.takeSalt(DEFAULT_SALT);
    this.capacity = FIRST_CAPACITY;
    this.records = newRecords(FIRST_CAPACITY * STRIDE);
    this.index = new Int32Array(FIRST_ENTRIES).fill(FREE);
    this.shift = shiftOf(this.index);
    this.usedMax = Math.min(this.capacity, slotsOf(this.index));
  }

  /**
   * Keeps the place of each id in the index secret from now on, given a number that nobody can guess: owners choose what they
   * sign until the ids of all their orders share an entry, and each look-up would pass through all of them.
   */
  hide(salt: number): void {
    this.takeSalt(salt);
    this.makeIndex(this.index.length);
  }

  /** Whether there is room for one more order. */
  hasRoom(): boolean {
    return this.freeHead >= 0 || this.used < this.usedMax;
  }

  /** Makes room for one more order if there is none: grows the records, the index or both. */
  makeRoom(): void {
    if (this.hasRoom()) return;
    if (this.used === this.capacity) this.growRecords();
    if (this.used === slotsOf(this.index)) this.makeIndex(this.index.length * 2);
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
    records[base | TERMS] =
      ((orderNumber / HIGH) << HIGH_SHIFT) | (ladderPips << FLAG_BITS) | (outcome << OUTCOME_SHIFT) | side;
    records[base | KEY] = key;
    records[base | HEAP_PLACE] = FREE;
    records[base | NUMBER] = orderNumber | 0;
    this.liveCount += 1;
    return slot;
  }

  /** Frees a slot. The caller has unlinked it everywhere and called forgetId(). */
  release(slot: number): void {
    const { records } = this;
    records[(slot << SHIFT) | NEXT] = this.freeHead;
    records[(slot << SHIFT) | POSITION] = FREE;
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
    this.insertIndex(slot, this.hashAt(words, at));
  }

  /** Removes a slot's id from the index. */
  forgetId(slot: number): void {
    const { index, records } = this;
    const id = (slot << SHIFT) | ID;
    const entry = this.hashAt(records, id) >>> this.shift;
    const next = records[(slot << SHIFT) | NEXT_OF_ID];
    if (index[entry] === slot) {
      index[entry] = next;
      return;
    }
    let link = (index[entry] << SHIFT) | NEXT_OF_ID;
    while (records[link] !== slot) link = (records[link] << SHIFT) | NEXT_OF_ID;
    records[link] = next;
  }

  /** The slot of a live order by the id at `offset` of a message, or NONE. */
  find(message: Message, offset: number): number {
    const { index, records } = this;
    const { words } = message;
    const id = offset >> 2;
    const first = words[id];
    const second = words[id + 1];
    let slot = index[this.hashAt(words, id) >>> this.shift];
    while (slot >= 0) {
      const base = (slot << SHIFT) | ID;
      if (
        records[base] === first &&
        records[base | 1] === second &&
        records[base | 2] === words[id + 2] &&
        records[base | 3] === words[id + 3]
      ) {
        return slot;
      }
      slot = records[(slot << SHIFT) | NEXT_OF_ID];
    }
    return FREE;
  }

  /** The hash of the id at word `id`. Ids are digests: two of their words suffice. */
  hashAt(words: Int32Array, id: number): number {
    return (Math.imul(words[id], this.firstFactor) + Math.imul(words[id + 1], this.secondFactor)) | 0;
  }

  /** Reads the first slots in the entries of these hashes: sometimes those of other ids, or NONE. */
  slotsOf(hashes: Int32Array, count: number, slots: Int32Array): void {
    firstValues(this.index, this.shift, hashes, count, slots);
  }

  /** Prefetches the entries of these hashes. The result means nothing. */
  touchEntries(hashes: Int32Array, count: number): number {
    const { index, shift } = this;
    let read = 0;
    for (let i = 0; i < count; i += 1) read ^= index[hashes[i] >>> shift];
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

  /** Prefetches the entry of a live order's id. The result means nothing. */
  peekOf(slot: number): number {
    const base = (slot << SHIFT) | ID;
    return this.index[this.hashAt(this.records, base) >>> this.shift];
  }

  numberOf(slot: number): number {
    const { records } = this;
    return (records[(slot << SHIFT) | TERMS] >>> HIGH_SHIFT) * HIGH + (records[(slot << SHIFT) | NUMBER] >>> 0);
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
    return (this.records[(slot << SHIFT) | TERMS] >> FLAG_BITS) & PRICE_MASK;
  }

  /** 0 for a BUY, 1 for a SELL. */
  sideOf(slot: number): number {
    return this.records[(slot << SHIFT) | TERMS] & SIDE_BIT;
  }

  outcomeOf(slot: number): number {
    return (this.records[(slot << SHIFT) | TERMS] >> OUTCOME_SHIFT) & 1;
  }

  isDelayed(slot: number): boolean {
    return (this.records[(slot << SHIFT) | TERMS] & DELAYED_BIT) !== 0;
  }

  wasDelayed(slot: number): boolean {
    return (this.records[(slot << SHIFT) | TERMS] & WAS_DELAYED_BIT) !== 0;
  }

  /** Price and flags in one number: for the state hash. */
  termsOf(slot: number): number {
    return this.records[(slot << SHIFT) | TERMS] & TERMS_MASK;
  }

  delay(slot: number): void {
    this.records[(slot << SHIFT) | TERMS] |= DELAYED_BIT;
  }

  endDelay(slot: number): void {
    const at = (slot << SHIFT) | TERMS;
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

  /** Invariant: the index finds exactly the live slots. Throws with what differs. */
  checkIndex(): void {
    const fault = this.indexFault();
    if (fault !== undefined) throw new Error(`order pool: ${fault}`);
  }

  /** Saves or loads its part of a snapshot. */
  visit(sections: Sections): void {
    this.liveCount = sections.number('liveCount', this.liveCount);
    this.freeHead = sections.number('freeHead', this.freeHead);
    this.used = sections.number('used', this.used);
    this.takeSalt(sections.number('salt', this.salt));
    this.records = sections.int32('records', this.records);
    this.index = sections.int32('index', this.index);
    this.shift = shiftOf(this.index);
    this.capacity = this.records.length / STRIDE;
    const { capacity, used, liveCount, index } = this;
    const isWhole = Number.isSafeInteger(capacity) && isCapacity(index.length, FIRST_ENTRIES);
    requireSound(isWhole, `orders have ${this.records.length} words, and ${index.length} in their index`);
    requireSound(liveCount >= 0 && liveCount <= used && used <= capacity, `${liveCount} of ${used} orders are live`);
    requireSound(used <= slotsOf(index), `${used} orders have ${index.length} words in their index`);
    this.usedMax = Math.min(capacity, slotsOf(index));
    if (!sections.isLoading) return;
    const fault = this.indexFault();
    requireSound(fault === undefined, fault ?? '');
  }

  /** Whether a slot has ever been in use. A snapshot may refer to no others. */
  hasSlot(slot: number): boolean {
    return slot >= 0 && slot < this.used;
  }

  private takeSalt(salt: number): void {
    this.salt = salt;
    this.firstFactor = (salt << 1) | 1;
    this.secondFactor = Math.imul(this.firstFactor, FACTOR_STEP) | 1;
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
    const { index, records } = this;
    const entry = hash >>> this.shift;
    records[(slot << SHIFT) | NEXT_OF_ID] = index[entry];
    index[entry] = slot;
  }

  private growRecords(): void {
    this.capacity += Math.max(FIRST_CAPACITY, Math.floor(this.capacity / GROWTH));
    this.records = newRecords(this.capacity * STRIDE, this.records);
  }

  /** Makes an index with this many entries. */
  private makeIndex(length: number): void {
    this.index = new Int32Array(length).fill(FREE);
    this.shift = shiftOf(this.index);
    for (let slot = 0; slot < this.used; slot += 1) {
      if (this.isLive(slot)) this.insertIndex(slot, this.hashAt(this.records, (slot << SHIFT) | ID));
    }
  }

  private isLive(slot: number): boolean {
    return this.records[(slot << SHIFT) | POSITION] >= 0;
  }

  /** The first slot that the index has where nobody finds it, or that it misses; undefined when it is sound. */
  private indexFault(): string | undefined {
    const { index, records } = this;
    let indexed = 0;
    for (let entry = 0; entry < index.length; entry += 1) {
      for (let slot = index[entry]; slot !== FREE; slot = records[(slot << SHIFT) | NEXT_OF_ID]) {
        indexed += 1;
        // A list that never ends would hold more than all.
        if (!this.hasSlot(slot) || !this.isLive(slot) || indexed > this.liveCount) return `slot ${slot} is indexed`;
        if (this.hashAt(records, (slot << SHIFT) | ID) >>> this.shift !== entry) return `slot ${slot} is lost`;
      }
    }
    return indexed === this.liveCount ? undefined : `${indexed} ids are indexed, and ${this.liveCount} orders live`;
  }
}

/** The number of slots for which an index has enough entries. */
const slotsOf = (index: Int32Array): number => Math.floor(index.length / ENTRIES_A_SLOT);
