// Builder codes by number, from 0 in the order of their first trades. Anybody can sign a new code into each order, and nothing
// ever removes one, so they lie off the heap, 44 bytes each. They are found by a tree over their bits and not by a hash, for
// which codes could be chosen that collide: no look-up takes more than 256 steps. Used by the views of trades and builders.
import { Message, readHex, requireSound, type Sections, writeHexOrThrow } from '../../engine/index.ts';

const CODE_BYTES = 32;
const CODE_WORDS = CODE_BYTES / 4;
const CODE_BITS = CODE_BYTES * 8;
/**
 * The words of a code's record: the code; then a node of the tree, which came with it: the bit that it asks for, and its two
 * children. A child ≥ 0 is the node of the code with that number, one below 0 is ~number of a code. A node's bit comes after
 * that of its parent. The record of code 0 has no node: its first child is the root.
 */
const RECORD = { code: 0, bit: CODE_WORDS, child: CODE_WORDS + 1, words: CODE_WORDS + 3 } as const;
const NO_NODE = -1;
const CHUNK_RECORDS = 4_096;
const CHUNK_WORDS = CHUNK_RECORDS * RECORD.words;

/** Holds the code that is looked up; a view's own fields are only what the log says. */
const wanted = new Message(new ArrayBuffer(CODE_BYTES));

const want = (code: string): void => writeHexOrThrow(code, wanted.bytes, 0, CODE_BYTES);
/** A bit of the code that is looked up. */
const wantedBit = (bit: number): number => (wanted.words[bit >>> 5] >>> (31 - (bit & 31))) & 1;
const offsetOf = (number: number): number => (number % CHUNK_RECORDS) * RECORD.words;

export class BuilderCodes {
  /** How many codes there are. */
  count = 0;
  private chunks: Int32Array<ArrayBuffer>[] = [];

  /** The number of a code (0x and 64 hex digits); undefined for one that is not known. */
  find(code: string): number | undefined {
    if (this.count === 0) return undefined;
    want(code);
    const nearest = this.nearest();
    return this.firstDifference(nearest) === CODE_BITS ? nearest : undefined;
  }

  /** The number of a code, which is added if it is not known yet. */
  numberOf(code: string): number {
    want(code);
    if (this.count === 0) return this.append(NO_NODE);
    const nearest = this.nearest();
    const bit = this.firstDifference(nearest);
    return bit === CODE_BITS ? nearest : this.insert(bit);
  }

  /** The code with this number, in lower case. */
  textOf(number: number): string {
    const { buffer, byteOffset } = this.chunkOf(number);
    return readHex(new Uint8Array(buffer), byteOffset + 4 * offsetOf(number), CODE_BYTES);
  }

  /** The codes' part of a snapshot. */
  visit(sections: Sections): void {
    this.count = sections.number('count', this.count);
    requireSound(Number.isSafeInteger(this.count) && this.count >= 0, `there are ${this.count} builder codes`);
    for (let number = 0; number * CHUNK_RECORDS < this.count; number += 1) {
      const chunk = sections.int32(`chunk ${number}`, this.chunks[number] ?? new Int32Array());
      requireSound(chunk.length === CHUNK_WORDS, `chunk ${number} of the builder codes has ${chunk.length} words`);
      if (sections.isLoading) this.chunks.push(chunk);
    }
    if (sections.isLoading) this.requireTree();
  }

  /** Requires every child to be a code or a node further on, so that each look-up ends. */
  private requireTree(): void {
    for (let number = 0; number < this.count; number += 1) {
      for (const side of [0, 1]) {
        const child = this.childOf(number, side);
        const isNode = child >= 0 && child < this.count && this.bitOf(child) > this.bitOf(number);
        const isSound = child < 0 ? ~child < this.count : isNode && this.bitOf(child) < CODE_BITS;
        requireSound(isSound, `the builder code ${number} has no child ${child}`);
      }
    }
  }

  /** The only code that can be the one that is looked up. */
  private nearest(): number {
    let child = this.childOf(0, 0);
    while (child >= 0) child = this.childOf(child, wantedBit(this.bitOf(child)));
    return ~child;
  }

  /** The first bit in which a code differs from the one that is looked up; CODE_BITS if there is none. */
  private firstDifference(number: number): number {
    const chunk = this.chunkOf(number);
    const at = offsetOf(number);
    for (let word = 0; word < CODE_WORDS; word += 1) {
      const difference = chunk[at + word] ^ wanted.words[word];
      if (difference !== 0) return 32 * word + Math.clz32(difference);
    }
    return CODE_BITS;
  }

  /** Adds the code that is looked up, which differs from its nearest first in this bit. Returns its number. */
  private insert(bit: number): number {
    let parent = 0;
    let side = 0;
    let child = this.childOf(parent, side);
    while (child >= 0 && this.bitOf(child) < bit) {
      parent = child;
      side = wantedBit(this.bitOf(parent));
      child = this.childOf(parent, side);
    }
    const number = this.append(bit);
    this.setChild(number, 1 - wantedBit(bit), child);
    this.setChild(parent, side, number);
    return number;
  }

  /** Appends a record, whose node leads nowhere but to its code yet. */
  private append(bit: number): number {
    const number = this.count;
    if (number % CHUNK_RECORDS === 0) this.chunks.push(new Int32Array(CHUNK_WORDS));
    this.count += 1;
    const chunk = this.chunkOf(number);
    const at = offsetOf(number);
    chunk.set(wanted.words, at + RECORD.code);
    chunk[at + RECORD.bit] = bit;
    chunk.fill(~number, at + RECORD.child, at + RECORD.words);
    return number;
  }

  private chunkOf(number: number): Int32Array<ArrayBuffer> {
    return this.chunks[Math.floor(number / CHUNK_RECORDS)];
  }

  private bitOf(node: number): number {
    return this.chunkOf(node)[offsetOf(node) + RECORD.bit];
  }

  private childOf(node: number, side: number): number {
    return this.chunkOf(node)[offsetOf(node) + RECORD.child + side];
  }

  private setChild(node: number, side: number, child: number): void {
    this.chunkOf(node)[offsetOf(node) + RECORD.child + side] = child;
  }
}
