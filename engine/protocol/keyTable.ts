// An index from fixed-width byte keys (order ids, addresses, key ids) to small integers: open addressing with linear
// probing over typed arrays. Used by the core and the registry where a Map of strings would cost an allocation a lookup.
// Keys are read straight out of a message's bytes; the table never hands them out as text.
import { bytesToHex } from './bytes.ts';

const EMPTY = -1;

/**
 * Keys of `keyWords` 32-bit words each → non-negative integers. Most keys are digests or parts of digests; addresses can be
 * chosen by their owners, so all words are mixed into the hash.
 */
export class KeyTable {
  size = 0;
  private readonly keyWords: number;
  private capacity: number;
  private keys: Int32Array;
  private values: Int32Array;

  constructor(keyBytes: 16 | 20 | 32, initialCapacity = 1024) {
    this.keyWords = keyBytes / 4;
    this.capacity = initialCapacity;
    this.keys = new Int32Array(initialCapacity * this.keyWords);
    this.values = new Int32Array(initialCapacity).fill(EMPTY);
  }

  /** The value of the key at `offset` of the message, or −1. */
  get(message: DataView, offset: number): number {
    const { keys, values, keyWords, capacity } = this;
    const mask = capacity - 1;
    let slot = this.hash(message, offset) & mask;
    while (values[slot] !== EMPTY) {
      let word = 0;
      const base = slot * keyWords;
      while (word < keyWords && keys[base + word] === message.getInt32(offset + word * 4, true)) word += 1;
      if (word === keyWords) return values[slot];
      slot = (slot + 1) & mask;
    }
    return EMPTY;
  }

  /** Sets the value (≥ 0) of a key, which may be new. */
  set(message: DataView, offset: number, value: number): void {
    if ((this.size + 1) * 2 > this.capacity) this.grow();
    const { keys, values, keyWords, capacity } = this;
    const mask = capacity - 1;
    let slot = this.hash(message, offset) & mask;
    while (values[slot] !== EMPTY) {
      const base = slot * keyWords;
      let word = 0;
      while (word < keyWords && keys[base + word] === message.getInt32(offset + word * 4, true)) word += 1;
      if (word === keyWords) {
        values[slot] = value;
        return;
      }
      slot = (slot + 1) & mask;
    }
    const base = slot * keyWords;
    for (let word = 0; word < keyWords; word += 1) keys[base + word] = message.getInt32(offset + word * 4, true);
    values[slot] = value;
    this.size += 1;
  }

  /** Removes a key if it is there; later keys of the same run move up, so that no tombstones pile up. */
  delete(message: DataView, offset: number): void {
    const { keys, values, keyWords, capacity } = this;
    const mask = capacity - 1;
    let slot = this.hash(message, offset) & mask;
    while (values[slot] !== EMPTY) {
      const base = slot * keyWords;
      let word = 0;
      while (word < keyWords && keys[base + word] === message.getInt32(offset + word * 4, true)) word += 1;
      if (word === keyWords) {
        this.closeGap(slot, mask);
        this.size -= 1;
        return;
      }
      slot = (slot + 1) & mask;
    }
  }

  /** All keys as hexadecimal text with their values, in no particular order: for state hashes and checks. */
  *entries(): Generator<readonly [key: string, value: number]> {
    const bytes = new Uint8Array(this.keys.buffer);
    for (let slot = 0; slot < this.capacity; slot += 1) {
      if (this.values[slot] === EMPTY) continue;
      yield [bytesToHex(bytes, slot * this.keyWords * 4, this.keyWords * 4), this.values[slot]];
    }
  }

  private hash(message: DataView, offset: number): number {
    let h = 0x9e3779b9 | 0;
    for (let word = 0; word < this.keyWords; word += 1) {
      h = Math.imul(h ^ message.getInt32(offset + word * 4, true), 0x85ebca6b);
      h ^= h >>> 15;
    }
    return h;
  }

  private hashStored(slot: number): number {
    let h = 0x9e3779b9 | 0;
    const base = slot * this.keyWords;
    for (let word = 0; word < this.keyWords; word += 1) {
      h = Math.imul(h ^ this.keys[base + word], 0x85ebca6b);
      h ^= h >>> 15;
    }
    return h;
  }

  private closeGap(start: number, mask: number): void {
    const { keys, values, keyWords } = this;
    let gap = start;
    let slot = (gap + 1) & mask;
    while (values[slot] !== EMPTY) {
      const home = this.hashStored(slot) & mask;
      // The entry may move into the gap unless its home lies cyclically after the gap.
      if (((slot - home) & mask) >= ((slot - gap) & mask)) {
        for (let word = 0; word < keyWords; word += 1) keys[gap * keyWords + word] = keys[slot * keyWords + word];
        values[gap] = values[slot];
        gap = slot;
      }
      slot = (slot + 1) & mask;
    }
    values[gap] = EMPTY;
  }

  private grow(): void {
    const { keys, values, keyWords, capacity } = this;
    const message = new DataView(keys.buffer);
    this.capacity = capacity * 2;
    this.keys = new Int32Array(this.capacity * keyWords);
    this.values = new Int32Array(this.capacity).fill(EMPTY);
    this.size = 0;
    for (let slot = 0; slot < capacity; slot += 1) {
      if (values[slot] !== EMPTY) this.set(message, slot * keyWords * 4, values[slot]);
    }
  }
}
