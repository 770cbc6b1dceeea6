// Events of the market channel as messages (wire.md E.3): last_trade_price, tick_size_change, price_change, book,
// best_bid_ask, market_resolved, new_market. Called by the streams with a change of a market and its books right after
// it; the same change always gives the same bytes. It reads views and never changes them.
import { complementPips, MarketStatus, PIPS_PER_UNIT, Resolution, Side } from '../../engine/index.ts';
import type { MarketChange, MarketTrade } from '../streams/changes.ts';
import { headText, Mask, type Message, marketMessage } from '../streams/messages.ts';
import type { BooksView, EventRow, Market } from '../views/index.ts';
import { tradeId, transactionHash } from './ids.ts';
import { fullRecord } from './markets.ts';
import { lotsText, pipsText } from './numbers.ts';
import { FEE_RATE_BPS, sideText } from './trades.ts';

/** A market's books right after a change. */
export interface BooksAfter {
  /** By outcome: the objects as wire/books.ts renders them, with their hashes. */
  readonly texts: readonly [string, string];
  readonly books: BooksView;
  /** Which of the view's markets it is. */
  readonly bookIndex: number;
}

const HASH_CHARACTERS = 40;
const BEFORE_HASH = '","hash":"';

/** The hash in a book's JSON text, which stands before anything of varying length but the timestamp. */
function hashOfText(text: string): string {
  const at = text.indexOf(BEFORE_HASH) + BEFORE_HASH.length;
  return text.slice(at, at + HASH_CHARACTERS);
}

/** The streams that a message about one token belongs to. */
const maskOf = (outcome: number): number => (outcome === 0 ? Mask.FIRST : Mask.SECOND) | Mask.BOTH;
const opposite = (side: number): number => (side === Side.BUY ? Side.SELL : Side.BUY);

/**
 * A trade in one token's terms: the other token shows the complement and the opposite side. Who follows both gets it
 * once, in the taker's.
 */
function lastTradePrice(market: Market, trade: MarketTrade, outcome: 0 | 1, tMs: number): Message {
  const isTakers = outcome === trade.outcome;
  const pips = isTakers ? trade.pricePips : complementPips(trade.pricePips);
  const side = isTakers ? trade.side : opposite(trade.side);
  const rest =
    `,"asset_id":"${market.tokens[outcome]}","market":"${market.conditionId}","price":"${pipsText(pips)}",` +
    `"size":"${lotsText(trade.lots)}","fee_rate_bps":"${FEE_RATE_BPS}","side":"${sideText(side)}",` +
    `"timestamp":"${tMs}","transaction_hash":"${transactionHash(tradeId(market.index, trade.tradeNumber))}"}`;
  const mask = outcome === 0 ? Mask.FIRST : Mask.SECOND;
  return marketMessage('last_trade_price', tMs, rest, isTakers ? mask | Mask.BOTH : mask);
}

function tickSizeChange(market: Market, { oldTickPips, after, tMs }: MarketChange, outcome: 0 | 1): Message {
  const rest =
    `,"asset_id":"${market.tokens[outcome]}","market":"${market.conditionId}",` +
    `"old_tick_size":"${pipsText(oldTickPips)}","new_tick_size":"${pipsText(after.terms.tickPips)}",` +
    `"timestamp":"${tMs}"}`;
  return marketMessage('tick_size_change', tMs, rest, maskOf(outcome));
}

/** The best prices of a token's book as texts: "0" without a bid, "1" without an ask. */
const bestTexts = ({ books, bookIndex }: BooksAfter, outcome: 0 | 1) => ({
  bid: pipsText(books.bestBidPips(bookIndex, outcome)),
  ask: pipsText(books.bestAskPips(bookIndex, outcome)),
});

/** One message for all levels that the record touched, each as both tokens see it, with the sum that stands there now. */
function priceChange(market: Market, { levels, tMs }: MarketChange, after: BooksAfter): Message {
  const tails = ([0, 1] as const).map((outcome) => {
    const { bid, ask } = bestTexts(after, outcome);
    return `","hash":"${hashOfText(after.texts[outcome])}","best_bid":"${bid}","best_ask":"${ask}"}`;
  });
  const [first, second] = market.tokens;
  let entries = '';
  for (let at = 0; at < levels.length; at += 3) {
    const pips = levels[at];
    const isBid = levels[at + 1] === 1;
    const size = lotsText(after.books.lotsAt(after.bookIndex, isBid, pips));
    entries +=
      `${at === 0 ? '' : ','}{"asset_id":"${first}","price":"${pipsText(pips)}","size":"${size}",` +
      `"side":"${isBid ? 'BUY' : 'SELL'}${tails[0]},` +
      `{"asset_id":"${second}","price":"${pipsText(PIPS_PER_UNIT - pips)}","size":"${size}",` +
      `"side":"${isBid ? 'SELL' : 'BUY'}${tails[1]}`;
  }
  const rest = `,"market":"${market.conditionId}","price_changes":[${entries}],"timestamp":"${tMs}"}`;
  return marketMessage('price_change', tMs, rest, Mask.ALL);
}

