// Opens a server's services on its data directory: exchange, views, catalog, historian, snapshots, secrets. Called by start.ts,
// which serves them, and by cli.ts for an import, which serves nothing. It prints nothing and never ends the process: fatal
// conditions are thrown as FatalError.
import { randomBytes, randomInt } from 'node:crypto';
import {
  type Clock,
  ClockBehindJournal,
  DataDirectoryLocked,
  EngineDefect,
  type ExchangeOptions,
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
  reasonOf,
  SnapshotUnusable,
  StorageUnavailable,
  wasLeftBehind,
} from '../engine/index.ts';
import { isOfSecret } from './auth/apiKeys.ts';
import { orderHasher } from './auth/orderDigest.ts';
import { Recoverers } from './auth/recoverers.ts';
import { findServerSecret, loadServerSecret } from './auth/serverSecret.ts';
import { Turns } from './auth/turns.ts';
import { walletDeriver } from './auth/wallets.ts';
import { Catalog } from './catalog/index.ts';
import type { ServerConfig } from './config/config.ts';
import type { Environment } from './config/settings.ts';
import { readCopiedMs } from './dataDirectory/copiedAt.ts';
import { requireReadable } from './dataDirectory/firstLook.ts';
import { requireOwnMode, writeMode } from './dataDirectory/modeFile.ts';
import { refusalOf, requireFreeOfObstacles } from './dataDirectory/obstacles.ts';
import { warnOfOtherContracts } from './dataDirectory/signedFor.ts';
import { type OpenedHistorian, openHistorian } from './history/historian.ts';
import { commandLine, restoreLine } from './lib/commandLine.ts';
import { Metrics } from './metrics/metrics.ts';
import { FatalError, fatal } from './process/fatal.ts';
import { makeLogger } from './process/log.ts';
import type { Services } from './services.ts';
import { SnapshotMaker } from './snapshots/snapshotMaker.ts';
import { type LogIdentity, StreamFeed } from './streams/feed.ts';
import { listedMarkets, Views } from './views/index.ts';

export interface OpenOptions {
  readonly config: ServerConfig;
  readonly env: Environment;
  /** Called once when the exchange cannot continue: a defect, or storage that stays unwritable. */
  readonly onFatal: (error: Error) => void;
  /** Called while the journal is replayed: records done and in total. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Called while the histories are indexed, for which the start does not wait: records done and in total. */
  readonly onHistoryProgress?: (done: number, total: number) => void;
  /** Aborted when the exchange is told to stop during its start: a first look at the journal then ends. */
  readonly stopped?: AbortSignal;
  /** The system clock by default. */
  readonly clock?: Clock | undefined;
}

/** The services of a running server, including those that only its owner sees. */
export type OwnServices = Services & { readonly historian: OpenedHistorian; readonly snapshots: SnapshotMaker };

/** A stop writes a snapshot if the next start would replay this many records or more; fewer replay as fast as one loads. */
const CLOSE_SNAPSHOT_FROM = 10_000;

/** How many exchanges this process has opened in memory. */
let inMemoryCount = 0;

/**
 * The identity of a log. Those in memory differ even if they begin at the same time, as on a clock that stands still: a client
 * that resumes at the next exchange must not take its numbers for those of the one before.
 */
function identityOf(dataDir: string | undefined): LogIdentity {
  if (dataDir === undefined) {
    const nth = inMemoryCount;
    inMemoryCount += 1;
    return (firstMs) => firstMs + nth;
  }
  const copiedMs = readCopiedMs(dataDir);
  return (firstMs) => Math.max(firstMs, copiedMs);
}

/** The follower that numbers and renders streams. */
export const feedOf = (views: Views, { streams, dataDir }: ServerConfig): StreamFeed =>
  new StreamFeed(views, streams, identityOf(dataDir));

/**
 * Opens the exchange of a configuration with its views, catalog and historian; nothing listens yet. The caller closes them with
 * closeServices.
 * @param streams follows the exchange, whether or not clients can subscribe
 * @throws FatalError
 */
