// Eager coverage: no book ever shows liquidity that its owner could not pay for. After a command, an account whose balance fell
// below its reservation in some market loses whole BUY orders there, newest first. Called by exchange.ts after every command
// and every settled item.
import { CancelReason, Side } from '../protocol/terms.ts';
import { cancelOrder } from './cancels.ts';
import { NONE } from './orderPool.ts';
import type { CoreState } from './state.ts';

/** Checks the accounts that this command made suspect, in ascending order, and cancels orders that are no longer covered. */
export function coverAccounts(state: CoreState): void {
  if (state.suspectCount === 0) return;
  const suspects = state.suspects.subarray(0, state.suspectCount).sort();
  let previous = NONE;
  for (const account of suspects) {
    if (account !== previous) coverAccount(state, account);
    previous = account;
  }
  state.suspectCount = 0;
}

function coverAccount(state: CoreState, account: number): void {
  const { ledger } = state;
  const balance = ledger.collateral[account];
  const uncovered: number[] = [];
  for (let p = ledger.firstPositionOf(account); p !== NONE; p = ledger.nextPositionOf(p)) {
    if (ledger.reservedCollateralMicro(p) > balance) uncovered.push(p);
  }
  uncovered.sort((a, b) => ledger.marketOf(a) - ledger.marketOf(b));
  for (const position of uncovered) cancelNewestBuys(state, position, balance);
  ledger.bound[account] = ledger.largestReservation(account);
}

/** Cancels a position's BUYs, newest first, until the balance covers their reservation. */
function cancelNewestBuys(state: CoreState, position: number, balance: number): void {
  const { ledger, pool } = state;
  let slot = ledger.lastOwn(position);
  while (ledger.reservedCollateralMicro(position) > balance) {
    if (slot === NONE) throw new Error(`coverage: position ${position} reserves collateral without orders`);
    const older = pool.ownPrev(slot);
    if (pool.sideOf(slot) === Side.BUY) cancelOrder(state, slot, CancelReason.INVALID);
    slot = older;
  }
}
