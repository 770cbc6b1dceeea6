// The usual order, placed in one pass: GTC without flags, of a wallet that has traded in this market before and comes with the
// API key that it came with last, well formed, paid for, crossing nothing. It is more than half of what an exchange is asked,
// and the checks of entry.ts, which say what is the matter with any order, cost it more than all the rest. Called by entry
// first; whatever is unusual about an order, or wrong with it, leaves it there, untouched. So the rules stand in entry.ts: here
// they are one question, with one answer.
import { commandLayouts } from '../protocol/layout.ts';
import { limits } from '../protocol/limits.ts';
import type { Message } from '../protocol/message.ts';
import { ExchangeMode, MarketStatus } from '../protocol/terms.ts';
import type { Ladder } from './ladder.ts';
import * as prices from './prices.ts';
import type { CoreState } from './state.ts';

// The file's own, see engine/compiler.ts.
const { inToken } = prices;
const { OPEN } = MarketStatus;
const { NORMAL } = ExchangeMode;
const MICRO_PER_LOT = 10_000;
const LOTS_MAX: number = limits.orderLotsMax;
const AHEAD_MAX_MS: number = limits.timestampAheadMaxMs;

const AT = commandLayouts.PlaceOrder.offsets;
const ID_AT = AT.orderId;
const ID_WORD = AT.orderId / 4;
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
const crosses = (ladder: Ladder, ladderSide: number, level: number): boolean => {
  const belowAsk = ladder.bestAsk - level;
  const aboveBid = level - ladder.bestBid;
  return belowAsk + ladderSide * (aboveBid - belowAsk) <= 0;
};

/** Whether an order signed at this time is still accepted, and one without expiration is meant: what checkTimes says of a GTC. */
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
 * Places the order of the message at `offset`, if it is a usual one, for this account and its position in the order's market
 * (NONE where there is none). Returns false, having changed nothing, if it is not, or if a table must grow for it. Events:
 * OrderAccepted, OrderRested.
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

  // From here on nothing refuses it.
  const number = state.lastOrderNumber + 1;
  state.lastOrderNumber = number;
  ids.addNear(words, word + ID_WORD);
  out.orderPlaced(number, account, market.index, terms, pips, lots | 0);
  const key = accounts.lastKeyOf(account);
  const slot = pool.allocate(number, side, outcome, ladderPips, lots | 0, position, owner, key);
  pool.setId(slot, message, offset + ID_AT);
  ledger.linkOwn(pool, position, slot);
  ladder.appendAt(level, pool, slot, side ^ outcome);
  if (market.autoTick !== 0) state.touch(market);
  return true;
};
