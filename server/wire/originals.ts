// What became of an order that is sent again: its present state, and the answer that its first copy was given, made anew from
// what is kept of it. Called by the routes of trading for open orders, and by the historian's thread for finished ones.
import { MICRO_PER_LOT, Side, takesOnly } from '../../engine/index.ts';
import type { TradePlace } from '../views/index.ts';
import { tradeId, transactionHash } from './ids.ts';
import { microText } from './numbers.ts';
import { placedOrderJson } from './orders.ts';
import { orderRow, type ShownMarket, type ShownOrder } from './trades.ts';

/** A trade in which the order took, in the record that placed it. */
export interface TakenTrade extends TradePlace {
  readonly lots: number;
  readonly pricePips: number;
}

/** An order with what its first answer was about. */
interface OriginalOrder extends ShownOrder {
  readonly wasDelayed: boolean;
  /** Oldest first. */
  readonly taken: readonly TakenTrade[];
}

/** As it crosses from the historian's thread: the order as official clients read it, and its first answer. */
export interface Original {
  readonly order: Readonly<Record<string, unknown>>;
  /** Null for an order that was killed: its first answer was a refusal. */
  readonly placed: Readonly<Record<string, unknown>> | null;
}

/** A FOK or FAK order that is there without a trade of its own was killed, unless it had to wait first. */
function isKilled({ orderType, taken, wasDelayed }: OriginalOrder): boolean {
  return takesOnly(orderType) && taken.length === 0 && !wasDelayed;
}

function placedJson({ id, side, wasDelayed, taken }: OriginalOrder): string {
  let shareMicro = 0;
  let moneyMicro = 0;
  for (const { lots, pricePips } of taken) {
    shareMicro += lots * MICRO_PER_LOT;
    moneyMicro += lots * pricePips;
  }
  const isMatched = taken.length > 0;
  const [making, taking] = side === Side.BUY ? [moneyMicro, shareMicro] : [shareMicro, moneyMicro];
  const tradeIds = taken.map(({ marketIndex, tradeNumber }) => tradeId(marketIndex, tradeNumber));
  return placedOrderJson({
    orderId: id,
    status: isMatched ? 'matched' : wasDelayed ? 'delayed' : 'live',
    makingAmount: isMatched ? microText(making) : '',
    takingAmount: isMatched ? microText(taking) : '',
    tradeIds,
    transactionHashes: tradeIds.map(transactionHash),
  });
}

/** An Original as JSON text. */
export function originalJson(order: OriginalOrder, market: ShownMarket): string {
  return `{"order":${orderRow(order, market)},"placed":${isKilled(order) ? 'null' : placedJson(order)}}`;
}
