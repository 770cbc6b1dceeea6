// The one table of settings: the allowed values of each, its flag, its variable and its key in the file, and how the three
// are read. Called by config.ts, which makes a configuration of them, and by cli.ts for --help. It opens only the
// configuration file and never prints: an invalid value becomes a fatal sentence with the source, the value and what is
// allowed. Values of secrets are never shown: terminal output ends up in logs.
import { lstatSync } from 'node:fs';
import { z } from 'zod';
import { contractNames } from '../auth/contracts.ts';
import { isAddress, isBytes32 } from '../auth/hex.ts';
import { isFields } from '../lib/jsonFields.ts';
import { isNetwork } from '../lib/networks.ts';
import { fatal } from '../process/fatal.ts';
import { durationMs } from './durations.ts';
import { readJsonFile } from './jsonFile.ts';
import { nearestWord } from './nearest.ts';
import { parseRateWindows, RATE_WINDOWS_FORM, type RateWindow, throttleRowNames } from './throttleTable.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const HOUSE_MODES = ['none', 'calm', 'busy'] as const;
export type HouseMode = (typeof HOUSE_MODES)[number];

export const CONFIG_FILE = 'outcry.config.json';

const TEXT = 'must be text';
const addressText = z.string('must be 0x and 40 hex digits').refine(isAddress, 'must be 0x and 40 hex digits');
const TOKEN_FORM = 'must be 1 to 512 visible ASCII characters without spaces';
const tokenText = z.string(TOKEN_FORM).regex(/^[\x21-\x7e]{1,512}$/, TOKEN_FORM);
const hashText = z.string('must be 0x and 64 hex digits').refine(isBytes32, 'must be 0x and 64 hex digits');
const HOST_NAME = /^[A-Za-z0-9._:[\]-]{1,253}$/;
const HOST_FORM = 'must be a host name or an IP address';
const NETWORK_FORM = 'must be an IP address, or a network such as 10.0.0.0/8 or fd00::/8';
const OBJECT = 'must be an object';
const YES_OR_NO = 'must be true or false';

const whole = (min: number, max = Number.MAX_SAFE_INTEGER) => {
  const form = `must be a whole number from ${min} to ${max}`;
  return z.int(form).min(min, form).max(max, form);
};

const DELAY_FORM = 'must be 0 or a duration in ms, s, m, h or d, such as 2s';
const delayText = z.preprocess(
  (value) => (value === 0 ? '0' : value), // only 0 needs no unit, so a file may give it as a number
  z
    .string(DELAY_FORM)
    .regex(/^(0|[1-9][0-9]{0,8}(ms|[smhd]))$/, DELAY_FORM)
    .refine((text) => durationMs(text) <= DURATION_MS_MAX, 'must be at most 3650d'),
);
const rateField = z.string(RATE_WINDOWS_FORM).transform((text, context): readonly RateWindow[] => {
  const windows = parseRateWindows(text);
  if (windows !== undefined) return windows;
  context.addIssue({ code: 'custom', message: RATE_WINDOWS_FORM });
  return z.NEVER;
});
const networksText = z
  .array(z.string(NETWORK_FORM).refine(isNetwork, NETWORK_FORM), 'must be a list of addresses and networks')
  .min(1, 'must name at least one address or network, or be left out');

const SHOWN_CHARACTERS_MAX = 200;
const SNAPSHOT_EVERY_MIN = 1_000;
const SNAPSHOT_EVERY_FORM = 'must be 0 or a whole number of at least 1000';
const WINDOW_FORM = 'must be a duration in s, m, h or d, such as 24h';
const HEARTBEAT_FORM = 'must be a duration in ms, s, m or h, such as 10s';
const HEARTBEAT_MS_MAX = 3_600_000;
const DURATION_MS_MAX = 3_650 * 86_400_000;

