// The bench of the streams: `npm run bench:streams`. (1) deliveries a second to thousands of sockets beside uWebSockets.js
// alone publishing the same frames, alternately; (2) the time from a fill to its frame at 2,000 orders a second, beside an
// echo over the same socket under the same load; (3) what 1,000 sockets that stop reading cost the others and the memory.
// Prints the figures with the machine and writes them to a JSON file; a floor that is not reached is said, never failed.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ClientQuestion, Cost, Published, ServerQuestion, Watched } from './fanOut/question.ts';
import { machine, percentile, type Spread, spread } from './lib/statistics.ts';
import { figure, spreadText, table } from './lib/table.ts';
import { type Child, startChild } from './lib/talk.ts';

const DELIVERY_FLOOR = 0.9;
const LATENCY_CEILING = 3;
const SLOW_CEILING = 2;
const MEMORY_MIB_MAX = 128;
const BATCH = 16;
const ROUNDS_A_STEP = 10;

const EXCHANGE = join(import.meta.dirname, './fanOut/exchange.ts');
const PUBLISHER = join(import.meta.dirname, './fanOut/publisher.ts');
const SUBSCRIBERS = join(import.meta.dirname, './fanOut/subscribers.ts');
const folder = mkdtempSync(join(tmpdir(), 'outcry-streams-bench-'));
const framesFile = join(folder, 'frames');
const subscription = (market: number): string =>
  JSON.stringify({
    type: 'market',
    assets_ids: [2 * market + 1_000, 2 * market + 1_001].map(String),
    initial_dump: false,
  });

const askServer = <T>(server: Child, question: ServerQuestion) => server.ask(question) as Promise<T>; // as its file answers
const askClient = <T>(client: Child, question: ClientQuestion) => client.ask(question) as Promise<T>; // as its file answers

async function withServer<T>(
  file: string,
  markets: number,
  use: (server: Child, port: number) => Promise<T>,
): Promise<T> {
  const server = startChild(file);
  try {
    return await use(server, await askServer<number>(server, { kind: 'start', markets, framesFile }));
  } finally {
    server.end();
  }
}

/** Wire bytes of a text frame whose payload has so many. */
const wireBytes = (payload: number): number => payload + (payload < 126 ? 2 : payload < 65_536 ? 4 : 10);

/** What `steps` steps take until every socket has them; the next step is published while the last is on its way. */
async function timeSteps(server: Child, client: Child, steps: number, isPayload: boolean): Promise<Taken> {
  const before = await askServer<Cost>(server, { kind: 'cost' });
  const startMs = performance.now();
  let bytes = 0;
  let arriving: Promise<number> = Promise.resolve(0);
  for (let step = 0; step < steps; step += 1) {
    const question = { kind: 'publish', rounds: ROUNDS_A_STEP, batch: BATCH, pauseMs: 0 } as const;
    const { frameBytes } = await askServer<Published>(server, question);
    bytes += frameBytes.reduce((sum, length) => sum + (isPayload ? wireBytes(length) : length), 0);
    const closed = await arriving;
    if (closed > 0) throw new Error(`${closed} sockets were closed while they should have read.`);
    arriving = askClient<number>(client, { kind: 'await', bytes });
  }
  await arriving;
  const seconds = (performance.now() - startMs) / 1_000;
  const after = await askServer<Cost>(server, { kind: 'cost' });
  return { seconds, cpuSeconds: (after.cpuMs - before.cpuMs) / 1_000 };
}

/** Time on the clock, and of the server's processor. */
interface Taken {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

interface Deliveries {
  readonly subscribers: number;
  readonly ours: Spread;
  readonly bare: Spread;
  readonly ratio: Spread;
  /** Bare processor time for a delivery over the exchange's: what the ratio is where processors are not shared. */
  readonly cpuRatio: Spread;
}

async function benchDeliveries(subscribers: number, rounds: number): Promise<Deliveries> {
  const steps = Math.max(4, Math.round(40_000 / subscribers));
  const messages = steps * ROUNDS_A_STEP * BATCH * subscribers;
  const ours: Taken[] = [];
  const bare: Taken[] = [];
  const client = startChild(SUBSCRIBERS);
  const connect = (port: number) =>
    askClient(client, { kind: 'connect', port, count: subscribers, message: subscription(0), isPaused: false });
  for (let round = 0; round < rounds; round += 1) {
    process.stderr.write(`deliveries to ${subscribers}: round ${round + 1} of ${rounds}\n`);
    await withServer(EXCHANGE, 1, async (server, port) => {
      await connect(port);
      ours.push(await timeSteps(server, client, steps, false));
    });
    await withServer(PUBLISHER, 1, async (server, port) => {
      await connect(port);
      bare.push(await timeSteps(server, client, steps, true));
    });
  }
  client.end();
  return {
    subscribers,
    ours: spread(ours.map(({ seconds }) => messages / seconds)),
    bare: spread(bare.map(({ seconds }) => messages / seconds)),
    ratio: spread(ours.map(({ seconds }, at) => bare[at].seconds / seconds)),
    cpuRatio: spread(ours.map(({ cpuSeconds }, at) => bare[at].cpuSeconds / cpuSeconds)),
  };
}

const quantiles = (values: readonly number[]) => {
  const sorted = Float64Array.from(values).sort();
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) };
};

