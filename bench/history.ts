// The history bench, run by `npm run bench:history`. A world of a million trades is built through the engine (or found,
// with --data), indexed from scratch, and queried: each endpoint beside reading the same rows by key from LMDB and
// stringifying them, long pages, stalls of the main thread, and memory. It prints a table and writes the figures with the
// machine to a JSON file. The exit status is 1 only when something failed; a floor that is not reached is reported and
// fails nothing: machines differ.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { tuneCompiler } from '../engine/compiler.ts';
import {
  type EndpointFigures,
  type Memory,
  measureEndpoints,
  measureLongPage,
  measureStall,
  memoryNow,
  rebuild,
  type Stall,
} from './history/measure.ts';
import type { WorldSize } from './history/names.ts';
import { ensureWorld, type World } from './history/world.ts';
import { figuresFile, optionsOrUsage, wholeNumber } from './lib/options.ts';
import { machine, machineText, median } from './lib/statistics.ts';
import { figure, table } from './lib/table.ts';
import { DISTURBED, Undisturbed } from './lib/undisturbed.ts';

const USAGE = `npm run bench:history -- [options]
  --trades N     trades of the world, default 1000000
  --wallets N    wallets, default 100000
  --markets N    markets, default 5000
  --data DIR     where the world is, or is built and kept; default a temporary folder
  --questions N  questions an endpoint, default 1000
  --json FILE    where the figures go, default bench/results/history.json`;

/** The bounds that the figures are compared with. */
const FLOORS = {
  endpointRatio: 10,
  longPageRatio: 3,
  stallMs: 5,
  tradesPerSecond: 100_000,
  residentMiB: 1024,
} as const;
const LONG_PAGES = 60;
const STALL_MS = 8_000;
/** Rounds of long pages in which stalls are measured, and how many may be repeated after a hypervisor's disturbance. */
const STALL_ROUNDS = 5;
const STALLS_AGAIN_MAX = 5;

interface Options extends WorldSize {
  readonly data: string | undefined;
  readonly questions: number;
  readonly json: string;
}

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      trades: { type: 'string', default: '1000000' },
      wallets: { type: 'string', default: '100000' },
      markets: { type: 'string', default: '5000' },
      data: { type: 'string' },
      questions: { type: 'string', default: '1000' },
      json: { type: 'string', default: join(import.meta.dirname, 'results/history.json') },
    },
  });
  const whole = (name: 'trades' | 'wallets' | 'markets' | 'questions'): number => wholeNumber(name, values[name], 10);
  const size = { trades: whole('trades'), wallets: whole('wallets'), markets: whole('markets') };
  return { ...size, data: values.data, questions: whole('questions'), json: figuresFile(values.json) };
}

const milliseconds = (value: number): string => figure(value, 3);

function endpointLines(figures: readonly EndpointFigures[]): string[] {
  const rows = figures.map(({ name, rows, ours, yardstick, ratio, undisturbedRatio }) => [
    ...[name, figure(rows, 1), milliseconds(ours.p50Ms), milliseconds(ours.p99Ms)],
    ...[milliseconds(yardstick.p50Ms), milliseconds(yardstick.p99Ms), figure(ratio, 2)],
    figure(undisturbedRatio, 2),
  ]);
  return table(['ms', 'rows', 'p50', 'p99', 'LMDB + JSON p50', 'p99', 'p99 ratio', 'undisturbed'], rows);
}

/** A line that compares a figure with its upper (or lower) bound. */
function bound(name: string, value: number, limit: number, unit: string, isMost = true): string {
  const verdict = (isMost ? value <= limit : value >= limit) ? 'reached' : 'not reached';
  const word = isMost ? 'at most' : 'at least';
  return `${name}: ${figure(value, 2)}${unit}; floor ${word} ${figure(limit)}${unit}: ${verdict}`;
}

interface Measured {
  readonly indexing: {
    readonly seconds: number;
    /** Processor time of the whole process meanwhile, which excludes that of other processes. */
    readonly busySeconds: number;
    readonly tradesPerSecond: number;
    readonly recordsPerSecond: number;
  };
  readonly memory: { readonly afterIndexing: Memory; readonly atEnd: Memory };
  readonly endpoints: readonly EndpointFigures[];
  readonly longPage: EndpointFigures;
  readonly stalls: readonly Stall[];
  /** A note on rounds that a hypervisor disturbed. */
  readonly disturbed: string;
}

/**
 * The longest stalls of the rounds. The floor applies to the longest
 * of all; the other figures show the effect of a disturbance.
 */
