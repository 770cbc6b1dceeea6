// What became of an order that is sent again: its present state, and the answer that its first copy was given, made anew from
// what is kept of it. Called by the routes of trading for open orders, and by the historian's thread for finished ones.
import { takesOnly } from '../../engine/index.ts';
import { placedOrderJson, type TakenTrade } from './placedOrders.ts';
import { orderRow, type ShownMarket, type ShownOrder } from './trades.ts';

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

const placedJson = ({ id, side, wasDelayed, taken }: OriginalOrder): string =>
  placedOrderJson({ orderId: id, side, isDelayed: wasDelayed, taken });

/** An Original as JSON text. */
export function originalJson(order: OriginalOrder, market: ShownMarket): string {
  return `{"order":${orderRow(order, market)},"placed":${isKilled(order) ? 'null' : placedJson(order)}}`;
}
