// The cost of durability: the journal in LMDB beside the same group-commit loop writing the same bytes to a plain file, in
// alternating rounds of one run. It measures the latency of durable answers at a steady rate (commands as they come out of
// verification), and records a second when the disk is the limit. Run by npm run bench:durability (-- --rounds N --seconds S).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openExchange } from '../engine/index.ts';
import { type BatchStore, Journal, LmdbStore } from '../engine/journal/index.ts';
import { foundingCommands, restingOrders } from './durability/orders.ts';
import { PlainStore } from './durability/plainStore.ts';
import { optionsOrUsage, wholeNumber } from './lib/options.ts';
import { machine, median, percentile } from './lib/statistics.ts';

const RATE = 5_000;
const RECORD_BYTES = 800;
/** Records handed to the journal and not yet durable, when records a second are measured. */
const IN_FLIGHT = 2_000;
const LIMITS = { p50: 1.6, p99: 3, records: 0.8 } as const;
const settings = {
  orderWindowMs: 86_400_000,
  heartbeatWindowMs: 10_000,
  minedDelayMs: 0,
  confirmedDelayMs: 0,
  creditMicro: 0,
} as const;

type StoreName = 'lmdb' | 'plain file';
const storeOf = (name: StoreName, folder: string): BatchStore =>
  name === 'lmdb' ? new LmdbStore(folder) : new PlainStore(join(folder, 'plain'));

const inFolder = async <T>(run: (folder: string) => Promise<T>): Promise<T> => {
  const folder = mkdtempSync(join(tmpdir(), 'outcry-durability-'));
  try {
    return await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

interface Answers {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Latency of durable answers at a steady rate, measured from the intended send time of each command. */
function answersAt(name: StoreName, seconds: number, seed: number): Promise<Answers> {
  return inFolder(async (folder) => {
    const exchange = await openExchange(
      { dataDir: undefined, settings, followers: [] },
      { store: storeOf(name, folder) },
    );
    await Promise.all(foundingCommands().map((command) => exchange.submit(command)));
    const orders = restingOrders(seconds * RATE, seed, exchange.now());
    const latencies = new Float64Array(orders.length);
    const startMs = performance.now() + 5;
    let next = 0;
    await new Promise<void>((resolve, reject) => {
      let left = orders.length;
      const send = (): void => {
        const due = Math.min(orders.length, Math.floor(((performance.now() - startMs) * RATE) / 1000));
        for (; next < due; next += 1) {
          const at = next;
          exchange.submit(orders[at]).then(() => {
            latencies[at] = performance.now() - startMs - (at * 1000) / RATE;
            left -= 1;
            if (left === 0) resolve();
          }, reject);
        }
        if (next < orders.length) setImmediate(send);
      };
      send();
    });
    await exchange.close();
    const sorted = latencies.subarray(RATE / 2).toSorted();
    return { p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99) };
  });
}

/** Records a second with enough records in flight for large batches. */
function recordsPerSecond(name: StoreName, seconds: number): Promise<number> {
  return inFolder(async (folder) => {
    const command = new Uint8Array(RECORD_BYTES - 200).fill(1);
    const events = new Uint8Array(120).fill(2);
    let appended = 0;
    let durable = 0;
    let fill = (): void => {};
    const onDurable = (_: Uint8Array, count: number): void => {
      durable += count;
      fill();
    };
    const none = (): void => {};
    const onFatal = (error: Error): never => {
      throw error;
    };
    const journal = new Journal(storeOf(name, folder), { onDurable, onUnavailable: none, onAvailable: none, onFatal });
    const startMs = performance.now();
    const endMs = startMs + seconds * 1000;
    fill = () => {
      if (performance.now() > endMs) return;
      for (; appended - durable < IN_FLIGHT; appended += 1) {
        journal.append(appended + 1, 1_000 + appended, command, events, events.length);
      }
    };
    fill();
    await journal.drained();
    const rate = durable / ((performance.now() - startMs) / 1000);
    await journal.close(1_000);
    return rate;
  });
}

const USAGE = `npm run bench:durability -- [options]
  --rounds N     rounds of each store, default 5
  --seconds S    duration of a round, default 3`;

function readOptions(): { readonly rounds: number; readonly seconds: number } {
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '3' } },
  });
  return { rounds: wholeNumber('rounds', values.rounds), seconds: wholeNumber('seconds', values.seconds) };
}

const { rounds, seconds } = optionsOrUsage(readOptions, USAGE) ?? process.exit(2);
const ratios = { p50: [] as number[], p99: [] as number[], records: [] as number[] };
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const { cpuModel, cores, node } = machine();
print(`${cpuModel}, ${cores} cores, ${node}; ${rounds} rounds of ${seconds} s each, turn and turn about`);
for (let round = 0; round < rounds; round += 1) {
  const order: readonly StoreName[] = round % 2 === 0 ? ['lmdb', 'plain file'] : ['plain file', 'lmdb'];
  const answers = new Map<StoreName, Answers>();
  const records = new Map<StoreName, number>();
  for (const name of order) {
    answers.set(name, await answersAt(name, seconds, round + 1));
    records.set(name, await recordsPerSecond(name, Math.max(1, seconds / 2)));
  }
  const figures = (name: StoreName) => {
    const { p50Ms = Number.NaN, p99Ms = Number.NaN } = answers.get(name) ?? {};
    return { p50Ms, p99Ms, rate: records.get(name) ?? Number.NaN };
  };
  const [lmdb, plain] = [figures('lmdb'), figures('plain file')];
  for (const [name, { p50Ms, p99Ms, rate }] of [['LMDB', lmdb] as const, ['plain file', plain] as const]) {
    print(`  ${name.padEnd(10)} p50 ${p50Ms.toFixed(3)} ms, p99 ${p99Ms.toFixed(3)} ms, ${Math.round(rate)} records/s`);
  }
  ratios.p50.push(lmdb.p50Ms / plain.p50Ms);
  ratios.p99.push(lmdb.p99Ms / plain.p99Ms);
  ratios.records.push(lmdb.rate / plain.rate);
}
const [p50, p99, recordsRatio] = [median(ratios.p50), median(ratios.p99), median(ratios.records)];
print(
  `durable answer at ${RATE}/s, LMDB / plain file: p50 ${p50.toFixed(2)} (limit ${LIMITS.p50}), p99 ${p99.toFixed(2)} (limit ${LIMITS.p99})`,
);
print(`group commit, LMDB / plain file: ${recordsRatio.toFixed(2)} of its records/s (floor ${LIMITS.records})`);
process.exitCode = p50 <= LIMITS.p50 && p99 <= LIMITS.p99 && recordsRatio >= LIMITS.records ? 0 : 1;
