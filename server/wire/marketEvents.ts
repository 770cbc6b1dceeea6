// Messages of the market channel (wire.md E.3): last_trade_price, tick_size_change, price_change, book, best_bid_ask,
// market_resolved, new_market. Called by the streams with a market's change and its books right after it; the same change
// always gives the same bytes. It reads views and never changes them.
import { complementPips, oppositeSide, Resolution } from '../../engine/index.ts';
import { tagSlugs } from '../catalog/index.ts';
import { type BooksView, type EventRow, isListed, type Market, type MarketsView } from '../views/index.ts';
import { textOf } from '../views/texts.ts';
import type { BookTexts } from './bookText.ts';
import { tradeId, transactionHash } from './ids.ts';
import { LEVEL, type MarketChange, type MarketTrade } from './marketChanges.ts';
import { baseFee, descriptionOf, eventOfMarket } from './markets.ts';
import { decimalUnits, lotsText, msText, pipsText } from './numbers.ts';
import { headText, Mask, type MessageBatch } from './streamMessages.ts';
import { sideText } from './terms.ts';
import { FEE_RATE_BPS } from './trades.ts';

/** A market's books right after a change. */
interface BooksAfter {
  readonly texts: BookTexts;
  readonly books: BooksView;
  /** The market's index in the view. */
  readonly bookIndex: number;
}

/** The streams that a message about one token belongs to. */
const maskOf = (outcome: number): number => (outcome === 0 ? Mask.FIRST : Mask.SECOND) | Mask.BOTH;

/**
 * A trade in one token's terms: the other token shows the complement and the opposite side. A subscriber to both tokens
 * gets the trade once, in the taker's terms.
 */
function lastTradePrice(to: MessageBatch, market: Market, trade: MarketTrade, outcome: 0 | 1, tMs: number): void {
  const isTakers = outcome === trade.outcome;
  const pips = isTakers ? trade.pricePips : complementPips(trade.pricePips);
  const side = isTakers ? trade.side : oppositeSide(trade.side);
  const rest =
    `,"asset_id":"${market.tokens[outcome]}","market":"${market.conditionId}","price":"${pipsText(pips)}",` +
    `"size":"${lotsText(trade.lots)}","fee_rate_bps":"${FEE_RATE_BPS}","side":"${sideText(side)}",` +
    `"timestamp":"${msText(tMs)}","transaction_hash":"${transactionHash(tradeId(market.index, trade.tradeNumber))}"}`;
  const mask = outcome === 0 ? Mask.FIRST : Mask.SECOND;
  to.begin('last_trade_price', tMs, isTakers ? mask | Mask.BOTH : mask);
  to.text(rest);
}

function tickSizeChange(to: MessageBatch, market: Market, change: MarketChange, outcome: 0 | 1): void {
  const { oldTickPips, after, tMs } = change;
  const rest =
    `,"asset_id":"${market.tokens[outcome]}","market":"${market.conditionId}",` +
    `"old_tick_size":"${pipsText(oldTickPips)}","new_tick_size":"${pipsText(after.terms.tickPips)}",` +
    `"timestamp":"${msText(tMs)}"}`;
  to.begin('tick_size_change', tMs, maskOf(outcome));
  to.text(rest);
}

/** The best prices of a token's book as texts: "0" without a bid, "1" without an ask. */
const bestTexts = ({ books, bookIndex }: BooksAfter, outcome: 0 | 1) => ({
  bid: pipsText(books.bestBidPips(bookIndex, outcome)),
  ask: pipsText(books.bestAskPips(bookIndex, outcome)),
});

/** Whether the record left any touched level with a different size than before. */
function hasChangedLevel({ levels, levelCount }: MarketChange): boolean {
  for (let at = 0; at < levelCount * LEVEL.numbers; at += LEVEL.numbers) {
    if (levels[at + LEVEL.lots] !== 0) return true;
  }
  return false;
}

/**
 * One message for all levels that the record changed, each as both tokens see it, with its new size. Levels whose size is
 * unchanged are left out: they are no news, and a level that came and went was never shown. If all are unchanged, the
 * message has them nonetheless, since the books' time and hash have changed.
 */
function priceChange(to: MessageBatch, market: Market, change: MarketChange, after: BooksAfter): void {
  const { levels, levelCount, tMs } = change;
  const tails = ([0, 1] as const).map((outcome) => {
    const { bid, ask } = bestTexts(after, outcome);
    return `","hash":"${after.texts.tokens[outcome].hash}","best_bid":"${bid}","best_ask":"${ask}"}`;
  });
  const [first, second] = market.tokens;
  const isAnyChanged = hasChangedLevel(change);
  let entries = '';
  for (let at = 0; at < levelCount * LEVEL.numbers; at += LEVEL.numbers) {
    if (isAnyChanged && levels[at + LEVEL.lots] === 0) continue;
    const pips = levels[at + LEVEL.pips];
    const isBid = levels[at + LEVEL.isBid] === 1;
    const size = lotsText(after.books.lotsAt(after.bookIndex, isBid, pips));
    entries +=
      `${entries === '' ? '' : ','}{"asset_id":"${first}","price":"${pipsText(pips)}","size":"${size}",` +
      `"side":"${isBid ? 'BUY' : 'SELL'}${tails[0]},` +
      `{"asset_id":"${second}","price":"${pipsText(complementPips(pips))}","size":"${size}",` +
      `"side":"${isBid ? 'SELL' : 'BUY'}${tails[1]}`;
  }
  to.begin('price_change', tMs, Mask.ALL);
  to.text(`,"market":"${market.conditionId}","price_changes":[${entries}],"timestamp":"${msText(tMs)}"}`);
}

