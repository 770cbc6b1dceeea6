// How the house handles its accounts' holdings: money that runs low, a position at its bound, sets that pile up. It trades
// in virtual time, and an operator gives and takes to bring these about.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { houseAddresses } from '../../server/dev/house/accounts.ts';
import { choices } from '../../server/dev/house/model.ts';
import { act } from './operator.ts';
import {
  type HouseWorld,
  houseOn,
  openMarkets,
  openWorld,
  type RunningHouse,
  TEST_MS,
  unexplainedRefusals,
} from './world.ts';

const MINUTE_MS = 60_000;
const LOT_MICRO = 10_000;
let world: HouseWorld;
let running: RunningHouse;
beforeEach(async () => {
  world = await openWorld();
  running = houseOn(world, 2);
  await running.pass(10_000);
});
afterEach(() => world.close());

/**
 * How many of an account's open orders in a market, placed since `sinceMs`, are bids for the first token and how many are asks.
 */
function quotesOf(address: string, marketIndex: number, sinceMs: number) {
  const orders = [...world.services.views.orders.openOf(address)].filter(
    (order) => order.marketIndex === marketIndex && order.createdMs >= sinceMs,
  );
  const bids = orders.filter(({ side, outcome }) => (side === 0) === (outcome === 0));
  return { bids: bids.length, asks: orders.length - bids.length };
}

/** The address of a maker in the market. */
function makerOf(marketIndex: number): string {
  const maker = houseAddresses().find((address) => {
    const { bids, asks } = quotesOf(address, marketIndex, 0);
    return bids + asks > 0;
  });
  if (maker === undefined) throw new Error('nobody quotes in the market');
  return maker;
}

const give = (wallet: string, marketIndex: number, outcome: 0 | 1, lots: number) =>
  act(world, { type: 'FaucetShares', wallet, owner: wallet, marketIndex, outcome, amountMicro: lots * LOT_MICRO });

test(
  'an account that runs low on collateral is topped up to its initial deposit',
  async () => {
    const { views } = world.services;
    const [owner] = houseAddresses();
    await act(world, { type: 'CancelAll', owner, keyId: views.keys.latest(owner, 0, 0)?.keyId ?? '' });
    const balance = (): number => views.accounts.byWallet(owner)?.collateralMicro ?? 0;
    const left = choices.balanceMicroMin - 1;
    await act(world, { type: 'Withdraw', wallet: owner, owner, amountMicro: balance() - left });
    await running.pass(MINUTE_MS);
    // Its trades since then move less than a hundredth of it.
    expect(Math.abs(balance() / choices.depositMicro - 1)).toBeLessThan(0.01);
  },
  TEST_MS,
);

test.each([0, 1] as const)(
  'a maker over its position limit in token %i quotes only to reduce the position',
  async (outcome) => {
    const [{ index }] = openMarkets(world);
    const maker = makerOf(index);
    await give(maker, index, outcome, choices.makerNetLotsMax + 100_000);
    const sinceMs = world.exchange.now();
    const seen = { bids: 0, asks: 0 };
    for (let turn = 0; turn < 15; turn += 1) {
      await running.pass(20_000);
      const { bids, asks } = quotesOf(maker, index, sinceMs);
      seen.bids = Math.max(seen.bids, bids);
      seen.asks = Math.max(seen.asks, asks);
    }
    const [more, back] = outcome === 0 ? [seen.bids, seen.asks] : [seen.asks, seen.bids];
    expect(more).toBe(0);
    expect(back).toBeGreaterThan(0);
    // In particular nothing is refused for lack of what it sells.
    expect(unexplainedRefusals(running.house)).toEqual([]);
  },
  TEST_MS,
);

test(
  'complete sets that pile up are merged back into collateral',
  async () => {
    const [{ index }] = openMarkets(world);
    const maker = makerOf(index);
    for (const outcome of [0, 1] as const) await give(maker, index, outcome, 2 * choices.setLotsMax);
    await running.pass(2 * MINUTE_MS);
    const { accounts } = world.services.views;
    const id = accounts.byWallet(maker)?.accountId ?? -1;
    const sets = Math.min(accounts.sharesMicro(id, index, 0), accounts.sharesMicro(id, index, 1)) / LOT_MICRO;
    expect(sets).toBeLessThan(choices.setLotsMax);
    expect(world.counts.get('Merge')).toBeGreaterThan(0);
    expect(unexplainedRefusals(running.house)).toEqual([]);
  },
  TEST_MS,
);
