// Configuration: the one table of settings, read from flags, environment and file, each value checked. Called by cli.ts
// before anything starts, and by tests. It opens nothing but the configuration file and never prints: what is wrong
// becomes a fatal sentence that names the source, the value and what is allowed.
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import type { EngineSettings } from '../engine/index.ts';
import { limits } from '../engine/index.ts';
import { type ChainContracts, chainContracts, isReplayableAtLiveVenue } from './auth/contracts.ts';
import { isAddress, isBytes32 } from './auth/hex.ts';
import { WALLET_CONSTANTS, type WalletConstants } from './auth/wallets.ts';
import { HOUSE_MODES, type HouseMode } from './dev/house/model.ts';
import { fatal } from './fatal.ts';
import { isNetwork } from './http/networks.ts';
import {
  parseRateWindows,
  RATE_WINDOWS_FORM,
  type RateWindow,
  type ThrottleRates,
  throttleRowNames,
  throttleRows,
} from './http/throttleTable.ts';
import { nearestWord } from './nearest.ts';
import { type StreamSettings, streamSettings } from './streams/limits.ts';

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

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The admin token of development, printed by its banner and known to everybody. */
export const DEVELOPMENT_ADMIN_TOKEN = 'dev-admin';
/** What development credits to each wallet of a new owner: 10,000 units. */
export const DEVELOPMENT_CREDIT_MICRO = 10_000_000_000;
export const CONFIG_FILE = 'outcry.config.json';
const TOKEN_CHARACTERS_MIN = 16;

const addressText = z.string().refine(isAddress, 'must be 0x and 40 hex digits');
const tokenText = z.string().regex(/^[\x21-\x7e]{1,512}$/, 'must be 1 to 512 visible ASCII characters without spaces');
const hashText = z.string().refine(isBytes32, 'must be 0x and 64 hex digits');
const HOST_NAME = /^[A-Za-z0-9._:[\]-]{1,253}$/;

const delayText = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,8}(ms|[smhd]))$/, 'must be 0, or a number with ms, s, m, h or d, such as 2s')
  .refine((text) => durationMs(text) <= DURATION_MS_MAX, 'must be at most 3650d');
const rateField = z.string(RATE_WINDOWS_FORM).transform((text, context): readonly RateWindow[] => {
  const windows = parseRateWindows(text);
  if (windows !== undefined) return windows;
  context.addIssue({ code: 'custom', message: RATE_WINDOWS_FORM });
  return z.NEVER;
});
const networksText = z
  .array(z.string().refine(isNetwork, 'must be an IP address, or a network such as 10.0.0.0/8 or fd00::/8'))
  .min(1, 'must name at least one address or network, or be left out');

