// The order book object and its hash (wire.md D). Key order, order of levels and number formats are fixed, because clients
// hash the text they receive. Each state of a book is rendered once and cached. Called by the market-data routes and by
// streams that owe a book; it reads views and never changes them.
import { hash } from 'node:crypto';
import { complementPips } from '../../engine/index.ts';
import type { BookSide, LastTrade, Market, MarketTerms, Views } from '../views/index.ts';
import { lotsText, pipsText } from './numbers.ts';

/** One price level as JSON text. */
export function levelJson(pips: number, lots: number): string {
  return `{"price":"${pipsText(pips)}","size":"${lotsText(lots)}"}`;
}

function levelsJson({ pips, lots }: BookSide): string {
  let text = '[';
  for (let i = 0; i < pips.length; i += 1) text += (i === 0 ? '' : ',') + levelJson(pips[i], lots[i]);
  return `${text}]`;
}

/** All fields of a book object except its hash. */
interface BookObject {
  readonly market: string;
  readonly assetId: string;
  /** Milliseconds, as digits. */
  readonly timestamp: string;
  readonly bids: BookSide;
  readonly asks: BookSide;
  readonly minOrderSize: string;
  readonly tickSize: string;
  readonly negRisk: boolean;
  readonly lastTradePrice: string;
}

/**
 * The book object as JSON text. Its hash is the SHA-1 of this text with an empty hash, as official clients compute it
 * (wire.md D.3).
 */
export function bookObjectJson(book: BookObject): string {
  const before = `{"market":"${book.market}","asset_id":"${book.assetId}","timestamp":"${book.timestamp}","hash":"`;
  const after =
    `","bids":${levelsJson(book.bids)},"asks":${levelsJson(book.asks)},"min_order_size":"${book.minOrderSize}",` +
    `"tick_size":"${book.tickSize}","neg_risk":${book.negRisk},"last_trade_price":"${book.lastTradePrice}"}`;
  return before + hash('sha1', before + after) + after;
}

/** The price of the last trade as seen from a token; '' before the first. */
export function lastTradePriceText(lastTrade: Pick<LastTrade, 'pricePips'> | undefined, outcome: number): string {
  if (lastTrade === undefined) return '';
  return pipsText(outcome === 0 ? lastTrade.pricePips : complementPips(lastTrade.pricePips));
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
  const { bids, asks } = views.books.book(market.index, outcome);
  const text = bookObjectJson({
    market: market.conditionId,
    assetId: market.tokens[outcome],
    timestamp: String(market.bookChangedMs),
    bids,
    asks,
    minOrderSize: lotsText(terms.minOrderLots),
    tickSize: pipsText(terms.tickPips),
    negRisk: market.negRisk,
    lastTradePrice: lastTradePriceText(market.lastTrade, outcome),
  });
  kept[outcome] = { version, terms, text };
  return text;
}
