// The reply to an order that is sent again: its present state, and the answer to its first copy, rebuilt from the stored
// order. Called by the routes of trading for open orders, and by the historian's thread for finished ones.
import { takesOnly } from '../../engine/index.ts';
import { wholeText } from './longTexts.ts';
import { newestTrades, orderRow, type ShownMarket, type ShownOrder } from './orders.ts';
import { placedOrderJson, type TakenTrade } from './placedOrders.ts';

/** An order with the facts that its first answer was built from. */
interface OriginalOrder extends ShownOrder {
  readonly wasDelayed: boolean;
  /** Oldest first. */
  readonly taken: readonly TakenTrade[];
}

/**
 * The form in which it crosses from the historian's thread: the order as official clients read it, with its newest trades, and
 * its first answer.
 */
export interface Original {
  readonly order: Readonly<Record<string, unknown>>;
  /** Null for a killed order: its first answer was a refusal. */
  readonly placed: Readonly<Record<string, unknown>> | null;
}

/** A stored FOK or FAK order without a trade of its own was killed, unless it was delayed first. */
function isKilled({ orderType, taken, wasDelayed }: OriginalOrder): boolean {
  return takesOnly(orderType) && taken.length === 0 && !wasDelayed;
}

const placedJson = ({ id, side, wasDelayed, taken }: OriginalOrder): string =>
  placedOrderJson({ orderId: id, side, isDelayed: wasDelayed, taken });

/** An Original as JSON text. */
export function originalJson(order: OriginalOrder, market: ShownMarket): string {
  const state = wholeText(orderRow({ ...order, trades: newestTrades(order.trades) }, market));
  return `{"order":${state},"placed":${isKilled(order) ? 'null' : placedJson(order)}}`;
}
