// The usual order, placed in one pass: GTC without flags, of a wallet that has traded in this market before, well formed,
// paid for, crossing nothing. It is more than half of what an exchange is asked, and the checks of entry.ts, which say what is
// the matter with any order, cost it more than all the rest. Called by entry first; whatever is unusual about an order, or
// wrong with it, leaves it there, untouched. So the rules stand in entry.ts: here they are one question, with one answer.
import { commandLayouts } from '../protocol/layout.ts';
import { limits } from '../protocol/limits.ts';
import type { Message } from '../protocol/message.ts';
import { ExchangeMode, MarketStatus } from '../protocol/terms.ts';
import { costMicro } from './amounts.ts';
import type { Ladder } from './ladder.ts';
import type { Market } from './market.ts';
import type { CoreState } from './state.ts';

// The file's own, see orderPool.ts.
const { OPEN } = MarketStatus;
const { NORMAL } = ExchangeMode;
const PIPS_PER_UNIT = 10_000;
const MICRO_PER_LOT = 10_000;
const LOTS_MAX: number = limits.orderLotsMax;
const AHEAD_MAX_MS: number = limits.timestampAheadMaxMs;

const AT = commandLayouts.PlaceOrder.offsets;
const ID_AT = AT.orderId;
const KEY_AT = AT.keyId;
const OWNER_AT = AT.owner;
const MARKET_WORD = AT.marketIndex / 4;
/** Token, side, type and flags are the four bytes of one word: of a usual order only the lowest bits of the first two are set. */
const TERMS_WORD = AT.outcome / 4;
const UNUSUAL_TERMS = ~0x0101;
const SIDE_SHIFT = 8;
/** A BUY's money is its maker amount and its shares are the taker amount; a SELL's the other way round. */
const MAKER_DOUBLE = AT.makerAmountMicro / 8;
const TAKER_DOUBLE = AT.takerAmountMicro / 8;
const MAKER_TO_TAKER = TAKER_DOUBLE - MAKER_DOUBLE;
const TIMESTAMP_DOUBLE = AT.timestampMs / 8;
const EXPIRATION_DOUBLE = AT.expirationS / 8;

// Side and token are as good as random to a processor, and a branch that it foresees wrongly costs as much as twenty steps:
// what depends on them is calculated here, from 0 and 1.

/** Whether an order of this ladder side at a level would cross: a bid (0) at the best ask or above, an ask (1) at the best bid or below. */
function crosses(ladder: Ladder, ladderSide: number, level: number): boolean {
  const belowAsk = ladder.bestAsk - level;
  const aboveBid = level - ladder.bestBid;
  return belowAsk + ladderSide * (aboveBid - belowAsk) <= 0;
}

/** Whether the timestamp may still be accepted, and the order says no expiration: what checkTimes says of a GTC. */
function isTimely(state: CoreState, timestampMs: number, expirationS: number): boolean {
  const { tMs } = state;
  return (
    expirationS === 0 &&
    timestampMs >= tMs - state.orderWindowMs &&
    timestampMs >= state.ids.forgottenBeforeMs &&
    timestampMs <= tMs + AHEAD_MAX_MS
  );
}

/**
 * Places the order of the message at `offset`, if it is a usual one, for this account and its position in the order's market
 * (NONE where there is none). Returns false, having changed nothing, if it is not. Events: OrderAccepted, OrderRested.
 */
export function placeUsual(
  state: CoreState,
  message: Message,
  offset: number,
  account: number,
  position: number,
): boolean {
  const { words, doubles } = message;
  const { accounts, ledger } = state;
  const terms = words[(offset >> 2) + TERMS_WORD];
  if (position < 0 || (terms & UNUSUAL_TERMS) !== 0 || state.mode !== NORMAL) return false;
  const owner = accounts.owners[account];
  if (!accounts.isOwner(owner, message, offset + OWNER_AT) || accounts.flagsOf(owner) !== 0) return false;
  const double = offset >> 3;
  const order = state.taker;
  order.timestampMs = doubles[double + TIMESTAMP_DOUBLE];
  if (!isTimely(state, order.timestampMs, doubles[double + EXPIRATION_DOUBLE])) return false;
  const market = state.markets[words[(offset >> 2) + MARKET_WORD]];
  const { ladder } = market;
  if (market.status !== OPEN || ladder.gridPips !== market.tickPips) return false;
  const outcome = terms & 1;
  const side = terms >> SIDE_SHIFT;
  const money = doubles[double + MAKER_DOUBLE + MAKER_TO_TAKER * side];
  const lots = doubles[double + TAKER_DOUBLE - MAKER_TO_TAKER * side] / MICRO_PER_LOT;
  if (Math.floor(lots) !== lots || lots < market.minOrderLots || lots > LOTS_MAX) return false;
  const pips = (money / lots) | 0;
  const ladderPips = pips + outcome * (PIPS_PER_UNIT - 2 * pips);
  const level = ladder.levelOf(ladderPips);
  if (level < 1 || level >= ladder.levelCount || ladder.pipsOf(level) !== ladderPips) return false;
  if (costMicro(lots, pips) !== money || crosses(ladder, side ^ outcome, level)) return false;
  if (state.ids.has(message, offset + ID_AT, order)) return false;
  if (!ledger.reserveIfCovered(account, position, side, outcome, doubles[double + MAKER_DOUBLE])) return false;
  rest(state, market, message, offset, account, position, owner, level, pips, lots | 0);
  return true;
}

/** What placing it changes besides the reservation. */
function rest(
  state: CoreState,
  market: Market,
  message: Message,
  offset: number,
  account: number,
  position: number,
  owner: number,
  level: number,
  pips: number,
  lots: number,
): void {
  const { accounts, ledger, pool } = state;
  const { ladder } = market;
  const terms = message.words[(offset >> 2) + TERMS_WORD];
  const outcome = terms & 1;
  const side = terms >> SIDE_SHIFT;
  state.ids.add(message, offset + ID_AT, state.taker);
  state.lastOrderNumber += 1;
  state.out.orderPlaced(state.lastOrderNumber, account, market.index, terms, pips, lots);
  const key = accounts.keyOf(account, message, offset + KEY_AT);
  const ladderPips = ladder.pipsOf(level);
  const slot = pool.allocate(state.lastOrderNumber, side, outcome, ladderPips, lots, position, owner, key);
  pool.setId(slot, message, offset + ID_AT);
  ledger.linkOwn(pool, position, slot);
  ladder.append(pool, slot, side ^ outcome);
  if (market.autoTick !== 0) state.touch(market);
}
