// Part c: POST /order a second over loopback, every signature verified, every answer durable, beside the rate that its
// parts allow when they run in sequence on one core: 1 / (verify + bare uWebSockets POST with parse + HMAC + apply), each
// measured in the same round. The exchange recovers signers on a second thread where there is a second processor, so it can
// exceed that bound there. The loader is a process of its own with requests signed ahead. Called by main.ts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, type Spread, spread } from './lib/statistics.ts';
import { figure, floorText, type Report, spreadText, table } from './lib/table.ts';
import type { Child } from './lib/talk.ts';
import type { LoadResult } from './load/connections.ts';
import { Loader } from './load/question.ts';
import { type ServerProcess, startExchange, startPostServer } from './load/servers.ts';
import { sumOf, THREAD_ROLES, type ThreadRole, type ThreadTimes, threadTimes, timesSince } from './load/threads.ts';
import { askParts, startParts } from './parts/question.ts';

const FLOOR = 0.7;
const WALLETS = 200;
/** Enough for a batch to gather while the previous one is flushed. */
const CONNECTIONS = 256;
const ORDERS_A_ROUND = 20_000;
const ORDERS_OPEN_LOOP = 10_000;
/** Requests to the bare server, which answers several times faster. */
const POSTS_A_ROUND = 60_000;
const PART_SLICES = 8;
/** The open loop sends at this share of the throughput measured before. */
const OPEN_LOOP_SHARE = 0.5;
const PLACED = '"success":true';
const EXCHANGE_FLAGS = ['--no-house', '--no-throttle', '--log-level', 'warn'];

interface OrdersOptions {
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
  /**
   * Processor time per request: of the exchange (all threads), of the bare server, and of the loader; NaN where the system
   * does not report it.
   */
  readonly orderBusyNs: number;
  readonly postBusyNs: number;
  readonly loaderBusyNs: number;
  /** The exchange's processor time by thread. */
  readonly threadsNs: ThreadTimes;
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
    exchange = await startExchange(dataDir, EXCHANGE_FLAGS);
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
  const postsBefore = threadTimes(bare.pid);
  for (let posts = 0; posts < POSTS_A_ROUND; posts += ORDERS_A_ROUND) {
    postSeconds += (await loader.load({ kind: 'closed', port: bare.port, ...run })).seconds;
  }
  const postBusyNs = sumOf(timesSince(postsBefore, bare.pid, POSTS_A_ROUND));
  const [ordersBefore, loaderBefore] = [threadTimes(exchange.pid), threadTimes(loader.pid)];
  const orders = await loader.load({ kind: 'closed', port: exchange.port, ...run });
  const threadsNs = timesSince(ordersBefore, exchange.pid, ORDERS_A_ROUND);
  const loaderBusyNs = sumOf(timesSince(loaderBefore, loader.pid, ORDERS_A_ROUND));
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
    orderBusyNs: sumOf(threadsNs),
    postBusyNs,
    loaderBusyNs,
    threadsNs,
  };
}

/** Every order of a run must have been placed: an exchange that refuses some would look fast. */
function faultsOf({ requests, good, firstBad }: LoadResult): string[] {
  if (good === requests) return [];
  return [`Of ${requests} orders ${requests - good} were not placed; the first answer: ${firstBad}`];
}

const THREAD_NAMES: Readonly<Record<ThreadRole, string>> = {
  main: 'main thread',
  recovery: 'recovery thread',
  historian: 'historian',
  LMDB: 'LMDB writer',
  V8: "V8's helpers (garbage, compiler)",
};

/** Median microseconds per order of each of the exchange's threads, and of the loader. */
function threadsText(rounds: readonly Round[]): string {
  const text = (name: string, read: (round: Round) => number): string =>
    `${name} ${figure(spread(rounds.map(read)).median / 1000, 1)}`;
  const threads = THREAD_ROLES.map((role) => text(THREAD_NAMES[role], ({ threadsNs }) => threadsNs[role]));
  return `${threads.join(', ')}; beside it the loader ${text('', ({ loaderBusyNs }) => loaderBusyNs).trim()}`;
}

function report(rounds: readonly Round[], open: LoadResult, perSecond: number, faults: readonly string[]): Report {
  const spreadOf = (read: (round: Round) => number): Spread => spread(rounds.map(read));
  const rate = (name: string, key: 'ordersPerSecond' | 'boundPerSecond' | 'postsPerSecond'): string[] => {
    const rates = spreadOf((round) => round[key]);
    return [name, spreadText(rates), figure(1e6 / rates.median, 1)];
  };
  const microseconds = (key: 'verifyNs' | 'hmacNs' | 'applyNs' | 'orderBusyNs' | 'postBusyNs'): Spread =>
    spreadOf((round) => round[key] / 1000);
  const part = (name: string, key: 'verifyNs' | 'hmacNs' | 'applyNs'): string[] => {
    const times = microseconds(key);
    return [name, figure(1e6 / times.median), spreadText(times, 1)];
  };
  const rows = [
    rate('POST /order, verified and durable', 'ordersPerSecond'),
    rate('bound by its parts', 'boundPerSecond'),
    part('  verify', 'verifyNs'),
    rate('  bare uWebSockets POST with parse', 'postsPerSecond'),
    part('  HMAC', 'hmacNs'),
    part('  apply', 'applyNs'),
  ];
  const ratio = spreadOf((round) => round.ordersPerSecond / round.boundPerSecond);
  const busyRatio = spreadOf(
    ({ verifyNs, hmacNs, applyNs, postBusyNs, orderBusyNs }) =>
      (verifyNs + hmacNs + applyNs + postBusyNs) / orderBusyNs,
  );
  const busy =
    `Processor time of all threads: ${spreadText(microseconds('orderBusyNs'), 1)} µs an order, ` +
    `${spreadText(microseconds('postBusyNs'), 1)} µs a bare POST; parts / order by this time, which other processes ` +
    `disturb less: ${spreadText(busyRatio, 3)}`;
  const byThread = `An order by thread, µs: ${threadsText(rounds)}.`;
  const latency =
    `Open loop at ${figure(perSecond)} orders a second: p50 ${figure(open.p50Ms, 2)} ms, p99 ${figure(open.p99Ms, 2)} ms ` +
    'from the intended send time.';
  const lines = [...table(['', 'a second', 'µs each'], rows), floorText('POST /order / bound', FLOOR, '', ratio, 3)];
  return {
    title: `c. Orders over loopback: ${CONNECTIONS} connections, medians of ${rounds.length} rounds (least to greatest)`,
    lines: [...lines, busy, byThread, latency],
    figures: { rounds, ratio, busyRatio, openLoop: { perSecond, p50Ms: open.p50Ms, p99Ms: open.p99Ms } },
    faults,
  };
}
