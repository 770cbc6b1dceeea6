// Executes what the dry run found: fills makers, best price first, with one trade per level. Money and shares change hands,
// sets are minted and merged. Called by entry, for released orders too, once nothing can refuse the order any more.
import * as reservedAccounts from '../protocol/reservedAccounts.ts';
import { FillKind, RulesVersion, TradeStatus } from '../protocol/terms.ts';
import * as amounts from './amounts.ts';
import * as fees from './fees.ts';
import * as ladders from './ladder.ts';
import type { Market } from './market.ts';
import * as orderBook from './orderBook.ts';
import * as prices from './prices.ts';
import type { CoreState, TakerOrder } from './state.ts';

// File-local constants, see engine/compiler.ts.
const { costMicro, sharesMicroOf } = amounts;
const { feeMicro } = fees;
const { leaveBook } = orderBook;
const { inToken } = prices;
const { MINT, MERGE } = FillKind;
const { MINED, CONFIRMED } = TradeStatus;
const FEES_ACCOUNT: number = reservedAccounts.FEES_ACCOUNT.id;
const { BID } = ladders;

const BY_SEQUENCE = RulesVersion.FOURTH;

/** The steps of a trade's status, and the heap item of a step. The second number of such an item is that of the trade. */
export const STEP_MINED = 0;
export const STEP_CONFIRMED = 1;
export const statusItem = (marketIndex: number, step: number): number => (marketIndex << 1) | step;

/**
 * Takes `lots` from the other side of the ladder. The dry run has found all of them, and own orders in the way are cancelled.
 * Events: per level its Fills, then its Trade.
 */
export const matchOrder = (state: CoreState, market: Market, order: TakerOrder, lots: number): void => {
  const { ladder } = market;
  const side = 1 - order.ladderSide;
  let left = lots;
  while (left > 0) left -= matchLevel(state, market, order, side === BID ? ladder.bestBid : ladder.bestAsk, left);
};

/** Takes up to `wanted` lots of one level and settles the taker's side as one trade; returns the lots taken. */
const matchLevel = (state: CoreState, market: Market, order: TakerOrder, level: number, wanted: number): number => {
  const { pool } = state;
  const { ladder } = market;
  const pips = ladder.pipsOf(level);
  let left = wanted;
  let fillCount = 0;
  let slot = ladder.firstOf(level);
  while (left > 0 && slot >= 0) {
    const available = pool.lotsOf(slot);
    const lots = available < left ? available : left;
    // Read before the fill: a maker that is filled leaves the level, and the grid may change.
    const next = pool.nextOf(slot);
    fillMaker(state, market, order, slot, pips, lots);
    left -= lots;
    fillCount += 1;
    slot = next;
  }
  settleTaker(state, market, order, pips, wanted - left, fillCount);
  return wanted - left;
};

/** Fills one maker, at exactly its own limit. */
const fillMaker = (
  state: CoreState,
  market: Market,
  order: TakerOrder,
  slot: number,
  pips: number,
  lots: number,
): void => {
  const { pool, ledger, out } = state;
  const position = pool.positionOf(slot);
  const account = ledger.accountOf(position);
  const outcome = pool.outcomeOf(slot);
  const side = pool.sideOf(slot);
  const price = inToken(pips, outcome);
  ledger.fill(position, side, outcome, lots, price);
  // The account of a SELL has gained collateral, but checking it costs less than a branch.
  state.noteFall(account);
  // 1 when the tokens differ: two BUYs then mint sets, two SELLs merge them. COMPLEMENTARY is 0.
  const differs = outcome ^ order.outcome;
  const kind = differs * (MINT + side * (MERGE - MINT));
  market.vaultMicro += sharesMicroOf(differs * lots) * (1 - 2 * side);
  const remaining = pool.lotsOf(slot) - lots;
  pool.setLots(slot, remaining);
  ledger.tellBalances(out, account, position, outcome);
  out.fill(pool.numberOf(slot), lots, remaining, price, kind);
  if (remaining === 0) leaveBook(state, market, slot, position);
};

/** Settles the taker's side of one level: cost, fee, shares, and the trade's first status step. */
const settleTaker = (
  state: CoreState,
  market: Market,
  order: TakerOrder,
  pips: number,
  lots: number,
  fillCount: number,
): void => {
  const { ledger, out } = state;
  const price = inToken(pips, order.outcome);
  const cost = costMicro(lots, price);
  const fee = feeMicro(lots, price, market.feeRate, market.feeExponent);
  if (order.isBuy) {
    ledger.addShareLots(order.position, order.outcome, lots);
    ledger.collateral[order.account] -= cost + fee;
    state.noteFall(order.account);
  } else {
    ledger.addShareLots(order.position, order.outcome, -lots);
    ledger.collateral[order.account] += cost - fee;
  }
  ledger.collateral[FEES_ACCOUNT] += fee;
  market.tradeCount += 1;
  state.tradeCount += 1;
  ledger.tellBalances(out, order.account, order.position, order.outcome);
  out.feesMicro = ledger.collateral[FEES_ACCOUNT];
  out.vaultMicro = market.vaultMicro;
  out.trade(order.number, market.index, market.tradeCount, fillCount, price, lots, fee);
  scheduleStatus(state, market);
};

/**
 * Schedules the first status step of a market's latest trade. Without delays it bypasses the heap, see settleFresh. All fresh
 * trades are of one market: due items are settled one at a time, and fresh trades are queued before the next.
 */
const scheduleStatus = (state: CoreState, market: Market): void => {
  if (state.minedDelayMs !== 0 || state.confirmedDelayMs !== 0) {
    queueTrade(state, market, state.minedDelayMs, 0);
    return;
  }
  state.freshMarket = market.index;
  state.freshTrades += 1;
};

/** Pushes the first status step of a market's trade onto the heap; `later` more trades of this market have followed it. */
const queueTrade = (state: CoreState, market: Market, delayMs: number, later: number): void => {
  const rank = state.rulesVersion < BY_SEQUENCE ? market.index : state.tradeCount - later;
  state.statuses.push(state.tMs + delayMs, rank, market.tradeCount - later, statusItem(market.index, STEP_MINED));
};

/** Moves the fresh trades to the heap, which orders them with everything else that is due. */
export const queueFresh = (state: CoreState): void => {
  const market = state.markets[state.freshMarket];
  for (let later = state.freshTrades - 1; later >= 0; later -= 1) queueTrade(state, market, 0, later);
  state.freshTrades = 0;
};

/** Writes MINED and CONFIRMED of each fresh trade. Called when nothing else is due. */
export const settleFresh = (state: CoreState): void => {
  const { out, freshMarket } = state;
  const { tradeCount } = state.markets[freshMarket];
  for (let trade = tradeCount - state.freshTrades + 1; trade <= tradeCount; trade += 1) {
    out.tradeStatus(freshMarket, trade, MINED);
    out.tradeStatus(freshMarket, trade, CONFIRMED);
  }
  state.freshTrades = 0;
};
