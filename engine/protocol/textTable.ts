// An index from texts to small integers: open addressing with linear probing over one typed array. Registry and views find
// hundreds of thousands of markets by it: building Maps of as many texts would be most of the cost of loading a snapshot, while
// this table is in the snapshot as it lies in memory. It holds no texts: a callback of its owner returns the text of a row.
import { isCapacity, requireSound, type Sections } from './sections.ts';

const EMPTY = -1;
/** Words of an entry: its row (−1 when free), then the hash of its text. */
const STRIDE = 2;
const CAPACITY_MIN = 64;

/** Texts → rows (≥ 0), each text once. */
export class TextTable {
  size = 0;
  private readonly textOf: (row: number) => string;
  private entries = new Int32Array(CAPACITY_MIN * STRIDE).fill(EMPTY);

  /** @param textOf the text of a row that is in the table */
  constructor(textOf: (row: number) => string) {
    this.textOf = textOf;
  }

  has(text: string): boolean {
    return this.get(text) !== EMPTY;
  }

  /** The row of a text, or −1. */
  get(text: string): number {
    return this.entries[this.locate(text, hashOf(text))];
  }

  /** Sets the row of a text, which may be new. */
  set(text: string, row: number): void {
    const hash = hashOf(text);
    let at = this.locate(text, hash);
    if (this.entries[at] === EMPTY) {
      if ((this.size + 1) * 2 * STRIDE > this.entries.length) {
        this.grow();
        at = this.locate(text, hash);
      }
      this.size += 1;
    }
    this.entries[at] = row;
    this.entries[at + 1] = hash;
  }

  /** Removes a text if it is there. Later entries of the same run move up, so no tombstones pile up. */
  delete(text: string): void {
    const at = this.locate(text, hashOf(text));
    if (this.entries[at] === EMPTY) return;
    this.closeGap(at);
    this.size -= 1;
  }

  /** Saves or loads its part of a snapshot. */
  visit(sections: Sections): void {
    this.size = sections.number('size', this.size);
    this.entries = sections.int32('entries', this.entries);
    const capacity = this.entries.length / STRIDE;
    requireSound(isCapacity(capacity, CAPACITY_MIN), `a text table has ${this.entries.length} words`);
    requireSound(this.size >= 0 && this.size * 2 <= capacity, `a text table of ${capacity} holds ${this.size}`);
  }

  /** Index of a text's entry, or of the free one that it would take. */
  private locate(text: string, hash: number): number {
    const { entries } = this;
    const mask = entries.length - 1;
    let at = (hash * STRIDE) & mask;
    while (entries[at] !== EMPTY && (entries[at + 1] !== hash || this.textOf(entries[at]) !== text)) {
      at = (at + STRIDE) & mask;
    }
    return at;
  }

  private closeGap(start: number): void {
    const { entries } = this;
    const mask = entries.length - 1;
    let gap = start;
    for (let at = (gap + STRIDE) & mask; entries[at] !== EMPTY; at = (at + STRIDE) & mask) {
      const home = (entries[at + 1] * STRIDE) & mask;
      // The entry may move into the gap unless its home lies cyclically after the gap.
      if (((at - home) & mask) < ((at - gap) & mask)) continue;
      entries.copyWithin(gap, at, at + STRIDE);
      gap = at;
    }
    entries[gap] = EMPTY;
  }

  private grow(): void {
    const old = this.entries;
    const entries = new Int32Array(old.length * 2).fill(EMPTY);
    const mask = entries.length - 1;
    for (let from = 0; from < old.length; from += STRIDE) {
      if (old[from] === EMPTY) continue;
      let at = (old[from + 1] * STRIDE) & mask;
      while (entries[at] !== EMPTY) at = (at + STRIDE) & mask;
      entries[at] = old[from];
      entries[at + 1] = old[from + 1];
    }
    this.entries = entries;
  }
}

/** FNV-1a over the characters, with its high bits mixed into the low ones, which select the entry. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5 | 0;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) & 0x3fffffff;
}
