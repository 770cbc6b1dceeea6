// The house is a function of its seed and the clock: the same two give the same log, another seed another log. Its first
// minute is checked market by market.
import { afterEach, expect, test } from 'vitest';
import { environmentNumber } from '../support/wholeNumber.ts';
import { makeMarket } from './operator.ts';
import { type HouseWorld, halfBooks, houseOn, openMarkets, openWorld, TEST_MS } from './world.ts';

const minutes = Math.min(10, environmentNumber('HOUSE_MINUTES', 10));

let world: HouseWorld | undefined;
afterEach(() => world?.close());

async function hashesOf(seed: number, ms: number): Promise<unknown> {
  world = await openWorld();
  await houseOn(world, seed).pass(ms);
  const { durableSequence } = world.exchange;
  const hashes = world.exchange.stateHash();
  await world.close();
  return { durableSequence, hashes };
}

test(
  'the same seed gives the same state, and a different seed a different state',
  async () => {
    const first = await hashesOf(5, minutes * 60_000);
    expect(await hashesOf(5, minutes * 60_000)).toEqual(first);
    const early = await hashesOf(5, 30_000);
    expect(await hashesOf(6, 30_000)).not.toEqual(early);
  },
  TEST_MS,
);

test(
  'every open market has both sides of a book within 3 s and a trade within 60 s',
  async () => {
    world = await openWorld();
    const markets = openMarkets(world);
    expect(markets.length).toBeGreaterThan(40);
    const { pass } = houseOn(world, 11);
    await pass(3_000);
    expect(halfBooks(world, markets)).toEqual([]);
    await pass(57_000);
    expect(markets.filter(({ tradeCount }) => tradeCount === 0).map(({ slug }) => slug)).toEqual([]);
    world.exchange.checkInvariants();
  },
  TEST_MS,
);

test(
  'the house leaves markets created by an operator alone',
  async () => {
    world = await openWorld();
    const { services, counts } = world;
    const openBefore = openMarkets(world).length;
    const made = await makeMarket(world);
    expect(openMarkets(world).length).toBe(openBefore + 1);
    await houseOn(world).pass(10_000);
    expect(counts.get('PlaceOrder')).toBeGreaterThan(100);
    expect(services.views.books.version(made)).toBe(0);
  },
  TEST_MS,
);
