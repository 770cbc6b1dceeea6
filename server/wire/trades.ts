// Own orders and trades as rows in the two dialects (interface.md 2.8 and 2.9, wire.md C.5). Called through dialect.ts by
// the routes of user data, and by other code that reports own orders and trades. A row is built from the views' rows alone.
// It is returned as texts, since an order may have any number of trades, and a trade any number of makers.
import { OrderType, Side, TradeStatus } from '../../engine/index.ts';
import { checksumAddress } from '../auth/checksum.ts';
import { uuidOfKeyId } from '../auth/keyIds.ts';
import type { MakerFill, Market, Order, Trade, TradePlace } from '../views/index.ts';
import { tradeId, transactionHash } from './ids.ts';
import { aroundList, type Texts } from './longTexts.ts';
import { isoTime, lotsText, pipsText, secondsText, unixSeconds } from './numbers.ts';
import { membersText } from './pieces.ts';

/** The names of a list's values, by value: they are the texts on the wire. */
function namesOf(list: Readonly<Record<string, number>>): readonly string[] {
  const names: string[] = [];
  for (const [name, value] of Object.entries(list)) names[value] = name;
  return names;
}

const SIDE_TEXTS = namesOf(Side);
const TYPE_TEXTS = namesOf(OrderType);
const TRADE_STATUS_TEXTS = namesOf(TradeStatus);

/** BUY or SELL. */
export function sideText(side: number): string {
  return SIDE_TEXTS[side] ?? '';
}

/** GTC, GTD, FOK or FAK. */
export function orderTypeText(orderType: number): string {
  return TYPE_TEXTS[orderType] ?? '';
}

/** MATCHED, MINED or CONFIRMED. */
export function tradeStatusText(status: number): string {
  return TRADE_STATUS_TEXTS[status] ?? '';
}

/** Fees are taken in collateral and appear in no trade row; the rate shown is 0, as official clients expect. */
export const FEE_RATE_BPS = '0';

/** The fields of an order that rows show. For finished orders the history knows only where their trades are. */
export interface ShownOrder
  extends Pick<Order, 'id' | 'status' | 'keyId' | 'maker' | 'outcome' | 'originalLots' | 'filledLots'>,
    Pick<Order, 'pricePips' | 'createdMs' | 'expirationS'> {
  readonly side: number;
  readonly orderType: number;
  readonly trades: readonly TradePlace[];
}
export type ShownMarket = Pick<Market, 'conditionId' | 'tokens' | 'outcomes'>;

/** Most trades of an order that an event or a repeated order lists. GET /data/order/{id} lists all of them. */
export const LISTED_TRADES_MAX = 100;

/** The newest of an order's first `count` trades, as many as are listed. */
export const newestTrades = (trades: readonly TradePlace[], count = trades.length): readonly TradePlace[] =>
  trades.slice(Math.max(count - LISTED_TRADES_MAX, 0), count);

/** The ids of an order's first `count` trades as JSON. */
function* tradeIdTexts(trades: readonly TradePlace[], count: number): Generator<string> {
  for (let at = 0; at < count; at += 1) yield `"${tradeId(trades[at].marketIndex, trades[at].tradeNumber)}"`;
}

/** An own order as official clients read it, as it is when this is called. */
export function orderRow(order: ShownOrder, market: ShownMarket): Texts {
  const { trades } = order;
  const before = membersText({
    id: order.id,
    status: order.status,
    owner: uuidOfKeyId(order.keyId),
    maker_address: checksumAddress(order.maker),
    market: market.conditionId,
    asset_id: market.tokens[order.outcome],
    side: sideText(order.side),
    original_size: lotsText(order.originalLots),
    size_matched: lotsText(order.filledLots),
    price: pipsText(order.pricePips),
  });
  const after = membersText({
    outcome: market.outcomes[order.outcome],
    created_at: unixSeconds(order.createdMs),
    expiration: String(order.expirationS),
    order_type: orderTypeText(order.orderType),
  });
  return aroundList(`{${before},"associate_trades":[`, tradeIdTexts(trades, trades.length), `],${after}}`);
}

