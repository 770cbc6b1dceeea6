// The two books of a market as bytes: the same JSON text that wire/books.ts renders, kept with an empty hash and updated
// level by level. A hash costs one pass over the bytes, and nothing is rendered twice. Held by the streams for markets that
// have subscribers. It never reads a view by itself: its holder reports every change.
import { hash } from 'node:crypto';
import { complementPips } from '../../engine/index.ts';
import type { BookSide, BooksView, Market, TokenBook } from '../views/index.ts';
import { BEFORE_ASKS, BEFORE_BIDS, BEFORE_HASH, type BookFacts, bookHeadText, levelJson, tailText } from './books.ts';
import { LEVEL } from './marketChanges.ts';
import { msText } from './numbers.ts';

/** One side of a book: prices in the token's own terms, best last, and the byte length of each level's text. */
interface SideText {
  readonly isRising: boolean;
  readonly pips: number[];
  readonly bytes: number[];
}

const ROOM_BYTES = 512;

/** Writes a few one-byte characters. For so few, a call into the runtime costs more than the stores. */
function writeShort(buffer: Buffer, text: string, at: number): void {
  for (let i = 0; i < text.length; i += 1) buffer[at + i] = text.charCodeAt(i);
}

/** The text of one token's book. The `…At` fields are the offsets of its parts: time, hash, bids, asks, tail. */
class TokenText {
  private buffer: Buffer;
  private length: number;
  private readonly timeAt: number;
  private time: string;
  private hashAt: number;
  private bidsAt: number;
  private asksAt: number;
  private tailAt: number;
  private tail: string;
  private readonly bids: SideText = { isRising: true, pips: [], bytes: [] };
  private readonly asks: SideText = { isRising: false, pips: [], bytes: [] };
  private cachedHash: string | undefined;

  constructor(market: Market, outcome: 0 | 1, book: TokenBook, facts: BookFacts) {
    this.time = msText(facts.bookChangedMs);
    this.tail = tailText(facts, outcome);
    const beforeTime = bookHeadText(market, outcome);
    const beforeHash = beforeTime + this.time + BEFORE_HASH;
    const beforeBids = beforeHash + BEFORE_BIDS;
    const beforeAsks = beforeBids + sideText(this.bids, book.bids) + BEFORE_ASKS;
    const beforeTail = beforeAsks + sideText(this.asks, book.asks);
    this.timeAt = beforeTime.length;
    this.hashAt = beforeHash.length;
    this.bidsAt = beforeBids.length;
    this.asksAt = beforeAsks.length;
    this.tailAt = beforeTail.length;
    const text = beforeTail + this.tail;
    this.length = text.length;
    this.buffer = Buffer.allocUnsafe(text.length + ROOM_BYTES);
    this.buffer.write(text, 0, 'latin1');
  }

  /** SHA-1 of the text with an empty hash (wire.md D.3), lower-case hex. */
  get hash(): string {
    this.cachedHash ??= hash('sha1', this.buffer.subarray(0, this.length));
    return this.cachedHash;
  }

  /** Writes the object's bytes in order, with its hash and without its opening brace. */
  writeRest(to: { text(latin1: string): void; bytes(source: Buffer, from: number, to: number): void }): void {
    to.bytes(this.buffer, 1, this.hashAt);
    to.text(this.hash);
    to.bytes(this.buffer, this.hashAt, this.length);
  }

  /** Sets a level's size; 0 lots remove the level. */
  setLevel(isBid: boolean, pips: number, lots: number): void {
    const side = isBid ? this.bids : this.asks;
    const index = levelIndex(side, pips);
    const isThere = side.pips[index] === pips;
    if (!isThere && lots === 0) return;
    const sideEnd = isBid ? this.asksAt - BEFORE_ASKS.length : this.tailAt;
    const start = levelStart(side, index, isBid ? this.bidsAt : this.asksAt, sideEnd);
    const count = side.pips.length;
    let delta: number;
    if (lots === 0) {
      const from = index === count - 1 && count > 1 ? start - 1 : start;
      const to = start + side.bytes[index] + (index < count - 1 ? 1 : 0);
      delta = this.splice(from, to, '');
      side.pips.splice(index, 1);
      side.bytes.splice(index, 1);
    } else {
      const text = levelJson(pips, lots);
      if (isThere) {
        delta = this.splice(start, start + side.bytes[index], text);
        side.bytes[index] = text.length;
      } else {
        delta = this.splice(start, start, index < count ? `${text},` : count > 0 ? `,${text}` : text);
        side.pips.splice(index, 0, pips);
        side.bytes.splice(index, 0, text.length);
      }
    }
    if (isBid) this.asksAt += delta;
    this.tailAt += delta;
  }