/** A whole book from its JSON text. Its keys keep the order in which clients hash them. */
export function bookMessage(to: MessageBatch, text: string, outcome: 0 | 1, serverMs: number): void {
  to.begin('book', serverMs, maskOf(outcome));
  to.text(`,${text.slice(1)}`);
}

/** A whole book from its cached bytes. */
function wholeBook(to: MessageBatch, { texts }: BooksAfter, outcome: 0 | 1, tMs: number): void {
  to.begin('book', tMs, maskOf(outcome));
  to.text(',');
  texts.tokens[outcome].writeRest(to);
}

function bestBidAsk(to: MessageBatch, market: Market, tMs: number, after: BooksAfter, outcome: 0 | 1): void {
  const { bid, ask } = bestTexts(after, outcome);
  const { books, bookIndex } = after;
  const spread = pipsText(books.bestAskPips(bookIndex, outcome) - books.bestBidPips(bookIndex, outcome));
  const rest =
    `,"market":"${market.conditionId}","asset_id":"${market.tokens[outcome]}","best_bid":"${bid}",` +
    `"best_ask":"${ask}","spread":"${spread}","timestamp":"${msText(tMs)}"}`;
  to.begin('best_bid_ask', tMs, maskOf(outcome) & Mask.CUSTOM);
  to.text(rest);
}

/** The fields that both lifecycle messages of a market share. */
function lifecycleFields(market: Market, event: EventRow | undefined) {
  return {
    id: String(market.marketId),
    question: market.question,
    market: market.conditionId,
    slug: market.slug,
    description: descriptionOf(market, event),
    assets_ids: market.tokens,
    outcomes: market.outcomes,
    event_message: eventOfMarket(event),
    // As slugs, unlike in catalog records.
    tags: tagSlugs(event?.texts.tags),
  };
}

function marketResolved(to: MessageBatch, market: Market, event: EventRow | undefined, tMs: number): void {
  const { resolution } = market;
  const winner = resolution === undefined || resolution === Resolution.SPLIT ? undefined : resolution;
  const fields = {
    ...lifecycleFields(market, event),
    // A split (half a unit to each) has no winner. Clients reject null, and reject an id that is not a number.
    winning_asset_id: winner === undefined ? '0' : market.tokens[winner],
    winning_outcome: winner === undefined ? '' : market.outcomes[winner],
    timestamp: String(tMs),
  };
  to.begin('market_resolved', tMs, Mask.CUSTOM);
  to.anyText(`,${JSON.stringify(fields).slice(1)}`);
}

/** The message that announces a newly listed market, for the stream of new markets. */
export function newMarketText(
  market: Market,
  event: EventRow | undefined,
  streamId: string,
  sequence: number,
  tMs: number,
): string {
  const { terms, texts } = market;
  const gameStartMs = Date.parse(textOf(texts.gameStartTime));
  const fields = {
    ...lifecycleFields(market, event),
    timestamp: String(tMs),
    condition_id: market.conditionId,
    active: isListed(market),
    clob_token_ids: market.tokens,
    order_price_min_tick_size: pipsText(terms.tickPips),
    group_item_title: textOf(texts.groupItemTitle),
    sports_market_type: '',
    line: '',
    game_start_time: Number.isNaN(gameStartMs) ? '' : String(gameStartMs),
    taker_base_fee: String(baseFee(market)),
    fees_enabled: terms.feeRate > 0,
    fee_schedule: {
      exponent: String(terms.feeExponent),
      rate: decimalUnits.feeRate.print(terms.feeRate),
      taker_only: true,
      rebate_rate: '0',
    },
  };
  return `${headText('new_market', streamId, String(sequence), tMs)},${JSON.stringify(fields).slice(1)}`;
}

/** Writes all messages of a change in the order in which clients receive them (wire.md E.5). */
export function changeMessages(
  to: MessageBatch,
  market: Market,
  markets: MarketsView,
  change: MarketChange,
  after: BooksAfter,
): void {
  const { tMs, trades } = change;
  for (const trade of trades) {
    lastTradePrice(to, market, trade, 0, tMs);
    lastTradePrice(to, market, trade, 1, tMs);
  }
  if (change.oldTickPips !== 0) {
    tickSizeChange(to, market, change, 0);
    tickSizeChange(to, market, change, 1);
  }
  if (change.levelCount > 0) priceChange(to, market, change, after);
  if (change.isWhole) {
    wholeBook(to, after, 0, tMs);
    wholeBook(to, after, 1, tMs);
  }
  if (change.isTop) {
    bestBidAsk(to, market, tMs, after, 0);
    bestBidAsk(to, market, tMs, after, 1);
  }
  if (change.isResolved) marketResolved(to, market, markets.eventByNumber(market.eventNumber), tMs);
}
