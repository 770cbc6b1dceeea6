// Views, catalog and streams from a snapshot equal those from reading the whole journal, field by field, and stay equal
// when the log goes on. The workload is that of the pipeline's tests: orders, trades, delays, cash, keys, heartbeats.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openExchange, type RunningExchange, type Sections, VirtualClock } from '../../engine/index.ts';
import { encodeCommand } from '../../engine/protocol/index.ts';
import { Catalog } from '../../server/catalog/index.ts';
import { StreamFeed } from '../../server/streams/feed.ts';
import { type Trade, Views } from '../../server/views/index.ts';
import { inTempDir } from '../journal/support.ts';
import { commandsOf, keyOf, ownerOf, START_MS, settings, submitFounding } from '../pipeline/workload.ts';
import { tailOf } from '../support/commandParts.ts';
import { numbersOf } from '../support/numbersOf.ts';

const MARKETS = 3;
const OWNERS = 6;

function readers() {
  const views = new Views();
  const catalog = new Catalog(views);
  const streams = new StreamFeed(views);
  return { views, catalog, streams, followers: [...views.followers(), ...streams.followers()] };
}
type Readers = ReturnType<typeof readers>;

/** The facts of a trade, packed or not. */
const factsOf = ({ ordinal, taker, makers, lots, status }: Trade) => {
  return [ordinal, taker.id, lots, status, ...makers.map(({ order }) => [order.id, order.owner, order.side])];
};

/** Everything that followers list for a snapshot, by name. */
function listed({ followers }: Readers): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  const at = (prefix: string): Sections => {
    const keep = <T>(name: string, value: T): T => {
      found[prefix + name] = structuredClone(value);
      return value;
    };
    const part = (name: string): Sections => at(`${prefix}${name}/`);
    return { isLoading: false, part, number: keep, int32: keep, float64: keep, uint8: keep, plain: keep };
  };
  for (const { name, snapshot } of followers) snapshot?.visit(at(`${name}/`));
  return found;
}

async function open(dataDir: string, clock: VirtualClock, { followers }: Readers): Promise<RunningExchange> {
  return openExchange({ dataDir, clock, settings, followers, snapshotFrom: 1 });
}

async function work(exchange: RunningExchange, clock: VirtualClock, seed: number, rounds: number): Promise<void> {
  const commands = commandsOf(seed, () => clock.now());
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all(Array.from({ length: 40 }, () => exchange.submit(commands.next().value)));
    clock.advance(round % 10 === 5 ? 12_000 : 37);
  }
}

/** Changes of terms and texts, and the end of a market, which the workload lacks. */
async function finish(exchange: RunningExchange): Promise<void> {
  const terms = { status: 1, negRisk: 0, autoTick: 0, feeExponent: 1, tickPips: 10, feeRate: 0, minOrderLots: 5 };
  const changed = { ...terms, marketIndex: 0, mask: 16, delaySeconds: 0, minMarketableBuyMicro: 0 };
  await exchange.submit(encodeCommand({ type: 'UpdateMarket', ...changed, tail: tailOf({ question: 'Will it?' }) }));
  await exchange.submit(encodeCommand({ type: 'ResolveMarket', marketIndex: 1, resolution: 0 }));
  const items = [`0x${'1'.padStart(32, '0')}`];
  await exchange.submit(encodeCommand({ type: 'DropNotifications', owner: ownerOf(0), keyId: keyOf(0), items }));
}

async function expectSame(loaded: Readers, replayed: Readers, nowMs: number): Promise<void> {
  expect(listed(loaded)).toEqual(listed(replayed));
  for (const one of [loaded, replayed]) {
    await one.catalog.ready(nowMs);
    // Streams are created on demand.
    for (let market = 0; market < MARKETS; market += 1) one.streams.markets.stream(market);
  }
  // Also data that is derived instead of listed. What is deferred or cached may differ.
  const { views } = loaded;
  for (const name of ['accounts', 'keys'] as const) expect(views[name], name).toEqual(replayed.views[name]);
  expect(views.markets.list()).toEqual(replayed.views.markets.list());
  expect(views.markets.eventList()).toEqual(replayed.views.markets.eventList());
  for (const market of views.markets.list()) {
    expect(views.markets.byCondition(market.conditionId)).toBe(market);
    expect(views.markets.bySlug(market.slug)).toBe(market);
    for (const outcome of [0, 1] as const) {
      expect(views.markets.byToken(market.tokens[outcome])).toEqual({ market, outcome });
    }
  }
  for (let owner = 0; owner < OWNERS; owner += 1) {
    const facts = ({ orders, trades, notifications }: Views) => {
      const open = [...orders.openOf(ownerOf(owner))].map(({ id }) => [id, orders.byId(id)?.orderNumber]);
      const traded = numbersOf(trades.ofOwner(ownerOf(owner))).map((ordinal) => factsOf(trades.byOrdinal(ordinal)));
      return { open, traded, notices: notifications.of(ownerOf(owner)) };
    };
    expect(facts(views)).toEqual(facts(replayed.views));
    expect(facts(views).open.length).toBeGreaterThan(0);
  }
  const nowS = Math.floor(nowMs / 1_000);
  const whole = { startS: 0, endS: nowS, lastS: nowS, stepS: 60 };
  for (const { index } of views.markets.list()) {
    const samples = views.midpoints.samples(index, whole);
    expect(samples).toEqual(replayed.views.midpoints.samples(index, whole));
    expect(samples.sums.length, `midpoints of market ${index}`).toBeGreaterThan(1);
  }
  expect(loaded.catalog.tags).toEqual(replayed.catalog.tags);
  for (const market of views.markets.list()) {
    expect(loaded.catalog.marketFiguresOf(market)).toEqual(replayed.catalog.marketFiguresOf(market));
    expect(loaded.streams.markets.stream(market.index)).toEqual(replayed.streams.markets.stream(market.index));
  }
}

test('views, catalog and streams from a snapshot equal those of a full replay, also after more commands', {
  timeout: 300_000,
}, async () => {
  await inTempDir(async (dataDir) => {
    const clock = new VirtualClock(START_MS);
    const before = readers();
    const first = await open(dataDir, clock, before);
    await submitFounding(first);
    await work(first, clock, 3, 40);
    await first.close();
    const loaded = readers();
    const second = await open(dataDir, clock, loaded);
    expect(second.snapshotSequence).toBe(first.durableSequence);
    expect(loaded.streams.log).toBe(before.streams.log);
    await work(second, clock, 4, 20);
    await finish(second);
    await second.close();
    for (const keepsSnapshots of [true, false]) {
      if (!keepsSnapshots) rmSync(join(dataDir, 'snapshots'), { recursive: true });
      const again = readers();
      const third = await open(dataDir, clock, again);
      expect(third.snapshotSequence > 0).toBe(keepsSnapshots);
      // The second continued from a snapshot; reading its journal gives one more Started than it had.
      await expectSame(again, loaded, clock.now());
      if (!keepsSnapshots) expect(again.views.trades.ofMarket(0).length).toBeGreaterThan(20);
      await third.close();
    }
  });
});
