// Events of the user channel as JSON text (wire.md E.4): order (PLACEMENT, UPDATE, CANCELLATION) and trade (MATCHED, MINED,
// CONFIRMED). Called by the streams for each entry of an owner. Statuses are plain words and times are digits only, because
// official clients drop an event with anything else.
import { takesOnly } from '../../engine/index.ts';
import { checksumAddress } from '../auth/checksum.ts';
import { uuidOfKeyId } from '../auth/keyIds.ts';
import type { Market, Order, OrderStatus, Trade } from '../views/index.ts';
import { tradeId } from './ids.ts';
import { lotsText, pipsText, secondsText } from './numbers.ts';
import { newestTrades } from './orders.ts';
import { membersText } from './pieces.ts';
import { orderTypeText, sideText, tradeStatusText } from './terms.ts';
import { makerRow, tradeFields, traderSide } from './trades.ts';

export const orderEntryKinds = ['PLACEMENT', 'UPDATE', 'CANCELLATION'] as const;
export type OrderEntryKind = (typeof orderEntryKinds)[number];
/** The words of an event's status: those of an order, without the reason of a cancel. */
export const orderEntryStatuses = ['LIVE', 'MATCHED', 'DELAYED', 'CANCELED'] as const satisfies readonly OrderStatus[];

export interface OrderEntry {
  readonly kind: OrderEntryKind;
  readonly order: Order;
  readonly marketIndex: number;
  readonly filledLots: number;
  readonly status: OrderStatus;
  /** How many trades the order had at that moment. */
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

function plainStatus({ kind, status, filledLots, order }: OrderEntry): (typeof orderEntryStatuses)[number] {
  if (kind === 'CANCELLATION') return 'CANCELED';
  if (status === 'MATCHED' || status === 'DELAYED') return status;
  // If the remainder was cancelled in the same record, this event shows the state before it; the cancellation follows.
  return takesOnly(order.orderType) && filledLots > 0 ? 'MATCHED' : 'LIVE';
}

/** The keys of an order event after its head, from the comma to the closing brace. */
export function orderEventRest(entry: OrderEntry, market: Market): string {
  const { order, tMs } = entry;
  const key = uuidOfKeyId(order.keyId);
  // The newest alone: the owner of an order with a hundred thousand fills would get megabytes for each further one.
  const trades = newestTrades(order.trades, entry.tradeCount);
  const fields = {
    id: order.id,
    owner: key,
    market: market.conditionId,
    asset_id: market.tokens[order.outcome],
    side: sideText(order.side),
    order_owner: key,
    original_size: lotsText(order.originalLots),
    size_matched: lotsText(entry.filledLots),
    price: pipsText(order.pricePips),
    associate_trades: Array.from({ length: trades.length }, (_, at) => tradeId(order.marketIndex, trades.at(at))),
    outcome: market.outcomes[order.outcome],
    type: entry.kind,
    created_at: secondsText(order.createdMs),
    expiration: String(order.expirationS),
    order_type: orderTypeText(order.orderType),
    status: plainStatus(entry),
    maker_address: checksumAddress(order.maker),
    timestamp: String(tMs),
  };
  return `,${JSON.stringify(fields).slice(1)}`;
}

/** The makers that were rendered last: the same for each owner and socket that gets a step of their trade. */
let rendered: { readonly trade: Trade; readonly marketVersion: number; readonly text: string } | undefined;

/** The makers of a trade, of which there may be thousands, as JSON without the list's brackets. */
function makersText(trade: Trade, market: Market): string {
  const marketVersion = market.version;
  if (rendered?.trade !== trade || rendered.marketVersion !== marketVersion) {
    const rows = trade.makers.map((fill) =>
      JSON.stringify({ ...makerRow(fill, market), outcome_index: fill.order.outcome }),
    );
    rendered = { trade, marketVersion, text: rows.join(',') };
  }
  return rendered.text;
}

/** The keys of a trade event after its head; the top level is the taker's order, on any owner's stream. */
export function tradeEventRest(entry: TradeEntry, market: Market, owner: string): string {
  const { trade, tMs } = entry;
  const matchTime = secondsText(trade.matchMs);
  const before = membersText({
    type: 'TRADE',
    ...tradeFields(trade, market),
    status: tradeStatusText(entry.status),
  });
  const after = membersText({
    match_time: matchTime,
    matchtime: matchTime,
    last_update: secondsText(tMs),
    trade_owner: uuidOfKeyId(trade.taker.keyId),
    trader_side: traderSide(trade, owner),
    timestamp: String(tMs),
  });
  return `,${before},"maker_orders":[${makersText(trade, market)}],${after}}`;
}
