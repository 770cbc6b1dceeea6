// The visible book of every market: lots at each price in the first token's terms, sorted, best level last on both sides (the
// wire's order). The second token's book is its mirror. Fed by the follower of index.ts with orders that rest, fill or are
// cancelled; delayed orders never appear here. It keeps no orders, only price levels.
import { complementPips, PIPS_PER_UNIT, type Sections, Side } from '../../engine/index.ts';

/** The levels of one side, as parallel arrays of prices and lots; the best level is last. */
export interface BookSide {
  readonly pips: readonly number[];
  readonly lots: readonly number[];
}

/** One token's book: bids in ascending and asks in descending price order, so the best is last on both sides. */
export interface TokenBook {
  readonly bids: BookSide;
  readonly asks: BookSide;
}

type SideDraft = { readonly pips: number[]; readonly lots: number[] };

interface BookDraft {
  readonly bids: SideDraft;
  readonly asks: SideDraft;
  /**
   * What all resting orders would pay as BUYs, micro, a SELL counting as a BUY of the other token: each lot counts its price on a
   * bid, and the price's complement on an ask.
   */
  liquidityMicro: number;
  version: number;
  mirrored: { readonly version: number; readonly book: TokenBook } | undefined;
}

const NO_LEVELS: BookSide = { pips: [], lots: [] };
const NO_BOOK: TokenBook = { bids: NO_LEVELS, asks: NO_LEVELS };

const mirrored = ({ pips, lots }: BookSide): BookSide => ({ pips: pips.map(complementPips), lots });

/** The index of a price in a side sorted with its best level last, or the index at which to insert it. */
function levelIndex(side: SideDraft, isBids: boolean, pips: number): number {
  let low = 0;
  let high = side.pips.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const isBefore = isBids ? side.pips[middle] < pips : side.pips[middle] > pips;
    if (isBefore) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Adds lots at a price, or removes them if `lots` is negative. */
function change(side: SideDraft, isBids: boolean, pips: number, lots: number): void {
  const low = levelIndex(side, isBids, pips);
  if (side.pips[low] !== pips) {
    if (lots <= 0) return;
    side.pips.splice(low, 0, pips);
    side.lots.splice(low, 0, lots);
    return;
  }
  side.lots[low] += lots;
  if (side.lots[low] > 0) return;
  side.pips.splice(low, 1);
  side.lots.splice(low, 1);
}

/** Called just before a level changes; side and price are in the first token's terms. */
type LevelListener = (marketIndex: number, isBid: boolean, pips: number, lots: number) => void;

export class BooksView {
  /** The listener to every change of a level; at most one. */
  onLevel: LevelListener | undefined;
  private books: (BookDraft | undefined)[] = [];

  /** One token's levels, best last on both sides. The arrays belong to the view: read them at once and do not keep them. */
  book(marketIndex: number, outcome: number): TokenBook {
    const book = this.books[marketIndex];
    if (book === undefined) return NO_BOOK;
    if (outcome === 0) return book;
    if (book.mirrored?.version !== book.version) {
      const { version } = book;
      book.mirrored = { version, book: { bids: mirrored(book.asks), asks: mirrored(book.bids) } };
    }
    return book.mirrored.book;
  }

  /** A counter that rises with every change of the market's levels; 0 before the first. */
  version(marketIndex: number): number {
    return this.books[marketIndex]?.version ?? 0;
  }

  /** What the orders in all visible levels of a market would pay as BUYs, micro. */
  liquidityMicro(marketIndex: number): number {
    return this.books[marketIndex]?.liquidityMicro ?? 0;
  }

  /** Best bid of a token in pips; 0 when there is none. */
  bestBidPips(marketIndex: number, outcome: number): number {
    const book = this.books[marketIndex];
    if (book === undefined) return 0;
    if (outcome === 0) return book.bids.pips.at(-1) ?? 0;
    const ask = book.asks.pips.at(-1);
    return ask === undefined ? 0 : complementPips(ask);
  }

  /** Best ask of a token in pips; 10,000 when there is none. */
  bestAskPips(marketIndex: number, outcome: number): number {
    const book = this.books[marketIndex];
    if (book === undefined) return PIPS_PER_UNIT;
    if (outcome === 0) return book.asks.pips.at(-1) ?? PIPS_PER_UNIT;
    const bid = book.bids.pips.at(-1);
    return bid === undefined ? PIPS_PER_UNIT : complementPips(bid);
  }

  /** Lots at a price level, side and price in the first token's terms; 0 if there is no such level. */
  lotsAt(marketIndex: number, isBid: boolean, pips: number): number {
    const book = this.books[marketIndex];
    if (book === undefined) return 0;
    const side = isBid ? book.bids : book.asks;
    const at = levelIndex(side, isBid, pips);
    return side.pips[at] === pips ? side.lots[at] : 0;
  }

  /** Changes a price level by `lots` (negative to remove); price and side are in the order's own token. */
  add(marketIndex: number, outcome: number, side: Side, pips: number, lots: number): void {
    if (lots === 0) return;
    let book = this.books[marketIndex];
    if (book === undefined) {
      const empty = (): SideDraft => ({ pips: [], lots: [] });
      book = { bids: empty(), asks: empty(), liquidityMicro: 0, version: 0, mirrored: undefined };
      this.books[marketIndex] = book;
    }
    const isBid = (side === Side.BUY) === (outcome === 0);
    const firstPips = outcome === 0 ? pips : complementPips(pips);
    this.onLevel?.(marketIndex, isBid, firstPips, lots);
    change(isBid ? book.bids : book.asks, isBid, firstPips, lots);
    book.liquidityMicro += lots * (isBid ? firstPips : complementPips(firstPips));
    book.version += 1;
  }

  /** This view's part of a snapshot. Mirrored books are left out: `book` makes them on demand. */
  visit(sections: Sections): void {
    const books = this.books.map((book) => book && { ...book, mirrored: undefined });
    this.books = sections.plain('books', sections.isLoading ? [] : books);
  }
}