export async function openServices(
  options: OpenOptions,
  views = new Views(),
  streams = feedOf(views, options.config),
): Promise<OwnServices> {
  const { config, env, onHistoryProgress } = options;
  const { dataDir } = config;
  const foundSecret = await requireUsable(options);
  const readAheadThread = await lookFirst(options);
  const log = makeLogger(config);
  const logEntry: Log = (level, text, figures) => log[level](figures ?? {}, text);
  const catalog = new Catalog(views);
  const markets = listedMarkets(views.markets);
  const accountIdOf = (wallet: string): number | undefined => views.accounts.byWallet(wallet)?.accountId;
  const historian = openHistorian({ dataDir, log: logEntry, markets, accountIdOf, onProgress: onHistoryProgress });
  const snapshots = new SnapshotMaker({ dataDir, every: config.snapshotEvery, log: logEntry });
  const followers = [...views.followers(), ...streams.followers()];
  let exchange: RunningExchange;
  try {
    exchange = await openFollowed(options, { followers, historian, snapshots, readAheadThread, log: logEntry });
  } catch (error) {
    await historian.close();
    failToOpen(error, dataDir);
  } finally {
    void readAheadThread?.end(); // nothing needs its end
  }
  snapshots.opened(exchange.snapshotSequence);
  try {
    if (dataDir !== undefined) writeMode(dataDir, config.mode);
    const secret = foundSecret ?? makeSecret(dataDir, env);
    warnOfOtherSecret({ views, secret, log });
    await warnOfOtherContracts({ config, views, exchange, log });
    return { exchange, views, catalog, historian, snapshots, config, log, secret, ...partsOf(config) };
  } catch (error) {
    await closeOpened({ historian, exchange, snapshots });
    throw error;
  }
}

/** Closes the journal's readers before the exchange, which closes the journal itself. */
async function closeOpened({
  historian,
  exchange,
  snapshots,
}: Pick<OwnServices, 'historian' | 'exchange' | 'snapshots'>): Promise<void> {
  await historian.close();
  await snapshots.close();
  await exchange.close();
}

/** Closes what openServices opened, if it was never served. */
export async function closeServices(services: OwnServices): Promise<void> {
  await closeOpened(services);
  await services.recoverers.close();
}

/**
 * Refuses a data directory or secret that no start may use, before anything is created or written; returns the server's secret
 * if there is one.
 */
async function requireUsable({ config, env, stopped }: OpenOptions): Promise<Uint8Array | undefined> {
  const { dataDir, mode } = config;
  if (dataDir === undefined) return undefined;
  requireFreeOfObstacles(dataDir);
  try {
    await requireOwnMode(dataDir, mode, stopped);
  } catch (error) {
    failToOpen(error, dataDir);
  }
  return readSecret(() => findServerSecret(dataDir, env));
}

/**
 * After a crash, first reads the journal in a child process (firstLook.ts). Much of it may have to be replayed, so the
 * read-ahead thread starts meanwhile, and is returned. @throws FatalError
 */
async function lookFirst({ config: { dataDir }, stopped }: OpenOptions): Promise<ReadAheadThread | undefined> {
  if (dataDir === undefined || !wasLeftBehind(dataDir)) return undefined;
  const thread = new ReadAheadThread();
  try {
    await requireReadable(dataDir, stopped);
  } catch (error) {
    await thread.end();
    throw error;
  }
  return thread;
}

/** What opening an exchange needs besides its configuration. */
interface ExchangeParts extends Pick<ExchangeOptions, 'followers' | 'readAheadThread' | 'log'> {
  readonly historian: OpenedHistorian;
  readonly snapshots: SnapshotMaker;
}

