// All live orders (resting and delayed) as records in typed arrays, addressed by slot, with the index from order id to
// slot. Written by entry, matching and cancels; the ladder and the ledger link slots into their lists here.
// Slots are reused: nothing outside the core ever sees one, events carry order numbers.
import { growFloat64, growInt32 } from './grow.ts';

/** No slot, no level, no position. */
export const NONE = -1;

/** One 32-byte record an order for what matching touches: it fills half a cache line. */
export const HOT_STRIDE = 8;
export const NEXT = 0;
export const PREV = 1;
/** Lots left. */
export const LOTS = 2;
/** Position (account × market) in the ledger. */
export const POSITION = 3;
export const OWNER = 4;
/** Price in the first token's terms, pips. */
export const LADDER_PIPS = 5;
/** Bits: see the masks below. */
export const FLAGS = 6;
/** Index of the API key that posted it. */
const KEY = 7;

/** Bit 0: the side (0 BUY, 1 SELL); bit 1: the token (0 first, 1 second); bit 2: delayed; bit 3: came out of a delay. */
export const FLAG_SELL = 1;
export const FLAG_SECOND = 2;
export const FLAG_DELAYED = 4;
export const FLAG_WAS_DELAYED = 8;

/** The rest of an order's links: its account's orders in this market, and its place in the expiry or release heap. */
const LINK_STRIDE = 3;
const OWN_NEXT = 0;
const OWN_PREV = 1;
const HEAP_PLACE = 2;

const ID_WORDS = 8;

export class OrderPool {
  hot: Int32Array;
  links: Int32Array;
  numbers: Float64Array;
  ids: Int32Array;
  liveCount = 0;
  private capacity: number;
  private freeHead = NONE;
  private used = 0;
  private index: Int32Array;

  constructor(capacity = 1024) {
    this.capacity = capacity;
    this.hot = new Int32Array(capacity * HOT_STRIDE);
    this.links = new Int32Array(capacity * LINK_STRIDE);
    this.numbers = new Float64Array(capacity);
    this.ids = new Int32Array(capacity * ID_WORDS);
    this.index = new Int32Array(capacity * 4).fill(NONE);
  }

  /** A slot for a new order, its id taken from the message and indexed; every link unset. */
  allocate(message: DataView, idOffset: number, orderNumber: number): number {
    let slot = this.freeHead;
    if (slot === NONE) {
      if (this.used === this.capacity) this.grow();
      slot = this.used;
      this.used += 1;
    } else {
      this.freeHead = this.hot[slot * HOT_STRIDE + NEXT];
    }
    const base = slot * ID_WORDS;
    for (let word = 0; word < ID_WORDS; word += 1) {
      this.ids[base + word] = message.getInt32(idOffset + word * 4, true);
    }
    this.numbers[slot] = orderNumber;
    const hot = slot * HOT_STRIDE;
    this.hot[hot + NEXT] = NONE;
    this.hot[hot + PREV] = NONE;
    const link = slot * LINK_STRIDE;
    this.links[link + OWN_NEXT] = NONE;
    this.links[link + OWN_PREV] = NONE;
    this.links[link + HEAP_PLACE] = NONE;
    this.insertIndex(slot);
    this.liveCount += 1;
    return slot;
  }

  /** Gives a slot back and forgets its id. The caller has unlinked it everywhere. */
  release(slot: number): void {
    this.removeIndex(slot);
    this.hot[slot * HOT_STRIDE + NEXT] = this.freeHead;
    this.hot[slot * HOT_STRIDE + LOTS] = 0;
    this.freeHead = slot;
    this.liveCount -= 1;
  }

  /** The slot of a live order by the id at `offset` of a message, or NONE. */
  find(message: DataView, offset: number): number {
    const mask = this.index.length - 1;
    let at = idHash(message.getInt32(offset, true), message.getInt32(offset + 4, true)) & mask;
    for (;;) {
      const slot = this.index[at];
      if (slot === NONE) return NONE;
      const base = slot * ID_WORDS;
      let word = 0;
      while (word < ID_WORDS && this.ids[base + word] === message.getInt32(offset + word * 4, true)) word += 1;
      if (word === ID_WORDS) return slot;
      at = (at + 1) & mask;
    }
  }

