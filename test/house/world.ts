// The house's tests run it on a whole exchange without sockets: the seed catalog planted, the server's secret fixed, the
// clock virtual and moved from one step of the house to the next, so an hour takes seconds and nothing is random.
import {
  type BatchStore,
  type Follower,
  type InlineParts,
  type LogRecord,
  MarketStatus,
  openExchange,
  PIPS_PER_UNIT,
  type RunningExchange,
  VirtualClock,
} from '../../engine/index.ts';
import { orderHasher } from '../../server/auth/orderDigest.ts';
import { Recoverers } from '../../server/auth/recoverers.ts';
import { Turns } from '../../server/auth/turns.ts';
import { walletDeriver } from '../../server/auth/wallets.ts';
import { Catalog } from '../../server/catalog/index.ts';
import { resolveConfig } from '../../server/config/config.ts';
import type { HouseMode } from '../../server/config/settings.ts';
import { houseAddresses } from '../../server/dev/house/accounts.ts';
import { type House, type Schedule, startHouse } from '../../server/dev/house/index.ts';
import { plantSeed, readSeed } from '../../server/dev/seed.ts';
import { openHistorian } from '../../server/history/historian.ts';
import { Metrics } from '../../server/metrics/metrics.ts';
import { makeLogger } from '../../server/process/log.ts';
import type { Services } from '../../server/services.ts';
import { type Market, Views } from '../../server/views/index.ts';

export const START_MS = 1_760_000_000_000;
/** How long a test of this folder may take: far more than it needs, so that timing decides nothing. */
export const TEST_MS = 600_000;

export interface HouseWorld {
  readonly services: Services;
  readonly exchange: RunningExchange;
  readonly clock: VirtualClock;
  /** How often each command and event has come through the log since it was opened; fills by their kind. */
  readonly counts: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

interface WorldOptions {
  /** In memory unless given. */
  readonly dataDir?: string;
  readonly startMs?: number;
  readonly store?: BatchStore;
}

function countRecord({ command, events }: LogRecord, counts: Map<string, number>): void {
  const names = [command.type, ...events.map((event) => (event.type === 'Fill' ? `Fill ${event.kind}` : event.type))];
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** An exchange with the seed catalog; a data directory that already has one is used as it is. */
export async function openWorld({ dataDir, startMs = START_MS, store }: WorldOptions = {}): Promise<HouseWorld> {
  const clock = new VirtualClock(startMs);
  const config = resolveConfig('development', { logLevel: 'silent' }, {}, import.meta.dirname);
  const views = new Views();
  const catalog = new Catalog(views);
  const parts: InlineParts =
    store === undefined ? {} : { store, retry: { firstDelayMs: 1, largestDelayMs: 1, triesMax: 1e6 } };
  const counts = new Map<string, number>();
  const tally: Follower = { name: 'tally', apply: (record) => countRecord(record, counts) };
  const options = { dataDir, clock, settings: config.engine, followers: [...views.followers(), tally] };
  const exchange = await openExchange(options, parts);
  const { contracts } = config;
  const recoverers = new Recoverers(false);
  const services: Services = {
    exchange,
    views,
    catalog,
    historian: openHistorian({ dataDir: undefined }), // never queried, so its thread does not start
    config,
    secret: Buffer.alloc(32, 7),
    contracts,
    orderHasher: orderHasher(contracts),
    recoverers,
    turns: new Turns(recoverers),
    metrics: new Metrics(),
    wallets: walletDeriver(config.walletConstants),
    log: makeLogger(config),
  };
  if (exchange.isFresh) await plantSeed(services, readSeed(), startMs);
  counts.clear();
  return { services, exchange, clock, counts, close: () => exchange.close() };
}

/** Lets everything that waits for an in-memory flush, or for a turn of the loop, go on. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A schedule that moves the virtual clock itself, from step to step. */
class VirtualSchedule implements Schedule {
  private readonly clock: VirtualClock;
  private step: (() => Promise<number>) | undefined;
  private dueMs = 0;

  constructor(clock: VirtualClock) {
    this.clock = clock;
  }

  run(step: () => Promise<number>): void {
    this.step = step;
    this.dueMs = this.clock.now();
  }

  pause(): undefined {}

  async stop(): Promise<void> {
    this.step = undefined;
  }

  /** Lets this much time pass, running every step that becomes due on the way. */
  async pass(ms: number): Promise<void> {
    const endMs = this.clock.now() + ms;
    while (this.step !== undefined && this.dueMs <= endMs) {
      this.clock.advance(Math.max(0, this.dueMs - this.clock.now()));
      await turn();
      this.dueMs = await this.step();
    }
    this.clock.advance(endMs - this.clock.now());
    await turn();
  }
}

export interface RunningHouse {
  readonly house: House;
  pass(ms: number): Promise<void>;
}

export const openMarkets = ({ services }: HouseWorld): readonly Market[] =>
  services.views.markets.list().filter(({ status }) => status === MarketStatus.OPEN);

/** Slugs of the markets whose book lacks a side. */
export function halfBooks({ services }: HouseWorld, markets: readonly Market[]): readonly string[] {
  const { books } = services.views;
  return markets
    .filter(({ index }) => books.bestBidPips(index, 0) === 0 || books.bestAskPips(index, 0) === PIPS_PER_UNIT)
    .map(({ slug }) => slug);
}

/** The house's addresses that hold shares of a market. */
export const holdersOf = ({ services: { views } }: HouseWorld, marketIndex: number): readonly string[] =>
  houseAddresses().filter((address) => {
    const id = views.accounts.byWallet(address)?.accountId ?? -1;
    return [0, 1].some((outcome) => views.accounts.sharesMicro(id, marketIndex, outcome) > 0);
  });

/** The reasons for which commands of the house were refused, except those that a delay or another's order explains. */
export const unexplainedRefusals = ({ refusals }: House): readonly string[] =>
  [...refusals.keys()].filter((name) => !/POST_ONLY_CROSSES|_NOT_MATCHED|_NOT_FILLED/.test(name));

/** Starts the house on a world's clock. */
export function houseOn(
  { services, clock }: HouseWorld,
  seed = 1,
  mode: Exclude<HouseMode, 'none'> = 'calm',
): RunningHouse {
  const schedule = new VirtualSchedule(clock);
  const house = startHouse({ services, mode, seed, schedule });
  return { house, pass: (ms) => schedule.pass(ms) };
}