/** Milliseconds from a fill's durability, and from its order, to its frame; and of an echo under the same load. */
async function benchLatency(ordersPerSecond: number, seconds: number) {
  const markets = 100;
  return withServer(EXCHANGE, markets, async (server, port) => {
    const [client, crowd] = [startChild(SUBSCRIBERS), startChild(SUBSCRIBERS)];
    await askClient(crowd, { kind: 'connect', port, count: 200, message: subscription(1), isPaused: false });
    await askServer(server, { kind: 'steady', ordersPerSecond, seconds: 2 });
    await askClient(client, { kind: 'watch', port, message: subscription(0) });
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

/** The delays of live sockets, alone and beside as many that stopped reading, and what those take of the memory. */
async function benchSlow(count: number) {
  return withServer(EXCHANGE, 1, async (server, port) => {
    const [live, paused] = [startChild(SUBSCRIBERS), startChild(SUBSCRIBERS)];
    const connect = { kind: 'connect', port, count, message: subscription(0) } as const;
    const publish = { kind: 'publish', rounds: 150, batch: 32, pauseMs: 20 } as const;
    const run = async (): Promise<readonly [number, number]> => {
      await askClient(live, { ...connect, isPaused: false });
      const { frameBytes, publishedMs } = await askServer<Published>(server, publish);
      await askClient(live, { kind: 'await', bytes: frameBytes.reduce((sum, bytes) => sum + bytes, 0) });
      return askClient<readonly [number, number]>(live, { kind: 'delays', frameBytes, publishedMs });
    };
    await run();
    const alone = await run();
    const before = await askServer<Cost>(server, { kind: 'cost' });
    await askClient(paused, { ...connect, isPaused: true });
    const beside = await run();
    const after = await askServer<Cost>(server, { kind: 'cost' });
    live.end();
    paused.end();
    return { count, alone, beside, memoryMiB: (after.residentBytes - before.residentBytes) / 1_048_576 };
  });
}

const verdict = (isReached: boolean): string => (isReached ? 'reached' : 'not reached');

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      subscribers: { type: 'string', default: '1000,10000' },
      seconds: { type: 'string', default: '20' },
      json: { type: 'string', default: join(import.meta.dirname, 'results/streams.json') },
    },
  });
  const where = machine();
  console.log(`${where.cpuModel}, ${where.cores} cores, Node ${where.node}, ${where.date}`);
  const deliveries: Deliveries[] = [];
  for (const count of values.subscribers.split(',').map(Number)) {
    deliveries.push(await benchDeliveries(count, Number(values.rounds)));
  }
  const rows = deliveries.map(({ subscribers, ours, bare, ratio, cpuRatio }) => [
    figure(subscribers),
    spreadText(ours),
    spreadText(bare),
    spreadText(ratio, 2),
    spreadText(cpuRatio, 2),
    verdict(ratio.median >= DELIVERY_FLOOR),
  ]);
  console.log(
    [
      '',
      'Deliveries a second, batches of 16',
      ...table(['sockets', 'exchange', 'bare uWS', 'ratio', 'by processor time', '≥ 0.9'], rows),
    ].join('\n'),
  );
  const latency = await benchLatency(2_000, Number(values.seconds));
  const { fill, order, echo } = latency;
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
  const slow = await benchSlow(1_000);
  const ratio = slow.beside[1] / slow.alone[1];
  console.log(
    `\n${slow.count} paused beside ${slow.count} live sockets: delivery p99 ${figure(slow.alone[1], 1)} ms alone, ` +
      `${figure(slow.beside[1], 1)} ms beside (${figure(ratio, 2)}×, at most ${SLOW_CEILING}: ${verdict(ratio <= SLOW_CEILING)}); ` +
      `memory +${figure(slow.memoryMiB)} MiB (at most ${MEMORY_MIB_MAX}: ${verdict(slow.memoryMiB <= MEMORY_MIB_MAX)})`,
  );
  mkdirSync(join(import.meta.dirname, 'results'), { recursive: true });
  writeFileSync(values.json, `${JSON.stringify({ machine: where, deliveries, latency, slow }, null, 2)}\n`);
  rmSync(folder, { recursive: true, force: true });
}

await main();
