// Reading ahead: an order needs a handful of lines of memory that no cache holds (the entry of its id, its account's position,
// the order that it cancels or meets), and one look-up waits for another. Of commands that are known together the first looks at all
// of these are made side by side, so that the lines are near when each command comes to them. Called by exchange.ts for a
// batch. It changes nothing that a command can tell: of what it finds, accounts are handed on to entry, and positions as a
// guess that entry checks; the rest says nothing. Each kind of line has a loop of its own that asks nothing that a processor could
// foresee wrongly: so it asks memory for as many of them at a time as it can. Measured: the same in fewer loops takes longer.
import { COMMAND_HEADER_BYTES, commandLayouts } from '../protocol/layout.ts';
import type { Message } from '../protocol/message.ts';
import { OrderType } from '../protocol/terms.ts';
import * as ledger from './ledger.ts';
import * as orderBook from './orderBook.ts';
import { AHEAD_MAX, type CoreState } from './state.ts';

const PLACE = commandLayouts.PlaceOrder;
const CANCEL = commandLayouts.CancelOrders;
// The file's own, see engine/compiler.ts.
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
const NONE = -1;

/** Of each order that takes, so many of those that it would meet are looked at: it mostly eats two or three, each behind another. */
const MAKERS_AHEAD = 3;

/** Where the commands of each kind start, in words: of orders that enter, of those among them that only take, of cancels. */
const entering = new Int32Array(AHEAD_MAX);
const taking = new Int32Array(AHEAD_MAX);
const canceling = new Int32Array(AHEAD_MAX);
/** Of orders that enter: the hash of their position, the word of their id among those remembered, and their id's hash. */
const positionHashes = new Int32Array(AHEAD_MAX);
const idsAt = new Int32Array(AHEAD_MAX);
const idHashes = new Int32Array(AHEAD_MAX);
/** Of orders that are canceled, the hash of their id; then slots and positions, as of those taken from. */
const leavingHashes = new Int32Array(AHEAD_MAX);
const leaving = new Int32Array(AHEAD_MAX);
const met = new Int32Array(AHEAD_MAX * MAKERS_AHEAD);

/** 1 for 0, 0 for any other number up to 2^31: without a question, see usualOrder.ts. */
const isZero = (number: number): number => (number - 1) >>> 31;

/** Looks ahead for the commands at `offsets[from]` to `offsets[to - 1]` of the message, AHEAD_MAX at most. */
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
  pool.correct(leavingHashes, cancelCount, leaving);
  pool.positionsOf(leaving, cancelCount);
  const metCount = takeCount * MAKERS_AHEAD;
  pool.followersOf(met, takeCount, metCount);
  read ^= pool.touchEntriesOf(met, metCount);
  pool.positionsOf(met, metCount);
  ledger.correct(positionHashes, enterCount, aheadPositions);
  read ^= ledger.touch(aheadPositions, enterCount) ^ ledger.touch(leaving, cancelCount) ^ ledger.touch(met, metCount);
  state.aheadAt = 0;
  state.aheadCount = enterCount;
  state.prefetched = read;
};

/** 1 for an order of a type that only takes (FOK or FAK), 0 for any other; `terms` is its word of token, side, type and flags. */
const isTaking = (terms: number): number => (FOK - 1 - ((terms >> 16) & 0xff)) >>> 31;

/** The slot that an order that only takes would take from first, or NONE. */
const makerOf = (state: CoreState, words: Int32Array, word: number): number => {
  const terms = words[word + TERMS_WORD];
  const market = state.markets[words[word + MARKET_WORD] >>> 0];
  return market === undefined ? NONE : market.ladder.firstMaker(ladderSideOf((terms >> 8) & 0xff, terms & 0xff));
};
