// Cancels in the reference exchange: by an owner, by a rule of the exchange, and by the coverage pass that follows every
// command. Called by reference.ts and referenceMarkets.ts.
import type { CommandOf } from '../../engine/protocol/index.ts';
import { CancelReason, CancelRefusal, ExchangeMode, Side } from '../../engine/protocol/index.ts';
import type { Account, Order, Refusal, State } from './referenceState.ts';
import { cancelOrder, refusal, reservedCollateral, roughReservation, roughReservationOf } from './referenceState.ts';

function checkCancelMode(state: State): Refusal | undefined {
  if (state.mode === ExchangeMode.DISABLED) return refusal('EXCHANGE_DISABLED');
  if (state.mode === ExchangeMode.RESTARTING) return refusal('EXCHANGE_RESTARTING');
  return undefined;
}

export function cancelOrders(state: State, command: CommandOf<'CancelOrders'>): Refusal | undefined {
  const refused = checkCancelMode(state);
  if (refused !== undefined) return refused;
  for (const orderId of new Set(command.items)) {
    const order = state.orders.find((live) => live.id === orderId && live.account.owner === command.owner);
    if (order === undefined) state.events.push({ type: 'CancelRefused', orderId, reason: CancelRefusal.NOT_FOUND });
    else if (order.isDelayed) state.events.push({ type: 'CancelRefused', orderId, reason: CancelRefusal.DELAYED });
    else cancelOrder(state, order, CancelReason.REQUESTED);
  }
  return undefined;
}

export function cancelAll(state: State, command: CommandOf<'CancelAll'>): Refusal | undefined {
  const refused = checkCancelMode(state);
  if (refused !== undefined) return refused;
  cancelWhere(state, CancelReason.REQUESTED, (order) => order.account.owner === command.owner && !order.isDelayed);
  return undefined;
}

export function cancelMarket(state: State, command: CommandOf<'CancelMarket'>): Refusal | undefined {
  const market = state.markets[command.marketIndex];
  if (market === undefined) return refusal('MARKET_UNKNOWN');
  const refused = checkCancelMode(state);
  if (refused !== undefined) return refused;
  cancelWhere(
    state,
    CancelReason.REQUESTED,
    (order) =>
      order.account.owner === command.owner &&
      order.market === market &&
      !order.isDelayed &&
      (command.outcome === 2 || order.outcome === command.outcome),
  );
  return undefined;
}

/** Cancels all live orders for which `isMeant` returns true, in the order of their numbers. */
export function cancelWhere(state: State, reason: number, isMeant: (order: Order) => boolean): void {
  for (const order of state.orders.filter(isMeant)) cancelOrder(state, order, reason);
}

/** Cancels BUYs, the highest number first, until each account's reservation in each market is covered again. */
export function restoreCoverage(state: State): void {
  for (const account of accountsPerhapsShort(state)) {
    for (const market of state.markets) {
      if (!isPerhapsShort(account, roughReservation(state, account, market))) continue;
      while (reservedCollateral(state, account, market) > account.collateral) {
        const buys = state.orders.filter(
          (order) => order.account === account && order.market === market && order.side === Side.BUY,
        );
        cancelOrder(state, buys[buys.length - 1], CancelReason.INVALID);
      }
    }
  }
}

/** Those whose reservations over all markets together may exceed their balance: only these can be short in a single one. */
function accountsPerhapsShort(state: State): Account[] {
  const reserved = new Float64Array(state.accounts.length);
  for (const order of state.orders) reserved[order.account.id] += roughReservationOf(order);
  return state.accounts.filter((account) => isPerhapsShort(account, reserved[account.id]));
}

/**
 * Whether exact sums must tell if a reservation exceeds a balance, given a sum of floating-point numbers: a billionth is more
 * than any error of theirs. Exact sums of everything after every command would take most of the reference's time.
 */
function isPerhapsShort(account: Account, roughReserved: number): boolean {
  return roughReserved * (1 + 1e-9) > Number(account.collateral);
}
