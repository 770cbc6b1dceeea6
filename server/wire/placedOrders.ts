// The replies to a placed or refused order in POST /order and POST /orders (wire.md B.7, B.8), as JSON text. Called by the
// routes of trading, and by originals.ts for an order that is answered again.
import { MICRO_PER_LOT, Side } from '../../engine/index.ts';
import type { TradePlace } from '../views/index.ts';
import { tradeId, transactionHash } from './ids.ts';
import { microText } from './numbers.ts';

/** A trade in which an order was the taker, from the record that placed the order. */
export interface TakenTrade extends TradePlace {
  readonly lots: number;
  readonly pricePips: number;
}

/** The outcome of placing an order. */
export interface PlacedOrder {
  readonly orderId: string;
  readonly side: number;
  /** Whether it is delayed before it enters the book. */
  readonly isDelayed: boolean;
  /** Oldest first. */
  readonly taken: readonly TakenTrade[];
}

const quoted = (texts: readonly string[]): string => (texts.length === 0 ? '[]' : `["${texts.join('","')}"]`);

/** The reply to a placed order as JSON text (wire.md B.8): the amounts it gave and received, '' if nothing matched. */
export function placedOrderJson({ orderId, side, isDelayed, taken }: PlacedOrder): string {
  let shareMicro = 0;
  let moneyMicro = 0;
  for (const { lots, pricePips } of taken) {
    shareMicro += lots * MICRO_PER_LOT;
    moneyMicro += lots * pricePips;
  }
  const isMatched = taken.length > 0;
  const [making, taking] = side === Side.BUY ? [moneyMicro, shareMicro] : [shareMicro, moneyMicro];
  const tradeIds = taken.map(({ marketIndex, tradeNumber }) => tradeId(marketIndex, tradeNumber));
  return (
    `{"success":true,"errorMsg":"","orderID":"${orderId}","takingAmount":"${isMatched ? microText(taking) : ''}",` +
    `"makingAmount":"${isMatched ? microText(making) : ''}",` +
    `"status":"${isMatched ? 'matched' : isDelayed ? 'delayed' : 'live'}",` +
    `"transactionsHashes":${quoted(tradeIds.map(transactionHash))},"tradeIDs":${quoted(tradeIds)}}`
  );
}

/**
 * The element of a refused order in the reply to a batch, in the format of the official clients' venue (wire.md B.7).
 * @param detail for a duplicate: what became of its first copy
 */
export function refusedOrderJson(errorMsg: string, detail?: object): string {
  const more = detail === undefined ? '' : `,"detail":${JSON.stringify(detail)}`;
  return (
    `{"success":true,"errorMsg":${JSON.stringify(errorMsg)},"orderID":"","takingAmount":"",` +
    `"makingAmount":"","status":"","transactionsHashes":[],"tradeIDs":[]${more}}`
  );
}