/** A book whole; its own keys keep the order in which clients hash them. */
export function bookMessage(text: string, outcome: 0 | 1, serverMs: number): Message {
  return marketMessage('book', serverMs, `,${text.slice(1)}`, maskOf(outcome));
}

function bestBidAsk(market: Market, { tMs }: MarketChange, after: BooksAfter, outcome: 0 | 1): Message {
  const { bid, ask } = bestTexts(after, outcome);
  const { books, bookIndex } = after;
  const spread = pipsText(books.bestAskPips(bookIndex, outcome) - books.bestBidPips(bookIndex, outcome));
  const rest =
    `,"market":"${market.conditionId}","asset_id":"${market.tokens[outcome]}","best_bid":"${bid}",` +
    `"best_ask":"${ask}","spread":"${spread}","timestamp":"${tMs}"}`;
  return marketMessage('best_bid_ask', tMs, rest, maskOf(outcome) & Mask.CUSTOM);
}

/** What both events of a market's life say about it. */
function lifeFields(market: Market, event: EventRow | undefined) {
  const { description, tags } = fullRecord(market, event);
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return {
    id: String(market.marketId),
    question: market.question,
    market: market.conditionId,
    slug: market.slug,
    description,
    assets_ids: market.tokens,
    outcomes: market.outcomes,
    event_message: {
      id: event === undefined ? '' : String(event.eventNumber),
      ticker: text(event?.texts.ticker),
      slug: text(event?.texts.slug),
      title: text(event?.texts.title),
      description: text(event?.texts.description),
    },
    tags,
  };
}

function marketResolved(market: Market, event: EventRow | undefined, tMs: number): Message {
  const { resolution } = market;
  const winner = resolution === undefined || resolution === Resolution.SPLIT ? undefined : resolution;
  const fields = {
    ...lifeFields(market, event),
    // Half a unit to each has no winner: clients take null, and an empty token id from nobody.
    winning_asset_id: winner === undefined ? null : market.tokens[winner],
    winning_outcome: winner === undefined ? null : market.outcomes[winner],
    timestamp: String(tMs),
  };
  return marketMessage('market_resolved', tMs, `,${JSON.stringify(fields).slice(1)}`, Mask.CUSTOM, true);
}

/** The message of a market that has come into the lists; for the stream of new markets. */
export function newMarketText(
  market: Market,
  event: EventRow | undefined,
  streamId: string,
  sequence: number,
  tMs: number,
): string {
  const { terms, texts } = market;
  const gameStartMs = typeof texts.gameStartTime === 'string' ? Date.parse(texts.gameStartTime) : Number.NaN;
  const fields = {
    ...lifeFields(market, event),
    timestamp: String(tMs),
    condition_id: market.conditionId,
    active: market.status === MarketStatus.OPEN,
    clob_token_ids: market.tokens,
    order_price_min_tick_size: pipsText(terms.tickPips),
    group_item_title: typeof texts.groupItemTitle === 'string' ? texts.groupItemTitle : '',
    sports_market_type: '',
    line: '',
    game_start_time: Number.isNaN(gameStartMs) ? '' : String(gameStartMs),
    taker_base_fee: String(terms.feeRate),
    fees_enabled: terms.feeRate > 0,
    fee_schedule: {
      exponent: String(terms.feeExponent),
      rate: pipsText(terms.feeRate),
      taker_only: true,
      rebate_rate: '0',
    },
  };
  return `${headText('new_market', streamId, String(sequence), tMs)},${JSON.stringify(fields).slice(1)}`;
}

/** All messages of a change, in the order in which clients get them (wire.md E.5). */
export function changeMessages(
  market: Market,
  event: EventRow | undefined,
  change: MarketChange,
  after: BooksAfter,
): Message[] {
  const { tMs, trades, levels } = change;
  const messages: Message[] = [];
  for (const trade of trades) {
    messages.push(lastTradePrice(market, trade, 0, tMs), lastTradePrice(market, trade, 1, tMs));
  }
  if (change.oldTickPips !== 0) messages.push(tickSizeChange(market, change, 0), tickSizeChange(market, change, 1));
  if (levels.length > 0) messages.push(priceChange(market, change, after));
  if (change.isWhole) {
    messages.push(bookMessage(after.texts[0], 0, tMs), bookMessage(after.texts[1], 1, tMs));
  }
  if (change.isTop) messages.push(bestBidAsk(market, change, after, 0), bestBidAsk(market, change, after, 1));
  if (change.isResolved) messages.push(marketResolved(market, event, tMs));
  return messages;
}
