// Prices of tokens as the market-data endpoints show them (wire.md C.2): best bid and ask, midpoint, spread, last
// trade. An empty side counts as 0 (bid) or 1 (ask), so that every token always has an answer. Called by the routes of
// market data; it reads views and never changes them.
import { oppositeSide, Side } from '../../engine/index.ts';
import type { TokenPlace, Views } from '../views/index.ts';
import { lastTradePriceText } from './books.ts';
import { halfPipsText, pipsText } from './numbers.ts';
import { sideText } from './terms.ts';

/** `side` names the resting side: BUY is the best bid, SELL the best ask. */
export function priceText({ books }: Views, { market, outcome }: TokenPlace, side: Side): string {
  return pipsText(
    side === Side.BUY ? books.bestBidPips(market.index, outcome) : books.bestAskPips(market.index, outcome),
  );
}

/** Both sides, or the requested one, as a JSON object. */
export function pricesJson(views: Views, place: TokenPlace, side: Side | undefined): string {
  if (side !== undefined) return `{"${sideText(side)}":"${priceText(views, place, side)}"}`;
  return `{"BUY":"${priceText(views, place, Side.BUY)}","SELL":"${priceText(views, place, Side.SELL)}"}`;
}

export function midpointText({ books }: Views, { market, outcome }: TokenPlace): string {
  return halfPipsText(books.bestBidPips(market.index, outcome) + books.bestAskPips(market.index, outcome));
}

export function spreadText({ books }: Views, { market, outcome }: TokenPlace): string {
  return pipsText(books.bestAskPips(market.index, outcome) - books.bestBidPips(market.index, outcome));
}

/** The last trade as seen from a token: the second one shows the complement and the opposite side. */
export function lastTradeOf({
  market,
  outcome,
}: TokenPlace): { readonly price: string; readonly side: string } | undefined {
  const { lastTrade } = market;
  if (lastTrade === undefined) return undefined;
  const side = outcome === 0 ? lastTrade.side : oppositeSide(lastTrade.side);
  return { price: lastTradePriceText(lastTrade, outcome), side: sideText(side) };
}

/** The reply of GET /last-trade-price before the first trade. */
export const NO_LAST_TRADE = { price: '0.5', side: '' } as const;
