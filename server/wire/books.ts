// The order book object and its hash (wire.md D). Key order, order of levels and number formats are fixed, because clients
// hash the text they receive. Each state of a book is rendered once and cached. Called by the market-data routes and by
// streams that owe a book; it reads views and never changes them.
import { hash } from 'node:crypto';
import { complementPips } from '../../engine/index.ts';
import type { BookSide, LastTrade, Market, MarketTerms, TokenBook, Views } from '../views/index.ts';
import { lotsText, msText, pipsText } from './numbers.ts';

/** One price level as JSON text. */
export function levelJson(pips: number, lots: number): string {
  return `{"price":"${pipsText(pips)}","size":"${lotsText(lots)}"}`;
}

function levelsText({ pips, lots }: BookSide): string {
  let text = '';
  for (let i = 0; i < pips.length; i += 1) text += (i === 0 ? '' : ',') + levelJson(pips[i], lots[i]);
  return text;
}

/** What a book's text depends on besides its ids and its levels. */
export interface BookFacts {
  /** Time of the last event that changed the book, ms. */
  readonly bookChangedMs: number;
  readonly terms: Pick<MarketTerms, 'tickPips' | 'minOrderLots'>;
  readonly negRisk: boolean;
  readonly lastTrade: Pick<LastTrade, 'pricePips'> | undefined;
}

/** The price of the last trade as seen from a token; '' before the first. */
export function lastTradePriceText(lastTrade: Pick<LastTrade, 'pricePips'> | undefined, outcome: number): string {
  if (lastTrade === undefined) return '';
  return pipsText(outcome === 0 ? lastTrade.pricePips : complementPips(lastTrade.pricePips));
}

// The parts of a book object in order: head, time, BEFORE_HASH, hash, BEFORE_BIDS, bids, BEFORE_ASKS, asks, tail.
export const BEFORE_HASH = '","hash":"';
export const BEFORE_BIDS = '","bids":[';
export const BEFORE_ASKS = '],"asks":[';

export function bookHeadText({ conditionId, tokens }: Pick<Market, 'conditionId' | 'tokens'>, outcome: 0 | 1): string {
  return `{"market":"${conditionId}","asset_id":"${tokens[outcome]}","timestamp":"`;
}

export function tailText({ terms, negRisk, lastTrade }: Omit<BookFacts, 'bookChangedMs'>, outcome: 0 | 1): string {
  return (
    `],"min_order_size":"${lotsText(terms.minOrderLots)}","tick_size":"${pipsText(terms.tickPips)}",` +
    `"neg_risk":${negRisk},"last_trade_price":"${lastTradePriceText(lastTrade, outcome)}"}`
  );
}

/**
 * The book object as JSON text. Its hash is the SHA-1 of this text with an empty hash, as official clients compute it
 * (wire.md D.3).
 */
export function bookObjectJson(
  market: Pick<Market, 'conditionId' | 'tokens'> & BookFacts,
  outcome: 0 | 1,
  { bids, asks }: TokenBook,
): string {
  const before = bookHeadText(market, outcome) + msText(market.bookChangedMs) + BEFORE_HASH;
  const after = BEFORE_BIDS + levelsText(bids) + BEFORE_ASKS + levelsText(asks) + tailText(market, outcome);
  return before + hash('sha1', before + after) + after;
}

interface Rendered {
  readonly version: number;
  readonly terms: MarketTerms;
  readonly text: string;
}

/** The latest text of each token's book. Keyed weakly: a market belongs to one set of views and goes with it. */
const rendered = new WeakMap<Market, [Rendered | undefined, Rendered | undefined]>();

/** A token's book as JSON text; rendered again only if its levels or terms have changed since. */
export function bookJson(views: Views, market: Market, outcome: 0 | 1): string {
  let kept = rendered.get(market);
  if (kept === undefined) {
    kept = [undefined, undefined];
    rendered.set(market, kept);
  }
  const version = views.books.version(market.index);
  const { terms } = market;
  const known = kept[outcome];
  if (known !== undefined && known.version === version && known.terms === terms) return known.text;
  const text = bookObjectJson(market, outcome, views.books.book(market.index, outcome));
  kept[outcome] = { version, terms, text };
  return text;
}
