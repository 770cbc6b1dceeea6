// Turns settings into the configuration of development or of a venue, with the default of each and the rules between them.
// Called by cli.ts and createExchange.ts before anything starts, and by tests. It never prints: an invalid configuration
// becomes a fatal sentence that says what is allowed.
import { type EngineSettings, limits } from '../../engine/index.ts';
import { type ChainContracts, chainContracts, isLiveVenuesChain } from '../auth/contracts.ts';
import { WALLET_CONSTANTS, type WalletConstants } from '../auth/wallets.ts';
import { fatal } from '../process/fatal.ts';
import { durationMs } from './durations.ts';
import {
  type Environment,
  type Flags,
  type GivenSettings,
  type HouseMode,
  type LogLevel,
  type ReadSettings,
  readGiven,
  readSettings,
  type SettingKey,
  type Settings,
} from './settings.ts';
import { type StreamSettings, streamSettings } from './streamSettings.ts';
import { type ThrottleRates, throttleRows } from './throttleTable.ts';

/** The configuration of all parts of the server. */
export interface ServerConfig {
  readonly mode: 'development' | 'production';
  readonly host: string;
  /** 0 lets the system choose a port. */
  readonly port: number;
  /** Host names that a loopback development server answers to in addition to the machine's own. */
  readonly allowHosts: readonly string[];
  /** The only addresses and networks that may request user data; undefined = all. */
  readonly ipAllowlist: readonly string[] | undefined;
  /** Addresses and networks whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** Undefined = everything in memory, lost when the process ends. */
  readonly dataDir: string | undefined;
  readonly contracts: ChainContracts;
  readonly walletConstants: WalletConstants;
  /** Seed of all random choices in development. */
  readonly seed: number;
  /** Liquidity of the house; always none in production. */
  readonly house: HouseMode;
  readonly isThrottled: boolean;
  /** Request rates, used if rates are limited. */
  readonly rates: ThrottleRates;
  readonly logLevel: LogLevel;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly acceptClock: boolean;
  /** Records after which a snapshot is made in the background; 0 = never. */
  readonly snapshotEvery: number;
  readonly adminToken: string;
  /** Gives access to /metrics only, as the admin token does too; undefined if none was set. */
  readonly metricsToken: string | undefined;
  readonly engine: EngineSettings;
  readonly streams: StreamSettings;
}

/** The admin token of development, printed by its banner and publicly known. */
export const DEVELOPMENT_ADMIN_TOKEN = 'dev-admin';
/** The amount that development credits to each wallet of a new owner: 10,000 units. */
const DEVELOPMENT_CREDIT_MICRO = 10_000_000_000;
const DATA_DIR_DEFAULT = '.outcry';
const TOKEN_CHARACTERS_MIN = 16;
/** This many records replay within seconds. */
const SNAPSHOT_EVERY_DEFAULT = 250_000;

/** Whether an address to listen on is reachable from this machine only. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return name === 'localhost' || name === '::1' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
}

/** Whether this is a developer's own exchange: in development, on an address that no other machine can reach. */
export function isPrivate(mode: ServerConfig['mode'], host: string): boolean {
  return mode === 'development' && isLoopback(host);
}

/** The contracts of the chain, with those that the file overrides. */
function contractsOf(settings: Settings): ChainContracts {
  try {
    // exactOptionalPropertyTypes: zod's partial objects allow undefined, which no validated value is.
    return chainContracts(settings.chain ?? 137, settings.contracts as Partial<ChainContracts> | undefined);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return fatal('usage', `${error.message} Set contracts in the configuration file.`);
  }
}

/**
 * The contracts of the chain. Ends with a sentence if what clients sign could be replayed at the live venue and nobody has
 * accepted that.
 */
