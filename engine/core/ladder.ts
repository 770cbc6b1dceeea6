// The price levels of one market in one price-sorted array, in the first token's terms: a level is found by its place on
// the market's grid, never by search. Bids and asks share the array, since a ladder is never crossed. Written by entry,
// matching and cancels; knows orders only as slots of the pool. An occupancy bitmap finds the next level.
import { PIPS_PER_UNIT } from '../protocol/units.ts';
import { inLines, type LadderSpace } from './ladderSpace.ts';
import { NONE, type OrderPool } from './orderPool.ts';

/** Ladder sides: a bid buys the first token (or sells the second), an ask the other way round. */
export const BID = 0;
export const ASK = 1;
/** BID for this file: V8 folds a file's own, unexported constants into its code. */
const BIDS = 0;

/** Number of words that hold this many bits. */
const wordsOf = (bits: number): number => (bits + 31) >>> 5;

/**
 * Number of words for the occupancy bitmap of this many levels (a bit for each level with orders) and its summary (a bit for
 * each word of the bitmap that is not 0), in whole cache lines: the levels that follow start on a line.
 */
const bitWordsOf = (levelCount: number): number => {
  const words = wordsOf(levelCount);
  return inLines(words + wordsOf(words));
};

/** Number of words of a ladder: bitmap and summary, then the first and last slot of level i at 2i and 2i + 1. */
const sizeOf = (levelCount: number): number => bitWordsOf(levelCount) + 2 * levelCount;

/** Empties all levels of the ladder whose words begin at `at`. */
const clearLevels = (words: Int32Array, at: number, levelCount: number): void => {
  const levelsAt = at + bitWordsOf(levelCount);
  words.fill(0, at, levelsAt);
  words.fill(NONE, levelsAt, levelsAt + 2 * levelCount);
};

/**
 * An empty ladder's words, by grid, never written to. Ladders share them until an order comes: unquoted markets cost nothing.
 */
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

/** The least number of pips that is no grid. */
const GRIDS_END = PIPS_PER_UNIT + 1;
/**
 * 1 / grid, by grid: a multiplication finds a level faster than a division. One table for all ladders, since a fraction in a
 * field of each would be a boxed number.
 */
const inverses = Float64Array.from({ length: GRIDS_END }, (_, gridPips) => 1 / gridPips);

export class Ladder {
  /** Distance of neighbouring levels in pips: divides the tick and every resting price. */
  declare gridPips: number;
  /** Index of the best level of each side; 0 and `levelCount` mean there is none. */
  bestBid = 0;
  declare bestAsk: number;
  declare levelCount: number;
  /** The array that holds its words, see sizeOf: the shared one until the first order comes, then that of its own block. */
  declare private words: Int32Array;
  /** Where in that array its bitmap, its summary and its levels begin. */
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

  /** The level of a price; off the grid, the nearest level below. */
  levelOf(pips: number): number {
    return ((pips + 0.5) * inverses[this.gridPips]) | 0; // half a pip more keeps rounding from falling short
  }

  /** Whether a price lies on the grid. */
  hasPrice(pips: number): boolean {
    return this.levelOf(pips) * this.gridPips === pips;
  }

  /** Best price of a side in the first token's terms, pips; 0 for no bid, 10,000 for no ask. */
  bestPips(side: number): number {
    return (side === BIDS ? this.bestBid : this.bestAsk) * this.gridPips;
  }

  firstOf(level: number): number {
    return this.words[this.levelsAt + (level << 1)];
  }

  /** The next worse level of a side after `level`, or the side's "none". */
  nextWorse(side: number, level: number): number {
    return side === BIDS ? this.nextBelow(level) : this.nextAbove(level);
  }

  /** Appends a slot to its level. Its price must be on the grid. */
  append(pool: OrderPool, slot: number, side: number): void {
    this.appendAt(this.levelOf(pool.ladderPipsOf(slot)), pool, slot, side);
  }

  /** The same, for a caller that knows the level. */
  appendAt(level: number, pool: OrderPool, slot: number, side: number): void {
    const last = this.words[this.levelsAt + (level << 1) + 1];
    pool.linkLast(slot, last);
    if (last < 0) this.openLevel(level, slot, side);
    this.words[this.levelsAt + (level << 1) + 1] = slot;
  }

  /** Removes a slot from its level. */
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

  /** Moves every level to another grid, which must divide every resting price. Keeps time priority. */
  regrid(gridPips: number): void {
    const other = new Ladder(gridPips, this.space);
    if (!this.isShared) other.takeOwnLevels();
    for (let level = this.nextAbove(0); level < this.levelCount; level = this.nextAbove(level)) {
      const moved = (level * this.gridPips) / gridPips;
      other.words[other.levelsAt + (moved << 1)] = this.words[this.levelsAt + (level << 1)];
      other.words[other.levelsAt + (moved << 1) + 1] = this.words[this.levelsAt + (level << 1) + 1];
      other.setBit(moved);
    }
    this.bestBid = (this.bestBid * this.gridPips) / gridPips;
    this.bestAsk = (this.bestAsk * this.gridPips) / gridPips;
    if (!this.isShared) this.giveLevels();
    this.gridPips = gridPips;
    this.levelCount = other.levelCount;
    this.lieAt(other.words, other.bitsAt);
  }

  /** Returns its words to the space, for another ladder. Called when no order rests here and none will for long. */
  vacate(): void {
    if (this.isShared) return;
    this.giveLevels();
    this.isShared = true;
    this.lieAt(sharedWordsOf(this.gridPips), 0);
  }

  /** The coarsest grid that holds the tick and every resting price: their greatest common divisor, pips. */
  gridFor(tickPips: number): number {
    let grid = tickPips;
    // The present grid divides every resting price: once the walk has come down to it, nothing finer can follow.
    for (
      let level = this.nextAbove(0);
      level < this.levelCount && grid !== this.gridPips;
      level = this.nextAbove(level)
    ) {
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

  /** Its contents for a snapshot: level, first and last slot of each level with orders. */
  levels(): number[] {
    const levels: number[] = [];
    for (let level = this.nextAbove(0); level < this.levelCount; level = this.nextAbove(level)) {
      levels.push(level, this.words[this.levelsAt + (level << 1)], this.words[this.levelsAt + (level << 1) + 1]);
    }
    return levels;
  }

  /** Loads a level of a snapshot into a ladder that holds no levels above it. */
  loadLevel(level: number, first: number, last: number, side: number): void {
    this.openLevel(level, first, side);
    this.words[this.levelsAt + (level << 1) + 1] = last;
  }

  /** Replaces the shared words, which hold no order, by a block of its own. */
  private takeOwnLevels(): void {
    const { words, at } = this.space.take(sizeOf(this.levelCount));
    clearLevels(words, at, this.levelCount);
    this.isShared = false;
    this.lieAt(words, at);
  }

  /** Returns its block to the space. The caller sets other words at once. */
  private giveLevels(): void {
    this.space.give(sizeOf(this.levelCount), { words: this.words, at: this.bitsAt });
  }

  /** Sets where its words are: in `words`, from `at` on. */
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
