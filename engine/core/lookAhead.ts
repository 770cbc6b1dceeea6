// Reading ahead: an order needs a handful of lines of memory that no cache holds (the entry of its id, its account's position,
// the order that it cancels), and one look-up waits for another. Of commands that are known together the first looks at all
// of these are made side by side, so that the lines are near when each command comes to them. Called by exchange.ts for a
// batch. It changes nothing that a command can tell: of what it finds, accounts are handed on to entry, and positions as a
// guess that entry checks; the rest says nothing.
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

/** Of orders that enter: the hash of their position, and the words of their id among those remembered and in the pool's index. */
const positionHashes = new Int32Array(AHEAD_MAX);
const idsAt = new Int32Array(AHEAD_MAX);
const entriesAt = new Int32Array(AHEAD_MAX);
/** Of orders that are canceled, the word of their id in the pool's index; then slots and positions, as of those taken from. */
const canceledAt = new Int32Array(AHEAD_MAX);
const leaving = new Int32Array(AHEAD_MAX);
const taken = new Int32Array(AHEAD_MAX);

/** Looks ahead for the commands at `offsets[from]` to `offsets[to - 1]` of the message, AHEAD_MAX at most. */
export const lookAhead = (state: CoreState, message: Message, offsets: Int32Array, from: number, to: number): void => {
  const { ids, pool, accounts, ledger, aheadAccounts, aheadPositions } = state;
  const { words } = message;
  let entering = 0;
  let canceled = 0;
  let takers = 0;
  for (let i = from; i < to; i += 1) {
    const word = offsets[i] >> 2;
    const type = (words[word] >> 8) & 0xff;
    if (type === CANCEL_TYPE) {
      canceledAt[canceled] = pool.entryAt(words, word + FIRST_ITEM_WORD);
      canceled += 1;
    } else if (type === PLACE_TYPE) {
      const account = accounts.accountAt(message, offsets[i] + MAKER_AT);
      aheadAccounts[entering] = account;
      positionHashes[entering] = positionHash(account, words[word + MARKET_WORD]);
      idsAt[entering] = ids.entryAt(words, word + ID_WORD);
      entriesAt[entering] = pool.entryAt(words, word + ID_WORD);
      entering += 1;
      const slot = makerOf(state, words, word);
      if (slot >= 0) {
        taken[takers] = slot;
        takers += 1;
      }
    }
  }
  ledger.positionsAt(positionHashes, entering, aheadPositions);
  pool.slotsAt(canceledAt, canceled, leaving);
  let read = ids.touch(idsAt, entering) ^ pool.touchEntries(entriesAt, entering);
  pool.positionsOf(leaving, canceled);
  pool.positionsOf(taken, takers);
  ledger.correct(positionHashes, entering, aheadPositions);
  read ^= ledger.touch(aheadPositions, entering) ^ ledger.touch(leaving, canceled) ^ ledger.touch(taken, takers);
  state.aheadAt = 0;
  state.aheadCount = entering;
  state.prefetched = read;
};

/** The slot that an order of a type that only takes would take from first, or NONE. */
const makerOf = (state: CoreState, words: Int32Array, word: number): number => {
  const terms = words[word + TERMS_WORD];
  if (((terms >> 16) & 0xff) < FOK) return NONE;
  const market = state.markets[words[word + MARKET_WORD] >>> 0];
  return market === undefined ? NONE : market.ladder.firstMaker(ladderSideOf((terms >> 8) & 0xff, terms & 0xff));
};
