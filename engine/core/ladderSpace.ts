// The allocator for the words of all ladders of an exchange: blocks of a few large arrays, each shared by many ladders. An
// array per ladder would be three objects besides its words, each one more cache line to load for a market that has been idle:
// with 10,000 markets, a quarter of an order's time. Owned by state.ts and used only by ladder.ts, which knows what the words
// of a block mean.
import { newRecords } from './grow.ts';

/** Words of a cache line. Blocks start on a line, so none spans more lines than it must. */
const LINE_WORDS = 16;
/** Words of the first array. Each further one is twice as long, up to the longest: small exchanges stay small. */
const FIRST_WORDS = 1 << 12;
const LONGEST_WORDS = 1 << 18;
/**
 * A larger block, which only a grid much finer than a usual tick needs, is an array of its own. It spans so many lines that one
 * more does not matter, and when its market's grid becomes coarse again, its memory can be reclaimed for any use.
 */
const SHARED_WORDS_MAX = 1 << 13;

/** This number of words, rounded up to whole cache lines. */
export const inLines = (words: number): number => Math.ceil(words / LINE_WORDS) * LINE_WORDS;

/** A range of words in an array. */
export interface Block {
  readonly words: Int32Array;
  /** Where it begins. */
  readonly at: number;
}

export class LadderSpace {
  /** The latest array, and how many of its words are in use. */
  private words = new Int32Array(0);
  private used = 0;
  /** Free lists of returned blocks, by size. */
  private readonly free = new Map<number, Block[]>();

  /** A block of `size` words, which may hold what its previous owner left. */
  take(size: number): Block {
    if (size > SHARED_WORDS_MAX) return { words: newRecords(inLines(size)), at: 0 };
    const known = this.free.get(size)?.pop();
    if (known !== undefined) return known;
    const room = inLines(size);
    if (this.used + room > this.words.length) this.begin(room);
    const block = { words: this.words, at: this.used };
    this.used += room;
    return block;
  }

  /** Takes back a block of `size` words that nothing reads any more. */
  give(size: number, block: Block): void {
    if (size > SHARED_WORDS_MAX) return;
    const blocks = this.free.get(size);
    if (blocks === undefined) this.free.set(size, [block]);
    else blocks.push(block);
  }

  /** Starts another array, with room for at least `room` words. The rest of the latest one stays unused. */
  private begin(room: number): void {
    const doubled = Math.min(this.words.length * 2, LONGEST_WORDS);
    this.words = newRecords(Math.max(FIRST_WORDS, doubled, room));
    this.used = 0;
  }
}
