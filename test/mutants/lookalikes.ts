// Keys, ids, addresses and amounts that a careless comparison takes for others: keys that share words with the one before, ids
// that contain a key, and bytes beside an order's own that would pass for its amounts, its key or its owner. The core compares
// a usual order with what it remembers of its account before it looks anything up, so a comparison that reads the wrong word
// finds what is not there. Used by traces.ts.
import { type CommandOf, commandLayouts, encodeCommand, readHex, Side } from '../../engine/protocol/index.ts';
import { hex, TIME_ZERO_MS } from '../model/names.ts';
import { addressOf, createMarket, fund, keyOf, OWNERS, placeOrder, priced, split, start, type Take } from './offers.ts';

const T_MS = TIME_ZERO_MS;
const OWNER = OWNERS + 500;
const STRANGER = OWNERS + 501;
/** The indexes of the market for BUYs and of that for SELLs. */
const BUYS = 0;
const SELLS = 1;
const FUNDS_MICRO = 90_000_000_000;
/** Accounts in the core's first tables; two of them are its own. */
const FIRST_ACCOUNTS = 64;
const KEY_WORDS = 4;
const ID_WORDS = 8;
/** The killer applies batches of 20 commands, one in every 60: a situation that lasts this long lies wholly in one of them. */
const A_BATCH_AND_MORE = 84;
/**
 * Amounts, micro, that pass for those of the orders below. With either for the money, or the first for the shares, or both at
 * once, the price lies on the tick.
 */
const DISGUISES_MICRO = [800_000, 400_000];

const textOf = (words: readonly number[]): string => `0x${words.map((word) => hex(word, 8)).join('')}`;
/** The same with one word replaced. */
const withWord = (words: readonly number[], at: number, word: number): number[] =>
  words.map((old, index) => (index === at ? word : old));

/** A number as eight bytes of a message, in hex without 0x. */
function doubleText(value: number): string {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value, true);
  return readHex(bytes, 0, 8).slice(2);
}

/** Words, and ids, that appear nowhere else. */
class Fresh {
  private next = 0x100;

  words(count: number): number[] {
    return Array.from({ length: count }, () => this.next++);
  }

  id(): string {
    return textOf(this.words(ID_WORDS));
  }
}

/** Passes every command with its time to `take`. */
export function lookalikes(take: Take): void {
  start(take, T_MS, 60_000);
  for (const market of [BUYS, SELLS]) createMarket(take, T_MS, market);
  fund(take, T_MS, OWNER, FUNDS_MICRO);
  // As many accounts as there is room for at first: a snapshot of them can be loaded.
  for (let owner = OWNER + 2; owner < OWNER + 2 + FIRST_ACCOUNTS - 3; owner += 1) fund(take, T_MS, owner, 1);
  const fresh = new Fresh();
  // The first key of all is that of an empty place in the table of keys.
  buy(take, { orderId: fresh.id(), keyId: textOf([0, 0, 0, 0]) });
  shareWords(take, fresh);
  split(take, T_MS, OWNER, SELLS, FUNDS_MICRO / 2);
  confuseAmounts(take, fresh);
  for (const keyMicro of DISGUISES_MICRO) disguiseAmounts(take, fresh, keyMicro);
  disguiseTerms(take, fresh);
  disguiseTime(take, fresh);
  disguiseOwner(take, fresh);
  disguiseKey(take, fresh);
}

const OWN = { maker: addressOf(OWNER), keyId: keyOf(OWNER) };

type PlaceOrder = CommandOf<'PlaceOrder'>;

const buy = (take: Take, order: Pick<PlaceOrder, 'orderId'> & Partial<PlaceOrder>): void =>
  placeOrder(take, T_MS, {
    ...{ ...OWN, marketIndex: BUYS, makerAmountMicro: 10_000, takerAmountMicro: 1_000_000 },
    ...order,
  });

