// The house over a journal that outlives it: a restart takes over its accounts, cancels the orders it left and resumes; a
// start without the house removes it from the books. Also the timers that it runs on outside tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { encodeCommand, MarketStatus, Resolution } from '../../engine/index.ts';
import { houseAddresses } from '../../server/dev/house/accounts.ts';
import { timerSchedule, withdrawHouse } from '../../server/dev/house/index.ts';
import type { Market } from '../../server/views/index.ts';
import { act, buyOrder, openUser, setStatus } from './operator.ts';
import { type HouseWorld, halfBooks, holdersOf, houseOn, openMarkets, openWorld, START_MS, TEST_MS } from './world.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'outcry-house-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

/** A world in which the house has traded for a minute and has been stopped. */
async function openTradedWorld(): Promise<HouseWorld> {
  const world = await openWorld({ dataDir });
  const { house, pass } = houseOn(world, 4);
  await pass(60_000);
  await house.stop();
  return world;
}

const openOrders = ({ services }: HouseWorld) =>
  houseAddresses().flatMap((address) => [...services.views.orders.openOf(address)]);

test(
  'after a restart the house reuses its accounts and replaces its old quotes with new ones',
  async () => {
    const first = await openTradedWorld();
    expect(openOrders(first).length).toBeGreaterThan(500);
    await first.close();

    const secondMs = START_MS + 3_600_000;
    const second = await openWorld({ dataDir, startMs: secondMs });
    const after = houseOn(second, 4);
    await after.pass(5_000);
    expect(openOrders(second).every(({ createdMs }) => createdMs >= secondMs)).toBe(true);
    expect(halfBooks(second, openMarkets(second))).toEqual([]);
    const trades = new Map(openMarkets(second).map(({ index, tradeCount }) => [index, tradeCount]));
    await after.pass(60_000);
    expect(openMarkets(second).filter(({ index, tradeCount }) => tradeCount === trades.get(index))).toEqual([]);
    // No money is paid in again, no key is created again.
    expect(second.counts.get('Deposit') ?? 0).toBe(0);
    expect(second.counts.get('CreateApiKey') ?? 0).toBe(0);
    second.exchange.checkInvariants();
    await after.house.stop();
    await second.close();

    const third = await openWorld({ dataDir, startMs: secondMs + 3_600_000 });
    const leftCount = openOrders(third).length;
    expect(leftCount).toBeGreaterThan(500);
    expect(await withdrawHouse(third.services)).toBe(leftCount);
    expect(openOrders(third)).toEqual([]);
    expect(await withdrawHouse(third.services)).toBe(0);
    await third.close();
  },
  TEST_MS,
);

test(
  'after a restart the house quotes around the last trade of a market, not its initial price',
  async () => {
    const first = await openTradedWorld();
    await withdrawHouse(first.services);
    const beganAt = ({ texts }: Market): number => Number(texts.lastPrice) * 10_000;
    const market = openMarkets(first).find(
      (one) =>
        one.terms.tickPips === 100 && one.terms.delaySeconds === 0 && beganAt(one) >= 4_000 && beganAt(one) <= 5_000,
    );
    if (market === undefined) throw new Error('no market of the catalog began near the middle');
    const { index } = market;
    const pips = Math.round(beganAt(market) / 100 + 12) * 100;
    const [buyer, other] = [await openUser(first, '5'), await openUser(first, '6')];
    const bought = { marketIndex: index, lots: 1_000 };
    await act(first, buyOrder(first, other, { ...bought, outcome: 1, pips: 10_000 - pips }));
    await act(first, buyOrder(first, buyer, { ...bought, outcome: 0, pips }));
    expect(market.lastTrade?.pricePips).toBe(pips);
    await first.close();

    const second = await openWorld({ dataDir, startMs: START_MS + 3_600_000 });
    const after = houseOn(second, 4);
    await after.pass(5_000);
    const { books } = second.services.views;
    expect(Math.abs((books.bestBidPips(index, 0) + books.bestAskPips(index, 0)) / 2 - pips)).toBeLessThan(400);
    await after.house.stop();
    await second.close();
  },
  TEST_MS,
);

