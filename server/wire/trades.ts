// Own trades as rows in the two dialects (interface.md 2.9, wire.md C.5). Called through dialect.ts by routes/ownRecords.ts,
// and by other code that reports own trades. A row is built from the views' rows alone. It is returned as texts, since a trade
// may have any number of makers.
import { checksumAddress } from '../auth/checksum.ts';
import { uuidOfKeyId } from '../auth/keyIds.ts';
import type { MakerFill, Market, Trade } from '../views/index.ts';
import { tradeId, transactionHash } from './ids.ts';
import { aroundList, type Texts } from './longTexts.ts';
import { isoTime, lotsText, pipsText, secondsText } from './numbers.ts';
import { membersText } from './pieces.ts';
import { sideText, tradeStatusText } from './terms.ts';

/** Fees are taken in collateral and appear in no trade row; the rate shown is 0, as official clients expect. */
export const FEE_RATE_BPS = '0';

/** A maker's part of a trade: amounts in shares, the price in the token of the maker's order. */
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
