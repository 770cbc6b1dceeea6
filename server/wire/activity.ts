// Trades of a market as the events of its live-activity feed (wire.md C.3, GET /markets/live-activity). Called by
// routes/activity.ts. An event shows the taker's side only: a trade's makers are visible to their owners alone.

import type { EventRow, Market, Trade } from '../views/index.ts';
import { BadRequest } from './badRequest.ts';
import { boundCount } from './bodies.ts';
import { tradeId, transactionHash } from './ids.ts';
import { iconOf } from './markets.ts';
import { lotsText, pipsText, secondsText } from './numbers.ts';
import { readConditionId } from './readIds.ts';
import { sideText } from './terms.ts';
import { FEE_RATE_BPS } from './trades.ts';

/** Most markets that one request may name. */
export const MARKETS_PER_REQUEST_MAX = 500;

/** The condition ids of the body `["0x…"]`, lower case. @throws BadRequest */
export function readMarketIds(body: unknown): readonly string[] {
  if (!Array.isArray(body)) throw new BadRequest('Invalid payload: the body must be a list of condition ids');
  boundCount(body.length, MARKETS_PER_REQUEST_MAX);
  return body.map(readConditionId);
}

/** A trade as a live-activity event, for JSON. */
export function tradeEvent(trade: Trade, market: Market, event: EventRow | undefined) {
  const { taker } = trade;
  return {
    event_type: 'trade',
    market: {
      condition_id: market.conditionId,
      asset_id: market.tokens[taker.outcome],
      question: market.question,
      icon: iconOf(market, event),
      slug: market.slug,
    },
    user: {
      address: taker.maker,
      username: '',
      profile_picture: '',
      optimized_profile_picture: '',
      pseudonym: '',
    },
    side: sideText(taker.side),
    size: lotsText(trade.lots),
    fee_rate_bps: FEE_RATE_BPS,
    price: pipsText(trade.pricePips),
    outcome: market.outcomes[taker.outcome],
    outcome_index: taker.outcome,
    transaction_hash: transactionHash(tradeId(trade.marketIndex, trade.tradeNumber)),
    timestamp: secondsText(trade.matchMs),
  };
}
