// Whatever refuses the house's commands, it waits and resumes when it can: paused and ended markets, modes of the exchange,
// flags, a deleted key, a journal that cannot be written.
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  AccountFlag,
  type Command,
  ExchangeMode,
  encodeCommand,
  MarketStatus,
  MemoryStore,
  OrderType,
  Resolution,
} from '../../engine/index.ts';
import { houseAddresses } from '../../server/dev/house/accounts.ts';
import { choices } from '../../server/dev/house/model.ts';
import { type Buyer, buyCommand } from '../support/commands.ts';
import { act, openUser, setStatus } from './operator.ts';
import {
  type HouseWorld,
  halfBooks,
  holdersOf,
  houseOn,
  openMarkets,
  openWorld,
  type RunningHouse,
  TEST_MS,
  unexplainedRefusals,
} from './world.ts';

/** Writes fail while `isFailing` is set, as on a full disk. */
class FailingStore extends MemoryStore {
  isFailing = false;

  override async write(firstSequence: number, bytes: Uint8Array): Promise<void> {
    if (this.isFailing) throw new Error('the disk of this test is full');
    await super.write(firstSequence, bytes);
  }
}

const MINUTE_MS = 60_000;
let store: FailingStore;
let world: HouseWorld;
let running: RunningHouse;
beforeEach(async () => {
  store = new FailingStore(false);
  world = await openWorld({ store });
  running = houseOn(world, 2);
  await running.pass(10_000);
});
afterEach(() => world.close());

/** Expects a trade in each of the open markets within the next minute. */
async function expectTrading(): Promise<void> {
  const before = new Map(openMarkets(world).map(({ index, tradeCount }) => [index, tradeCount]));
  await running.pass(MINUTE_MS);
  const idle = openMarkets(world).filter(({ index, tradeCount }) => tradeCount === before.get(index));
  expect(idle.map(({ slug }) => slug)).toEqual([]);
  world.exchange.checkInvariants();
}

/** The number of orders that the house places during this time. */
async function ordersDuring(ms: number): Promise<number> {
  const before = world.counts.get('PlaceOrder') ?? 0;
  await running.pass(ms);
  return (world.counts.get('PlaceOrder') ?? 0) - before;
}

test(
  'the house stays out of paused and ended markets, redeems resolved shares and resumes after a pause',
  async () => {
    const { views } = world.services;
    const [paused, closed, resolved] = openMarkets(world).slice(5, 8);
    await setStatus(world, paused.index, MarketStatus.PAUSED);
    await setStatus(world, closed.index, MarketStatus.CLOSED);
    await act(world, { type: 'ResolveMarket', marketIndex: resolved.index, resolution: Resolution.SECOND });
    const versions = [paused, closed, resolved].map(({ index }) => views.books.version(index));
    await expectTrading();
    expect([paused, closed, resolved].map(({ index }) => views.books.version(index))).toEqual(versions);
    expect(holdersOf(world, resolved.index)).toEqual([]);
    expect(world.counts.get('PositionRedeemed')).toBeGreaterThan(0);
    await setStatus(world, paused.index, MarketStatus.OPEN);
    await expectTrading();
    expect(world.counts.get('Rejected') ?? 0).toBe(0);
  },
  TEST_MS,
);

test(
  'the house obeys every restrictive exchange mode and resumes trading in normal mode',
  async () => {
    for (const mode of [ExchangeMode.CANCEL_ONLY, ExchangeMode.DISABLED, ExchangeMode.RESTARTING]) {
      await act(world, { type: 'SetExchangeMode', mode });
      expect(await ordersDuring(MINUTE_MS)).toBe(0);
    }
    await act(world, { type: 'SetExchangeMode', mode: ExchangeMode.POST_ONLY });
    const trades = world.counts.get('Trade') ?? 0;
    expect(await ordersDuring(MINUTE_MS)).toBeGreaterThan(0);
    // Orders that were already delayed end without a trade too.
    expect(world.counts.get('Trade') ?? 0).toBe(trades);
    await act(world, { type: 'SetExchangeMode', mode: ExchangeMode.NORMAL });
    await running.pass(10_000);
    await expectTrading();
    expect(halfBooks(world, openMarkets(world)).length).toBeLessThan(8);
  },
  TEST_MS,
);