/** Pairs of keys that differ in one word, which one of them has elsewhere, or which the order's id has before the key. */
function shareWords(take: Take, fresh: Fresh): void {
  /** The first order leaves its key behind, the second has another one. */
  const buyBoth = (before: readonly number[], key: readonly number[], orderId = fresh.id()): void => {
    buy(take, { orderId: fresh.id(), keyId: textOf(before) });
    buy(take, { orderId, keyId: textOf(key) });
  };
  for (let at = 1; at < KEY_WORDS; at += 1) {
    for (let from = 0; from < KEY_WORDS; from += 1) {
      if (from === at) continue;
      const words = fresh.words(KEY_WORDS);
      const sharing = withWord(words, at, words[from]);
      buyBoth(words, sharing);
      buyBoth(sharing, words);
    }
    const words = fresh.words(KEY_WORDS);
    const id = fresh.words(ID_WORDS);
    buyBoth(withWord(words, at, id[ID_WORDS - at]), words, textOf(id));
  }
  // The id of the second order contains the key of the first, at each place.
  for (let at = 0; at + KEY_WORDS <= ID_WORDS; at += 1) {
    const id = fresh.words(ID_WORDS);
    buyBoth(id.slice(at, at + KEY_WORDS), fresh.words(KEY_WORDS), textOf(id));
  }
}

const sell = (take: Take, orderId: string, moneyMicro: number, sharesMicro: number, keyId = OWN.keyId): void =>
  placeOrder(take, T_MS, {
    ...{ ...OWN, keyId, orderId, marketIndex: SELLS, side: Side.SELL },
    ...{ makerAmountMicro: sharesMicro, takerAmountMicro: moneyMicro },
  });

/**
 * SELLs whose money is a price times something else than their shares: times their timestamp, or times lots of a micro share
 * more or less than there are.
 */
function confuseAmounts(take: Take, fresh: Fresh): void {
  sell(take, fresh.id(), 500_000, 1_000_000);
  for (const lotMicro of [9_999, 10_001]) sell(take, fresh.id(), 500_000, 100 * lotMicro);
  sell(take, fresh.id(), T_MS / 1_000, T_MS / 500);
}

/** An id whose first eight bytes are its own, and the others three times the same. */
const idOf = (fresh: Fresh, rest: string): string => textOf(fresh.words(2)) + rest.repeat(3);

/** Orders whose ids and keys, read as numbers, are other amounts at which the order would rest. */
function disguiseAmounts(take: Take, fresh: Fresh, keyMicro: number): void {
  const keyId = `0x${doubleText(keyMicro).repeat(2)}`;
  for (let i = 0; i < A_BATCH_AND_MORE; i += 1) {
    const orderId = idOf(fresh, doubleText(DISGUISES_MICRO[0]));
    const { moneyMicro, sharesMicro } = priced(5_000, 100);
    if (i % 2 === 0) sell(take, orderId, moneyMicro, sharesMicro, keyId);
    else buy(take, { orderId, keyId, makerAmountMicro: moneyMicro, takerAmountMicro: sharesMicro });
  }
}

/** Orders for the first token, each behind an id that ends like the terms of one for the second. */
function disguiseTerms(take: Take, fresh: Fresh): void {
  for (let i = 0; i < A_BATCH_AND_MORE; i += 1) buy(take, { orderId: idOf(fresh, `${hex(0, 8)}01000000`) });
}

/** Orders that were signed too long ago, each behind an id that contains the present time. */
function disguiseTime(take: Take, fresh: Fresh): void {
  for (let i = 0; i < A_BATCH_AND_MORE; i += 1)
    buy(take, { orderId: idOf(fresh, doubleText(T_MS)), timestampMs: T_MS - 120_000 });
}

/** Orders for another owner's wallet, each behind one whose addresses contain that owner's where a wrong offset looks for it. */
function disguiseOwner(take: Take, fresh: Fresh): void {
  const owner = addressOf(OWNER).slice(2);
  buy(take, { orderId: fresh.id() });
  for (let i = 0; i < A_BATCH_AND_MORE; i += 2) {
    const before = { maker: `0x${hex(1, 8)}${owner.slice(0, 32)}`, owner: `0x${owner.slice(32)}${hex(2, 32)}` };
    buy(take, { ...before, orderId: fresh.id() });
    buy(take, { owner: addressOf(STRANGER), orderId: fresh.id() });
  }
}

/** Orders with a new key, each behind one whose terms, read as a key, are that of the order before. */
function disguiseKey(take: Take, fresh: Fresh): void {
  const { marketIndex } = commandLayouts.PlaceOrder.offsets;
  let bytes = new Uint8Array();
  buy((_, command) => (bytes = Uint8Array.from(encodeCommand(command))), { orderId: fresh.id() });
  const keyId = `0x${readHex(bytes, marketIndex, KEY_WORDS * 4).slice(2)}`;
  for (let i = 0; i < A_BATCH_AND_MORE; i += 2) {
    buy(take, { orderId: fresh.id(), keyId });
    buy(take, { orderId: fresh.id(), keyId: textOf(fresh.words(KEY_WORDS)) });
  }
}
