// Notifications as clients read them (wire.md C.6): type 1 an order ended by the exchange, 2 a fill, 4 a resolved market.
// Called by the routes of notifications. Strict clients parse every payload as that of an order, so each has all its fields;
// those without a meaning are empty texts, zeros or the zero hash. Others parse that of a resolved market as the market's
// record, so it has both.
import { CancelReason, limits, OrderType, Side } from '../../engine/index.ts';
import { ZERO_BYTES32 } from '../auth/hex.ts';
import { uuidOfKeyId } from '../auth/keyIds.ts';
import type { Catalog } from '../catalog/index.ts';
import { parseWhole } from '../lib/decimals.ts';
import type {
  CanceledNotice,
  EventRow,
  FilledNotice,
  Market,
  Notice,
  NotifiedOrder,
  ResolvedNotice,
  Views,
} from '../views/index.ts';
import { unfilledLots } from '../views/records.ts';
import { textOf } from '../views/texts.ts';
import { BadRequest } from './badRequest.ts';
import { tradeId, transactionHash } from './ids.ts';
import { fullRecord, iconOf, imageOf, pricePipsOf } from './markets.ts';
import { lotsText, microText, pipsText } from './numbers.ts';
import { orderTypeText, sideText } from './terms.ts';

const TYPES = { canceled: 1, filled: 2, resolved: 4 } as const;

/** The reason why the exchange ended an order, as a word. */
const REASONS: Readonly<Record<number, string>> = {
  [CancelReason.SELF_TRADE]: 'self_trade',
  [CancelReason.INVALID]: 'not_enough_balance',
  [CancelReason.EXPIRED]: 'expired',
  [CancelReason.FAK_REMAINDER]: 'fak_remainder',
  [CancelReason.HEARTBEAT]: 'heartbeat_lapsed',
  [CancelReason.MARKET_CLOSED]: 'market_closed',
  [CancelReason.MARKET_RESOLVED]: 'market_resolved',
  [CancelReason.BANNED]: 'banned',
  [CancelReason.CLOSED_ONLY]: 'closed_only',
  [CancelReason.WALLET_MOVED]: 'wallet_moved',
  [CancelReason.NOT_TRADING]: 'not_trading',
  [CancelReason.FUNDS]: 'not_enough_balance',
  [CancelReason.NO_MATCH]: 'no_match',
};

/** Where a payload's market, event and tags come from. */
interface Sources {
  readonly views: Views;
  readonly catalog: Pick<Catalog, 'tagNamesOf'>;
}

/** The market and token fields of every payload. */
function tokenFields(market: Market, event: EventRow | undefined, outcome: number) {
  return {
    asset_id: market.tokens[outcome],
    condition_id: market.conditionId,
    eventSlug: textOf(event?.texts.slug),
    icon: iconOf(market, event),
    image: imageOf(market, event),
    market: market.conditionId,
    market_slug: market.slug,
    outcome: market.outcomes[outcome],
    outcome_index: outcome,
    question: market.question,
    seriesSlug: textOf(event?.texts.series),
  };
}

/** The order fields of a payload. */
function orderFields(order: NotifiedOrder) {
  return {
    order_id: order.id,
    original_size: lotsText(order.originalLots),
    owner: uuidOfKeyId(order.keyId),
    side: sideText(order.side),
    type: orderTypeText(order.orderType),
  };
}

/**
 * `remaining_size` is the unfilled part of the order's size, also for an order with a budget: what the rest of the budget
 * would buy is another figure.
 */
function canceledFields({ order, reason }: CanceledNotice) {
  return {
    ...orderFields(order),
    matched_size: lotsText(order.filledLots),
    price: pipsText(order.pricePips),
    remaining_size: lotsText(unfilledLots(order)),
    trade_id: '',
    transaction_hash: ZERO_BYTES32,
    reason: REASONS[reason] ?? '',
  };
}

function filledFields({ order, tradeNumber, lots, pricePips, remainingLots }: FilledNotice) {
  const id = tradeId(order.marketIndex, tradeNumber);
  return {
    ...orderFields(order),
    matched_size: lotsText(lots),
    price: pipsText(pricePips),
    remaining_size: lotsText(remainingLots),
    trade_id: id,
    transaction_hash: transactionHash(id),
  };
}

/** The shares held stand in for an order's size, and the requesting key for the order's key. */
function resolvedFields({ outcome, sharesMicro }: ResolvedNotice, market: Market, apiKey: string) {
  const size = microText(sharesMicro);
  return {
    order_id: '',
    original_size: size,
    owner: apiKey,
    side: sideText(Side.BUY),
    type: orderTypeText(OrderType.GTC),
    matched_size: size,
    price: pipsText(pricePipsOf(market, outcome)),
    remaining_size: '0',
    trade_id: '',
    transaction_hash: ZERO_BYTES32,
    winner: market.resolution === outcome,
  };
}

function payloadOf(notice: Notice, { views, catalog }: Sources, apiKey: string) {
  const market = views.markets.of(notice.kind === 'resolved' ? notice : notice.order);
  const event = views.markets.eventByNumber(market.eventNumber);
  switch (notice.kind) {
    case 'canceled':
      return { ...tokenFields(market, event, notice.order.outcome), ...canceledFields(notice) };
    case 'filled':
      return { ...tokenFields(market, event, notice.order.outcome), ...filledFields(notice) };
    case 'resolved': {
      const record = fullRecord(market, event, catalog.tagNamesOf(event));
      return { ...record, ...tokenFields(market, event, notice.outcome), ...resolvedFields(notice, market, apiKey) };
    }
    default: {
      const unknown: never = notice;
      throw new Error(`notifications: unknown kind ${JSON.stringify(unknown)}`);
    }
  }
}

/**
 * A notification, for JSON.
 * @param apiKey the requesting key, used as the owner where no order gives one
 */
export function notificationRow(notice: Notice, sources: Sources, apiKey: string) {
  const payload = payloadOf(notice, sources, apiKey);
  // In milliseconds: some official clients parse no other unit, and none requires another.
  return { id: notice.number, type: TYPES[notice.kind], owner: payload.owner, timestamp: notice.tMs, payload };
}

/** The numbers in the query `ids=1,2` or `ids=1&ids=2`. @throws BadRequest if they are missing, malformed or too many */
export function readNotificationIds(query: URLSearchParams): readonly number[] {
  const texts = query.getAll('ids').filter((text) => text !== '');
  if (texts.length === 0) throw new BadRequest('Invalid ids: list the notifications to drop, such as ids=1,2');
  const ids = texts.flatMap((text) => text.split(',')).map((part) => parseWhole(part.trim()));
  if (ids.length > limits.notificationIdsMax) {
    throw new BadRequest(`Invalid ids: got ${ids.length}, at most ${limits.notificationIdsMax} are allowed`);
  }
  return ids.map((id) => {
    if (id === undefined) throw new BadRequest('Invalid ids: each must be a whole number');
    return id;
  });
}
