// Renders a market's past messages again: a copy of its book is rolled back change by change and then forward, so every message
// has the bytes (hashes too) with which it was first sent. Called for sockets that resume. It never touches the live book.
import { Side } from '../../engine/index.ts';
import { BooksView } from '../views/index.ts';
import { BookTexts } from '../wire/bookText.ts';
import { countChange, LEVEL, type MarketChange } from '../wire/marketChanges.ts';
import { changeMessages } from '../wire/marketEvents.ts';
import { MessageBatch } from '../wire/streamMessages.ts';
import type { StreamFeed } from './feed.ts';
import type { MarketSubscription } from './marketSubscription.ts';

/** Changes a level of the copy by `lots`; prices are in the first token's terms. */
const addLevel = (books: BooksView, isBid: boolean, pips: number, lots: number): void =>
  books.add(0, 0, isBid ? Side.BUY : Side.SELL, pips, lots);

function copyOf(views: BooksView, marketIndex: number): BooksView {
  const copy = new BooksView();
  const { bids, asks } = views.book(marketIndex, 0);
  for (let i = 0; i < bids.pips.length; i += 1) addLevel(copy, true, bids.pips[i], bids.lots[i]);
  for (let i = 0; i < asks.pips.length; i += 1) addLevel(copy, false, asks.pips[i], asks.lots[i]);
  return copy;
}

/** Undoes a change, last level first, so no level falls below zero in between. */
function undo(books: BooksView, { levels, levelCount }: MarketChange): void {
  for (let level = levelCount - 1; level >= 0; level -= 1) {
    const at = level * LEVEL.numbers;
    addLevel(books, levels[at + LEVEL.isBid] === 1, levels[at + LEVEL.pips], -levels[at + LEVEL.lots]);
  }
}

function redo(books: BooksView, { levels, levelCount }: MarketChange): void {
  for (let at = 0; at < levelCount * LEVEL.numbers; at += LEVEL.numbers) {
    addLevel(books, levels[at + LEVEL.isBid] === 1, levels[at + LEVEL.pips], levels[at + LEVEL.lots]);
  }
}

/** Past messages, and the sequence of each in a form. */
interface Missed {
  readonly messages: MessageBatch;
  /** The indexes of the messages that belong to the form, and their sequences. */
  readonly indexes: readonly number[];
  readonly sequences: readonly number[];
}

/**
 * The messages of a form after `number`, oldest first: those of at least one change, and of no further change once there are
 * `messagesMin` messages, or `bytesMin` bytes of any form. Undefined if some of them are no longer kept.
 */
export function messagesSince(
  { markets, views }: StreamFeed,
  { stream, market, form }: Pick<MarketSubscription, 'stream' | 'market' | 'form'>,
  number: number,
  messagesMin: number,
  bytesMin: number,
): Missed | undefined {
  const found = markets.since(stream, form, number);
  if (found === undefined) return undefined;
  const { changes, before } = found;
  if (changes.length === 0) return { messages: new MessageBatch(0), indexes: [], sequences: [] };
  const books = copyOf(views.books, market.index);
  for (let at = changes.length - 1; at >= 0; at -= 1) undo(books, changes[at]);
  const messages = new MessageBatch();
  const indexes: number[] = [];
  const sequences: number[] = [];
  const texts = new BookTexts(market, [books.book(0, 0), books.book(0, 1)], changes[0].after);
  for (const change of changes) {
    redo(books, change);
    let sequence = before[form];
    countChange(before, change);
    texts.apply(change.levels, change.levelCount, books, 0);
    texts.setFacts(change.after);
    let index = messages.count;
    changeMessages(messages, market, views.markets, change, { texts, books, bookIndex: 0 });
    for (; index < messages.count; index += 1) {
      if (!messages.isFor(index, form)) continue;
      sequence += 1;
      if (sequence <= number) continue;
      indexes.push(index);
      sequences.push(sequence);
    }
    if (indexes.length >= messagesMin || messages.byteLength >= bytesMin) break;
  }
  return { messages, indexes, sequences };
}
