// Prefetching for a batch; called by exchange.ts. An order needs a handful of cache lines that no cache holds (the entry of its
// id, its account's position, the order that it cancels or meets), and one look-up waits for another. For commands known
// together, the first accesses of all of them are made side by side, so the lines are in the cache when each command gets to
// them. No result depends on it: accounts are handed to entry, positions as a guess that entry checks, and the rest is only
// read. Each kind of line has a loop of its own, without unpredictable branches: that keeps as many loads in flight as
// possible. Measured: the same in fewer loops takes longer.
import { COMMAND_HEADER_BYTES, commandLayouts } from '../protocol/layout.ts';
import type { Message } from '../protocol/message.ts';
import { OrderType } from '../protocol/terms.ts';
import * as ledger from './ledger.ts';
import * as orderBook from './orderBook.ts';
import * as orderPool from './orderPool.ts';
import { AHEAD_MAX, type CoreState } from './state.ts';

const PLACE = commandLayouts.PlaceOrder;
const CANCEL = commandLayouts.CancelOrders;
// File-local constants, see engine/compiler.ts.
const { positionHash } = ledger;
const { ladderSideOf } = orderBook;
const PLACE_TYPE = PLACE.type;
const CANCEL_TYPE = CANCEL.type;
const ID_WORD = PLACE.offsets.orderId / 4;
const MAKER_AT = PLACE.offsets.maker;
const MARKET_WORD = PLACE.offsets.marketIndex / 4;
const TERMS_WORD = PLACE.offsets.outcome / 4;
const FIRST_ITEM_WORD = (COMMAND_HEADER_BYTES + CANCEL.headBytes) / 4;
const { FOK } = OrderType;
const { NONE } = orderPool;

/** Makers prefetched for each taker: it mostly fills two or three, each found through the one before. */
const MAKERS_AHEAD = 3;

/** Word offsets of the commands of each kind: orders that enter, those of them that only take, and cancels. */
const entering = new Int32Array(AHEAD_MAX);
const taking = new Int32Array(AHEAD_MAX);
const canceling = new Int32Array(AHEAD_MAX);
/** For each order that enters: its position's hash, the home entry of its id among the remembered ones, and its id's hash. */
const positionHashes = new Int32Array(AHEAD_MAX);
const idsAt = new Int32Array(AHEAD_MAX);
const idHashes = new Int32Array(AHEAD_MAX);
/**
 * For each cancel: the hash of the order's id, then its slot, later replaced by its position. `met` holds the same of makers.
 */
const leavingHashes = new Int32Array(AHEAD_MAX);
const leaving = new Int32Array(AHEAD_MAX);
const met = new Int32Array(AHEAD_MAX * MAKERS_AHEAD);

/** 1 for 0, and 0 for any other number up to 2^31. Branch-free, see usualOrder.ts. */
const isZero = (number: number): number => (number - 1) >>> 31;

/** Prefetches what the message's commands at offsets[from..to) will touch, AHEAD_MAX of them at most. */
export const lookAhead = (state: CoreState, message: Message, offsets: Int32Array, from: number, to: number): void => {
  const { ids, pool, accounts, ledger, aheadAccounts, aheadPositions } = state;
  const { words } = message;
  let enterCount = 0;
  let takeCount = 0;
  let cancelCount = 0;
  for (let i = from; i < to; i += 1) {
    const word = offsets[i] >> 2;
    const type = (words[word] >> 8) & 0xff;
    canceling[cancelCount] = word;
    cancelCount += isZero(type ^ CANCEL_TYPE);
    entering[enterCount] = word;
    enterCount += isZero(type ^ PLACE_TYPE);
  }
  for (let i = 0; i < cancelCount; i += 1) leavingHashes[i] = pool.hashAt(words, canceling[i] + FIRST_ITEM_WORD);
  for (let i = 0; i < enterCount; i += 1) {
    const word = entering[i];
    const account = accounts.accountAt(message, (word << 2) + MAKER_AT);
    aheadAccounts[i] = account;
    positionHashes[i] = positionHash(account, words[word + MARKET_WORD]);
    idsAt[i] = ids.entryAt(words, word + ID_WORD);
    idHashes[i] = pool.hashAt(words, word + ID_WORD);
    taking[takeCount] = word;
    takeCount += isTaking(words[word + TERMS_WORD]);
  }
  ledger.positionsAt(positionHashes, enterCount, aheadPositions);
  pool.slotsOf(leavingHashes, cancelCount, leaving);
  for (let i = 0; i < takeCount; i += 1) met[i] = makerOf(state, words, taking[i]);
  let read = ids.touch(idsAt, enterCount) ^ pool.touchEntries(idHashes, enterCount);
  pool.positionsOf(leaving, cancelCount);
  const metCount = takeCount * MAKERS_AHEAD;
  pool.followersOf(met, takeCount, metCount);
  read ^= pool.touchEntriesOf(met, metCount);
  pool.positionsOf(met, metCount);
  read ^= ledger.touch(aheadPositions, enterCount) ^ ledger.touch(leaving, cancelCount) ^ ledger.touch(met, metCount);
  state.aheadAt = 0;
  state.aheadCount = enterCount;
  state.prefetched = read;
};

/**
 * 1 for an order of a type that only takes (FOK or FAK), 0 for any other; `terms` is its word of token, side, type and flags.
 */
const isTaking = (terms: number): number => (FOK - 1 - ((terms >> 16) & 0xff)) >>> 31;

/** The slot of the first maker that an order that only takes would meet, or NONE. */
const makerOf = (state: CoreState, words: Int32Array, word: number): number => {
  const terms = words[word + TERMS_WORD];
  const market = state.markets[words[word + MARKET_WORD] >>> 0];
  return market === undefined ? NONE : market.ladder.firstMaker(ladderSideOf((terms >> 8) & 0xff, terms & 0xff));
};
