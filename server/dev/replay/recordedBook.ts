// What the recording says that a market's book is, and how a book read from the exchange compares with it. The levels
// here come from the file's rows alone: never from what the replay sent, and never from what the exchange answered.
import { PIPS_PER_UNIT } from '../../../engine/index.ts';
import type { BookSide, LevelRow } from './flowFile.ts';

/** Sizes in lots by price in pips, in the first token's terms. */
type Levels = ReadonlyMap<number, number>;

/** Both sides of a book in the first token's terms. */
export interface BookLevels {
  readonly bids: Levels;
  readonly asks: Levels;
}

/** How many levels of the union of two books are equal in price and size. */
interface Agreement {
  readonly agreeing: number;
  readonly all: number;
}

/**
 * One market of the recording. A level's recorded size is the absolute size that its last change row states, from its
 * first change on (the file has no initial snapshot). A print states no size, so it changes nothing here: the row that
 * reports the reduction does, before or after it. Between the two, or where a print hits what such a row has already
 * taken away, the exchange rightly shows less than the recording; these levels count as disagreeing.
 */
export class RecordedBook {
  readonly #sides: Readonly<Record<BookSide, Map<number, number>>> = { B: new Map(), A: new Map() };

  /** Takes a row over. */
  apply(row: LevelRow): void {
    if (row.levelLots === 0) this.#sides[row.side].delete(row.pricePips);
    else this.#sides[row.side].set(row.pricePips, row.levelLots);
  }

  get levels(): BookLevels {
    return { bids: this.#sides.B, asks: this.#sides.A };
  }
}

function compareSide(left: Levels, right: Levels): Agreement {
  let agreeing = 0;
  let all = left.size;
  for (const [pricePips, lots] of left) if (right.get(pricePips) === lots) agreeing++;
  for (const pricePips of right.keys()) if (!left.has(pricePips)) all++;
  return { agreeing, all };
}

/** Levels of two books that are equal in price and, to the lot, in size; both in the first token's terms. */
export function compareBooks(left: BookLevels, right: BookLevels): Agreement {
  const bids = compareSide(left.bids, right.bids);
  const asks = compareSide(left.asks, right.asks);
  return { agreeing: bids.agreeing + asks.agreeing, all: bids.all + asks.all };
}

function mirrorSide(levels: Levels): Levels {
  return new Map([...levels].map(([pricePips, lots]) => [PIPS_PER_UNIT - pricePips, lots]));
}

/** The other token's book: a bid at p is an ask at 1 − p and the reverse. */
export function mirrored(book: BookLevels): BookLevels {
  return { bids: mirrorSide(book.asks), asks: mirrorSide(book.bids) };
}
