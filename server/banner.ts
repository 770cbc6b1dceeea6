// The one screen that start-up prints: addresses and settings, the development wallets, how to point a client at it. Called by
// run.ts once the server answers. Its last word is "ready"; it never shows a secret that is not public anyway.
import { limits } from '../engine/index.ts';
import { DEVELOPMENT_ADMIN_TOKEN, type ServerConfig } from './config/config.ts';
import { type DevelopmentWallet, developmentWallets } from './dev/wallets.ts';
import { counted } from './lib/counted.ts';
import type { RunningServer } from './start.ts';
import { microText } from './wire/numbers.ts';
import { marketStatusText } from './wire/terms.ts';

const FACT_NAME_COLUMNS = 14;
/** Units of durations, in milliseconds, largest first. */
const UNITS_MS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** The number of markets by status, such as `{active: 44, resolved: 20}`. */
function marketCounts({ services }: RunningServer): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status } of services.views.markets.list()) {
    const name = marketStatusText(status);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

const walletsOf = ({ services }: RunningServer): readonly DevelopmentWallet[] =>
  services.config.mode === 'development' ? developmentWallets(services.wallets) : [];

/** The admin token if it is the public development token; undefined for one that the operator set. */
const publicToken = ({ adminToken }: ServerConfig): string | undefined =>
  adminToken === DEVELOPMENT_ADMIN_TOKEN ? adminToken : undefined;

/** The banner as one JSON object on one line. */
export function bannerJson(server: RunningServer): string {
  const { config } = server.services;
  const isDevelopment = config.mode === 'development';
  const wallets = walletsOf(server).map(({ index, address, privateKey, derived }) => ({
    index,
    address,
    private_key: privateKey,
    proxy: derived.proxy,
    safe: derived.safe,
    deposit_wallet: derived.depositBeacon,
    deposit_wallet_uups: derived.depositUups,
  }));
  return JSON.stringify({
    mode: config.mode,
    url: server.url,
    port: server.port,
    chain_id: config.contracts.chainId,
    exchange: config.contracts.exchange,
    neg_risk_exchange: config.contracts.negRiskExchange,
    data_dir: config.dataDir ?? null,
    markets: marketCounts(server),
    ...(isDevelopment && {
      house: config.house,
      admin_token: publicToken(config) ?? null,
      credit: microText(config.engine.creditMicro),
      wallets,
    }),
    ready: true,
  });
}

/** A whole number of seconds in the largest unit that divides it: "36 hours". */
function durationText(ms: number): string {
  const [unit, unitMs] = UNITS_MS.find(([, eachMs]) => ms % eachMs === 0) ?? ['second', 1_000];
  return counted(ms / unitMs, unit);
}

function factLines(server: RunningServer): readonly string[] {
  const { config } = server.services;
  const counts = Object.entries(marketCounts(server)).map(([status, count]) => `${count} ${status}`);
  const isDefaultWindow = config.engine.orderWindowMs === limits.orderWindowDefaultMs;
  const facts: readonly (readonly [string, string])[] = [
    ['URL', server.url],
    ['Interface', `${server.url}/docs`],
    ['Markets', counts.length === 0 ? 'none yet' : counts.join(', ')],
    ['Chain', `${config.contracts.chainId}, exchange ${config.contracts.exchange}`],
    ['Data', config.dataDir ?? 'in memory'],
    ...(config.mode === 'development'
      ? [['House', config.house] as const, ['Admin token', publicToken(config) ?? 'as configured'] as const]
      : []),
    ...(isDefaultWindow ? [] : [['Order window', durationText(config.engine.orderWindowMs)] as const]),
  ];
  return facts.map(([name, value]) => `  ${name.padEnd(FACT_NAME_COLUMNS)}${value}`);
}

/** The banner as human-readable text that ends with the line "ready". */
export function bannerText(server: RunningServer): string {
  const { config } = server.services;
  const wallets = walletsOf(server);
  const head = `Outcry, a prediction-market exchange of your own (${config.mode})`;
  if (wallets.length === 0) return [head, '', ...factLines(server), '', 'ready', ''].join('\n');
  const credit = microText(config.engine.creditMicro);
  return [
    head,
    '',
    `  Wallets: ${credit} collateral each, and the same amount in each derived proxy, Safe and deposit wallet.`,
    '  These keys are public. Any other wallet is credited the same when it creates its first API key.',
    ...wallets.map(({ index, address, privateKey }) => `  (${index}) ${address} ${privateKey}`),
    '',
    ...factLines(server),
    '',
    '  Connect @polymarket/clob-client-v2 (signer: a viem wallet client or an ethers wallet with a key from above):',
    `    const open = new ClobClient({ host: '${server.url}', chain: ${config.contracts.chainId}, signer });`,
    '    const creds = await open.createOrDeriveApiKey();',
    `    const client = new ClobClient({ host: '${server.url}', chain: ${config.contracts.chainId}, signer, creds });`,
    '',
    'ready',
    '',
  ].join('\n');
}