  setTime(time: string): void {
    const delta = this.splice(this.timeAt, this.timeAt + this.time.length, time);
    this.time = time;
    this.hashAt += delta;
    this.bidsAt += delta;
    this.asksAt += delta;
    this.tailAt += delta;
  }

  setTail(tail: string): void {
    if (tail === this.tail) return;
    this.splice(this.tailAt, this.length, tail);
    this.tail = tail;
  }

  /** Replaces the bytes [from, to) with a text. Returns by how many bytes the rest has moved. */
  private splice(from: number, to: number, text: string): number {
    const delta = text.length - (to - from);
    this.cachedHash = undefined;
    if (delta !== 0) {
      this.reserve(this.length + delta);
      this.buffer.copyWithin(to + delta, to, this.length);
      this.length += delta;
    }
    writeShort(this.buffer, text, from);
    return delta;
  }

  private reserve(bytes: number): void {
    if (bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(bytes * 2);
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }
}

function sideText(side: SideText, { pips, lots }: BookSide): string {
  let text = '';
  for (let at = 0; at < pips.length; at += 1) {
    const level = levelJson(pips[at], lots[at]);
    side.pips.push(pips[at]);
    side.bytes.push(level.length);
    text += at === 0 ? level : `,${level}`;
  }
  return text;
}

/** The index of a price in its side, or the index at which it would be inserted. */
function levelIndex({ pips: all, isRising }: SideText, pips: number): number {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const isBefore = isRising ? all[middle] < pips : all[middle] > pips;
    if (isBefore) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The offset at which a level's text begins, or would begin. Counted from the nearer end; most changes are near the best
 * price, which is last.
 */
function levelStart({ bytes }: SideText, index: number, start: number, end: number): number {
  const count = bytes.length;
  if (index === count) return end;
  let at = index * 2 < count ? start : end + 1;
  if (index * 2 < count) for (let i = 0; i < index; i += 1) at += bytes[i] + 1;
  else for (let i = index; i < count; i += 1) at -= bytes[i] + 1;
  return at;
}

/** The texts of both tokens' books of a market. */
export class BookTexts {
  readonly tokens: readonly [TokenText, TokenText];

  private bookChangedMs: number;
  private terms: BookFacts['terms'];
  private negRisk: boolean;
  private lastTrade: BookFacts['lastTrade'];

  /** @param books the first token's and the second's levels as they stand */
  constructor(market: Market, books: readonly [TokenBook, TokenBook], facts: BookFacts) {
    this.tokens = [new TokenText(market, 0, books[0], facts), new TokenText(market, 1, books[1], facts)];
    this.bookChangedMs = facts.bookChangedMs;
    this.terms = facts.terms;
    this.negRisk = facts.negRisk;
    this.lastTrade = facts.lastTrade;
  }

  /** Applies the touched levels of a change (marketChanges.ts). Their new sizes are read from `books`. */
  apply(levels: readonly number[], levelCount: number, books: BooksView, bookIndex: number): void {
    const [first, second] = this.tokens;
    for (let at = 0; at < levelCount * LEVEL.numbers; at += LEVEL.numbers) {
      const pips = levels[at + LEVEL.pips];
      const isBid = levels[at + LEVEL.isBid] === 1;
      const lots = books.lotsAt(bookIndex, isBid, pips);
      first.setLevel(isBid, pips, lots);
      second.setLevel(!isBid, complementPips(pips), lots);
    }
  }

  setFacts(facts: BookFacts): void {
    const { bookChangedMs, terms, negRisk, lastTrade } = facts;
    const [first, second] = this.tokens;
    if (bookChangedMs !== this.bookChangedMs) {
      this.bookChangedMs = bookChangedMs;
      const time = msText(bookChangedMs);
      first.setTime(time);
      second.setTime(time);
    }
    if (terms === this.terms && negRisk === this.negRisk && lastTrade === this.lastTrade) return;
    this.terms = terms;
    this.negRisk = negRisk;
    this.lastTrade = lastTrade;
    first.setTail(tailText(facts, 0));
    second.setTail(tailText(facts, 1));
  }
}
