// An index from fixed-width byte keys (addresses, key ids) to small integers: open addressing with linear probing over one
// typed array. Used by the core and the registry where a Map of strings would cost an allocation per look-up.
// Keys are read directly from a message's words; the table returns them only for state hashes and checks.
import { readHex } from './bytes.ts';
import { isCapacity, requireSound, type Sections } from './sections.ts';

const EMPTY = -1;

/** Keys of a fixed number of bytes → non-negative integers. A hash mixes all words of a key: owners can choose addresses. */
export class KeyTable {
  size = 0;
  declare private readonly keyWords: number;
  /** Whether keys have a fifth word: addresses do, key ids do not. */
  declare private readonly isLong: boolean;
  /** Words of an entry: its value (−1 when free), then its key. */
  declare private readonly stride: number;
  declare private capacity: number;
  /** The shift that reduces a hash to the number of its home entry: its highest bits, which are the best mixed. */
  declare private shift: number;
  declare private table: Int32Array<ArrayBuffer>;

  /** The capacity is a power of two, at least 2. */
  constructor(keyBytes: 16 | 20, initialCapacity = 1024) {
    this.keyWords = keyBytes / 4;
    this.isLong = keyBytes === 20;
    this.stride = this.keyWords + 1;
    this.capacity = initialCapacity;
    this.shift = Math.clz32(initialCapacity) + 1;
    this.table = new Int32Array(initialCapacity * this.stride).fill(EMPTY);
  }

  /** The value of the key that starts at a message's word `at`, or −1. */
  get(words: Int32Array, at: number): number {
    return this.table[this.locate(words, at)];
  }

  /** Sets the value (≥ 0) of a key, which may be new. */
  set(words: Int32Array, at: number, value: number): void {
    let base = this.locate(words, at);
    if (this.table[base] === EMPTY) {
      if ((this.size + 1) * 2 > this.capacity) {
        this.grow();
        base = this.locate(words, at);
      }
      for (let word = 0; word < this.keyWords; word += 1) this.table[base + 1 + word] = words[at + word];
      this.size += 1;
    }
    this.table[base] = value;
  }

  /** Removes a key if it is there. Later entries of the same run move up, so no tombstones pile up. */
  delete(words: Int32Array, at: number): void {
    const base = this.locate(words, at);
    if (this.table[base] === EMPTY) return;
    this.closeGap(base / this.stride);
    this.size -= 1;
  }

  /** All keys as hexadecimal text with their values, in no particular order: for state hashes and checks. */
  *entries(): Generator<readonly [key: string, value: number]> {
    const { buffer, byteOffset } = this.table;
    const bytes = new Uint8Array(buffer, byteOffset);
    for (let base = 0; base < this.table.length; base += this.stride) {
      if (this.table[base] === EMPTY) continue;
      yield [readHex(bytes, (base + 1) * 4, this.keyWords * 4), this.table[base]];
    }
  }

  /** Saves or loads its part of a snapshot. */
  visit(sections: Sections): void {
    this.size = sections.number('size', this.size);
    this.table = sections.int32('entries', this.table);
    this.capacity = this.table.length / this.stride;
    requireSound(isCapacity(this.capacity, 2), `a key table has ${this.table.length} words`);
    requireSound(
      this.size >= 0 && this.size * 2 <= this.capacity,
      `a key table of ${this.capacity} holds ${this.size}`,
    );
    let taken = 0;
    for (let base = 0; base < this.table.length; base += this.stride) if (this.table[base] !== EMPTY) taken += 1;
    requireSound(taken === this.size, `a key table holds ${taken} instead of ${this.size}`);
    this.shift = Math.clz32(this.capacity) + 1;
  }

  /** Index of a key's entry, or of the free one that it would take. */
  private locate(words: Int32Array, at: number): number {
    const { table, stride } = this;
    const mask = this.capacity - 1;
    const w0 = words[at];
    const w1 = words[at + 1];
    const w2 = words[at + 2];
    const w3 = words[at + 3];
    const w4 = this.isLong ? words[at + 4] : 0;
    let slot = hashOf(w0, w1, w2, w3, w4) >>> this.shift;
    for (;;) {
      const base = Math.imul(slot, stride);
      if (
        table[base] === EMPTY ||
        (table[base + 1] === w0 &&
          table[base + 2] === w1 &&
          table[base + 3] === w2 &&
          table[base + 4] === w3 &&
          (!this.isLong || table[base + 5] === w4))
      ) {
        return base;
      }
      slot = (slot + 1) & mask;
    }
  }

  /** Number of a key's home entry. */
  private homeOf(words: Int32Array, at: number): number {
    const w4 = this.isLong ? words[at + 4] : 0;
    return hashOf(words[at], words[at + 1], words[at + 2], words[at + 3], w4) >>> this.shift;
  }

  private closeGap(start: number): void {
    const { table, stride } = this;
    const mask = this.capacity - 1;
    let gap = start;
    let slot = (gap + 1) & mask;
    while (table[slot * stride] !== EMPTY) {
      // The entry may move into the gap unless its home lies cyclically after the gap.
      if (((slot - this.homeOf(table, slot * stride + 1)) & mask) >= ((slot - gap) & mask)) {
        table.copyWithin(gap * stride, slot * stride, (slot + 1) * stride);
        gap = slot;
      }
      slot = (slot + 1) & mask;
    }
    table[gap * stride] = EMPTY;
  }

  private grow(): void {
    const old = this.table;
    this.capacity *= 2;
    this.shift -= 1;
    this.table = new Int32Array(this.capacity * this.stride).fill(EMPTY);
    this.size = 0;
    for (let base = 0; base < old.length; base += this.stride) {
      if (old[base] !== EMPTY) this.set(old, base + 1, old[base]);
    }
  }
}

/** Mixes all words of a key. Each has its own multiplier, so the products are computed in parallel, not one after another. */
const hashOf = (w0: number, w1: number, w2: number, w3: number, w4: number): number => {
  const first = Math.imul(w0, 0x85ebca6b) ^ Math.imul(w1, 0xc2b2ae35);
  const second = Math.imul(w2, 0x27d4eb2f) ^ Math.imul(w3, 0x165667b1);
  const h = first + second + Math.imul(w4, 0x21f0aaad);
  // Spreads the high bits too: addresses that differ only in their last bytes must not form runs.
  return Math.imul(h ^ (h >>> 15), 0x9e3779b1);
};
