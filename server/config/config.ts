// Configuration: what the settings mean together, with the default of each, for development and for a venue. Called by cli.ts
// before anything starts, and by tests. It never prints: what is not allowed becomes a fatal sentence that says what is.
import type { EngineSettings } from '../../engine/index.ts';
import { limits } from '../../engine/index.ts';
import { type ChainContracts, chainContracts, isReplayableAtLiveVenue } from '../auth/contracts.ts';
import { WALLET_CONSTANTS, type WalletConstants } from '../auth/wallets.ts';
import type { HouseMode } from '../dev/house/model.ts';
import { type ThrottleRates, throttleRows } from '../http/throttleTable.ts';
import { fatal } from '../process/fatal.ts';
import { type StreamSettings, streamSettings } from '../streams/limits.ts';
import {
  durationMs,
  type Environment,
  type Flags,
  type GivenSettings,
  type LogLevel,
  type ReadSettings,
  readGiven,
  readSettings,
  type SettingKey,
  type Settings,
} from './settings.ts';

/** Everything that the server's parts are configured by. */
export interface ServerConfig {
  readonly mode: 'development' | 'production';
  readonly host: string;
  /** 0 lets the system choose one. */
  readonly port: number;
  /** Host names that a loopback development server answers to, besides those of the machine itself. */
  readonly allowHosts: readonly string[];
  /** Addresses and networks that alone may ask for user data; undefined: everybody. */
  readonly ipAllowlist: readonly string[] | undefined;
  /** Addresses and networks whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Undefined: everything in memory, gone with the process. */
  readonly dataDir: string | undefined;
  readonly contracts: ChainContracts;
  readonly walletConstants: WalletConstants;
  /** Seed of whatever development makes at random. */
  readonly seed: number;
  /** Liquidity of the house; always none in production. */
  readonly house: HouseMode;
  readonly isThrottled: boolean;
  /** Request rates, for when they are limited. */
  readonly rates: ThrottleRates;
  readonly logLevel: LogLevel;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly acceptClock: boolean;
  /** Records after which a snapshot is made beside the running exchange; 0: none is ever made. */
  readonly snapshotEvery: number;
  readonly adminToken: string;
  /** Opens /metrics alone, as the admin token does too; undefined: none was set. */
  readonly metricsToken: string | undefined;
  readonly engine: EngineSettings;
  readonly streams: StreamSettings;
}

/** The admin token of development, printed by its banner and known to everybody. */
export const DEVELOPMENT_ADMIN_TOKEN = 'dev-admin';
/** What development credits to each wallet of a new owner: 10,000 units. */
const DEVELOPMENT_CREDIT_MICRO = 10_000_000_000;
const DATA_DIR_DEFAULT = '.outcry';
const TOKEN_CHARACTERS_MIN = 16;
/** So many records are replayed within seconds. */
const SNAPSHOT_EVERY_DEFAULT = 250_000;

/** Whether an address to listen on can be reached from this machine alone. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return name === 'localhost' || name === '::1' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
}

/** Whether this is a developer's own exchange: in development, on an address that no other machine reaches. */
export function isPrivate(mode: ServerConfig['mode'], host: string): boolean {
  return mode === 'development' && isLoopback(host);
}

/** The contracts of the chain, stock ones or those that the file gives. */
function contractsOf(settings: Settings): ChainContracts {
  try {
    // exactOptionalPropertyTypes: zod's partial objects say "or undefined", which no checked value is.
    return chainContracts(settings.chain ?? 137, settings.contracts as Partial<ChainContracts> | undefined);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return fatal('usage', `${error.message} Give them as contracts in the configuration file.`);
  }
}

/** The contracts of the chain, refused where signed orders could be used at the live venue without anyone's will. */
function chooseContracts(mode: ServerConfig['mode'], host: string, settings: Settings): ChainContracts {
  const isOpen = !isPrivate(mode, host);
  const where = mode === 'production' ? 'serve' : `--host ${host}, which other machines can reach,`;
  if (isOpen && settings.chain === undefined) {
    fatal('usage', `${where} needs --chain: the chain id that orders are signed for, such as 80002.`);
  }
  const contracts = contractsOf(settings);
  if (isOpen && isReplayableAtLiveVenue(contracts) && settings.iKnowSignaturesAreReplayable !== true) {
    fatal(
      'usage',
      `${where} refuses chain 137 with the stock contracts: orders signed for it are valid at the live venue too. ` +
        'Use another --chain, give contracts of your own in the configuration file, ' +
        'or add --i-know-signatures-are-replayable.',
    );
  }
  return contracts;
}

/** Where a setting comes from, as sentences name it. */
type SourceOf = (key: SettingKey) => string;

/** True means calm, false none. A venue has no house: its keys are public, and its money comes from nowhere. */
function chooseHouse(
  mode: ServerConfig['mode'],
  given: HouseMode | boolean | undefined,
  sourceOf: SourceOf,
): HouseMode {
  const isDevelopment = mode === 'development';
  const house = given ?? isDevelopment;
  const wanted = house === true ? 'calm' : house === false ? 'none' : house;
  if (wanted !== 'none' && !isDevelopment)
    fatal('usage', `serve has no house liquidity: leave ${sourceOf('house')} out.`);
  return wanted;
}