/** The settings by their key in the file; `undefined` where nobody says anything. */
const settingsSchema = z.strictObject({
  port: z
    .int('must be a whole number from 0 to 65535')
    .min(0, 'must be 0 or more')
    .max(65_535, 'must be at most 65535'),
  host: z.string().regex(HOST_NAME, 'must be a host name or an IP address'),
  allowHost: z.array(z.string().regex(HOST_NAME, 'must be host names')),
  ipAllowlist: networksText,
  trustedProxies: networksText,
  dataDir: z.string().min(1, 'must name a folder'),
  chain: z.int('must be a whole number from 1').min(1, 'must be a whole number from 1'),
  seed: z.int('must be a whole number').min(0, 'must be 0 or more').max(Number.MAX_SAFE_INTEGER),
  house: z.union([z.boolean(), z.enum(HOUSE_MODES)], `must be ${HOUSE_MODES.join(', ')}, true or false`),
  throttle: z.boolean('must be true or false'),
  rates: z.strictObject(Object.fromEntries(throttleRowNames.map((row) => [row, rateField]))).partial(),
  logLevel: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`),
  json: z.boolean('must be true or false'),
  quiet: z.boolean('must be true or false'),
  acceptClock: z.boolean('must be true or false'),
  snapshotEvery: z
    .int('must be a whole number: 0, or from 1000')
    .refine((count) => count === 0 || count >= SNAPSHOT_EVERY_MIN, 'must be a whole number: 0, or from 1000')
    .max(Number.MAX_SAFE_INTEGER),
  orderWindow: z
    .string()
    .regex(/^[1-9][0-9]{0,8}[smhd]$/, 'must be a number with s, m, h or d, such as 24h')
    .refine((text) => durationMs(text) <= DURATION_MS_MAX, 'must be at most 3650d'),
  minedDelay: delayText,
  confirmedDelay: delayText,
  wsConnectionsPerIp: z.int('must be a whole number from 1').min(1, 'must be a whole number from 1').max(1_000_000),
  wsHeartbeat: z
    .string()
    .regex(/^[1-9][0-9]{0,8}(ms|[smh])$/, 'must be a number with ms, s, m or h, such as 10s')
    .refine((text) => durationMs(text) <= HEARTBEAT_MS_MAX, 'must be at most 1h'),
  adminToken: tokenText,
  metricsToken: tokenText,
  iKnowSignaturesAreReplayable: z.boolean('must be true or false'),
  contracts: z
    .strictObject({
      exchange: addressText,
      negRiskExchange: addressText,
      collateral: addressText,
      negRiskCollateral: addressText,
      conditionalTokens: addressText,
      negRiskAdapter: addressText,
    })
    .partial(),
  wallets: z
    .strictObject({
      proxyFactory: addressText,
      proxyInitCodeHash: hashText,
      safeFactory: addressText,
      safeInitCodeHash: hashText,
      depositFactory: addressText,
      depositBeacon: addressText,
      depositImplementation: addressText,
    })
    .partial(),
});

const partialSettings = settingsSchema.partial();
type Settings = z.infer<typeof partialSettings>;
type SettingKey = keyof typeof settingsSchema.shape;

/** How a setting is written as text (flags and environment). */
type TextKind = 'number' | 'text' | 'list' | 'boolean';

/** One row of the command line: the flag, its variable, how its text reads, and a line of --help. */
export interface OptionRow {
  readonly key: SettingKey;
  readonly flags: readonly string[];
  readonly variable: string;
  readonly kind: TextKind;
  readonly help: readonly string[];
}

/** Settings that flags and environment know; `contracts`, `wallets` and `rates` are for the file alone. */
export const optionTable: readonly OptionRow[] = [
  row('port', ['--port <number>'], 'number', ['port to listen on (default 8080)']),
  row('host', ['--host <address>'], 'text', ['address to listen on (default 127.0.0.1)']),
  row('allowHost', ['--allow-host <name>'], 'list', ['another Host that a loopback development server answers to']),
  row('ipAllowlist', ['--ip-allowlist <networks>'], 'list', ['addresses and networks that alone may read user data']),
  row('trustedProxies', ['--trusted-proxies <networks>'], 'list', ['proxies whose X-Forwarded-For is believed']),
  row('dataDir', ['--data-dir <folder>'], 'text', ['where journal and secret lie (default .outcry)']),
  row('chain', ['--chain <id>'], 'number', ['chain that orders are signed for (development on loopback: 137)']),
  row('seed', ['--seed <number>'], 'number', ['seed of everything that development makes at random (default 1)']),
  row('house', ['--house <mode>', '--no-house'], 'boolean', [
    `house liquidity in development: ${HOUSE_MODES.join(', ')} (default calm)`,
    'no house liquidity',
  ]),
  row('throttle', ['--throttle', '--no-throttle'], 'boolean', [
    'limit request rates (default in serve; values: rates in the configuration file)',
    'do not limit request rates (default in start)',
  ]),
  row('logLevel', ['--log-level <level>'], 'text', [`one of ${LOG_LEVELS.join(', ')}`]),
  row('json', ['--json'], 'boolean', ['print the banner as one JSON object, and logs as JSON']),
  row('quiet', ['--quiet'], 'boolean', ['print errors only']),
  row('acceptClock', ['--accept-clock'], 'boolean', ['start although the journal is ahead of the clock']),
  row('snapshotEvery', ['--snapshot-every <records>'], 'number', [
    'records after which a snapshot is made, for a fast start (default 250000; 0: never)',
  ]),
  row('orderWindow', ['--order-window <duration>'], 'text', ['how old a signed order may be (default 24h)']),
  row('minedDelay', ['--mined-delay <duration>'], 'text', ['how long a trade stays MATCHED before MINED (default 0)']),
  row('confirmedDelay', ['--confirmed-delay <duration>'], 'text', ['and MINED before CONFIRMED (default 0)']),
  row('wsConnectionsPerIp', ['--ws-connections-per-ip <number>'], 'number', [
    'WebSockets that one address may have open (default 1000)',
  ]),
  row('wsHeartbeat', ['--ws-heartbeat <duration>'], 'text', [
    'how long a stream is silent before it says where it stands (default 10s)',
  ]),
  row('adminToken', ['--admin-token <token>'], 'text', ['bearer token of /admin (development: dev-admin)']),
  row('metricsToken', ['--metrics-token <token>'], 'text', [
    'bearer token of /metrics, beside the admin token (development on loopback: where none is set, none is needed)',
  ]),
  row('iKnowSignaturesAreReplayable', ['--i-know-signatures-are-replayable'], 'boolean', [
    'allow chain 137 with the stock contracts, whose signed orders are valid at the live venue too',
  ]),
];

/** Variables beginning with OUTCRY_ that are no settings. */
const OTHER_VARIABLES = ['OUTCRY_CONFIG', 'OUTCRY_SECRET', 'OUTCRY_RECORDED_DATA'];
const HEARTBEAT_MS_MAX = 3_600_000;
/** So many records are replayed within seconds. */
const SNAPSHOT_EVERY_DEFAULT = 250_000;
const SNAPSHOT_EVERY_MIN = 1_000;
const DURATION_MS_MAX = 3_650 * 86_400_000;

function row(key: SettingKey, flags: readonly string[], kind: TextKind, help: readonly string[]): OptionRow {
  const variable = `OUTCRY_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
  return { key, flags, variable, kind, help };
}

const UNITS_MS: Readonly<Record<string, number>> = { '': 0, ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration such as 250ms, 90s, 15m, 24h or 7d; 0 needs no unit. */
function durationMs(text: string): number {
  const digits = /^[0-9]+/.exec(text)?.[0] ?? '';
  return Number(digits) * (UNITS_MS[text.slice(digits.length)] ?? Number.NaN);
}

/** What the command line gave: settings by key, as text or as the flag's boolean. */
export type Flags = Readonly<Record<string, string | readonly string[] | boolean | undefined>>;
export type Environment = Readonly<Record<string, string | undefined>>;

function valueOfText(kind: TextKind, text: string): unknown {
  if (kind === 'number') return /^[0-9]{1,16}$/.test(text) ? Number(text) : text;
  if (kind === 'list') return text.split(',').map((part) => part.trim());
  if (kind === 'boolean') return { true: true, false: false, '1': true, '0': false }[text.toLowerCase()] ?? text;
  return text;
}

/** Takes a value for a key over, or ends with a sentence that names where it came from. */
function assign(settings: Record<string, unknown>, key: SettingKey, source: string, value: unknown): void {
  const result = settingsSchema.shape[key].safeParse(value);
  if (result.success) {
    settings[key] = result.data;
    return;
  }
  const [issue] = result.error.issues;
  if (issue.code === 'unrecognized_keys') refuseUnknown(issue.keys[0], `${source}.`, keysOf(key));
  const path = issue.path.map((part) => `.${String(part)}`).join('');
  fatal('usage', `${source}${path} ${issue.message}; it is ${JSON.stringify(value)}.`);
}

function keysOf(key: SettingKey): readonly string[] {
  if (key === 'contracts') return Object.keys(settingsSchema.shape.contracts.shape);
  if (key === 'wallets') return Object.keys(settingsSchema.shape.wallets.shape);
  if (key === 'rates') return throttleRowNames;
  return [];
}

function refuseUnknown(name: string, prefix: string, known: readonly string[]): never {
  const nearest = nearestWord(name, known);
  const hint = nearest === undefined ? `Known are ${known.join(', ')}.` : `Did you mean ${nearest}?`;
  fatal('usage', `${prefix}${name} is not a setting. ${hint}`);
}

function readFileSettings(path: string, isNamed: boolean): Settings {
  if (!existsSync(path)) {
    if (isNamed) fatal('usage', `The configuration file ${path} does not exist.`);
    return {};
  }
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    fatal('usage', `The configuration file ${path} is not JSON: ${error instanceof Error ? error.message : error}.`);
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    fatal('usage', `The configuration file ${path} must hold one JSON object.`);
  }
  const settings: Record<string, unknown> = {};
  const known = Object.keys(settingsSchema.shape);
  for (const [key, value] of Object.entries(content)) {
    if (!known.includes(key)) refuseUnknown(key, `${path}: `, known);
    assign(settings, key as SettingKey, `${path}: ${key}`, value); // just found among the keys
  }
  return settings;
}

function readEnvironment(env: Environment): Settings {
  const settings: Record<string, unknown> = {};
  const known = [...optionTable.map(({ variable }) => variable), ...OTHER_VARIABLES];
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith('OUTCRY_') || text === undefined || text === '') continue;
    const option = optionTable.find(({ variable }) => variable === name);
    if (option !== undefined) assign(settings, option.key, name, valueOfText(option.kind, text));
    else if (!known.includes(name)) refuseUnknown(name, 'The variable ', known);
  }
  const { PORT: port } = env;
  if (settings.port === undefined && port !== undefined && port !== '') {
    assign(settings, 'port', 'PORT', valueOfText('number', port));
  }
  return settings;
}