test(
  'with the deposit limit reached, a restarted house still replaces its old quotes',
  async () => {
    const first = await openTradedWorld();
    const [poor] = houseAddresses();
    await act(first, {
      type: 'CancelAll',
      owner: poor,
      keyId: first.services.views.keys.latest(poor, 0, 0)?.keyId ?? '',
    });
    const amountMicro = first.services.views.accounts.byWallet(poor)?.collateralMicro ?? 0;
    await act(first, { type: 'Withdraw', wallet: poor, owner: poor, amountMicro });
    const rich = `0x${'7'.repeat(40)}`;
    for (let more = 2 ** 52; more >= 1; more = Math.floor(more / 2)) {
      const deposit = { type: 'Deposit', wallet: rich, owner: rich, amountMicro: more, isFaucet: 1 } as const;
      await first.exchange.submit(encodeCommand(deposit)); // refused where it would exceed the limit
    }
    await first.close();

    const secondMs = START_MS + 3_600_000;
    const second = await openWorld({ dataDir, startMs: secondMs });
    const after = houseOn(second, 4);
    await after.pass(60_000);
    const open = openOrders(second);
    expect(open.length).toBeGreaterThan(100);
    expect(open.every(({ createdMs }) => createdMs >= secondMs)).toBe(true);
    await after.house.stop();
    await second.close();
  },
  TEST_MS,
);

test(
  'after a restart the house redeems shares of markets resolved during the downtime or afterwards',
  async () => {
    const first = await openTradedWorld();
    const [resolved, closed] = openMarkets(first);
    await act(first, { type: 'ResolveMarket', marketIndex: resolved.index, resolution: Resolution.FIRST });
    await setStatus(first, closed.index, MarketStatus.CLOSED);
    await first.close();

    const second = await openWorld({ dataDir, startMs: START_MS + 3_600_000 });
    const after = houseOn(second, 4);
    expect(holdersOf(second, resolved.index).length).toBeGreaterThan(0);
    await after.pass(60_000);
    expect(holdersOf(second, resolved.index)).toEqual([]);
    await act(second, { type: 'ResolveMarket', marketIndex: closed.index, resolution: Resolution.FIRST });
    await after.pass(60_000);
    expect(holdersOf(second, closed.index)).toEqual([]);
    expect(second.counts.get('Rejected') ?? 0).toBe(0);
    await after.house.stop();
    await second.close();
  },
  TEST_MS,
);

test('on timers, steps run one at a time until the schedule is stopped', async () => {
  const schedule = timerSchedule(() => Date.now());
  let running = 0;
  let steps = 0;
  await new Promise<void>((resolve) => {
    schedule.run(async () => {
      running += 1;
      expect(running).toBe(1);
      await new Promise((ended) => setTimeout(ended, 2));
      running -= 1;
      steps += 1;
      if (steps === 3) resolve();
      return Date.now() + 1;
    });
    // The schedule's own timers keep no process alive; this one does until the steps have happened.
    const alive = setInterval(() => steps >= 3 && clearInterval(alive), 5);
  });
  await schedule.stop();
  const stoppedAt = steps;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(steps).toBe(stoppedAt);
});

test('stopping a schedule waits for the running step to end', async () => {
  const schedule = timerSchedule(() => Date.now());
  let endStep = (): void => undefined;
  const hasBegun = new Promise<void>((begun) => {
    schedule.run(async () => {
      begun();
      await new Promise<void>((resolve) => {
        endStep = resolve;
      });
      return Number.POSITIVE_INFINITY;
    });
  });
  // The schedule's own timers keep no process alive.
  const alive = setInterval(() => undefined, 1_000);
  await hasBegun;
  clearInterval(alive);
  const order: string[] = [];
  const stopped = schedule.stop().then(() => order.push('stopped'));
  await new Promise((resolve) => setImmediate(resolve));
  order.push('step ends');
  endStep();
  await stopped;
  expect(order).toEqual(['step ends', 'stopped']);
});
