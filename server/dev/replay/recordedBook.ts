// A market's book according to the recording, and its comparison with a book read from the exchange. The levels here come
// from the file's rows alone, never from what the replay sent or the exchange answered.
import { complementPips } from '../../../engine/index.ts';
import type { BookSide, LevelRow } from './flowFile.ts';

/** Sizes in lots by price in pips, in the first token's terms. */
type Levels = ReadonlyMap<number, number>;

/** Both sides of a book in the first token's terms. */
export interface BookLevels {
  readonly bids: Levels;
  readonly asks: Levels;
}

/** Of the levels in either of two books: how many there are, and how many are equal in price and size. */
interface Agreement {
  readonly agreeing: number;
  readonly all: number;
}

/**
 * One market of the recording. A level's recorded size is the absolute size in its latest change row, from its first change
 * on (the file has no initial snapshot). A print states no size and changes nothing here: the row that reports the
 * reduction does, before or after it. Between the two, or if a print hits what such a row has already removed, the exchange
 * rightly shows less than the recording; these levels count as disagreeing.
 */
export class RecordedBook {
  private readonly sides: Readonly<Record<BookSide, Map<number, number>>> = { B: new Map(), A: new Map() };

  /** Applies a row. */
  apply(row: LevelRow): void {
    if (row.levelLots === 0) this.sides[row.side].delete(row.pricePips);
    else this.sides[row.side].set(row.pricePips, row.levelLots);
  }

  get levels(): BookLevels {
    return { bids: this.sides.B, asks: this.sides.A };
  }
}

function compareSide(left: Levels, right: Levels): Agreement {
  let agreeing = 0;
  let all = left.size;
  for (const [pricePips, lots] of left) if (right.get(pricePips) === lots) agreeing += 1;
  for (const pricePips of right.keys()) if (!left.has(pricePips)) all += 1;
  return { agreeing, all };
}

/** Compares two books, both in the first token's terms; levels agree if price and size are equal, to the lot. */
export function compareBooks(left: BookLevels, right: BookLevels): Agreement {
  const bids = compareSide(left.bids, right.bids);
  const asks = compareSide(left.asks, right.asks);
  return { agreeing: bids.agreeing + asks.agreeing, all: bids.all + asks.all };
}

function mirrorSide(levels: Levels): Levels {
  return new Map([...levels].map(([pricePips, lots]) => [complementPips(pricePips), lots]));
}

/** The other token's book: a bid at p is an ask at 1 − p and vice versa. */
export function mirrored(book: BookLevels): BookLevels {
  return { bids: mirrorSide(book.asks), asks: mirrorSide(book.bids) };
}
