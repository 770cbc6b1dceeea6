// Where the words of all ladders of an exchange lie: in a few large arrays, each shared by many ladders. An array of its own
// would be three objects besides its words, each another line of memory on the way to a market that nobody touched for a while:
// with 10,000 markets that is a quarter of an order's time. Owned by state.ts, used by ladder.ts alone, which knows what a
// block's words mean.
import { newRecords } from './grow.ts';

/** Words of a line of memory: blocks begin with one, so that none lies in more of them than it must. */
const LINE_WORDS = 16;
/** Words of the first array. Each is twice as long as the one before, so that small exchanges stay small, up to the longest. */
const FIRST_WORDS = 1 << 12;
const LONGEST_WORDS = 1 << 18;
/**
 * A block of more words, as only grids much finer than a usual tick need it, is an array of its own: it lies in so many lines that
 * one more is nothing, and when its market's tick is made coarse again, its memory is free for all.
 */
const SHARED_WORDS_MAX = 1 << 13;

/** So many words in whole lines of memory. */
export const inLines = (words: number): number => Math.ceil(words / LINE_WORDS) * LINE_WORDS;

/** Some words of an array. */
export interface Block {
  readonly words: Int32Array;
  /** Where they begin. */
  readonly at: number;
}

export class LadderSpace {
  /** The latest array, and how many of its words are taken. */
  private words = new Int32Array(0);
  private used = 0;
  /** Blocks that were given back, by size. */
  private readonly free = new Map<number, Block[]>();

  /** A block of so many words; what is in them is left over from whoever had it before. */
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

  /** Takes back a block of so many words, which nobody looks at any more. */
  give(size: number, block: Block): void {
    if (size > SHARED_WORDS_MAX) return;
    const blocks = this.free.get(size);
    if (blocks === undefined) this.free.set(size, [block]);
    else blocks.push(block);
  }

  /** Begins another array, which has room for so many words at least. What is left of the latest stays empty. */
  private begin(room: number): void {
    const doubled = Math.min(this.words.length * 2, LONGEST_WORDS);
    this.words = newRecords(Math.max(FIRST_WORDS, doubled, room));
    this.used = 0;
  }
}
