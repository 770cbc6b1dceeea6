// The price levels of one market in one price-sorted array, in the first token's terms: a level is found by its place on
// the market's grid, never by search. Bids and asks share the array, since a ladder is never crossed. Written by entry,
// matching and cancels; knows orders only as slots of the pool. An occupancy bitmap finds the next level.
import { PIPS_PER_UNIT } from '../protocol/units.ts';
import { inLines, type LadderSpace } from './ladderSpace.ts';
import { NONE, type OrderPool } from './orderPool.ts';

/** Ladder sides: a bid buys the first token (or sells the second), an ask the other way round. */
export const BID = 0;
export const ASK = 1;
/** The bid's side again: V8 folds a file's own constants into its code. */
const BIDS = 0;

/** Words that hold so many bits. */
const wordsOf = (bits: number): number => (bits + 31) >>> 5;

/**
 * Words of the bits of so many levels, one for each that has orders, and of their summary, a bit for each word of these that has a
 * bit: in whole lines, so that what follows them begins with one.
 */
const bitWordsOf = (levelCount: number): number => {
  const words = wordsOf(levelCount);
  return inLines(words + wordsOf(words));
};

/** The words of a ladder: these bits, then the first and last slot of level i at 2i and 2i + 1. */
const sizeOf = (levelCount: number): number => bitWordsOf(levelCount) + 2 * levelCount;

/** Makes all levels empty in the words of a ladder, which begin at `at`. */
const clearLevels = (words: Int32Array, at: number, levelCount: number): void => {
  const levelsAt = at + bitWordsOf(levelCount);
  words.fill(0, at, levelsAt);
  words.fill(NONE, levelsAt, levelsAt + 2 * levelCount);
};

/** What ladders without a single order read of, by grid, so that markets that nobody quotes cost nothing; never written to. */
const sharedWords = new Map<number, Int32Array>();

function sharedWordsOf(gridPips: number): Int32Array {
  const known = sharedWords.get(gridPips);
  if (known !== undefined) return known;
  const levelCount = PIPS_PER_UNIT / gridPips;
  const words = new Int32Array(sizeOf(levelCount));
  clearLevels(words, 0, levelCount);
  sharedWords.set(gridPips, words);
  return words;
}

/**
 * 1 / grid by grid: a multiplication finds a level faster than a division. All ladders read the same few, where a fraction in a
 * field of each would be an object of its own.
 */
const inverses = Float64Array.from({ length: PIPS_PER_UNIT + 1 }, (_, gridPips) => 1 / gridPips);

export class Ladder {
  /** Distance of neighbouring levels in pips: divides the tick and every resting price. */
  declare gridPips: number;
  /** Index of the best level of each side; 0 and `levelCount` mean there is none. */
  bestBid = 0;
  declare bestAsk: number;
  declare levelCount: number;
  /** Where its words are, see sizeOf: the shared ones until the first order comes, then a block of the space. */
  declare private words: Int32Array;
  /** Where in these its own begin, which are the bits, then their summary and its levels. */
  declare private bitsAt: number;
  declare private summaryAt: number;
  declare private levelsAt: number;
  declare private isShared: boolean;
  declare private readonly space: LadderSpace;

  constructor(gridPips: number, space: LadderSpace) {
    this.gridPips = gridPips;
    this.levelCount = PIPS_PER_UNIT / gridPips;
    this.bestAsk = this.levelCount;
    this.isShared = true;
    this.space = space;
    this.lieAt(sharedWordsOf(gridPips), 0);
  }

  /** Price of a level in pips. */
  pipsOf(level: number): number {
    return level * this.gridPips;
  }

  /** Level of a price on the grid; of another price, that of the nearest one below. */
  levelOf(pips: number): number {
    return ((pips + 0.5) * inverses[this.gridPips]) | 0; // half a pip more, so that rounding cannot fall short
  }

  /** Whether a price lies on the grid. */
  hasPrice(pips: number): boolean {
    return this.levelOf(pips) * this.gridPips === pips;
  }

  hasBids(): boolean {
    return this.bestBid > 0;
  }

  hasAsks(): boolean {
    return this.bestAsk < this.levelCount;
  }

  /** Best price of a side in pips, first token's terms; 0 for no bid, 10,000 for no ask. */
  bestPips(side: number): number {
    return (side === BIDS ? this.bestBid : this.bestAsk) * this.gridPips;
  }

  firstOf(level: number): number {
    return this.words[this.levelsAt + (level << 1)];
  }

  /** The slot that a taker on this side of the ladder meets first, or NONE. */
  firstMaker(takerSide: number): number {
    if (takerSide !== BIDS) return this.words[this.levelsAt + (this.bestBid << 1)];
    return this.bestAsk < this.levelCount ? this.words[this.levelsAt + (this.bestAsk << 1)] : NONE;
  }

