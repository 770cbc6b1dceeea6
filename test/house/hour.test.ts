// An hour of the calm house on the seed catalog, in virtual time. HOUSE_MINUTES shortens it. Nothing may run out, drift
// away or be refused without need, and all money is accounted for.
import { expect, test } from 'vitest';
import { houseAddresses } from '../../server/dev/house/accounts.ts';
import { choices } from '../../server/dev/house/model.ts';
import { environmentNumber } from '../support/wholeNumber.ts';
import { type HouseWorld, halfBooks, houseOn, openMarkets, openWorld, unexplainedRefusals } from './world.ts';

const minutes = environmentNumber('HOUSE_MINUTES', 60);
/** Far more than it needs: timing decides nothing. */
const TEST_MS = 1_200_000;
const LOT_MICRO = 10_000;
/** A taker's last order may exceed its bound where the market's minimum is more than what is left of it. */
const LARGEST_LOTS = choices.orderSharesMax * 100 * 2;

const houseAccounts = ({ services }: HouseWorld) =>
  houseAddresses().map((address) => {
    const account = services.views.accounts.byWallet(address);
    if (account === undefined) throw new Error(`the house has no account ${address}`);
    return account;
  });

function netLots(world: HouseWorld, accountId: number, marketIndex: number): number {
  const { accounts } = world.services.views;
  const [first, second] = [0, 1].map((outcome) => accounts.sharesMicro(accountId, marketIndex, outcome));
  return (first - second) / LOT_MICRO;
}

test(
  `over ${minutes} minutes the house conserves money and keeps every market trading`,
  async () => {
    const world = await openWorld();
    const markets = openMarkets(world);
    const { house, pass } = houseOn(world, 3);
    const firstTrades = new Map<number, Set<number>>();
    const tradesBefore = new Map<number, number>();
    for (let minute = 0; minute < minutes; minute += 1) {
      await pass(60_000);
      for (const { index, slug, tradeCount, lastTrade } of markets) {
        expect(tradeCount, `${slug} printed nothing in minute ${minute + 1}`).toBeGreaterThan(
          tradesBefore.get(index) ?? 0,
        );
        tradesBefore.set(index, tradeCount);
        const prices = firstTrades.get(index) ?? new Set();
        firstTrades.set(index, prices.add(lastTrade?.pricePips ?? 0));
      }
    }
    world.exchange.checkInvariants();
    const { counts } = world;
    console.info(`House: ${minutes} minutes, ${counts.get('PlaceOrder')} orders, ${counts.get('Trade')} trades.`);

    // Funded once; no account came near the balance at which it would be funded again.
    expect(counts.get('Deposit')).toBe(choices.makerCount + choices.takerCount);
    for (const { accountId, collateralMicro } of houseAccounts(world)) {
      expect(collateralMicro).toBeGreaterThan(choices.depositMicro / 2);
      for (const { index } of markets) {
        expect(Math.abs(netLots(world, accountId, index))).toBeLessThanOrEqual(choices.makerNetLotsMax + LARGEST_LOTS);
      }
    }
    // All three kinds of settlement occur, and delayed orders in the markets that have a delay.
    for (const kind of ['Fill 0', 'Fill 1', 'Fill 2', 'OrderDelayed', 'OrderReleased']) {
      expect(counts.get(kind) ?? 0, kind).toBeGreaterThan(0);
    }
    // Only refusals that a delay or another's order explains occur, and those rarely.
    const refused = [...house.refusals.values()].reduce((sum, count) => sum + count, 0);
    expect(unexplainedRefusals(house)).toEqual([]);
    expect(refused).toBeLessThan(0.01 * (counts.get('PlaceOrder') ?? 0));

    expect(halfBooks(world, markets).length).toBeLessThanOrEqual(0.05 * markets.length);
    const moved = markets.filter(({ index }) => (firstTrades.get(index)?.size ?? 0) > 1);
    expect(moved.length).toBeGreaterThan(0.8 * markets.length * Math.min(1, minutes / 10));
    await world.close();
  },
  TEST_MS,
);