function stallLines({ stalls, disturbed }: Measured): string[] {
  const valuesOf = (name: keyof Stall): number[] => stalls.map((stall) => stall[name]);
  const most = (name: keyof Stall): string => figure(Math.max(...valuesOf(name)), 2);
  const longest = valuesOf('aloneMs');
  const what = `longest stall of the main thread under ten clients, in ${stalls.length} rounds`;
  return [
    bound(what, Math.max(...longest), FLOORS.stallMs, ' ms'),
    `  (median ${figure(median(longest), 2)}; ${longest.map((value) => figure(value, 2)).join(', ')}; not counting when an idle process beside stood still as ` +
      `well and others had the processors, which it did for ${most('besideMs')} ms at most; counting that, ${most('longestMs')} ms at most;`,
    `  idle just before: ${most('idleMs')} ms at most; most processor time of the thread between two looks: ` +
      `${most('busyMs')} ms; ${figure(median(valuesOf('pagesPerSecond')), 1)} pages a second;`,
    `  ${DISTURBED}: ${disturbed})`,
  ];
}

function linesOf(measured: Measured): string[] {
  const { indexing, memory, endpoints, longPage } = measured;
  const worst = endpoints.reduce((most, one) => (one.ratio > most.ratio ? one : most));
  const { afterIndexing, atEnd } = memory;
  return [
    ...endpointLines([...endpoints, longPage]),
    '',
    bound(`largest p99 ratio at default limits (${worst.name})`, worst.ratio, FLOORS.endpointRatio, ''),
    `  (undisturbed, which is without the time in which threads at work waited for a processor: ` +
      `${figure(Math.max(...endpoints.map(({ undisturbedRatio }) => undisturbedRatio)), 2)} at most)`,
    bound(`${longPage.name}, p99 ratio`, longPage.ratio, FLOORS.longPageRatio, ''),
    ...stallLines(measured),
    bound('index built anew, trades a second', indexing.tradesPerSecond, FLOORS.tradesPerSecond, '', false),
    `  (${figure(indexing.seconds, 1)} s, ${figure(indexing.busySeconds, 1)} s of processor time, ` +
      `${figure(indexing.recordsPerSecond)} records of the log a second)`,
    bound('resident memory once indexed', afterIndexing.residentMiB, FLOORS.residentMiB, ' MiB'),
    `  (five seconds after; without pages of mapped files ${figure(afterIndexing.anonymousMiB)} MiB; while it was built, ` +
      `with the whole log mapped, ${figure(afterIndexing.mostResidentMiB)} MiB;`,
    `  at the end, with the bench's own rows, ${figure(atEnd.residentMiB)} and ${figure(atEnd.anonymousMiB)} MiB)`,
  ];
}

async function measure(dataDir: string, world: World, questions: number): Promise<Measured> {
  const { trades, lastSequence } = world;
  const { historian, seconds, busySeconds, memory: afterIndexing } = await rebuild(dataDir, world);
  try {
    const endpoints = await measureEndpoints(historian, world, questions);
    const longPage = await measureLongPage(historian, LONG_PAGES);
    const undisturbed = new Undisturbed(STALLS_AGAIN_MAX);
    const stalls: Stall[] = [];
    for (let round = 0; round < STALL_ROUNDS; round += 1) {
      stalls.push(await undisturbed.round(() => measureStall(historian, STALL_MS)));
    }
    const recordsPerSecond = lastSequence / seconds;
    const indexing = { seconds, busySeconds, tradesPerSecond: trades / seconds, recordsPerSecond };
    const memory = { afterIndexing, atEnd: memoryNow() };
    return { indexing, memory, endpoints, longPage, stalls, disturbed: `${undisturbed}` };
  } finally {
    await historian.close();
  }
}

async function main(): Promise<number> {
  const options = optionsOrUsage(() => readOptions(process.argv.slice(2)), USAGE);
  if (options === undefined) return 2;
  const { trades, wallets, markets, data, json } = options;
  const where = machine();
  console.log(machineText(where));
  const dataDir = data ?? mkdtempSync(join(tmpdir(), 'outcry-bench-history-'));
  try {
    const size = { trades, wallets, markets };
    const world = await ensureWorld(dataDir, size);
    console.log(`${figure(trades)} trades, ${figure(wallets)} wallets, ${figure(markets)} markets`);
    const measured = await measure(dataDir, world, options.questions);
    const lines = linesOf(measured);
    console.log(['', ...lines].join('\n'));
    writeFileSync(json, `${JSON.stringify({ machine: where, size, floors: FLOORS, lines, ...measured }, null, 2)}\n`);
    return 0;
  } catch (error) {
    console.error(error instanceof RangeError ? `${error.message}\n${USAGE}` : error);
    return error instanceof RangeError ? 2 : 1;
  } finally {
    if (data === undefined) rmSync(dataDir, { recursive: true, force: true });
  }
}

// As the server does.
tuneCompiler();
process.exitCode = await main();