/** The token that everybody knows is good enough only where nobody else can reach the exchange. */
function chooseAdminToken(
  mode: ServerConfig['mode'],
  host: string,
  given: string | undefined,
  sourceOf: SourceOf,
): string {
  if (isPrivate(mode, host)) return given ?? DEVELOPMENT_ADMIN_TOKEN;
  const who = mode === 'production' ? 'serve' : `start on ${host}, which others can reach,`;
  if (given === undefined) {
    fatal(
      'usage',
      `${who} needs an admin token: set OUTCRY_ADMIN_TOKEN, for example to the output of "openssl rand -hex 32".`,
    );
  }
  requireLongToken(sourceOf('adminToken'), given);
  return given;
}

function requireLongToken(source: string, token: string): void {
  if (token.length >= TOKEN_CHARACTERS_MIN) return;
  fatal('usage', `${source} has ${token.length} characters; it needs at least ${TOKEN_CHARACTERS_MIN}.`);
}

/** Unlike the admin token, it is never needed: the admin token opens /metrics too. */
function chooseMetricsToken(
  mode: ServerConfig['mode'],
  host: string,
  given: string | undefined,
  sourceOf: SourceOf,
): string | undefined {
  if (!isPrivate(mode, host) && given !== undefined) requireLongToken(sourceOf('metricsToken'), given);
  return given;
}

/** What the commands on a data directory go by. */
export type ToolConfig = Pick<ServerConfig, 'dataDir' | 'contracts' | 'isJson'>;

/**
 * The configuration of a command that starts no exchange. It takes the file and the variables of a venue as they are, and does
 * not ask for what an exchange would need besides: a token, or a chain of its own.
 * @throws FatalError (usage) as resolveConfig does for what is not allowed in itself
 */
export function resolveToolConfig(flags: Flags, env: Environment, folder: string): ToolConfig {
  const { settings } = readSettings(flags, env, folder);
  return {
    dataDir: settings.dataDir ?? DATA_DIR_DEFAULT,
    contracts: contractsOf(settings),
    isJson: settings.json ?? false,
  };
}

/** The operator's token for an exchange that runs. @throws FatalError (usage) as above */
export function resolveAdminToken(flags: Flags, env: Environment, folder: string): string {
  return readSettings(flags, env, folder).settings.adminToken ?? DEVELOPMENT_ADMIN_TOKEN;
}

/**
 * The configuration of a command from flags, then environment, then file, then defaults.
 * @param folder where the configuration file is looked for when `--config` names none
 * @throws FatalError (usage) with a sentence for every value or key that is not allowed
 */
export function resolveConfig(
  mode: ServerConfig['mode'],
  flags: Flags,
  env: Environment,
  folder: string,
): ServerConfig {
  return configOf(mode, readSettings(flags, env, folder));
}

/** The configuration of an exchange in development that a program makes. @throws FatalError (usage) as above */
export function resolveGiven(given: GivenSettings): ServerConfig {
  return configOf('development', readGiven(given));
}

function configOf(mode: ServerConfig['mode'], { settings, sourceOf }: ReadSettings): ServerConfig {
  const isDevelopment = mode === 'development';
  const host = (settings.host ?? '127.0.0.1').replace(/^\[|\]$/g, ''); // brackets belong to URLs
  const isQuiet = settings.quiet ?? false;
  return {
    mode,
    host,
    port: settings.port ?? 8080,
    allowHosts: settings.allowHost ?? [],
    ipAllowlist: settings.ipAllowlist,
    trustedProxies: settings.trustedProxies ?? [],
    dataDir: settings.dataDir ?? DATA_DIR_DEFAULT,
    contracts: chooseContracts(mode, host, settings),
    // as above: no checked value is undefined
    walletConstants: { ...WALLET_CONSTANTS, ...(settings.wallets as Partial<WalletConstants> | undefined) },
    seed: settings.seed ?? 1,
    house: chooseHouse(mode, settings.house, sourceOf),
    isThrottled: settings.throttle ?? !isDevelopment,
    rates: { ...throttleRows, ...(settings.rates as Partial<ThrottleRates> | undefined) }, // as above
    logLevel: isQuiet ? 'error' : (settings.logLevel ?? (isDevelopment ? 'warn' : 'info')),
    isJson: settings.json ?? false,
    isQuiet,
    acceptClock: settings.acceptClock ?? false,
    snapshotEvery: settings.snapshotEvery ?? SNAPSHOT_EVERY_DEFAULT,
    adminToken: chooseAdminToken(mode, host, settings.adminToken, sourceOf),
    metricsToken: chooseMetricsToken(mode, host, settings.metricsToken, sourceOf),
    engine: {
      orderWindowMs:
        settings.orderWindow === undefined ? limits.orderWindowDefaultMs : durationMs(settings.orderWindow),
      heartbeatWindowMs: limits.heartbeatWindowDefaultMs,
      minedDelayMs: durationMs(settings.minedDelay ?? '0'),
      confirmedDelayMs: durationMs(settings.confirmedDelay ?? '0'),
      creditMicro: isDevelopment ? DEVELOPMENT_CREDIT_MICRO : 0,
    },
    streams: {
      ...streamSettings,
      connectionsPerIpMax: settings.wsConnectionsPerIp ?? streamSettings.connectionsPerIpMax,
      heartbeatMs: settings.wsHeartbeat === undefined ? streamSettings.heartbeatMs : durationMs(settings.wsHeartbeat),
    },
  };
}
