// Reading ahead: an order needs a handful of lines of memory that no cache holds (the entry of its id, its account's position,
// the order that it cancels), and one look-up waits for another. Of commands that are known together the first looks at all
// of these are made side by side, so that the lines are near when each command comes to them. Called by exchange.ts for a
// batch. It changes nothing that a command can tell: of what it finds, accounts are handed on to entry, and positions as a
// guess that entry checks; the rest says nothing.
import { COMMAND_HEADER_BYTES, commandLayouts } from '../protocol/layout.ts';
import type { Message } from '../protocol/message.ts';
import { OrderType } from '../protocol/terms.ts';
import { ladderSideOf } from './orderBook.ts';
import { AHEAD_MAX, type CoreState } from './state.ts';

const PLACE = commandLayouts.PlaceOrder;
const CANCEL = commandLayouts.CancelOrders;
// The file's own, see orderPool.ts.
const PLACE_TYPE = PLACE.type;
const CANCEL_TYPE = CANCEL.type;
const ID_WORD = PLACE.offsets.orderId / 4;
const MAKER_AT = PLACE.offsets.maker;
const MARKET_WORD = PLACE.offsets.marketIndex / 4;
const TERMS_WORD = PLACE.offsets.outcome / 4;
const FIRST_ITEM_WORD = (COMMAND_HEADER_BYTES + CANCEL.headBytes) / 4;
const { FOK } = OrderType;
const NONE = -1;

/** Words at which the ids of orders that enter, and of orders that are canceled, start. */
const enteringIds = new Int32Array(AHEAD_MAX);
const canceledIds = new Int32Array(AHEAD_MAX);
const markets = new Int32Array(AHEAD_MAX);
/** Of orders that leave or are taken from: their slots, and then their positions. */
const leaving = new Int32Array(AHEAD_MAX);

/** Looks ahead for the commands at `offsets[from]` to `offsets[to - 1]` of the message, AHEAD_MAX at most. */
export function lookAhead(state: CoreState, message: Message, offsets: Int32Array, from: number, to: number): void {
  const { ids, pool, accounts, ledger, aheadAccounts, aheadPositions } = state;
  const { words } = message;
  let entering = 0;
  let canceled = 0;
  for (let i = from; i < to; i += 1) {
    const word = offsets[i] >> 2;
    const type = (words[word] >> 8) & 0xff;
    if (type === CANCEL_TYPE) {
      canceledIds[canceled] = word + FIRST_ITEM_WORD;
      canceled += 1;
    } else if (type === PLACE_TYPE) {
      enteringIds[entering] = word + ID_WORD;
      markets[entering] = words[word + MARKET_WORD];
      aheadAccounts[entering] = accounts.accountAt(message, offsets[i] + MAKER_AT);
      entering += 1;
    }
  }
  pool.slotsAt(words, canceledIds, canceled, leaving);
  ledger.positionsAt(aheadAccounts, markets, entering, aheadPositions);
  let read = ids.touch(words, enteringIds, entering) ^ pool.touchEntries(words, enteringIds, entering);
  let count = canceled;
  for (let i = 0; i < entering; i += 1) {
    const slot = makerOf(state, words, enteringIds[i] - ID_WORD);
    if (slot < 0) continue;
    leaving[count] = slot;
    count += 1;
  }
  pool.positionsOf(leaving, count);
  read ^= ledger.touch(aheadPositions, entering) ^ ledger.touch(leaving, count);
  state.aheadAt = 0;
  state.aheadCount = entering;
  state.prefetched = read;
}

/** The slot that an order of a type that only takes would take from first, or NONE. */
function makerOf(state: CoreState, words: Int32Array, word: number): number {
  const terms = words[word + TERMS_WORD];
  if (((terms >> 16) & 0xff) < FOK) return NONE;
  const market = state.markets[words[word + MARKET_WORD] >>> 0];
  return market === undefined ? NONE : market.ladder.firstMaker(ladderSideOf((terms >> 8) & 0xff, terms & 0xff));
}