  /** The next worse level of a side after `level`, or the side's "none". */
  nextWorse(side: number, level: number): number {
    return side === BIDS ? this.nextBelow(level) : this.nextAbove(level);
  }

  /** Puts a slot last at its level. Its price must be on the grid. */
  append(pool: OrderPool, slot: number, side: number): void {
    this.appendAt(this.levelOf(pool.ladderPipsOf(slot)), pool, slot, side);
  }

  /** The same for whoever knows the level. */
  appendAt(level: number, pool: OrderPool, slot: number, side: number): void {
    const last = this.words[this.levelsAt + (level << 1) + 1];
    pool.linkLast(slot, last);
    if (last < 0) this.openLevel(level, slot, side);
    this.words[this.levelsAt + (level << 1) + 1] = slot;
  }

  /** Takes a slot out of its level. */
  remove(pool: OrderPool, slot: number): void {
    const { words } = this;
    const level = this.levelOf(pool.ladderPipsOf(slot));
    const next = pool.nextOf(slot);
    const previous = pool.previousOf(slot);
    pool.unlink(previous, next);
    if (previous < 0) words[this.levelsAt + (level << 1)] = next;
    if (next < 0) {
      words[this.levelsAt + (level << 1) + 1] = previous;
      if (previous < 0) this.clearLevel(level);
    }
  }

  /** Moves every level onto another grid, which must divide every resting price. Time priority is kept. */
  regrid(gridPips: number): void {
    const other = new Ladder(gridPips, this.space);
    if (!this.isShared) other.takeOwnLevels();
    for (let level = this.nextAbove(0); level < this.levelCount; level = this.nextAbove(level)) {
      const moved = (level * this.gridPips) / gridPips;
      other.words[other.levelsAt + (moved << 1)] = this.words[this.levelsAt + (level << 1)];
      other.words[other.levelsAt + (moved << 1) + 1] = this.words[this.levelsAt + (level << 1) + 1];
      other.setBit(moved);
    }
    if (this.bestBid !== 0) this.bestBid = (this.bestBid * this.gridPips) / gridPips;
    this.bestAsk = this.hasAsks() ? (this.bestAsk * this.gridPips) / gridPips : other.levelCount;
    if (!this.isShared) this.giveLevels();
    this.gridPips = gridPips;
    this.levelCount = other.levelCount;
    this.lieAt(other.words, other.bitsAt);
  }

  /** Gives its words back, where no order rests and none will for long: another ladder takes them. */
  vacate(): void {
    if (this.isShared) return;
    this.giveLevels();
    this.isShared = true;
    this.lieAt(sharedWordsOf(this.gridPips), 0);
  }

  /** The coarsest grid that holds the tick and every resting price: their greatest common divisor, pips. */
  gridFor(tickPips: number): number {
    let grid = tickPips;
    for (let level = this.nextAbove(0); level < this.levelCount; level = this.nextAbove(level)) {
      let a = grid;
      let b = level * this.gridPips;
      while (b !== 0) [a, b] = [b, a % b];
      grid = a;
    }
    return grid;
  }

  /**
   * Invariants: 1 bits and summary say exactly which levels have orders; 2 links run both ways; 3 every order's price is
   * its level's; 4 best bid below best ask, and both are the true best of their side. `sideOf` tells a slot's side.
   */
  checkInvariants(pool: OrderPool, sideOf: (slot: number) => number): void {
    let bestBid = 0;
    let bestAsk = this.levelCount;
    for (let level = 0; level < this.levelCount; level += 1) {
      const has = this.words[this.levelsAt + level * 2] !== NONE;
      const bit = (this.words[this.bitsAt + (level >>> 5)] >>> (level & 31)) & 1;
      if (has !== (bit === 1)) throw new Error(`ladder 1: bit of level ${level} is ${bit}`);
      if (has && ((this.words[this.summaryAt + (level >>> 10)] >>> ((level >>> 5) & 31)) & 1) === 0) {
        throw new Error(`ladder 1: summary misses level ${level}`);
      }
      let previous = NONE;
      for (let slot = this.words[this.levelsAt + level * 2]; slot !== NONE; slot = pool.nextOf(slot)) {
        if (pool.previousOf(slot) !== previous) throw new Error(`ladder 2: slot ${slot} links back wrongly`);
        const pips = pool.ladderPipsOf(slot);
        if (pips !== level * this.gridPips) throw new Error(`ladder 3: ${pips} pips at level ${level}`);
        if (sideOf(slot) === BID) bestBid = Math.max(bestBid, level);
        else bestAsk = Math.min(bestAsk, level);
        previous = slot;
      }
      if (this.words[this.levelsAt + level * 2 + 1] !== previous)
        throw new Error(`ladder 2: level ${level} ends at the wrong slot`);
    }
    if (bestBid !== this.bestBid || bestAsk !== this.bestAsk || bestBid >= bestAsk) {
      throw new Error(`ladder 4: best ${this.bestBid}/${this.bestAsk}, levels say ${bestBid}/${bestAsk}`);
    }
  }

