// Who gets the entries of a trade on the user channel: each of its owners once, in work that grows with the number of makers,
// of which a taker can meet thousands.
import { expect, test } from 'vitest';
import { firstOfOwners } from '../../server/streams/userFeed.ts';
import type { MakerFill, TradeParty } from '../../server/views/index.ts';

const MAKERS = 5_000;

function partyOf(id: string, owner: string, onRead = (): void => {}): TradeParty {
  const read = {
    get owner(): string {
      onRead();
      return owner;
    },
  };
  return Object.defineProperty(read, 'id', { value: id, enumerable: true }) as TradeParty; // what is read
}

const fillOf = (order: TradeParty): MakerFill => ({ order, lots: 1, pricePips: 5_000, kind: 0 });

test('each owner is given once, by the taker or the first of its makers', () => {
  const taker = partyOf('taker', 'a');
  const makers = [
    ['1', 'b'],
    ['2', 'a'],
    ['3', 'c'],
    ['4', 'b'],
  ].map(([id, owner]) => fillOf(partyOf(id, owner)));
  expect(Array.from(firstOfOwners({ taker, makers }), ({ id }) => id)).toEqual(['taker', '1', '3']);
});

test('thousands of makers, each with an owner, are read once each', () => {
  let reads = 0;
  const onRead = (): void => {
    reads += 1;
  };
  const makers = Array.from({ length: MAKERS }, (_, index) => fillOf(partyOf('', `owner ${index}`, onRead)));
  expect([...firstOfOwners({ taker: partyOf('', 'taker'), makers })]).toHaveLength(MAKERS + 1);
  expect(reads).toBe(MAKERS);
});
