// Puts a server together and takes it down again: exchange, views, secrets, first start, HTTP. Called by cli.ts, and by
// tests in their own process. It prints nothing and never ends the process: what is fatal is thrown as such.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Clock,
  ClockBehindJournal,
  DataDirectoryLocked,
  EngineDefect,
  FormatUnsupported,
  isOfSystem,
  JournalArchived,
  JournalDamaged,
  type Log,
  openExchange,
  ReadAheadThread,
  RecoveryDiffers,
  RulesVersionUnknown,
  type RunningExchange,
  SnapshotUnusable,
  StorageUnavailable,
  wasLeftBehind,
} from '../engine/index.ts';
import { findServerSecret, isOfSecret, loadServerSecret } from './auth/apiKeys.ts';
import { orderHasher } from './auth/orderDigest.ts';
import { Recoverers } from './auth/recoverers.ts';
import { walletDeriver } from './auth/wallets.ts';
import { Catalog } from './catalog/index.ts';
import type { ServerConfig } from './config.ts';
import { readCopiedMs } from './copiedAt.ts';
import { firstStart } from './dev/firstStart.ts';
import { type House, startHouse, timerSchedule, withdrawHouse } from './dev/house/index.ts';
import { FatalError, fatal } from './fatal.ts';
import { type OpenedHistorian, openHistorian } from './history/historian.ts';
import { requireFreePort, serveHttp } from './http/app.ts';
import type { Endpoint } from './http/endpoint.ts';
import { endpoints as everyEndpoint } from './http/endpoints.ts';
import { makeLogger } from './log.ts';
import { Metrics } from './metrics/metrics.ts';
import { watchServer } from './metrics/watch.ts';
import { keepMode, requireOwnMode } from './modeFile.ts';
import type { Services } from './services.ts';
import type { Environment } from './settings.ts';
import { SnapshotMaker } from './snapshots/snapshotMaker.ts';
import { StreamFeed } from './streams/feed.ts';
import { StreamHub } from './streams/hub.ts';
import { requireReadable } from './tools/firstLook.ts';
import { watchContracts } from './tools/signedFor.ts';
import { Turns } from './turns.ts';
import { listedMarkets, Views } from './views/index.ts';

interface StartOptions {
  readonly config: ServerConfig;
  readonly env: Environment;
  /** Called once when the exchange cannot go on: a defect, or storage that stays unwritable. */
  readonly onFatal: (error: Error) => void;
  readonly onProgress?: (done: number, total: number) => void;
  /** While the histories are indexed, which the start does not wait for: records done, of how many. */
  readonly onHistoryProgress?: (done: number, total: number) => void;
  /** The system's unless given. */
  readonly clock?: Clock;
  /** The whole table unless given. */
  readonly endpoints?: readonly Endpoint[];
  /** Whether development plants its catalog and credits its wallets on a fresh journal; true unless given. */
  readonly hasFirstStart?: boolean;
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly services: Services;
  /** Stops accepting, answers what is in progress, makes it durable, ends. Safe to call again. */
  stop(): Promise<void>;
}

/** A stop writes a snapshot if it saves the next start so many records: fewer are read as fast as a snapshot. */
const CLOSE_SNAPSHOT_FROM = 10_000;
/** How long (ms) a stop waits for the historian and the maker of snapshots: without them the next start only has more to read. */
const FOLLOWERS_MS_MAX = 1_500;

const message = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What can be done about a journal that is not sound from a sequence on. */
function wayOut(dataDir: string | undefined, sequence: number): string {
  const all = `"outcry verify --data-dir ${dataDir}" says what is sound`;
  if (sequence < 2) return `${all}.`;
  return `${all}, and "outcry restore ${dataDir} --to ${sequence - 1} --data-dir <new folder>" copies what comes before it.`;
}

/** Ends what cannot go on because its commands cannot be written: a start unless `what` says otherwise. */
export function requireStorage(error: unknown, what = 'The exchange cannot start', more = ''): void {
  if (error instanceof StorageUnavailable) fatal('storage', `${what}: ${error.reason}.${more}`);
}

