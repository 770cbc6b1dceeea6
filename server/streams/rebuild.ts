// Renders again what a market said in the past: its books are taken back to where they stood, change by change, and then
// forward, so that every message has the bytes (hashes too) with which it first left. Called for sockets that resume. It
// works on a copy of the book.
import { complementPips, Side } from '../../engine/index.ts';
import { BooksView, type EventRow, type Market } from '../views/index.ts';
import { bookObjectJson } from '../wire/books.ts';
import { changeMessages } from '../wire/marketEvents.ts';
import { lotsText, pipsText } from '../wire/numbers.ts';
import { type BookFacts, countChange, type MarketChange } from './changes.ts';
import type { Form } from './ids.ts';
import type { MarketStream } from './marketStream.ts';
import { isFor, type Message } from './messages.ts';

/** Adds a side's level to the copy; prices in the first token's terms. */
const addLevel = (books: BooksView, isBid: boolean, pips: number, lots: number): void =>
  books.add(0, 0, isBid ? Side.BUY : Side.SELL, pips, lots);

function copyOf(views: BooksView, marketIndex: number): BooksView {
  const copy = new BooksView();
  const { bids, asks } = views.book(marketIndex, 0);
  for (let i = 0; i < bids.pips.length; i += 1) addLevel(copy, true, bids.pips[i], bids.lots[i]);
  for (let i = 0; i < asks.pips.length; i += 1) addLevel(copy, false, asks.pips[i], asks.lots[i]);
  return copy;
}

/** Undoes a change; its last level first, so that none falls below zero on the way. */
function undo(books: BooksView, { levels }: MarketChange): void {
  for (let at = levels.length - 3; at >= 0; at -= 3) {
    addLevel(books, levels[at + 1] === 1, levels[at], -levels[at + 2]);
  }
}

function redo(books: BooksView, { levels }: MarketChange): void {
  for (let at = 0; at < levels.length; at += 3) addLevel(books, levels[at + 1] === 1, levels[at], levels[at + 2]);
}

function textOf(market: Market, books: BooksView, facts: BookFacts, outcome: 0 | 1): string {
  const { terms, lastTrade } = facts;
  const { bids, asks } = books.book(0, outcome);
  const lastPips =
    lastTrade === undefined || outcome === 0 ? lastTrade?.pricePips : complementPips(lastTrade.pricePips);
  return bookObjectJson({
    market: market.conditionId,
    assetId: market.tokens[outcome],
    timestamp: String(facts.bookChangedMs),
    bids,
    asks,
    minOrderSize: lotsText(terms.minOrderLots),
    tickSize: pipsText(terms.tickPips),
    negRisk: facts.negRisk,
    lastTradePrice: lastPips === undefined ? '' : pipsText(lastPips),
  });
}

/** A message of the past with its number. */
export interface NumberedMessage {
  readonly message: Message;
  readonly sequence: number;
}

/**
 * The messages of a form after `number`, oldest first: those of at least one change, and of no more once there are `most`.
 * Undefined when some of them are forgotten.
 */
export function messagesSince(
  stream: MarketStream,
  market: Market,
  event: EventRow | undefined,
  views: BooksView,
  form: Form,
  number: number,
  most: number,
): readonly NumberedMessage[] | undefined {
  const found = stream.since(form, number);
  if (found === undefined) return undefined;
  const { changes, before } = found;
  const books = copyOf(views, market.index);
  for (let at = changes.length - 1; at >= 0; at -= 1) undo(books, changes[at]);
  const messages: NumberedMessage[] = [];
  for (const change of changes) {
    redo(books, change);
    let sequence = before[form];
    countChange(before, change);
    if (before[form] <= number) continue;
    const texts = [textOf(market, books, change.after, 0), textOf(market, books, change.after, 1)] as const;
    for (const message of changeMessages(market, event, change, { texts, books, bookIndex: 0 })) {
      if (!isFor(message, form)) continue;
      sequence += 1;
      if (sequence > number) messages.push({ message, sequence });
    }
    if (messages.length >= most) break;
  }
  return messages;
}
