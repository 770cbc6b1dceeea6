// Own orders as rows in the two dialects (interface.md 2.8, wire.md C.5). Called through dialect.ts by routes/ownRecords.ts and
// the historian's thread, and by other code that reports own orders. A row is built from the views' rows alone. It is returned
// as texts, since an order may have any number of trades.
import { checksumAddress } from '../auth/checksum.ts';
import { uuidOfKeyId } from '../auth/keyIds.ts';
import type { Market, NumberList, Order } from '../views/index.ts';
import { tradeId } from './ids.ts';
import { aroundList, type Texts } from './longTexts.ts';
import { isoTime, lotsText, pipsText, unixSeconds } from './numbers.ts';
import { membersText } from './pieces.ts';
import { orderTypeText, sideText } from './terms.ts';

/** The fields of an order that rows show. */
export interface ShownOrder
  extends Pick<Order, 'id' | 'status' | 'keyId' | 'maker' | 'marketIndex' | 'outcome' | 'originalLots' | 'filledLots'>,
    Pick<Order, 'pricePips' | 'createdMs' | 'expirationS' | 'trades'> {
  readonly side: number;
  readonly orderType: number;
}
export type ShownMarket = Pick<Market, 'conditionId' | 'tokens' | 'outcomes'>;

/** Most trades of an order that an event or a repeated order lists. GET /data/order/{id} lists all of them. */
export const LISTED_TRADES_MAX = 100;

/** The newest of an order's first `count` trades, as many as are listed. */
export function newestTrades(trades: NumberList, count = trades.length): NumberList {
  const first = Math.max(count - LISTED_TRADES_MAX, 0);
  return { length: count - first, at: (index) => trades.at(first + index) };
}

/** The ids of an order's first `count` trades as JSON. */
function* tradeIdTexts({ marketIndex, trades }: ShownOrder, count: number): Generator<string> {
  for (let at = 0; at < count; at += 1) yield `"${tradeId(marketIndex, trades.at(at))}"`;
}

/** An own order as official clients read it, as it is when this is called. */
export function orderRow(order: ShownOrder, market: ShownMarket): Texts {
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
  return aroundList(`{${before},"associate_trades":[`, tradeIdTexts(order, order.trades.length), `],${after}}`);
}

/** An own order in the wrapped form of interface.md 2.8, as it is when this is called. */
export function wrappedOrderRow(order: ShownOrder, market: ShownMarket): Texts {
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
  return aroundList('{"order":{"associateTrades":[', tradeIdTexts(order, order.trades.length), `],${after}}}`);
}
