// The streams bench, run by `npm run bench:streams`. (1) Deliveries a second to thousands of sockets, in turn with two
// yardsticks that publish the same frames by bare uWebSockets.js: one takes the same orders into the same engine and
// journal, the other has nothing else to do; (2) the time from a fill to its frame at 2,000 orders a second, beside an echo
// over the same socket; (3) what 1,000 sockets that stop reading cost in delay and memory, on the loopback and on one with
// network-sized packets. `--parts` runs some of these alone. It prints the figures with the machine and writes them to a
// JSON file; a round that a hypervisor disturbs is measured again, and a floor that is not reached is reported.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { nodeOptions } from '../.ci/nodeOptions.mjs';
import type { ClientQuestion, Cost, Published, ServerQuestion, Watched } from './fanOut/question.ts';
import { figuresFile, optionsOrUsage, wholeNumber } from './lib/options.ts';
import { pinApart } from './lib/pin.ts';
import { machine, machineText, percentile, type Spread, spread } from './lib/statistics.ts';
import { figure, spreadText, table } from './lib/table.ts';
import { type Child, startChild } from './lib/talk.ts';
import { DISTURBED, Undisturbed } from './lib/undisturbed.ts';

const DELIVERY_FLOOR = 0.9;
const LATENCY_CEILING = 3;
const SLOW_CEILING = 2;
const MEMORY_MIB_MAX = 128;
const SMALL_PACKETS = 'ip link set lo mtu 1500 up';
/** Runs with and without slow sockets, in turn: one hiccup of the machine decides the p99 of one run. */
const SLOW_PAIRS = 5;
const undisturbed = new Undisturbed(20);
const BATCH = 16;
/** Deliveries in a step, over all sockets; the flow of orders pauses between two steps. */
const DELIVERIES_A_STEP = 640_000;
const STEPS = 10;
/** Rounds to a single socket before the others connect, after which both sides run compiled code. */
const ROUNDS_TO_WARM = 2_000;
const ROUNDS_TO_RECORD = 10;