/** What keeps an exchange from opening, as the fatal reason that it is; anything else is thrown on. */
function explain(error: unknown, dataDir: string | undefined): never {
  if (error instanceof DataDirectoryLocked) fatal('locked', error.message);
  requireStorage(error);
  if (error instanceof ClockBehindJournal) fatal('clock', error.message);
  if (error instanceof JournalDamaged || error instanceof RecoveryDiffers) {
    fatal('data', `${error.message} ${wayOut(dataDir, error.sequence)}`);
  }
  const ofData = [FormatUnsupported, JournalArchived, RulesVersionUnknown, SnapshotUnusable];
  if (ofData.some((kind) => error instanceof kind)) fatal('data', message(error));
  if (isOfSystem(error)) fatal('data', `The data directory cannot be used: ${message(error)}.`);
  throw error;
}

/** Refuses what a data directory and the environment hold that no start may use: before anything is made or written. */
async function requireUsable({ dataDir, mode }: ServerConfig, env: Environment): Promise<void> {
  if (dataDir === undefined) return;
  try {
    await requireOwnMode(dataDir, mode);
  } catch (error) {
    explain(error, dataDir);
  }
  readSecret(() => findServerSecret(dataDir, env));
}

/**
 * Has a journal that was not closed in order looked at. Much of it may have to be replayed: the thread that will read it ahead
 * makes itself ready meanwhile, and is returned. Throws FatalError.
 */
async function lookFirst(dataDir: string | undefined): Promise<ReadAheadThread | undefined> {
  if (dataDir === undefined || !wasLeftBehind(dataDir)) return undefined;
  const thread = new ReadAheadThread();
  try {
    await requireReadable(dataDir);
  } catch (error) {
    await thread.end();
    throw error;
  }
  return thread;
}

function readSecret<Secret>(read: () => Secret): Secret {
  try {
    return read();
  } catch (error) {
    fatal('data', isOfSystem(error) ? `The server's secret cannot be read: ${message(error)}.` : message(error));
  }
}

/** The server's secret: of the data directory or the environment, or a passing one where nothing is kept. */
const secretOf = ({ dataDir }: ServerConfig, env: Environment): Uint8Array =>
  dataDir === undefined ? randomBytes(32) : readSecret(() => loadServerSecret(dataDir, env));

/** Says so where the keys at hand derive from another secret: their owners get 401, and nothing else tells why. */
function watchSecret({ views, secret, log }: Pick<Services, 'views' | 'secret' | 'log'>): void {
  const key = views.keys.lastMade();
  if (key === undefined || isOfSecret(key, secret)) return;
  const sentence = "The latest API key derives from another secret than the server's";
  log.warn(`${sentence}: it and all others of that secret are refused (401), and their owners must make new ones.`);
}

/** The parts of a running server, with those that only its owner sees. */
type OwnServices = Services & { readonly historian: OpenedHistorian; readonly snapshots: SnapshotMaker };

const feedOf = (views: Views, { streams, dataDir }: ServerConfig): StreamFeed =>
  new StreamFeed(views, streams, readCopiedMs(dataDir));

/**
 * Opens the exchange of a configuration with its views, its catalog and its historian; nothing listens. Who calls it closes
 * the historian and then the exchange.
 * @param streams what follows the log to number and render streams, whether or not anybody can subscribe
 * @throws FatalError
 */
