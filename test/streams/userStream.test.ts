// An owner's entries in memory: a stream's backlog is found part by part, from where the last part ended, and nothing in it is
// found twice or left out, however many entries were forgotten meanwhile.
import { expect, test, vi } from 'vitest';
import { UserEntries } from '../../server/streams/userEntries.ts';
import { UserStream } from '../../server/streams/userFeed.ts';
import type { Order } from '../../server/views/index.ts';
import { randomOf } from '../pipeline/workload.ts';

const PART = 64;

class Entries {
  readonly kept: UserEntries;
  readonly stream: UserStream;
  /** Of every entry so far: its market, and its number in it. */
  readonly all: { readonly market: number; readonly marketNumber: number }[] = [];

  constructor(entriesMax: number) {
    this.kept = new UserEntries(entriesMax);
    this.stream = new UserStream('an owner', this.kept);
  }

  add(market: number): void {
    // The fields that an entry copies.
    const order = { marketIndex: market, status: 'LIVE', filledLots: 0, trades: [] } as unknown as Order;
    const marketNumber = this.stream.count(market);
    this.all.push({ market, marketNumber });
    this.stream.push(this.kept.addOrder(this.stream, 'PLACEMENT', order, 0, this.stream.number, marketNumber));
  }
}

test("a market's long backlog is found without a search through the rest of it for each part", () => {
  const entries = new Entries(10_000);
  for (let at = 0; at < 10_000; at += 1) entries.add(at % 2);
  const marketOf = vi.spyOn(entries.kept, 'marketOf');
  const numbers = [10];
  let searched = 0;
  while (numbers.length < 4_991) {
    for (const { number, marketNumber } of entries.stream.since(1, numbers.at(-1)!, PART, searched) ?? []) {
      numbers.push(marketNumber);
      searched = number;
    }
  }
  expect(numbers).toEqual(Array.from({ length: 4_991 }, (_, at) => 10 + at));
  expect(marketOf.mock.calls.length).toBeLessThan(11_000);
});

test('a search from any earlier place finds the same as one from the end', () => {
  const entries = new Entries(60);
  const { stream, all } = entries;
  const random = randomOf(7);
  let found = 0;
  for (let step = 0; step < 120; step += 1) {
    entries.add(random(3));
    if (step % 10 > 0) continue;
    for (let number = 0; number < stream.numberOf(1); number += 1) {
      const next = all.findIndex(({ market, marketNumber }) => market === 1 && marketNumber === number + 1);
      // An entry that is not kept is never found, wherever the search begins.
      const expected = stream.since(1, number, 1_000)?.slice(0, 4);
      expect(expected === undefined).toBe(next < all.length - 60);
      for (let searched = 0; searched <= next; searched += 1) {
        expect(stream.since(1, number, 4, searched)).toEqual(expected);
        found += expected?.length ?? 0;
      }
    }
  }
  expect(found).toBeGreaterThan(1_000);
});
