// Keys, ids and amounts that a careless comparison takes for others: keys that share words with the one before, ids that contain
// a key, and an order whose timestamp would pass for its size. The core compares a new order with what it remembers of its
// account before it looks anything up, so a comparison that reads the wrong word finds what is not there. Used by traces.ts.
import { RULES_VERSION, Side } from '../../engine/protocol/index.ts';
import { hex, TIME_ZERO_MS } from '../model/names.ts';
import { addressOf, createMarket, fund, ORDERS, OWNERS, offer, placeOrder, split, type Take } from './offers.ts';

const T_MS = TIME_ZERO_MS;
const OWNER = OWNERS + 500;
const FIRST_ORDER = ORDERS + 14_000;
const FUNDS_MICRO = 90_000_000_000;
const KEY_WORDS = 4;
const ID_WORDS = 8;

const textOf = (words: readonly number[]): string => `0x${words.map((word) => hex(word, 8)).join('')}`;
/** Words that appear nowhere else. */
const wordsFrom = (first: number, count: number): number[] => Array.from({ length: count }, (_, i) => first + i);
/** The same with one replaced. */
const withWord = (words: readonly number[], at: number, word: number): number[] =>
  words.map((old, index) => (index === at ? word : old));

/** Passes every command with its time to `take`. */
export function lookalikes(take: Take): void {
  const settings = { heartbeatWindowMs: 60_000, minedDelayMs: 0, confirmedDelayMs: 0, creditMicro: 0 };
  take(T_MS, { type: 'Started', rulesVersion: RULES_VERSION, orderWindowMs: 60_000, ...settings });
  createMarket(take, T_MS, 0);
  fund(take, T_MS, OWNER, FUNDS_MICRO);
  let next = 0x100;
  const fresh = (count: number): number[] => {
    next += count;
    return wordsFrom(next - count, count);
  };
  const place = (key: readonly number[], id: readonly number[]): void =>
    placeOrder(take, T_MS, {
      ...{ orderId: textOf(id), keyId: textOf(key), maker: addressOf(OWNER), marketIndex: 0 },
      ...{ makerAmountMicro: 10_000, takerAmountMicro: 1_000_000 },
    });
  /** Two orders of one account: the first leaves its key behind, the second has another one. */
  const placeBoth = (
    before: readonly number[],
    key: readonly number[],
    id: readonly number[] = fresh(ID_WORDS),
  ): void => {
    place(before, fresh(ID_WORDS));
    place(key, id);
  };
  // The first key of all is that of an empty place in the table of keys.
  place([0, 0, 0, 0], fresh(ID_WORDS));
  shareWords(fresh, placeBoth);
  confuseAmounts(take);
}

/** Pairs of keys that differ in one word, which one of them has elsewhere, or which the order's id has before the key. */
function shareWords(
  fresh: (count: number) => number[],
  placeBoth: (before: readonly number[], key: readonly number[], id?: readonly number[]) => void,
): void {
  for (let at = 1; at < KEY_WORDS; at += 1) {
    for (let from = 0; from < KEY_WORDS; from += 1) {
      if (from === at) continue;
      const words = fresh(KEY_WORDS);
      const sharing = withWord(words, at, words[from]);
      placeBoth(words, sharing);
      placeBoth(sharing, words);
    }
    const [words, id] = [fresh(KEY_WORDS), fresh(ID_WORDS)];
    placeBoth(withWord(words, at, id[ID_WORDS - at]), words, id);
  }
  // The id of the second order contains the key of the first, at each place.
  for (let at = 0; at + KEY_WORDS <= ID_WORDS; at += 1) {
    const id = fresh(ID_WORDS);
    placeBoth(id.slice(at, at + KEY_WORDS), fresh(KEY_WORDS), id);
  }
}

/** A SELL whose money is a price times its timestamp: taken for its shares, the timestamp gives a price on the tick. */
function confuseAmounts(take: Take): void {
  split(take, T_MS, OWNER, 0, FUNDS_MICRO / 2);
  const own = { marketIndex: 0, side: Side.SELL };
  offer(take, T_MS, FIRST_ORDER, OWNER, { ...own, moneyMicro: 500_000, sharesMicro: 1_000_000 });
  offer(take, T_MS, FIRST_ORDER + 1, OWNER, { ...own, moneyMicro: T_MS / 1_000, sharesMicro: T_MS / 500 });
}
