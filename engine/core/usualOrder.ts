// The fast path for the usual order: a well-formed, covered GTC without flags that crosses nothing, from a wallet that has
// traded in this market before and uses the same API key as last time. Such orders are more than half of all commands, and the
// checks of entry.ts, which name what is wrong with an order, would cost them more than all the rest.
// Entry calls this first; an order that is unusual or faulty in any way is left to entry, untouched. The rules therefore live
// in entry.ts: here they are one yes-or-no question.
import { commandLayouts } from '../protocol/layout.ts';
import { limits } from '../protocol/limits.ts';
import type { Message } from '../protocol/message.ts';
import { ExchangeMode, MarketStatus } from '../protocol/terms.ts';
import * as units from '../protocol/units.ts';
import type { Ladder } from './ladder.ts';
import * as prices from './prices.ts';
import type { CoreState } from './state.ts';

// File-local constants, see engine/compiler.ts.
const { inToken } = prices;
const { OPEN } = MarketStatus;
const { NORMAL } = ExchangeMode;
const { MICRO_PER_LOT } = units;
const LOTS_MAX: number = limits.orderLotsMax;
const AHEAD_MAX_MS: number = limits.timestampAheadMaxMs;

const AT = commandLayouts.PlaceOrder.offsets;
const ID_AT = AT.orderId;
const ID_WORD = AT.orderId / 4;
const KEY_AT = AT.keyId;
const OWNER_AT = AT.owner;
const MARKET_WORD = AT.marketIndex / 4;
/**
 * Token, side, type and flags are the four bytes of one word. A usual order has at most the lowest bits of the first two set.
 */
const TERMS_WORD = AT.outcome / 4;
const UNUSUAL_TERMS = ~0x0101;
const SIDE_SHIFT = 8;
/** A BUY's money is its maker amount and its shares are its taker amount; for a SELL it is the other way round. */
const MAKER_DOUBLE = AT.makerAmountMicro / 8;
const TAKER_DOUBLE = AT.takerAmountMicro / 8;
const MAKER_TO_TAKER = TAKER_DOUBLE - MAKER_DOUBLE;
const TIMESTAMP_DOUBLE = AT.timestampMs / 8;
const EXPIRATION_DOUBLE = AT.expirationS / 8;

// To the branch predictor, side and token are random, and a misprediction costs as much as twenty instructions: whatever
// depends on them is computed without branches, from 0 and 1.

/**
 * Whether an order at a level would cross: a bid (ladder side 0) at the best ask or above, an ask (1) at the best bid or below.
 */
const crosses = (ladder: Ladder, ladderSide: number, level: number): boolean => {
  const belowAsk = ladder.bestAsk - level;
  const aboveBid = level - ladder.bestBid;
  return belowAsk + ladderSide * (aboveBid - belowAsk) <= 0;
};

/** Whether a GTC would pass checkTimes of entry.ts: its timestamp is within bounds and it has no expiration. */
const isTimely = (state: CoreState, timestampMs: number, expirationS: number): boolean => {
  const { tMs } = state;
  return (
    expirationS === 0 &&
    timestampMs >= tMs - state.orderWindowMs &&
    timestampMs >= state.ids.forgottenBeforeMs &&
    timestampMs <= tMs + AHEAD_MAX_MS
  );
};

/**
 * Places the order of the message at `offset` if it is a usual one. `account` is its maker's, `position` that account's in the
 * order's market; both may be NONE. Returns false, with nothing changed, if the order is unusual or a table would have to grow.
 * Events: OrderAccepted, OrderRested.
 */
export const placeUsual = (
  state: CoreState,
  message: Message,
  offset: number,
  account: number,
  position: number,
): boolean => {
  const { accounts, ids, ledger, out, pool } = state;
  const { words, doubles } = message;
  const word = offset >> 2;
  const double = offset >> 3;
  const terms = words[word + TERMS_WORD];
  if (position < 0 || (terms & UNUSUAL_TERMS) !== 0 || state.mode !== NORMAL) return false;
  if (!pool.hasRoom() || !out.hasRoomForPlaced()) return false;
  const owner = accounts.owners[account];
  if (!accounts.isOwner(owner, message, offset + OWNER_AT) || accounts.flagsOf(owner) !== 0) return false;
  if (!accounts.hasLastKey(account, message, offset + KEY_AT)) return false;
  const timestampMs = doubles[double + TIMESTAMP_DOUBLE];
  if (!ids.isNear(timestampMs) || !isTimely(state, timestampMs, doubles[double + EXPIRATION_DOUBLE])) return false;
  const market = state.markets[words[word + MARKET_WORD]];
  const { ladder } = market;
  if (market.status !== OPEN || ladder.gridPips !== market.tickPips) return false;
  const outcome = terms & 1;
  const side = terms >> SIDE_SHIFT;
  const money = doubles[double + MAKER_DOUBLE + MAKER_TO_TAKER * side];
  const lots = doubles[double + TAKER_DOUBLE - MAKER_TO_TAKER * side] / MICRO_PER_LOT;
  if (Math.floor(lots) !== lots || lots < market.minOrderLots || lots > LOTS_MAX) return false;
  const pips = (money / lots) | 0;
  const ladderPips = inToken(pips, outcome);
  const level = ladder.levelOf(ladderPips);
  if (level < 1 || level >= ladder.levelCount || ladder.pipsOf(level) !== ladderPips) return false;
  if (lots * pips !== money || crosses(ladder, side ^ outcome, level)) return false;
  if (ids.hasNear(words, word + ID_WORD)) return false;
  if (!ledger.reserveIfCovered(account, position, side, outcome, doubles[double + MAKER_DOUBLE])) return false;

  // Past this point the order is accepted.
  const number = state.lastOrderNumber + 1;
  state.lastOrderNumber = number;
  ids.addNear(words, word + ID_WORD);
  out.orderPlaced(number, account, market.index, terms, pips, lots | 0);
  const key = accounts.lastKeyOf(account);
  const slot = pool.allocate(number, side, outcome, ladderPips, lots | 0, position, owner, key);
  pool.setId(slot, message, offset + ID_AT);
  ledger.linkOwn(pool, position, slot);
  ladder.appendAt(level, pool, slot, side ^ outcome);
  if (market.autoTick !== 0) state.touchedMarket = market.index;
  return true;
};