  heapPlace(slot: number): number {
    return this.links[slot * LINK_STRIDE + HEAP_PLACE];
  }

  setHeapPlace(slot: number, place: number): void {
    this.links[slot * LINK_STRIDE + HEAP_PLACE] = place;
  }

  /** Index of the API key that posted it. */
  keyOf(slot: number): number {
    return this.hot[slot * HOT_STRIDE + KEY];
  }

  setKey(slot: number, key: number): void {
    this.hot[slot * HOT_STRIDE + KEY] = key;
  }

  ownNext(slot: number): number {
    return this.links[slot * LINK_STRIDE + OWN_NEXT];
  }

  setOwnNext(slot: number, next: number): void {
    this.links[slot * LINK_STRIDE + OWN_NEXT] = next;
  }

  ownPrev(slot: number): number {
    return this.links[slot * LINK_STRIDE + OWN_PREV];
  }

  setOwnPrev(slot: number, previous: number): void {
    this.links[slot * LINK_STRIDE + OWN_PREV] = previous;
  }

  /** Bytes held per slot, index included: for the memory figure. */
  get bytes(): number {
    return (
      this.hot.byteLength +
      this.links.byteLength +
      this.numbers.byteLength +
      this.ids.byteLength +
      this.index.byteLength
    );
  }

  /** Invariant: the index finds exactly the live slots. Throws with the count that differs. */
  checkIndex(): void {
    let indexed = 0;
    const bytes = new DataView(this.ids.buffer);
    for (const slot of this.index) {
      if (slot === NONE) continue;
      indexed += 1;
      if (this.find(bytes, slot * ID_WORDS * 4) !== slot)
        throw new Error(`order pool: slot ${slot} is not found by its id`);
    }
    if (indexed !== this.liveCount)
      throw new Error(`order pool: ${indexed} ids indexed, ${this.liveCount} orders live`);
  }

  private insertIndex(slot: number): void {
    const mask = this.index.length - 1;
    let at = idHash(this.ids[slot * ID_WORDS], this.ids[slot * ID_WORDS + 1]) & mask;
    while (this.index[at] !== NONE) at = (at + 1) & mask;
    this.index[at] = slot;
  }

  private removeIndex(slot: number): void {
    const { index, ids } = this;
    const mask = index.length - 1;
    let gap = idHash(ids[slot * ID_WORDS], ids[slot * ID_WORDS + 1]) & mask;
    while (index[gap] !== slot) gap = (gap + 1) & mask;
    // Later entries of the same run move up, so that no tombstones pile up.
    let at = (gap + 1) & mask;
    while (index[at] !== NONE) {
      const other = index[at];
      const home = idHash(ids[other * ID_WORDS], ids[other * ID_WORDS + 1]) & mask;
      if (((at - home) & mask) >= ((at - gap) & mask)) {
        index[gap] = other;
        gap = at;
      }
      at = (at + 1) & mask;
    }
    index[gap] = NONE;
  }

  private grow(): void {
    this.capacity *= 2;
    this.hot = growInt32(this.hot, this.capacity * HOT_STRIDE);
    this.links = growInt32(this.links, this.capacity * LINK_STRIDE);
    this.numbers = growFloat64(this.numbers, this.capacity);
    this.ids = growInt32(this.ids, this.capacity * ID_WORDS);
    const slots = this.index.filter((slot) => slot !== NONE);
    this.index = new Int32Array(this.capacity * 4).fill(NONE);
    for (const slot of slots) this.insertIndex(slot);
  }
}

/** Ids are digests, so two of their words, lightly mixed, spread well. */
function idHash(low: number, high: number): number {
  const mixed = Math.imul(low ^ (high >>> 7), 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}
