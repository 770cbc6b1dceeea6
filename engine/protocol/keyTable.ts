// An index from fixed-width byte keys (addresses, key ids) to small integers: open addressing with linear probing over one
// typed array. Used by the core and the registry where a Map of strings would cost an allocation a lookup.
// Keys are read straight out of a message's bytes; the table never hands them out but for state hashes and checks.
import { bytesToHex } from './bytes.ts';

const EMPTY = -1;

/** Keys of a fixed number of bytes → non-negative integers. All words of a key are mixed: owners can choose addresses. */
export class KeyTable {
  size = 0;
  private readonly keyWords: number;
  /** Words of an entry: its value (−1 when free), then its key. */
  private readonly stride: number;
  private capacity: number;
  private entriesOf: Int32Array;

  constructor(keyBytes: 16 | 20 | 32, initialCapacity = 1024) {
    this.keyWords = keyBytes / 4;
    this.stride = this.keyWords + 1;
    this.capacity = initialCapacity;
    this.entriesOf = new Int32Array(initialCapacity * this.stride).fill(EMPTY);
  }

  /** The value of the key at `offset` of the message, or −1. */
  get(message: DataView, offset: number): number {
    const base = this.locate(message, offset);
    return this.entriesOf[base];
  }

  /** Sets the value (≥ 0) of a key, which may be new. */
  set(message: DataView, offset: number, value: number): void {
    let base = this.locate(message, offset);
    if (this.entriesOf[base] === EMPTY) {
      if ((this.size + 1) * 2 > this.capacity) {
        this.grow();
        base = this.locate(message, offset);
      }
      for (let word = 0; word < this.keyWords; word += 1) {
        this.entriesOf[base + 1 + word] = message.getInt32(offset + word * 4, true);
      }
      this.size += 1;
    }
    this.entriesOf[base] = value;
  }

  /** Removes a key if it is there; later keys of the same run move up, so that no tombstones pile up. */
  delete(message: DataView, offset: number): void {
    const base = this.locate(message, offset);
    if (this.entriesOf[base] === EMPTY) return;
    this.closeGap(base / this.stride);
    this.size -= 1;
  }

  /** All keys as hexadecimal text with their values, in no particular order: for state hashes and checks. */
  *entries(): Generator<readonly [key: string, value: number]> {
    const bytes = new Uint8Array(this.entriesOf.buffer);
    for (let base = 0; base < this.entriesOf.length; base += this.stride) {
      if (this.entriesOf[base] === EMPTY) continue;
      yield [bytesToHex(bytes, (base + 1) * 4, this.keyWords * 4), this.entriesOf[base]];
    }
  }

  /** Where the entry of a key starts, or the free one where it would go. */
  private locate(message: DataView, offset: number): number {
    const { entriesOf, keyWords, stride } = this;
    const mask = this.capacity - 1;
    let h = SEED;
    for (let word = 0; word < keyWords; word += 1) h = mix(h, message.getInt32(offset + word * 4, true));
    let slot = finish(h) & mask;
    for (;;) {
      const base = slot * stride;
      if (entriesOf[base] === EMPTY) return base;
      let word = 0;
      while (word < keyWords && entriesOf[base + 1 + word] === message.getInt32(offset + word * 4, true)) word += 1;
      if (word === keyWords) return base;
      slot = (slot + 1) & mask;
    }
  }

  private homeOf(base: number): number {
    let h = SEED;
    for (let word = 1; word <= this.keyWords; word += 1) h = mix(h, this.entriesOf[base + word]);
    return finish(h) & (this.capacity - 1);
  }

  private closeGap(start: number): void {
    const { entriesOf, stride } = this;
    const mask = this.capacity - 1;
    let gap = start;
    let slot = (gap + 1) & mask;
    while (entriesOf[slot * stride] !== EMPTY) {
      // The entry may move into the gap unless its home lies cyclically after the gap.
      if (((slot - this.homeOf(slot * stride)) & mask) >= ((slot - gap) & mask)) {
        entriesOf.copyWithin(gap * stride, slot * stride, (slot + 1) * stride);
        gap = slot;
      }
      slot = (slot + 1) & mask;
    }
    entriesOf[gap * stride] = EMPTY;
  }

  private grow(): void {
    const old = this.entriesOf;
    const message = new DataView(old.buffer);
    this.capacity *= 2;
    this.entriesOf = new Int32Array(this.capacity * this.stride).fill(EMPTY);
    this.size = 0;
    for (let base = 0; base < old.length; base += this.stride) {
      if (old[base] !== EMPTY) this.set(message, (base + 1) * 4, old[base]);
    }
  }
}

const SEED = 0x9e3779b9 | 0;

function mix(h: number, word: number): number {
  const mixed = Math.imul(h ^ word, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}

/** Spreads the last word's low bits too: addresses that differ in their tails alone must not fall into runs. */
function finish(h: number): number {
  const mixed = Math.imul(h, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
