// What happened to an owner, small enough to be kept: which order or trade, and how it stood right then, since the rows
// of the views go on changing. Made by the user feed, rendered by wire/userEvents.ts.
import type { Order, OrderStatus, Trade } from '../views/index.ts';

export interface OrderEntry {
  readonly kind: 'PLACEMENT' | 'UPDATE' | 'CANCELLATION';
  readonly order: Order;
  readonly marketIndex: number;
  readonly filledLots: number;
  readonly status: OrderStatus;
  /** How many of the order's trades it had by then. */
  readonly tradeCount: number;
  readonly tMs: number;
}

export interface TradeEntry {
  readonly kind: 'TRADE';
  readonly trade: Trade;
  readonly marketIndex: number;
  readonly status: number;
  readonly tMs: number;
}

/** Numbered twice: among everything of its owner, and among what its owner did in that market. */
export type UserEntry = (OrderEntry | TradeEntry) & { readonly number: number; readonly marketNumber: number };