/** The settings by their key in the file; undefined if not given. */
const settingsSchema = z.strictObject({
  port: whole(0, 65_535),
  host: z.string(HOST_FORM).regex(HOST_NAME, HOST_FORM),
  allowHost: z.array(z.string(HOST_FORM).regex(HOST_NAME, HOST_FORM), 'must be a list of host names'),
  ipAllowlist: networksText,
  trustedProxies: networksText,
  dataDir: z.string(TEXT).regex(/^[^\0]+$/, 'must name a folder'),
  chain: whole(1),
  seed: whole(0),
  house: z.union([z.boolean(), z.enum(HOUSE_MODES)], `must be ${HOUSE_MODES.join(', ')}, true or false`),
  throttle: z.boolean(YES_OR_NO),
  rates: z.strictObject(Object.fromEntries(throttleRowNames.map((row) => [row, rateField])), OBJECT).partial(),
  logLevel: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`),
  json: z.boolean(YES_OR_NO),
  quiet: z.boolean(YES_OR_NO),
  acceptClock: z.boolean(YES_OR_NO),
  snapshotEvery: z
    .int(SNAPSHOT_EVERY_FORM)
    .refine((count) => count === 0 || count >= SNAPSHOT_EVERY_MIN, SNAPSHOT_EVERY_FORM),
  orderWindow: z
    .string(WINDOW_FORM)
    .regex(/^[1-9][0-9]{0,8}[smhd]$/, WINDOW_FORM)
    .refine((text) => durationMs(text) <= DURATION_MS_MAX, 'must be at most 3650d'),
  minedDelay: delayText,
  confirmedDelay: delayText,
  wsConnectionsPerIp: whole(1, 1_000_000),
  wsHeartbeat: z
    .string(HEARTBEAT_FORM)
    .regex(/^[1-9][0-9]{0,8}(ms|[smh])$/, HEARTBEAT_FORM)
    .refine((text) => durationMs(text) <= HEARTBEAT_MS_MAX, 'must be at most 1h'),
  adminToken: tokenText,
  metricsToken: tokenText,
  iKnowSignaturesAreReplayable: z.boolean(YES_OR_NO),
  contracts: z.strictObject(Object.fromEntries(contractNames.map((name) => [name, addressText])), OBJECT).partial(),
  wallets: z
    .strictObject(
      {
        proxyFactory: addressText,
        proxyInitCodeHash: hashText,
        safeFactory: addressText,
        safeInitCodeHash: hashText,
        depositFactory: addressText,
        depositBeacon: addressText,
        depositImplementation: addressText,
      },
      OBJECT,
    )
    .partial(),
});

/** Settings whose values must not appear in a log. */
const SECRETS: ReadonlySet<SettingKey> = new Set(['adminToken', 'metricsToken']);

const partialSettings = settingsSchema.partial();
export type Settings = z.infer<typeof partialSettings>;
/** Settings in the form of a configuration file. */
export type GivenSettings = z.input<typeof partialSettings>;
export type SettingKey = keyof typeof settingsSchema.shape;

/** The textual form of a setting (flags and environment). */
type TextKind = 'number' | 'text' | 'list' | 'boolean';

/** One option of the command line: the flag, its variable, how its text is parsed, and a line of --help. */
interface OptionRow {
  readonly key: SettingKey;
  readonly flags: readonly string[];
  readonly variable: string;
  readonly kind: TextKind;
  readonly help: readonly string[];
}

/** Settings available as flags and variables; `contracts`, `wallets` and `rates` are only in the file. */
export const optionTable: readonly OptionRow[] = [
  row('port', ['--port <number>'], 'number', ['port to listen on (default 8080)']),
  row('host', ['--host <address>'], 'text', ['address to listen on (default 127.0.0.1)']),
  row('allowHost', ['--allow-host <name>'], 'list', ['additional Host that a loopback development server accepts']),
  row('ipAllowlist', ['--ip-allowlist <networks>'], 'list', [
    'the only addresses and networks that may read user data',
  ]),
  row('trustedProxies', ['--trusted-proxies <networks>'], 'list', ['proxies whose X-Forwarded-For is trusted']),
  row('dataDir', ['--data-dir <folder>'], 'text', ['folder of the journal and the secret (default .outcry)']),
  row('chain', ['--chain <id>'], 'number', ['chain that orders are signed for (development on loopback: 137)']),
  row('seed', ['--seed <number>'], 'number', ['seed of all randomness in development (default 1)']),
  row('house', ['--house <mode>', '--no-house'], 'boolean', [
    `house liquidity in development: ${HOUSE_MODES.join(', ')} (default calm)`,
    'no house liquidity',
  ]),
  row('throttle', ['--throttle', '--no-throttle'], 'boolean', [
    'limit request rates (default in serve; set the limits with rates in the configuration file)',
    'do not limit request rates (default in start)',
  ]),
  row('logLevel', ['--log-level <level>'], 'text', [`one of ${LOG_LEVELS.join(', ')} (default warn; info in serve)`]),
  row('json', ['--json'], 'boolean', ['print the banner or the report of verify as one JSON object, and logs as JSON']),
  row('quiet', ['--quiet'], 'boolean', ['print errors only']),
  row('acceptClock', ['--accept-clock'], 'boolean', ['start even if the journal is ahead of the clock']),
  row('snapshotEvery', ['--snapshot-every <records>'], 'number', [
    'number of records between snapshots, which speed up the start (default 250000; 0: never)',
  ]),
  row('orderWindow', ['--order-window <duration>'], 'text', ['maximum age of a signed order (default 24h)']),
  row('minedDelay', ['--mined-delay <duration>'], 'text', ['time from MATCHED to MINED of a trade (default 0)']),
  row('confirmedDelay', ['--confirmed-delay <duration>'], 'text', [
    'time from MINED to CONFIRMED of a trade (default 0)',
  ]),
  row('wsConnectionsPerIp', ['--ws-connections-per-ip <number>'], 'number', [
    'maximum number of open WebSockets per address (default 1000)',
  ]),
  row('wsHeartbeat', ['--ws-heartbeat <duration>'], 'text', [
    'idle time after which a stream sends a heartbeat to sockets that ask for it (default 10s)',
  ]),
  row('adminToken', ['--admin-token <token>'], 'text', ['bearer token for /admin (development: dev-admin)']),
  row('metricsToken', ['--metrics-token <token>'], 'text', [
    'bearer token for /metrics, in addition to the admin token (development on loopback: not required unless set)',
  ]),
  row('iKnowSignaturesAreReplayable', ['--i-know-signatures-are-replayable'], 'boolean', [
    'allow chain 137, although orders and the signatures that create API keys are also valid at the live venue',
  ]),
];

/** Variables beginning with OUTCRY_ that are not settings. */
const OTHER_VARIABLES = ['OUTCRY_CONFIG', 'OUTCRY_SECRET', 'OUTCRY_RECORDED_DATA'];

function row(key: SettingKey, flags: readonly string[], kind: TextKind, help: readonly string[]): OptionRow {
  return { key, flags, variable: variableOf(key), kind, help };
}

function variableOf(key: string): string {
  return `OUTCRY_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

const flagOf = ({ flags }: OptionRow): string => flags[0].split(' ')[0];

/** The settings given on the command line: by key, as text or as the flag's boolean. */
export type Flags = Readonly<Record<string, string | readonly string[] | boolean | undefined>>;
export type Environment = Readonly<Record<string, string | undefined>>;

const YES_OR_NO_TEXTS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

function valueOfText(kind: TextKind, text: string): unknown {
  // A text that is not a safe integer stays text, so that its refusal shows what was typed.
  if (kind === 'number') return /^[0-9]{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text;
  if (kind === 'list') return text.split(',').map((part) => part.trim());
  if (kind === 'boolean') return YES_OR_NO_TEXTS.get(text.toLowerCase()) ?? text;
  return text;
}

/** Validates and stores a value for a key, or ends with a sentence that names its source. */
function assign(settings: Record<string, unknown>, key: SettingKey, source: string, value: unknown): void {
  const result = settingsSchema.shape[key].safeParse(value);
  if (result.success) {
    settings[key] = result.data;
    return;
  }
  const [issue] = result.error.issues;
  if (issue.code === 'unrecognized_keys') refuseUnknown(issue.keys[0], `${source}.`, keysOf(key));
  const place = issue.path.map((part) => (typeof part === 'number' ? `, entry ${part + 1},` : `.${String(part)}`));
  const found = SECRETS.has(key) ? 'its value is secret and not shown' : `it is ${shown(valueAt(value, issue.path))}`;
  fatal('usage', `${source}${place.join('')} ${issue.message}; ${found}.`);
}

/** A refused value, formatted for a sentence. */
function shown(value: unknown): string {
  let text: string;
  try {
    text = String(JSON.stringify(value));
  } catch (error) {
    if (error instanceof RangeError) return 'nested too deeply to show'; // the call stack overflowed
    throw error;
  }
  if (text.length <= SHOWN_CHARACTERS_MAX) return text;
  return `${text.slice(0, SHOWN_CHARACTERS_MAX)}… (${text.length} characters)`;
}

/** The part of a value at an issue's path. */
function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((part: unknown, key) => (part as Record<PropertyKey, unknown>)[key], value); // the issue was found there
}

function keysOf(key: SettingKey): readonly string[] {
  if (key === 'contracts') return Object.keys(settingsSchema.shape.contracts.shape);
  if (key === 'wallets') return Object.keys(settingsSchema.shape.wallets.shape);
  if (key === 'rates') return throttleRowNames;
  return [];
}

function refuseUnknown(name: string, prefix: string, known: readonly string[]): never {
  const nearest = nearestWord(name, known);
  const hint = nearest === undefined ? `Known settings: ${known.join(', ')}.` : `Did you mean ${nearest}?`;
  fatal('usage', `${prefix}${name} is not a setting. ${hint}`);
}

/**
 * Whether a path does not exist. An inaccessible file and a dangling link count as existing: their settings must not be
 * silently ignored.
 */
function isAbsent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** Validates settings by key; `source` precedes a key in sentences. */
function checkSettings(content: object, source: string): Settings {
  const settings: Record<string, unknown> = {};
  const known = Object.keys(settingsSchema.shape);
  for (const [key, value] of Object.entries(content)) {
    if (!known.includes(key)) refuseUnknown(key, source, known);
    assign(settings, key as SettingKey, `${source}${key}`, value); // just found among the keys
  }
  return settings;
}

function readFileSettings(path: string, isNamed: boolean): Settings {
  if (!isNamed && isAbsent(path)) return {};
  const content = readJsonFile(path);
  if (!isFields(content)) fatal('usage', `The configuration file ${path} must hold one JSON object.`);
  return checkSettings(content, `${path}: `);
}

function readEnvironment(env: Environment): Settings {
  const settings: Record<string, unknown> = {};
  const known = [...optionTable.map(({ variable }) => variable), ...OTHER_VARIABLES];
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith('OUTCRY_') || text === undefined || text === '') continue;
    const option = optionTable.find(({ variable }) => variable === name);
    if (option !== undefined) {
      assign(settings, option.key, name, valueOfText(option.kind, text));
      continue;
    }
    const fileKey = Object.keys(settingsSchema.shape).find((key) => variableOf(key) === name);
    if (fileKey !== undefined)
      fatal('usage', `${name} is not supported: ${fileKey} can only be set in the configuration file.`);
    if (!known.includes(name)) refuseUnknown(name, 'The variable ', known);
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
    const texts = Array.isArray(value) ? value.join(',') : value; // the flag of a list may be repeated
    assign(settings, option.key, flagOf(option), typeof texts === 'string' ? valueOfText(option.kind, texts) : texts);
  }
  return settings;
}