test(
  'banned or closed-only accounts do not stop the rest of the house, and a deleted key is recreated',
  async () => {
    const { views } = world.services;
    const addresses = houseAddresses();
    const [banned, restricted, keyless] = addresses;
    const bannedTaker = addresses[choices.makerCount];
    const both = AccountFlag.BANNED | AccountFlag.CLOSED_ONLY;
    const flag = (owner: string, flags: number) => act(world, { type: 'SetAccountFlags', owner, mask: both, flags });
    await flag(banned, AccountFlag.BANNED);
    await flag(bannedTaker, AccountFlag.BANNED);
    await flag(restricted, AccountFlag.CLOSED_ONLY);
    const key = views.keys.latest(keyless, 0, 0);
    await act(world, { type: 'DeleteApiKey', owner: keyless, keyId: key?.keyId ?? '' });
    await running.pass(90_000);
    expect([...views.orders.openOf(banned)]).toEqual([]);
    expect(views.keys.latest(keyless, 0, 0)).toMatchObject({ isActive: true, generation: 1 });
    expect(unexplainedRefusals(running.house).filter((name) => name !== 'KEY_UNKNOWN')).toEqual([]);
    for (const owner of [banned, bannedTaker, restricted]) await flag(owner, 0);
    await running.pass(MINUTE_MS);
    expect([...views.orders.openOf(banned)].length).toBeGreaterThan(0);
    await expectTrading();
  },
  TEST_MS,
);

test(
  'the house places no orders while the journal cannot be written, and resumes afterwards',
  async () => {
    const { exchange } = world;
    store.isFailing = true;
    const waiting = exchange.submit(encodeCommand({ type: 'Tick' }));
    while (exchange.unavailableReason === undefined) await new Promise((resolve) => setImmediate(resolve));
    const before = world.counts.get('PlaceOrder');
    // However long that takes, it checks again within a minute.
    await running.pass(30 * MINUTE_MS);
    expect(world.counts.get('PlaceOrder')).toBe(before);
    store.isFailing = false;
    await waiting;
    await running.pass(MINUTE_MS);
    await expectTrading();
  },
  TEST_MS,
);

test(
  'a user who takes every ask moves prices up, and the house keeps quoting',
  async () => {
    const { books } = world.services.views;
    const markets = openMarkets(world)
      .filter(({ terms, texts }) => terms.tickPips === 100 && Math.abs(Number(texts.lastPrice) - 0.5) <= 0.1)
      .slice(0, 8);
    expect(markets.length).toBe(8);
    const asksOf = (): number => markets.reduce((sum, { index }) => sum + books.bestAskPips(index, 0), 0);
    const user = await openUser(world, '5');
    const before = asksOf();
    for (let round = 0; round < 20; round += 1) {
      for (const { index } of markets) await act(world, buyEverything(user, index, round));
      await running.pass(30_000);
    }
    expect(halfBooks(world, markets)).toEqual([]);
    // One market's own walk may go the other way, but not all of them together.
    expect(asksOf() - before).toBeGreaterThan(8 * 100);
    world.exchange.checkInvariants();
  },
  TEST_MS,
);

/** A FAK BUY of the first token at 0.9. */
function buyEverything(user: Buyer, marketIndex: number, round: number): Command {
  const id = (0xabc00000 + 1_000 * marketIndex + round).toString(16);
  const order = { orderId: `0x${id.padEnd(64, '5')}`, marketIndex, outcome: 0, pips: 9_000, lots: 1_000_000 };
  return {
    ...buyCommand(user, { ...order, timestampMs: world.exchange.now() }),
    orderType: OrderType.FAK,
  };
}
