// The end of an order's delay: it enters anew as a taker, with the market, its owner and its funds as they are now.
// Called by exchange.ts when a release is due. Tick and minimums are not checked again.
import {
  AccountFlag,
  CancelReason,
  ExchangeMode,
  MarketStatus,
  OrderType,
  RulesVersion,
  Side,
} from '../protocol/terms.ts';
import { crossesAnything, isWhole, noDryRun, simulate } from './dryRun.ts';
import { endsAtMs, execute, fundsShort } from './entry.ts';
import type { Market } from './market.ts';
import { forgetOrder, ladderSideOf, marketOfSlot, undelayOrder } from './orderBook.ts';
import type { CoreState, DelayedOrder, TakerOrder } from './state.ts';

/** Restores the delayed order of a slot into `state.taker`. */
function takeBack(state: CoreState, slot: number, delayed: DelayedOrder): TakerOrder {
  const order = state.taker;
  const { pool } = state;
  order.slot = slot;
  order.number = pool.numberOf(slot);
  order.position = pool.positionOf(slot);
  order.account = state.ledger.accountOf(order.position);
  order.owner = pool.ownerOf(slot);
  order.outcome = pool.outcomeOf(slot);
  order.side = pool.sideOf(slot);
  order.isBuy = order.side === Side.BUY;
  order.orderType = delayed.orderType;
  order.canRest = delayed.orderType === OrderType.GTC || delayed.orderType === OrderType.GTD;
  order.limitPips = delayed.limitPips;
  order.ladderPips = pool.ladderPipsOf(slot);
  order.ladderSide = ladderSideOf(order.side, order.outcome);
  order.lots = delayed.lots;
  order.budgetMicro = delayed.budgetMicro;
  order.expirationS = delayed.expirationS;
  return order;
}

/** The reason why the order cannot enter now, or −1: then `state.dry` holds its dry run. */
function refusal(state: CoreState, market: Market, order: TakerOrder): number {
  const { dry } = state;
  if (endsAtMs(order.orderType, order.expirationS) <= state.tMs) return CancelReason.EXPIRED;
  if (market.status !== MarketStatus.OPEN || state.mode !== ExchangeMode.NORMAL) return CancelReason.NOT_TRADING;
  const flags = state.accounts.flagsOf(order.owner);
  if ((flags & AccountFlag.BANNED) !== 0) return CancelReason.BANNED;
  const isClosedOnly = state.rulesVersion >= RulesVersion.FIFTH && (flags & AccountFlag.CLOSED_ONLY) !== 0;
  if (isClosedOnly && order.isBuy) return CancelReason.CLOSED_ONLY;
  if (crossesAnything(market, order)) simulate(state, market, order);
  else noDryRun(dry, order);
  if (fundsShort(state, order, false)) return CancelReason.FUNDS;
  if (order.orderType === OrderType.FOK && !isWhole(dry, order)) return CancelReason.NO_MATCH;
  if (order.orderType === OrderType.FAK && dry.foundLots === 0) return CancelReason.NO_MATCH;
  return -1;
}

/** Releases the delayed order of a slot. Events: OrderReleased, then those of a taker, or OrderCanceled with the reason. */
export function releaseOrder(state: CoreState, slot: number): void {
  const market = marketOfSlot(state, slot);
  const delayed = undelayOrder(state, slot);
  const order = takeBack(state, slot, delayed);
  state.out.write({ type: 'OrderReleased', orderNumber: order.number });
  const reason = refusal(state, market, order);
  if (reason !== -1) {
    forgetOrder(state, slot, order.position);
    state.out.orderCanceled(order.number, reason, order.lots);
    return;
  }
  execute(state, market, order);
}