/** An own order in the wrapped form of interface.md 2.8, as it is when this is called. */
export function wrappedOrderRow(order: ShownOrder, market: ShownMarket): Texts {
  const { trades } = order;
  const after = membersText({
    id: order.id,
    status: order.status,
    market: market.conditionId,
    originalSize: lotsText(order.originalLots),
    outcome: market.outcomes[order.outcome],
    makerAddress: checksumAddress(order.maker),
    owner: uuidOfKeyId(order.keyId),
    price: pipsText(order.pricePips),
    sizeMatched: lotsText(order.filledLots),
    assetId: market.tokens[order.outcome],
    side: sideText(order.side),
    type: orderTypeText(order.orderType),
    createdAt: isoTime(order.createdMs),
  });
  return aroundList('{"order":{"associateTrades":[', tradeIdTexts(trades, trades.length), `],${after}}}`);
}

export function makerRow({ order, lots, pricePips }: MakerFill, market: Market): Readonly<Record<string, string>> {
  return {
    order_id: order.id,
    owner: uuidOfKeyId(order.keyId),
    maker_address: checksumAddress(order.maker),
    matched_amount: lotsText(lots),
    price: pipsText(pricePips),
    fee_rate_bps: FEE_RATE_BPS,
    asset_id: market.tokens[order.outcome],
    outcome: market.outcomes[order.outcome],
    side: sideText(order.side),
  };
}

/** TAKER if the taker's order is the caller's, else MAKER. */
export function traderSide(trade: Trade, owner: string): 'TAKER' | 'MAKER' {
  return trade.taker.owner === owner ? 'TAKER' : 'MAKER';
}

/** The fields before its makers that a trade has in both dialects and on the user channel; they are the taker's, whoever asks. */
export function tradeFields(trade: Trade, market: Market): Readonly<Record<string, unknown>> {
  const { taker } = trade;
  const id = tradeId(trade.marketIndex, trade.tradeNumber);
  return {
    id,
    taker_order_id: taker.id,
    market: market.conditionId,
    asset_id: market.tokens[taker.outcome],
    side: sideText(taker.side),
    size: lotsText(trade.lots),
    fee_rate_bps: FEE_RATE_BPS,
    price: pipsText(trade.pricePips),
    status: tradeStatusText(trade.status),
    outcome: market.outcomes[taker.outcome],
    bucket_index: trade.bucketIndex,
    owner: uuidOfKeyId(taker.keyId),
    maker_address: checksumAddress(taker.maker),
    transaction_hash: transactionHash(id),
  };
}

function* makerTexts({ makers }: Trade, market: Market): Generator<string> {
  for (const fill of makers) yield JSON.stringify(makerRow(fill, market));
}

/** A trade with its makers. @param after the fields after them */
function tradeTexts(trade: Trade, market: Market, after: object): Texts {
  const before = membersText(tradeFields(trade, market));
  return aroundList(`{${before},"maker_orders":[`, makerTexts(trade, market), `],${membersText(after)}}`);
}

/** A trade as official clients read it, as it is when this is called, with times as digits of unix seconds. */
export function tradeRow(trade: Trade, market: Market, owner: string): Texts {
  return tradeTexts(trade, market, {
    match_time: secondsText(trade.matchMs),
    last_update: secondsText(trade.updatedMs),
    trader_side: traderSide(trade, owner),
  });
}

/** A trade in the form of interface.md 2.9, as it is when this is called, with times in ISO 8601. */
export function plainTradeRow(trade: Trade, market: Market, owner: string): Texts {
  return tradeTexts(trade, market, {
    match_time: isoTime(trade.matchMs),
    last_update: isoTime(trade.updatedMs),
    type: traderSide(trade, owner),
  });
}