function readFlags(flags: Flags): Settings {
  const settings: Record<string, unknown> = {};
  for (const option of optionTable) {
    const value = flags[option.key];
    if (value === undefined) continue;
    const name = option.flags[0].split(' ')[0];
    const texts = Array.isArray(value) ? value.join(',') : value; // a list's flag may be given more than once
    assign(settings, option.key, name, typeof texts === 'string' ? valueOfText(option.kind, texts) : texts);
  }
  return settings;
}

/** Whether an address to listen on can be reached from this machine alone. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return name === 'localhost' || name === '::1' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
}

/** Whether this is a developer's own exchange: in development, on an address that no other machine reaches. */
export function isPrivate(mode: ServerConfig['mode'], host: string): boolean {
  return mode === 'development' && isLoopback(host);
}

/** The contracts of the chain, refused where signed orders could be used at the live venue without anyone's will. */
function chooseContracts(mode: ServerConfig['mode'], host: string, settings: Settings): ChainContracts {
  const isOpen = !isPrivate(mode, host);
  const where = mode === 'production' ? 'serve' : `--host ${host}, which other machines can reach,`;
  if (isOpen && settings.chain === undefined) {
    fatal('usage', `${where} needs --chain: the chain id that orders are signed for, such as 80002.`);
  }
  let contracts: ChainContracts;
  try {
    // exactOptionalPropertyTypes: zod's partial objects say "or undefined", which no checked value is.
    contracts = chainContracts(settings.chain ?? 137, settings.contracts as Partial<ChainContracts> | undefined);
  } catch (error) {
    fatal('usage', error instanceof Error ? error.message : String(error));
  }
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

/** True means calm, false none. A venue has no house: its keys are public, and its money comes from nowhere. */
function chooseHouse(mode: ServerConfig['mode'], given: HouseMode | boolean | undefined): HouseMode {
  const isDevelopment = mode === 'development';
  const house = given ?? isDevelopment;
  const wanted = house === true ? 'calm' : house === false ? 'none' : house;
  if (wanted !== 'none' && !isDevelopment) fatal('usage', 'serve has no house liquidity: leave --house out.');
  return wanted;
}

/** The token that everybody knows is good enough only where nobody else can reach the exchange. */
function chooseAdminToken(mode: ServerConfig['mode'], host: string, given: string | undefined): string {
  if (isPrivate(mode, host)) return given ?? DEVELOPMENT_ADMIN_TOKEN;
  const who = mode === 'production' ? 'serve' : `start on ${host}, which others can reach,`;
  if (given === undefined) {
    fatal(
      'usage',
      `${who} needs an admin token: set OUTCRY_ADMIN_TOKEN, for example to the output of "openssl rand -hex 32".`,
    );
  }
  requireLongToken('admin', given);
  return given;
}

function requireLongToken(name: string, token: string): void {
  if (token.length >= TOKEN_CHARACTERS_MIN) return;
  fatal('usage', `The ${name} token has ${token.length} characters; it needs at least ${TOKEN_CHARACTERS_MIN}.`);
}

/** Unlike the admin token, it is never needed: the admin token opens /metrics too. */
function chooseMetricsToken(mode: ServerConfig['mode'], host: string, given: string | undefined): string | undefined {
  if (!isPrivate(mode, host) && given !== undefined) requireLongToken('metrics', given);
  return given;
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
  const named = typeof flags.config === 'string' ? flags.config : env.OUTCRY_CONFIG;
  const settings: Settings = {
    ...readFileSettings(named ?? `${folder}/${CONFIG_FILE}`, named !== undefined),
    ...readEnvironment(env),
    ...readFlags(flags),
  };
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
    dataDir: settings.dataDir ?? '.outcry',
    contracts: chooseContracts(mode, host, settings),
    // as above: no checked value is undefined
    walletConstants: { ...WALLET_CONSTANTS, ...(settings.wallets as Partial<WalletConstants> | undefined) },
    seed: settings.seed ?? 1,
    house: chooseHouse(mode, settings.house),
    isThrottled: settings.throttle ?? !isDevelopment,
    rates: { ...throttleRows, ...(settings.rates as Partial<ThrottleRates> | undefined) }, // as above
    logLevel: isQuiet ? 'error' : (settings.logLevel ?? (isDevelopment ? 'warn' : 'info')),
    isJson: settings.json ?? false,
    isQuiet,
    acceptClock: settings.acceptClock ?? false,
    snapshotEvery: settings.snapshotEvery ?? SNAPSHOT_EVERY_DEFAULT,
    adminToken: chooseAdminToken(mode, host, settings.adminToken),
    metricsToken: chooseMetricsToken(mode, host, settings.metricsToken),
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