export async function openServices(
  options: StartOptions,
  views = new Views(),
  streams = feedOf(views, options.config),
): Promise<OwnServices> {
  const { config, env, clock, onProgress, onFatal } = options;
  await requireUsable(config, env);
  const readAheadThread = await lookFirst(config.dataDir);
  const log = makeLogger(config);
  const catalog = new Catalog(views);
  const { dataDir } = config;
  const say: Log = (level, text, figures) => log[level](figures ?? {}, text);
  const markets = listedMarkets(views.markets);
  const accountIdOf = (wallet: string): number | undefined => views.accounts.byWallet(wallet)?.accountId;
  const { onHistoryProgress } = options;
  const historian = openHistorian({ dataDir, log: say, markets, accountIdOf, onProgress: onHistoryProgress });
  const snapshots = new SnapshotMaker({ dataDir, every: config.snapshotEvery, log: say });
  let exchange: RunningExchange;
  try {
    exchange = await openExchange({
      dataDir,
      clock,
      settings: config.engine,
      readAheadThread,
      followers: [...views.followers(), ...streams.followers()],
      acceptClock: config.acceptClock,
      snapshotFrom: config.snapshotEvery === 0 ? undefined : Math.min(config.snapshotEvery, CLOSE_SNAPSHOT_FROM),
      log: say,
      onProgress,
      onDurable: (batch, sequence) => {
        historian.durable(batch, sequence);
        snapshots.durable(sequence);
      },
      releaseReaders: () => historian.release(),
      // What the engine stops for and is no defect is a journal that cannot be written, whatever the reason.
      onFatal: (error) => onFatal(error instanceof EngineDefect ? error : new FatalError('storage', error.message)),
    });
  } catch (error) {
    await historian.close();
    explain(error, dataDir);
  } finally {
    void readAheadThread?.end(); // nothing waits for it
  }
  snapshots.opened(exchange.snapshotSequence);
  try {
    const { contracts, mode } = config;
    if (dataDir !== undefined) keepMode(dataDir, mode);
    const wallets = walletDeriver(config.walletConstants);
    const secret = secretOf(config, env);
    watchSecret({ views, secret, log });
    await watchContracts({ config, views, exchange, log });
    const recoverers = new Recoverers();
    const turns = new Turns(recoverers);
    const orders = { orderHasher: orderHasher(contracts), recoverers, turns };
    const metrics = new Metrics();
    return {
      exchange,
      views,
      catalog,
      historian,
      snapshots,
      config,
      secret,
      contracts,
      wallets,
      log,
      metrics,
      ...orders,
    };
  } catch (error) {
    await historian.close();
    await snapshots.close();
    await exchange.close();
    throw error;
  }
}

/** Closes what openServices has opened, for whoever served nothing with it. */
export async function closeServices({ historian, exchange, snapshots, recoverers }: OwnServices): Promise<void> {
  await historian.close();
  await snapshots.close();
  await exchange.close();
  await recoverers.close();
}

/** Starts the house; where there is to be none, takes out of the books what an earlier start of it left there. */
async function openHouse(services: Services): Promise<House | undefined> {
  const { config, exchange, log } = services;
  if (config.mode !== 'development') return undefined;
  if (config.house !== 'none') {
    const schedule = timerSchedule(() => exchange.now());
    return startHouse({ services, mode: config.house, seed: config.seed, schedule });
  }
  const count = exchange.isFresh ? 0 : await withdrawHouse(services);
  if (count > 0) log.info({ count }, 'The orders that the house had left were cancelled.');
  return undefined;
}

/**
 * Starts a server as configured; when this resolves, it answers.
 * @throws FatalError with a sentence when the port, the data directory or the clock does not allow it
 */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  const { config, endpoints = everyEndpoint, hasFirstStart = true, onFatal } = options;
  await requireFreePort(config.host, config.port);
  const views = new Views();
  const streams = feedOf(views, config);
  const services = await openServices(options, views, streams);
  const { exchange, historian, snapshots } = services;
  try {
    if (config.mode === 'development' && hasFirstStart) await firstStart(services);
    const onDefect = (error: unknown): void => onFatal(error instanceof Error ? error : new Error(String(error)));
    const hub = new StreamHub(streams, services, onDefect);
    const http = await serveHttp(services, endpoints, onDefect, (app) => hub.attach(app));
    watchServer({ ...services, hub, door: http.door });
    services.catalog.ready(exchange.now()).catch(onDefect);
    const house = await openHouse(services);
    let stopped: Promise<void> | undefined;
    const stop = async (): Promise<void> => {
      const houseStopped = house?.stop(); // waited for last: what it waits for is answered when the exchange closes
      await http.drain();
      // First, since it reads the journal that the exchange closes; a disk that hangs must not keep it all from stopping.
      const followers = Promise.all([historian.close(), snapshots.close()]);
      await Promise.race([followers, sleep(FOLLOWERS_MS_MAX, undefined, { ref: false })]);
      await exchange.close();
      await hub.close();
      http.close();
      await services.recoverers.close();
      await houseStopped;
      // A process that exits while a thread of it is in LMDB waits for ever: whoever stops us ends it when that takes too long.
      if (!exchange.isLeftOpen) await followers;
    };
    const name = config.host.includes(':') ? `[${config.host}]` : config.host;
    return {
      url: `http://${name}:${http.port}`,
      port: http.port,
      services,
      stop: () => {
        stopped ??= stop();
        return stopped;
      },
    };
  } catch (error) {
    await historian.close();
    await snapshots.close();
    await exchange.close();
    requireStorage(error);
    throw error;
  }
}