/** Opens the exchange with its followers; the historian and the snapshot maker read its journal. */
function openFollowed(
  { config, clock, onProgress, onFatal }: OpenOptions,
  { followers, historian, snapshots, readAheadThread, log }: ExchangeParts,
): Promise<RunningExchange> {
  return openExchange({
    dataDir: config.dataDir,
    clock,
    settings: config.engine,
    readAheadThread,
    followers,
    acceptClock: config.acceptClock,
    salt: randomInt(2 ** 31),
    snapshotFrom: config.snapshotEvery === 0 ? undefined : Math.min(config.snapshotEvery, CLOSE_SNAPSHOT_FROM),
    log,
    onProgress,
    onDurable: (batch, sequence) => {
      historian.durable(batch, sequence);
      snapshots.durable(sequence);
    },
    releaseReaders: () => historian.release(),
    // The engine stops for one of two reasons: a defect, or an unwritable journal.
    onFatal: (error) => onFatal(error instanceof EngineDefect ? error : new FatalError('storage', error.message)),
  });
}

/** The services that depend on the configuration alone. */
function partsOf({ contracts, walletConstants }: ServerConfig) {
  const recoverers = new Recoverers();
  return {
    contracts,
    wallets: walletDeriver(walletConstants),
    orderHasher: orderHasher(contracts),
    recoverers,
    turns: new Turns(recoverers),
    metrics: new Metrics(),
  };
}

/** @throws FatalError: usage if the secret in OUTCRY_SECRET is too short, data if the file with it is at fault */
function readSecret<Secret>(read: () => Secret): Secret {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) fatal('usage', error.message);
    fatal('data', isOfSystem(error) ? `The server's secret cannot be read: ${reasonOf(error)}.` : reasonOf(error));
  }
}

/** Creates the secret of a directory that had none before it was locked; without a directory, a temporary one. */
const makeSecret = (dataDir: string | undefined, env: Environment): Uint8Array =>
  dataDir === undefined ? randomBytes(32) : readSecret(() => loadServerSecret(dataDir, env));

/** Warns if the latest API key derives from another secret: owners of such keys get 401, and nothing else says why. */
function warnOfOtherSecret({ views, secret, log }: Pick<Services, 'views' | 'secret' | 'log'>): void {
  const key = views.keys.lastMade();
  if (key === undefined || isOfSecret(key, secret)) return;
  const sentence = 'The latest API key was derived from a secret other than that of the server';
  log.warn(`${sentence}. All keys derived from that secret are refused (401); their owners must create new ones.`);
}

/** Advises the operator of a journal that is damaged from a sequence on. */
function recoveryHint(dataDir: string, sequence: number): string {
  const all = `"${commandLine('verify', '--data-dir', dataDir)}" shows which records are intact`;
  if (sequence < 2) return `${all}.`;
  return `${all}, and "${restoreLine(dataDir, sequence)}" copies the records before it.`;
}

/** Throws FatalError if `error` means that the journal cannot be written; returns otherwise. */
export function failOnStorage(error: unknown, what = 'The exchange cannot start', more = ''): void {
  if (error instanceof StorageUnavailable) fatal('storage', `${what}: ${error.reason}.${more}`);
}

/** Throws the error that kept an exchange from opening, as a FatalError if it has a numbered exit status. */
function failToOpen(error: unknown, dataDir: string | undefined): never {
  if (error instanceof DataDirectoryLocked) fatal('locked', error.message);
  failOnStorage(error);
  if (error instanceof ClockBehindJournal) fatal('clock', error.message);
  if (dataDir !== undefined && (error instanceof JournalDamaged || error instanceof RecoveryDiffers)) {
    fatal('data', `${error.message} ${recoveryHint(dataDir, error.sequence)}`);
  }
  const ofData = [FormatUnsupported, JournalArchived, RulesVersionUnknown, SnapshotUnusable];
  if (ofData.some((kind) => error instanceof kind)) fatal('data', reasonOf(error));
  if (isOfSystem(error)) fatal('data', refusalOf(error));
  throw error;
}
