// Prefetching for a batch; called by exchange.ts. An order needs a handful of cache lines that no cache holds (the entry of its
// id, its account's position, the order that it cancels), and one look-up waits for another. For commands known together, the
// first accesses of all of them are made side by side, so the lines are in the cache when each command gets to them. No result
// depends on it: accounts are handed to entry, positions as a guess that entry checks, and the rest is only read. Each kind of
// line has a loop of its own, without unpredictable branches: that keeps as many loads in flight as possible. Measured: the
// same in fewer loops takes longer, and prefetching what takers will meet, which their dry runs do, saves nothing.
import { COMMAND_HEADER_BYTES, commandLayouts } from '../protocol/layout.ts';
import type { Message } from '../protocol/message.ts';
import * as ledger from './ledger.ts';
import { AHEAD_MAX, type CoreState } from './state.ts';

const PLACE = commandLayouts.PlaceOrder;
const CANCEL = commandLayouts.CancelOrders;
// File-local constants, see engine/compiler.ts.
const { positionHash } = ledger;
const PLACE_TYPE = PLACE.type;
const CANCEL_TYPE = CANCEL.type;
const ID_WORD = PLACE.offsets.orderId / 4;
const MAKER_AT = PLACE.offsets.maker;
const MARKET_WORD = PLACE.offsets.marketIndex / 4;
const FIRST_ITEM_WORD = (COMMAND_HEADER_BYTES + CANCEL.headBytes) / 4;

/** Word offsets of the commands of each kind: orders that enter, and cancels. */
const entering = new Int32Array(AHEAD_MAX);
const canceling = new Int32Array(AHEAD_MAX);
/** For each order that enters: its position's hash, the home entry of its id among the remembered ones, and its id's hash. */
const positionHashes = new Int32Array(AHEAD_MAX);
const idsAt = new Int32Array(AHEAD_MAX);
const idHashes = new Int32Array(AHEAD_MAX);
/** For each cancel: the hash of the order's id, then its slot, later replaced by its position. */
const leavingHashes = new Int32Array(AHEAD_MAX);
const leaving = new Int32Array(AHEAD_MAX);

/** 1 for 0, and 0 for any other number up to 2^31. Branch-free, see usualOrder.ts. */
const isZero = (number: number): number => (number - 1) >>> 31;

/** Prefetches what the message's commands at offsets[from..to) will touch, AHEAD_MAX of them at most. */
export const lookAhead = (state: CoreState, message: Message, offsets: Int32Array, from: number, to: number): void => {
  const { ids, pool, accounts, ledger, aheadAccounts, aheadPositions } = state;
  const { words } = message;
  let enterCount = 0;
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
  }
  ledger.positionsAt(positionHashes, enterCount, aheadPositions);
  pool.slotsOf(leavingHashes, cancelCount, leaving);
  let read = ids.touch(idsAt, enterCount) ^ pool.touchEntries(idHashes, enterCount);
  pool.positionsOf(leaving, cancelCount);
  read ^= ledger.touch(aheadPositions, enterCount) ^ ledger.touch(leaving, cancelCount);
  state.aheadAt = 0;
  state.aheadCount = enterCount;
  state.prefetched = read;
};