function chooseContracts(mode: ServerConfig['mode'], host: string, settings: Settings): ChainContracts {
  const isOpen = !isPrivate(mode, host);
  const where = mode === 'production' ? 'serve' : `--host ${host}, which other machines can reach,`;
  if (isOpen && settings.chain === undefined) {
    fatal('usage', `${where} needs --chain: the chain id that orders are signed for, such as 80002.`);
  }
  const contracts = contractsOf(settings);
  if (isOpen && isLiveVenuesChain(contracts) && settings.iKnowSignaturesAreReplayable !== true) {
    fatal(
      'usage',
      `${where} refuses chain 137: orders signed for its stock contracts, and the signatures that create API keys, ` +
        'whatever the contracts, are also valid at the live venue. ' +
        'Use another --chain, or add --i-know-signatures-are-replayable.',
    );
  }
  return contracts;
}

/** The source of a setting, as sentences name it. */
type SourceOf = (key: SettingKey) => string;

/** True means calm, false none. A venue has no house: the house's keys are public, and its money is created from nothing. */
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

/** Allows the publicly known token only if no other machine can reach the exchange. */
function chooseAdminToken(
  mode: ServerConfig['mode'],
  host: string,
  given: string | undefined,
  sourceOf: SourceOf,
): string {
  if (isPrivate(mode, host)) return given ?? DEVELOPMENT_ADMIN_TOKEN;
  const who = mode === 'production' ? 'serve' : `start on ${host}, which other machines can reach,`;
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

/** Unlike the admin token it is optional, since the admin token also opens /metrics. */
function chooseMetricsToken(
  mode: ServerConfig['mode'],
  host: string,
  given: string | undefined,
  sourceOf: SourceOf,
): string | undefined {
  if (!isPrivate(mode, host) && given !== undefined) requireLongToken(sourceOf('metricsToken'), given);
  return given;
}

/** The configuration of a command's exchange, which is always on disk. */
export type CommandConfig = ServerConfig & { readonly dataDir: string };

/** The configuration of the commands that work on a data directory. */
export type ToolConfig = Pick<CommandConfig, 'dataDir' | 'contracts' | 'isJson'>;

/**
 * The configuration of a command that starts no exchange. It accepts a venue's file and variables as they are, and does not
 * require what only an exchange needs: a token, or a chain.
 * @throws FatalError (usage) as resolveConfig does for a value that is invalid in itself
 */
export function resolveToolConfig(flags: Flags, env: Environment, folder: string): ToolConfig {
  const { settings } = readSettings(flags, env, folder);
  return {
    dataDir: settings.dataDir ?? DATA_DIR_DEFAULT,
    contracts: contractsOf(settings),
    isJson: settings.json ?? false,
  };
}

/** The operator's token for a running exchange. @throws FatalError (usage) as above */
export function resolveAdminToken(flags: Flags, env: Environment, folder: string): string {
  return readSettings(flags, env, folder).settings.adminToken ?? DEVELOPMENT_ADMIN_TOKEN;
}

/**
 * The configuration of a command from flags, then environment, then file, then defaults.
 * @param folder where the configuration file is looked for if `--config` names none
 * @throws FatalError (usage) with a sentence for any value or key that is not allowed
 */
export function resolveConfig(
  mode: ServerConfig['mode'],
  flags: Flags,
  env: Environment,
  folder: string,
): CommandConfig {
  return configOf(mode, readSettings(flags, env, folder));
}

/** The configuration of a development exchange that a program creates. @throws FatalError (usage) as above */
export function resolveGiven(given: GivenSettings): ServerConfig {
  return configOf('development', readGiven(given));
}

function configOf(mode: ServerConfig['mode'], { settings, sourceOf }: ReadSettings): CommandConfig {
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
    // as above: no validated value is undefined
    walletConstants: { ...WALLET_CONSTANTS, ...(settings.wallets as Partial<WalletConstants> | undefined) },
    seed: settings.seed ?? 1,
    house: chooseHouse(mode, settings.house, sourceOf),
    isThrottled: settings.throttle ?? !isDevelopment,
    rates: { ...throttleRows, ...(settings.rates as Partial<ThrottleRates> | undefined) }, // as above
    logLevel:
      isQuiet && settings.logLevel !== 'silent' ? 'error' : (settings.logLevel ?? (isDevelopment ? 'warn' : 'info')),
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
