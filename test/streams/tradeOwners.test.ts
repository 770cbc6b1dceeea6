// Who gets the entries of a trade on the user channel: each of its owners once, in work that grows with the number of makers,
// of which a taker can meet thousands.
import { expect, test } from 'vitest';
import { TradeStatus } from '../../engine/index.ts';
import { UserFeed } from '../../server/streams/userFeed.ts';
import type { Trade, TradeParty, Views } from '../../server/views/index.ts';

const MAKERS = 5_000;
let accounts = 0;

/** An order of a new account, with what the feed reads of it. */
function partyOf(owner: string, onRead = (): void => {}): TradeParty {
  accounts += 1;
  const read = {
    get owner(): string {
      onRead();
      return owner;
    },
  };
  return Object.defineProperty(read, 'accountId', { value: accounts }) as TradeParty;
}

/** The owners who get an entry of a trade, in order, twice: when it is made, and when its status changes. */
function ownersOf(taker: TradeParty, makers: readonly TradeParty[]): string[] {
  const trade = { marketIndex: 0, taker, makers: makers.map((order) => ({ order })) } as unknown as Trade; // what is read
  const feed = new UserFeed({ trades: { byNumber: () => trade } } as unknown as Views, 2 * MAKERS + 2);
  const owners: string[] = [];
  feed.onEntry = ({ owner }) => owners.push(owner);
  feed.traded({ marketIndex: 0, tradeNumber: 1 } as Parameters<UserFeed['traded']>[0], 0);
  const status = { marketIndex: 0, tradeNumber: 1, status: TradeStatus.MINED };
  feed.statusChanged(status as Parameters<UserFeed['statusChanged']>[0], 0);
  return owners;
}

test('each owner gets one entry, the taker first, the others in the order of their first makers', () => {
  const makers = ['b', 'a', 'c', 'b'].map((owner) => partyOf(owner));
  expect(ownersOf(partyOf('a'), makers)).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
});

test('thousands of makers, each with an owner, are read once for each entry of the trade', () => {
  let reads = 0;
  const onRead = (): void => {
    reads += 1;
  };
  const makers = Array.from({ length: MAKERS }, (_, index) => partyOf(`owner ${index}`, onRead));
  expect(ownersOf(partyOf('taker'), makers)).toHaveLength(2 * (MAKERS + 1));
  expect(reads).toBe(2 * MAKERS);
});
