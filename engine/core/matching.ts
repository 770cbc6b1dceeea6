// Executes what the dry run found: makers best first, each level one trade; money and shares change hands, sets are made
// and destroyed. Called by entry and by releases once nothing can refuse the order any more.
import { FillKind } from '../protocol/terms.ts';
import { MICRO_PER_LOT, PIPS_PER_UNIT } from '../protocol/units.ts';
import { FEES_ACCOUNT } from './accounts.ts';
import { feeMicro } from './fees.ts';
import { BID } from './ladder.ts';
import { MONEY_STRIDE, RESERVED_COLLATERAL, RESERVED_SHARES, SHARES } from './ledger.ts';
import type { Market } from './market.ts';
import { leaveFilled } from './orderBook.ts';
import { FLAG_SECOND, FLAG_SELL, LOTS, NEXT, NONE, POSITION, PRICE, STRIDE } from './orderPool.ts';
import type { CoreState, TakerOrder } from './state.ts';

/** Status items of a trade in the heap: the step they lead to. */
export const STEP_MINED = 1;

/**
 * Takes `lots` (all of which the dry run found, own orders gone) from the other side of the ladder.
 * Events: per level its Fills, then its Trade.
 */
export function matchOrder(state: CoreState, market: Market, order: TakerOrder, lots: number): void {
  const { ladder } = market;
  const side = 1 - order.ladderSide;
  let left = lots;
  while (left > 0) left -= matchLevel(state, market, order, side === BID ? ladder.bestBid : ladder.bestAsk, left);
}

/** Takes up to `wanted` lots of one level and settles the taker's side as one trade; returns the lots taken. */
function matchLevel(state: CoreState, market: Market, order: TakerOrder, level: number, wanted: number): number {
  const { records } = state.pool;
  const { ladder } = market;
  const pips = ladder.pipsOf(level);
  let left = wanted;
  let fillCount = 0;
  let slot = ladder.firstOf(level);
  while (left > 0 && slot !== NONE) {
    const available = records[slot * STRIDE + LOTS];
    const lots = available < left ? available : left;
    // Read before the fill: a maker that is used up leaves the level, and with it the grid may change.
    const next = records[slot * STRIDE + NEXT];
    fillMaker(state, market, order, slot, pips, lots);
    left -= lots;
    fillCount += 1;
    slot = next;
  }
  settleTaker(state, market, order, pips, wanted - left, fillCount);
  return wanted - left;
}

/** One maker's part: it trades at exactly its own limit. */
function fillMaker(
  state: CoreState,
  market: Market,
  order: TakerOrder,
  slot: number,
  pips: number,
  lots: number,
): void {
  const { pool, ledger } = state;
  const { money } = ledger;
  const base = slot * STRIDE;
  const word = pool.records[base + PRICE];
  const position = pool.records[base + POSITION];
  const account = ledger.accountOf(position);
  const outcome = (word & FLAG_SECOND) >>> 1;
  const price = outcome === 0 ? pips : PIPS_PER_UNIT - pips;
  const at = position * MONEY_STRIDE;
  const isSell = (word & FLAG_SELL) !== 0;
  if (isSell) {
    money[at + SHARES + outcome] -= lots * MICRO_PER_LOT;
    money[at + RESERVED_SHARES + outcome] -= lots * MICRO_PER_LOT;
    ledger.collateral[account] += lots * price;
  } else {
    money[at + SHARES + outcome] += lots * MICRO_PER_LOT;
    money[at + RESERVED_COLLATERAL] -= lots * price;
    ledger.collateral[account] -= lots * price;
    state.noteFall(account);
  }
  let kind: number = FillKind.COMPLEMENTARY;
  if (outcome !== order.outcome) {
    kind = isSell ? FillKind.MERGE : FillKind.MINT;
    market.vaultMicro += isSell ? -lots * MICRO_PER_LOT : lots * MICRO_PER_LOT;
  }
  const remaining = pool.records[base + LOTS] - lots;
  pool.records[base + LOTS] = remaining;
  const { out } = state;
  out.collateralMicro = ledger.collateral[account];
  out.sharesMicro = money[at + SHARES + outcome];
  out.fill(pool.numberOf(slot), lots, remaining, price, kind);
  if (remaining === 0) leaveFilled(state, market, slot, position);
}

/** The taker's side of one level: cost, fee, shares, and the trade's first status step. */
function settleTaker(
  state: CoreState,
  market: Market,
  order: TakerOrder,
  pips: number,
  lots: number,
  fillCount: number,
): void {
  const { ledger, out } = state;
  const price = order.outcome === 0 ? pips : PIPS_PER_UNIT - pips;
  const cost = lots * price;
  const fee = feeMicro(lots, price, market.feeRate, market.feeExponent);
  const at = order.position * MONEY_STRIDE + SHARES + order.outcome;
  if (order.isBuy) {
    ledger.money[at] += lots * MICRO_PER_LOT;
    ledger.collateral[order.account] -= cost + fee;
    state.noteFall(order.account);
  } else {
    ledger.money[at] -= lots * MICRO_PER_LOT;
    ledger.collateral[order.account] += cost - fee;
  }
  ledger.collateral[FEES_ACCOUNT] += fee;
  market.tradeCount += 1;
  out.collateralMicro = ledger.collateral[order.account];
  out.sharesMicro = ledger.money[at];
  out.feesMicro = ledger.collateral[FEES_ACCOUNT];
  out.vaultMicro = market.vaultMicro;
  out.trade(order.number, market.index, market.tradeCount, fillCount, price, lots, fee);
  state.statuses.push(state.tMs + state.minedDelayMs, market.index, market.tradeCount, STEP_MINED);
}