/** The configuration file to read, and whether it was named explicitly. */
function fileOf(flags: Flags, env: Environment, folder: string): { readonly path: string; readonly isNamed: boolean } {
  if (flags.config === '') fatal('usage', `--config must name a file; omit it to use ${CONFIG_FILE}, if it exists.`);
  // As with every variable, an empty value counts as not set.
  const named = typeof flags.config === 'string' ? flags.config : env.OUTCRY_CONFIG || undefined;
  return { path: named ?? `${folder}/${CONFIG_FILE}`, isNamed: named !== undefined };
}

/** The given settings, and the source of each as sentences name it: a flag, a variable, or a key and the file. */
export interface ReadSettings {
  readonly settings: Settings;
  readonly sourceOf: (key: SettingKey) => string;
}

/**
 * The given settings: flags take precedence over variables, variables over the file.
 * @param folder where the configuration file is looked for if neither `--config` nor OUTCRY_CONFIG names one
 * @throws FatalError (usage) with a sentence for any value or key that is not allowed
 */
export function readSettings(flags: Flags, env: Environment, folder: string): ReadSettings {
  const { path, isNamed } = fileOf(flags, env, folder);
  const ofFile = readFileSettings(path, isNamed);
  const ofEnvironment = readEnvironment(env);
  const ofFlags = readFlags(flags);
  const sourceOf = (key: SettingKey): string => {
    const option = optionTable.find((one) => one.key === key);
    if (option !== undefined && key in ofFlags) return flagOf(option);
    if (option !== undefined && key in ofEnvironment) return option.variable;
    return `${key} in ${path}`;
  };
  return { settings: { ...ofFile, ...ofEnvironment, ...ofFlags }, sourceOf };
}

/** Settings given by a program. @throws FatalError (usage) as readSettings does */
export function readGiven(given: GivenSettings): ReadSettings {
  return { settings: checkSettings(given, ''), sourceOf: (key) => key };
}