const EXCHANGE = join(import.meta.dirname, './fanOut/exchange.ts');
const PUBLISHER = join(import.meta.dirname, './fanOut/publisher.ts');
const SUBSCRIBERS = join(import.meta.dirname, './fanOut/subscribers.ts');
const folder = mkdtempSync(join(tmpdir(), 'outcry-streams-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const framesFile = join(folder, 'frames');
const subscription = (market: number): string =>
  JSON.stringify({
    type: 'market',
    assets_ids: [2 * market + 1_000, 2 * market + 1_001].map(String),
    initial_dump: false,
  });

const askServer = <T>(server: Child, question: ServerQuestion) => server.ask(question) as Promise<T>; // as its file answers
const askClient = <T>(client: Child, question: ClientQuestion) => client.ask(question) as Promise<T>; // as its file answers

/** The publishing process: the exchange, the same without streams, or a bare publisher. */
type Publisher = 'streams' | 'orders' | 'alone';
const PUBLISHERS = ['streams', 'orders', 'alone'] as const satisfies readonly Publisher[];

async function withServer<T>(
  publisher: Publisher,
  markets: number,
  use: (server: Child, port: number) => Promise<T>,
): Promise<T> {
  const server = startChild(publisher === 'alone' ? PUBLISHER : EXCHANGE);
  try {
    const isBare = publisher !== 'streams';
    return await use(server, await askServer<number>(server, { kind: 'start', markets, framesFile, isBare }));
  } finally {
    server.end();
  }
}

const PUBLISH = { kind: 'publish', batch: BATCH, pauseMs: 0, isRecorded: false } as const;

/** The time of all steps until every socket has their bytes; each step is published while the previous one is on its way. */
async function timeSteps(server: Child, client: Child, rounds: number): Promise<RunTime> {
  await askServer(server, { kind: 'prepare', orders: STEPS * rounds * BATCH });
  const before = await askServer<Cost>(server, { kind: 'cost' });
  const startMs = performance.now();
  let bytes = 0;
  let arriving: Promise<number> = Promise.resolve(0);
  for (let step = 0; step < STEPS; step += 1) {
    const { frameBytes } = await askServer<Published>(server, { ...PUBLISH, rounds });
    bytes += frameBytes.reduce((sum, length) => sum + length, 0);
    const closed = await arriving;
    if (closed > 0) throw new Error(`${closed} sockets were closed while they should have read.`);
    arriving = askClient<number>(client, { kind: 'await', bytes });
  }
  await arriving;
  const seconds = (performance.now() - startMs) / 1_000;
  const after = await askServer<Cost>(server, { kind: 'cost' });
  return { seconds, cpuSeconds: (after.cpuMs - before.cpuMs) / 1_000 };
}

/** Elapsed time, and the server's processor time. */
interface RunTime {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/** A yardstick: its deliveries a second, and the exchange's divided by them. */
interface Beside {
  readonly deliveries: Spread;
  readonly ratio: Spread;
  /** The yardstick's processor time per delivery over the exchange's: the ratio to expect where processors are not shared. */
  readonly cpuRatio: Spread;
}

interface Deliveries {
  readonly subscribers: number;
  readonly ours: Spread;
  /** Bare uWebSockets.js beside the same orders, and without any. */
  readonly orders: Beside;
  readonly alone: Beside;
}

/** Pins the server and its reader to a processor each; on one processor they would wait for each other. */
function keepApart(server: Child, client: Child): void {
  if (server.pid !== undefined && client.pid !== undefined) pinApart([server.pid, client.pid]);
}

async function benchDeliveries(subscribers: number, rounds: number): Promise<Deliveries> {
  const roundsAStep = Math.ceil(DELIVERIES_A_STEP / BATCH / subscribers);
  const messages = STEPS * roundsAStep * BATCH * subscribers;
  const runTimes: Record<Publisher, RunTime[]> = { streams: [], orders: [], alone: [] };
  const client = startChild(SUBSCRIBERS);
  const connect = (port: number, count: number) =>
    askClient(client, { kind: 'connect', port, count, message: subscription(0), isPaused: false, isInPasses: true });
  for (let round = 0; round < rounds; round += 1) {
    process.stderr.write(`deliveries to ${subscribers}: round ${round + 1} of ${rounds}\n`);
    for (let turn = 0; turn < PUBLISHERS.length; turn += 1) {
      // The order rotates; the exchange comes first in the first round, since it writes the frames that the others publish.
      const publisher = PUBLISHERS[(round + turn) % PUBLISHERS.length];
      await withServer(publisher, 1, async (server, port) => {
        await connect(port, 1);
        await askServer(server, { ...PUBLISH, rounds: ROUNDS_TO_WARM });
        await askServer(server, { ...PUBLISH, rounds: ROUNDS_TO_RECORD, isRecorded: publisher === 'streams' });
        keepApart(server, client);
        // Each run gets sockets of its own, since the bytes of a socket are counted from its beginning.
        const measured = await undisturbed.round(async () => {
          await connect(port, subscribers);
          return timeSteps(server, client, roundsAStep);
        });
        runTimes[publisher].push(measured);
      });
    }
  }
  client.end();
  const { streams } = runTimes;
  const deliveriesOf = (all: readonly RunTime[]): Spread => spread(all.map(({ seconds }) => messages / seconds));
  const beside = (bare: readonly RunTime[]): Beside => ({
    deliveries: deliveriesOf(bare),
    ratio: spread(streams.map(({ seconds }, at) => bare[at].seconds / seconds)),
    cpuRatio: spread(streams.map(({ cpuSeconds }, at) => bare[at].cpuSeconds / cpuSeconds)),
  });
  return { subscribers, ours: deliveriesOf(streams), orders: beside(runTimes.orders), alone: beside(runTimes.alone) };
}

function printDeliveries(deliveries: readonly Deliveries[]): void {
  const rows = deliveries.flatMap(({ subscribers, ours, orders, alone }) => {
    const row = (name: string, { deliveries: bare, ratio, cpuRatio }: Beside) =>
      [figure(subscribers), name, spreadText(bare), spreadText(ratio, 2), spreadText(cpuRatio, 2)] as const;
    return [
      [figure(subscribers), 'the exchange', spreadText(ours), '', '', ''],
      [...row('bare uWS, same orders', orders), verdict(orders.ratio.median >= DELIVERY_FLOOR)],
      [...row('bare uWS alone', alone), ''],
    ];
  });
  const heads = ['sockets', '', 'deliveries/s', 'exchange / it', 'by processor time', `≥ ${DELIVERY_FLOOR}`];
  console.log(['', 'Deliveries a second, batches of 16', ...table(heads, rows)].join('\n'));
}

const quantiles = (values: readonly number[]) => {
  const sorted = Float64Array.from(values).sort();
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) };
};

/** Milliseconds from a fill's durability, and from its order, to its frame; and of an echo under the same load. */
async function benchLatency(ordersPerSecond: number, seconds: number) {
  const markets = 100;
  return withServer('streams', markets, async (server, port) => {
    const [client, crowd] = [startChild(SUBSCRIBERS), startChild(SUBSCRIBERS)];
    await askClient(crowd, {
      kind: 'connect',
      port,
      count: 200,
      message: subscription(1),
      isPaused: false,
      isInPasses: false,
    });
    await askServer(server, { kind: 'steady', ordersPerSecond, seconds: 2 });
    await askClient(client, { kind: 'watch', port, message: subscription(0) });
    keepApart(server, client);
    const steady = { kind: 'steady', ordersPerSecond, seconds } as const;
    const sent = await askServer<{ fillsMs: number[]; sentMs: number[] }>(server, steady);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { tradesMs, echoMs } = await askClient<Watched>(client, { kind: 'stopWatch' });
    client.end();
    crowd.end();
    const count = Math.min(tradesMs.length, sent.fillsMs.length);
    const fill = quantiles(tradesMs.slice(0, count).map((at, index) => at - sent.fillsMs[index]));
    const order = quantiles(tradesMs.slice(0, count).map((at, index) => at - sent.sentMs[index]));
    return { fills: sent.fillsMs.length, frames: tradesMs.length, fill, order, echo: quantiles(echoMs) };
  });
}

/**
 * A run without the slow sockets, one right after they stopped reading, which the exchange cannot know yet, and a later
 * one: p50 and p99 of the delays, ms, and the memory that the slow sockets took.
 */
interface SlowPair {
  readonly alone: readonly [number, number];
  readonly first: readonly [number, number];
  readonly beside: readonly [number, number];
  readonly memoryMiB: number;
  /** The content of all sockets' system buffers on this machine, where the system reports it. */
  readonly buffersMiB: number | undefined;
}

interface Slow {
  readonly count: number;
  readonly pairs: readonly SlowPair[];
}

const PAGE_BYTES = 4_096;

/** System memory in TCP's buffers, MiB; undefined off Linux, which alone reports it. */
function buffersMiB(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const pages = /^TCP:.* mem (\d+)/m.exec(readFileSync('/proc/net/sockstat', 'utf8'))?.[1];
  return pages === undefined ? undefined : (Number(pages) * PAGE_BYTES) / 1_048_576;
}

/** The delays of live sockets, alone and beside as many that stopped reading, and the memory that those take. */
async function benchSlow(count: number): Promise<Slow> {
  return withServer('streams', 1, async (server, port) => {
    const [live, paused] = [startChild(SUBSCRIBERS), startChild(SUBSCRIBERS)];
    const connect = { kind: 'connect', port, count, message: subscription(0), isInPasses: false } as const;
    const publish = { ...PUBLISH, rounds: 150, batch: 32, pauseMs: 20 };
    const run = async (): Promise<readonly [number, number]> => {
      await askClient(live, { ...connect, isPaused: false });
      const { frameBytes, publishedMs } = await askServer<Published>(server, publish);
      await askClient(live, { kind: 'await', bytes: frameBytes.reduce((sum, bytes) => sum + bytes, 0) });
      return askClient<readonly [number, number]>(live, { kind: 'delays', frameBytes, publishedMs });
    };
    await run();
    keepApart(server, live);
    const pairs: SlowPair[] = [];
    for (let pair = 0; pair < SLOW_PAIRS; pair += 1) {
      pairs.push(
        await undisturbed.round(async () => {
          await askClient(paused, { ...connect, count: 0, isPaused: true });
          const alone = await run();
          const before = await askServer<Cost>(server, { kind: 'cost' });
          await askClient(paused, { ...connect, isPaused: true });
          const first = await run();
          const beside = await run();
          const after = await askServer<Cost>(server, { kind: 'cost' });
          const memoryMiB = (after.residentBytes - before.residentBytes) / 1_048_576;
          return { alone, first, beside, memoryMiB, buffersMiB: buffersMiB() };
        }),
      );
    }
    live.end();
    paused.end();
    return { count, pairs };
  });
}

/**
 * The same on a separate loopback with packets of 1,500 bytes, as networks have. With packets of 64 KiB the system lets
 * each socket hold a megabyte and more before its sender can tell that nobody reads. Undefined where the system does not
 * let a process have a network of its own.
 */
async function benchSlowInSmallPackets(): Promise<Slow | undefined> {
  const json = join(folder, 'slow.json');
  const self = [process.execPath, ...nodeOptions, import.meta.filename, '--parts', 'slow', '--json', json];
  try {
    await promisify(execFile)('unshare', ['-rn', 'sh', '-c', `${SMALL_PACKETS} && exec "$@"`, 'sh', ...self]);
  } catch (error) {
    console.log(`\nNo loopback with packets of 1,500 bytes: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
  return (JSON.parse(readFileSync(json, 'utf8')) as { slow: Slow }).slow; // as main() writes it
}

const verdict = (isReached: boolean): string => (isReached ? 'reached' : 'not reached');

function printLatency({ fill, order, echo }: Awaited<ReturnType<typeof benchLatency>>): void {
  const lines = [
    ['fill to frame', fill],
    ['order to frame', order],
    ['echo', echo],
  ] as const;
  const latencyRows = lines.map(([name, { p50, p99 }]) => [name, figure(p50, 2), figure(p99, 2)]);
  console.log(['', 'Milliseconds at 2,000 orders a second', ...table(['', 'p50', 'p99'], latencyRows)].join('\n'));
  const [p50, p99] = [fill.p50 / echo.p50, fill.p99 / echo.p99];
  const isFast = p50 <= LATENCY_CEILING && p99 <= LATENCY_CEILING;
  console.log(
    `fill to frame / echo: p50 ${figure(p50, 2)}, p99 ${figure(p99, 2)}; at most ${LATENCY_CEILING}: ${verdict(isFast)}`,
  );
}

function printSlow({ count, pairs }: Slow, where: string): void {
  const p99 = (of: 'alone' | 'first' | 'beside') => spread(pairs.map((pair) => pair[of][1]));
  const ratioTo = (of: 'first' | 'beside') => spread(pairs.map((pair) => pair[of][1] / pair.alone[1]));
  const besideText = (of: 'first' | 'beside'): string => {
    const reached = verdict(ratioTo(of).median <= SLOW_CEILING);
    return `${spreadText(p99(of), 1)} ms (${spreadText(ratioTo(of), 2)}×, at most ${SLOW_CEILING}: ${reached})`;
  };
  // A process keeps the memory it once took, so the first pair shows the largest growth.
  const memoryMiB = Math.max(...pairs.map((pair) => pair.memoryMiB));
  const buffers = pairs.flatMap((pair) => pair.buffersMiB ?? []);
  const inSystem = buffers.length === 0 ? '' : `, and ${figure(spread(buffers).median)} MiB of the system's buffers`;
  console.log(
    `\n${count} paused beside ${count} live sockets, ${where}: delivery p99 ${spreadText(p99('alone'), 1)} ms alone, ` +
      `${besideText('first')} in the seconds after they stopped, ${besideText('beside')} from then on; ` +
      `memory +${figure(memoryMiB)} MiB (at most ${MEMORY_MIB_MAX}: ${verdict(memoryMiB <= MEMORY_MIB_MAX)})${inSystem}`,
  );
}

const PARTS = ['deliveries', 'latency', 'slow', 'slowInSmallPackets'];
const USAGE = `npm run bench:streams -- [options]
  --parts A,B        some of ${PARTS.join(', ')}; default all
  --rounds N         rounds of deliveries, default 5
  --subscribers N,M  numbers of sockets to deliver to, default 1000,10000
  --seconds S        how long latencies are measured, default 20
  --json FILE        where the figures go, default bench/results/streams.json`;

function readOptions() {
  const { values } = parseArgs({
    options: {
      parts: { type: 'string', default: PARTS.join() },
      rounds: { type: 'string', default: '5' },
      subscribers: { type: 'string', default: '1000,10000' },
      seconds: { type: 'string', default: '20' },
      json: { type: 'string', default: join(import.meta.dirname, 'results/streams.json') },
    },
  });
  const parts = values.parts.split(',');
  const unknown = parts.find((part) => !PARTS.includes(part));
  if (unknown !== undefined) throw new RangeError(`--parts must be some of ${PARTS.join(', ')}, not ${unknown}.`);
  return {
    parts,
    rounds: wholeNumber('rounds', values.rounds),
    subscribers: values.subscribers.split(',').map((count) => wholeNumber('subscribers', count)),
    seconds: wholeNumber('seconds', values.seconds),
    json: figuresFile(values.json),
  };
}

async function main(): Promise<number> {
  const options = optionsOrUsage(readOptions, USAGE);
  if (options === undefined) return 2;
  const { parts, rounds, subscribers, seconds, json } = options;
  const where = machine();
  console.log(machineText(where));
  const counts = parts.includes('deliveries') ? subscribers : [];
  const deliveries: Deliveries[] = [];
  for (const count of counts) deliveries.push(await benchDeliveries(count, rounds));
  if (deliveries.length > 0) printDeliveries(deliveries);
  const latency = parts.includes('latency') ? await benchLatency(2_000, seconds) : undefined;
  if (latency !== undefined) printLatency(latency);
  const slow = parts.includes('slow') ? await benchSlow(1_000) : undefined;
  if (slow !== undefined) printSlow(slow, 'over the loopback');
  const slowInSmallPackets = parts.includes('slowInSmallPackets') ? await benchSlowInSmallPackets() : undefined;
  if (slowInSmallPackets !== undefined) printSlow(slowInSmallPackets, 'over packets of 1,500 bytes');
  console.log(`\n${DISTURBED}: ${undisturbed}`);
  const figures = { machine: where, deliveries, latency, slow, slowInSmallPackets };
  writeFileSync(json, `${JSON.stringify(figures, null, 2)}\n`);
  return 0;
}

process.exitCode = await main();
