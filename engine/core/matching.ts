// Executes what the dry run found: makers best first, each level one trade; money and shares change hands, sets are made
// and destroyed. Called by entry and by releases once nothing can refuse the order any more.
import { FillKind, RulesVersion, TradeStatus } from '../protocol/terms.ts';
import { FEES_ACCOUNT as FEES } from './accounts.ts';
import * as amounts from './amounts.ts';
import * as fees from './fees.ts';
import type { Market } from './market.ts';
import * as orderBook from './orderBook.ts';
import * as prices from './prices.ts';
import type { CoreState, TakerOrder } from './state.ts';

// The file's own, see engine/compiler.ts.
const { costMicro, sharesMicroOf } = amounts;
const { feeMicro } = fees;
const { leaveBook } = orderBook;
const { inToken } = prices;
const { MINT, MERGE } = FillKind;
const { MINED, CONFIRMED } = TradeStatus;
const FEES_ACCOUNT = FEES;
const BID = 0;

const BY_SEQUENCE = RulesVersion.FOURTH;

/** The steps that a trade's status takes, and the item of one in the heap, whose second number is the trade's. */
export const STEP_MINED = 0;
export const STEP_CONFIRMED = 1;
export const statusItem = (marketIndex: number, step: number): number => (marketIndex << 1) | step;

/**
 * Takes `lots` (all of which the dry run found, own orders gone) from the other side of the ladder.
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
    // Read before the fill: a maker that is used up leaves the level, and with it the grid may change.
    const next = pool.nextOf(slot);
    fillMaker(state, market, order, slot, pips, lots);
    left -= lots;
    fillCount += 1;
    slot = next;
  }
  settleTaker(state, market, order, pips, wanted - left, fillCount);
  return wanted - left;
};

/** One maker's part: it trades at exactly its own limit. */
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
  // A SELL's account has more than before; to look at it costs less than to ask.
  state.noteFall(account);
  // Where the tokens differ, two BUYs mint sets and two SELLs merge them: 1, as COMPLEMENTARY is 0.
  const differs = outcome ^ order.outcome;
  const kind = differs * (MINT + side * (MERGE - MINT));
  market.vaultMicro += sharesMicroOf(differs * lots) * (1 - 2 * side);
  const remaining = pool.lotsOf(slot) - lots;
  pool.setLots(slot, remaining);
  ledger.tellBalances(out, account, position, outcome);
  out.fill(pool.numberOf(slot), lots, remaining, price, kind);
  if (remaining === 0) leaveBook(state, market, slot, position);
};

/** The taker's side of one level: cost, fee, shares, and the trade's first status step. */
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
 * The first status step of a market's latest trade. Without delays it need not pass through the heap, see settleFresh: trades
 * that are fresh are all of one market, since what is due is taken one at a time and hands them over before the next.
 */
const scheduleStatus = (state: CoreState, market: Market): void => {
  if (state.minedDelayMs !== 0 || state.confirmedDelayMs !== 0) {
    queueTrade(state, market, state.minedDelayMs, 0);
    return;
  }
  state.freshMarket = market.index;
  state.freshTrades += 1;
};

/** Puts the first status step of a market's trade on the heap; `later` trades, all of this market, have come since. */
const queueTrade = (state: CoreState, market: Market, delayMs: number, later: number): void => {
  const rank = state.rulesVersion < BY_SEQUENCE ? market.index : state.tradeCount - later;
  state.statuses.push(state.tMs + delayMs, rank, market.tradeCount - later, statusItem(market.index, STEP_MINED));
};

/** Hands the fresh trades to the heap, which brings them into order with whatever else is due. */
export const queueFresh = (state: CoreState): void => {
  const market = state.markets[state.freshMarket];
  for (let later = state.freshTrades - 1; later >= 0; later -= 1) queueTrade(state, market, 0, later);
  state.freshTrades = 0;
};

/** The statuses of the fresh trades, when nothing else is due: each trade's MINED and CONFIRMED. */
export const settleFresh = (state: CoreState): void => {
  const { out, freshMarket } = state;
  const { tradeCount } = state.markets[freshMarket];
  for (let trade = tradeCount - state.freshTrades + 1; trade <= tradeCount; trade += 1) {
    out.tradeStatus(freshMarket, trade, MINED);
    out.tradeStatus(freshMarket, trade, CONFIRMED);
  }
  state.freshTrades = 0;
};