  /** What a snapshot holds of it: level, first and last slot, of each level with orders. */
  levels(): number[] {
    const levels: number[] = [];
    for (let level = this.nextAbove(0); level < this.levelCount; level = this.nextAbove(level)) {
      levels.push(level, this.words[this.levelsAt + (level << 1)], this.words[this.levelsAt + (level << 1) + 1]);
    }
    return levels;
  }

  /** Puts a level of a snapshot into a ladder in which no level follows it. */
  loadLevel(level: number, first: number, last: number, side: number): void {
    this.openLevel(level, first, side);
    this.words[this.levelsAt + (level << 1) + 1] = last;
  }

  /** Puts levels of its own in the place of the shared ones, which hold no order. */
  private takeOwnLevels(): void {
    const { words, at } = this.space.take(sizeOf(this.levelCount));
    clearLevels(words, at, this.levelCount);
    this.isShared = false;
    this.lieAt(words, at);
  }

  /** Gives its own levels back to the space; others take their place at once. */
  private giveLevels(): void {
    this.space.give(sizeOf(this.levelCount), { words: this.words, at: this.bitsAt });
  }

  /** Its words are these, from `at` on. */
  private lieAt(words: Int32Array, at: number): void {
    this.words = words;
    this.bitsAt = at;
    this.summaryAt = at + wordsOf(this.levelCount);
    this.levelsAt = at + bitWordsOf(this.levelCount);
  }

  private openLevel(level: number, slot: number, side: number): void {
    if (this.isShared) this.takeOwnLevels();
    this.words[this.levelsAt + (level << 1)] = slot;
    this.setBit(level);
    if (side === BIDS) {
      if (level > this.bestBid) this.bestBid = level;
    } else if (level < this.bestAsk) {
      this.bestAsk = level;
    }
  }

  private setBit(level: number): void {
    const { words } = this;
    const word = level >>> 5;
    words[this.bitsAt + word] |= 1 << (level & 31);
    words[this.summaryAt + (word >>> 5)] |= 1 << (word & 31);
  }

  private clearLevel(level: number): void {
    const { words, bitsAt } = this;
    const word = level >>> 5;
    const bits = words[bitsAt + word] & ~(1 << (level & 31));
    words[bitsAt + word] = bits;
    if (bits === 0) words[this.summaryAt + (word >>> 5)] &= ~(1 << (word & 31));
    if (level === this.bestBid) this.bestBid = this.nextBelow(level);
    else if (level === this.bestAsk) this.bestAsk = this.nextAbove(level);
  }

  private nextBelow(level: number): number {
    const { words, bitsAt, summaryAt } = this;
    const word = level >>> 5;
    const bits = words[bitsAt + word] & ((1 << (level & 31)) - 1);
    if (bits !== 0) return (word << 5) + 31 - Math.clz32(bits);
    let group = word >>> 5;
    let filled = words[summaryAt + group] & ((1 << (word & 31)) - 1);
    while (filled === 0) {
      group -= 1;
      if (group < 0) return 0;
      filled = words[summaryAt + group];
    }
    const found = (group << 5) + 31 - Math.clz32(filled);
    return (found << 5) + 31 - Math.clz32(words[bitsAt + found]);
  }

  private nextAbove(level: number): number {
    const { words, bitsAt, summaryAt } = this;
    const word = level >>> 5;
    // Shifting twice keeps bit 31 right: a shift by 32 is a shift by 0 in JavaScript.
    const bits = words[bitsAt + word] & ((-1 << (level & 31)) << 1);
    if (bits !== 0) return (word << 5) + 31 - Math.clz32(bits & -bits);
    let group = word >>> 5;
    let filled = words[summaryAt + group] & ((-1 << (word & 31)) << 1);
    while (filled === 0) {
      group += 1;
      if (group << 10 >= this.levelCount) return this.levelCount;
      filled = words[summaryAt + group];
    }
    const found = (group << 5) + 31 - Math.clz32(filled & -filled);
    const inWord = words[bitsAt + found];
    return (found << 5) + 31 - Math.clz32(inWord & -inWord);
  }
}
