// Own orders and trades as rows in the two dialects (interface.md 2.8 and 2.9, wire.md C.5). Called through dialect.ts by
// the routes of user data, and by other code that reports own orders and trades. A row is built from the views' rows alone
// and returned as JSON text.
import { OrderType, Side, TradeStatus } from '../../engine/index.ts';
import { checksumAddress } from '../auth/checksum.ts';
import { uuidOfKeyId } from '../auth/keyIds.ts';
import type { MakerFill, Market, Order, Trade, TradePlace } from '../views/index.ts';
import { tradeId, transactionHash } from './ids.ts';
import { isoTime, lotsText, pipsText, secondsText, unixSeconds } from './numbers.ts';

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

const tradeIdsOf = (order: ShownOrder): readonly string[] =>
  order.trades.map(({ marketIndex, tradeNumber }) => tradeId(marketIndex, tradeNumber));

/** An own order as official clients read it. */
export function orderRow(order: ShownOrder, market: ShownMarket): string {
  return JSON.stringify({
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
    associate_trades: tradeIdsOf(order),
    outcome: market.outcomes[order.outcome],
    created_at: unixSeconds(order.createdMs),
    expiration: String(order.expirationS),
    order_type: orderTypeText(order.orderType),
  });
}

/** An own order in the wrapped form of interface.md 2.8. */
export function wrappedOrderRow(order: ShownOrder, market: ShownMarket): string {
  return JSON.stringify({
    order: {
      associateTrades: tradeIdsOf(order),
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
    },
  });
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

/**
 * The trade fields that both dialects and the user channel share; the top level is the taker's order, whoever asks.
 * @param rowOf renders a maker's part
 */
export function tradeFields(
  trade: Trade,
  market: Market,
  rowOf: (fill: MakerFill, market: Market) => unknown = makerRow,
): Readonly<Record<string, unknown>> {
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
    maker_orders: trade.makers.map((fill) => rowOf(fill, market)),
  };
}

/** A trade as official clients read it, with times as digits of unix seconds. */
export function tradeRow(trade: Trade, market: Market, owner: string): string {
  return JSON.stringify({
    ...tradeFields(trade, market),
    match_time: secondsText(trade.matchMs),
    last_update: secondsText(trade.updatedMs),
    trader_side: traderSide(trade, owner),
  });
}

/** A trade in the form of interface.md 2.9, with times in ISO 8601. */
export function plainTradeRow(trade: Trade, market: Market, owner: string): string {
  return JSON.stringify({
    ...tradeFields(trade, market),
    match_time: isoTime(trade.matchMs),
    last_update: isoTime(trade.updatedMs),
    type: traderSide(trade, owner),
  });
}
