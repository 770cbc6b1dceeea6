// Part c: POST /order a second over loopback, every signature verified, every answer durable, beside the rate that its
// parts allow if they follow one another on one core: 1 / (verify + bare uWebSockets POST with parse + HMAC + apply), each
// measured in the same round. The loader is a process of its own with requests signed ahead. Called by main.ts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, type Spread, spread } from './lib/statistics.ts';
import { figure, floorText, type Report, spreadText, table } from './lib/table.ts';
import type { Child } from './lib/talk.ts';
import type { LoadResult } from './load/connections.ts';
import { Loader } from './load/question.ts';
import { type ServerProcess, startExchange, startPostServer } from './load/servers.ts';
import { askParts, startParts } from './parts/question.ts';

const FLOOR = 0.7;
const WALLETS = 200;
const CONNECTIONS = 64;
const ORDERS_A_ROUND = 20_000;
const ORDERS_OPEN_LOOP = 10_000;
/** Requests to the bare server: it answers several times faster. */
const POSTS_A_ROUND = 60_000;
const PART_SLICES = 8;
/** The open loop sends at this share of the throughput measured before. */
const OPEN_LOOP_SHARE = 0.5;
const PLACED = '"success":true';

export interface OrdersOptions {
  readonly rounds: number;
  readonly onProgress: (text: string) => void;
}

interface Round {
  readonly ordersPerSecond: number;
  readonly postsPerSecond: number;
  readonly verifyNs: number;
  readonly hmacNs: number;
  readonly applyNs: number;
  readonly boundPerSecond: number;
}

interface Stage {
  readonly exchange: ServerProcess;
  readonly bare: ServerProcess;
  readonly loader: Loader;
  readonly parts: Child;
}

/** Starts both servers and the loader, measures, and ends them again. */
export async function benchOrders(options: OrdersOptions): Promise<Report> {
  const { rounds, onProgress } = options;
  const dataDir = mkdtempSync(join(tmpdir(), 'outcry-bench-'));
  const loader = new Loader();
  const parts = startParts();
  let exchange: ServerProcess | undefined;
  let bare: ServerProcess | undefined;
  try {
    onProgress('orders: starting the exchange');
    exchange = await startExchange(dataDir);
    bare = await startPostServer();
    return await measure({ exchange, bare, loader, parts }, rounds, onProgress);
  } finally {
    loader.end();
    parts.end();
    await Promise.all([exchange?.stop(), bare?.stop()]);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function measure(stage: Stage, rounds: number, onProgress: OrdersOptions['onProgress']): Promise<Report> {
  const { loader, exchange } = stage;
  const faults: string[] = [];
  await loader.count({ kind: 'register', port: exchange.port, wallets: WALLETS });
  const measured: Round[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    onProgress(round === 0 ? 'orders: warming up' : `orders: round ${round} of ${rounds}`);
    const result = await measureRound(stage, faults);
    if (round > 0) measured.push(result);
  }
  onProgress('orders: latency');
  const perSecond = OPEN_LOOP_SHARE * spread(measured.map((round) => round.ordersPerSecond)).median;
  await loader.count({ kind: 'sign', orders: ORDERS_OPEN_LOOP });
  const run = { port: exchange.port, connections: CONNECTIONS, mark: PLACED, from: 0, to: ORDERS_OPEN_LOOP };
  const open = await loader.load({ kind: 'open', perSecond, ...run });
  faults.push(...faultsOf(open));
  return report(measured, open, perSecond, faults);
}

async function measureRound({ exchange, bare, loader, parts }: Stage, faults: string[]): Promise<Round> {
  await loader.count({ kind: 'sign', orders: ORDERS_A_ROUND });
  const run = { connections: CONNECTIONS, mark: PLACED, from: 0, to: ORDERS_A_ROUND };
  let postSeconds = 0;
  for (let posts = 0; posts < POSTS_A_ROUND; posts += ORDERS_A_ROUND) {
    postSeconds += (await loader.load({ kind: 'closed', port: bare.port, ...run })).seconds;
  }
  const orders = await loader.load({ kind: 'closed', port: exchange.port, ...run });
  faults.push(...faultsOf(orders));
  const times = await askParts(parts, ['verify', 'hmac', 'apply'], PART_SLICES);
  const [verifyNs, hmacNs, applyNs] = [median(times.verify), median(times.hmac), median(times.apply)];
  const postsPerSecond = POSTS_A_ROUND / postSeconds;
  return {
    ordersPerSecond: orders.requests / orders.seconds,
    postsPerSecond,
    verifyNs,
    hmacNs,
    applyNs,
    boundPerSecond: 1e9 / (verifyNs + hmacNs + applyNs + 1e9 / postsPerSecond),
  };
}

/** Every order of a run must have been placed: an exchange that refuses some would look fast. */
function faultsOf({ requests, good, firstBad }: LoadResult): string[] {
  if (good === requests) return [];
  return [`Of ${requests} orders ${requests - good} were not placed; the first answer: ${firstBad}`];
}

function report(rounds: readonly Round[], open: LoadResult, perSecond: number, faults: readonly string[]): Report {
  const of = (read: (round: Round) => number): Spread => spread(rounds.map(read));
  const microseconds = (read: (round: Round) => number): Spread => of((round) => read(round) / 1000);
  const ratio = of((round) => round.ordersPerSecond / round.boundPerSecond);
  const rate = (name: string, rates: Spread): string[] => [name, spreadText(rates), figure(1e6 / rates.median, 1)];
  const part = (name: string, times: Spread): string[] => [name, figure(1e6 / times.median), spreadText(times, 1)];
  const rows = [
    rate(
      'POST /order, verified and durable',
      of((round) => round.ordersPerSecond),
    ),
    rate(
      'bound by its parts',
      of((round) => round.boundPerSecond),
    ),
    part(
      '  verify',
      microseconds((round) => round.verifyNs),
    ),
    rate(
      '  bare uWebSockets POST with parse',
      of((round) => round.postsPerSecond),
    ),
    part(
      '  HMAC',
      microseconds((round) => round.hmacNs),
    ),
    part(
      '  apply',
      microseconds((round) => round.applyNs),
    ),
  ];
  const latency =
    `Open loop at ${figure(perSecond)} orders a second: p50 ${figure(open.p50Ms, 2)} ms, p99 ${figure(open.p99Ms, 2)} ms ` +
    'from the intended send time.';
  return {
    title: `c. Orders over loopback: ${CONNECTIONS} connections, medians of ${rounds.length} rounds (least to greatest)`,
    lines: [
      ...table(['', 'a second', 'µs each'], rows),
      floorText('POST /order / bound', FLOOR, '', ratio, 3),
      latency,
    ],
    figures: { rounds, ratio, openLoop: { perSecond, p50Ms: open.p50Ms, p99Ms: open.p99Ms } },
    faults,
  };
}
