// One figure sheet of one engine in one process, started by ../core.ts with the shape of the run as one JSON argument: time
// per op, times of single ops (all of them written to a file), garbage collections while ops ran, the memory of a resting
// order, and the totals that the engine has reached at the end. It only measures; the caller checks the totals.
import { readFileSync, writeFileSync } from 'node:fs';
import { PerformanceObserver, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { tuneCompiler } from '../../engine/compiler.ts';
import { bookCore } from '../engines/bookCore.ts';
import { wholeApply } from '../engines/wholeApply.ts';
import { percentile } from '../lib/statistics.ts';
import type { Totals } from '../lib/totals.ts';
import { bytesAnOrder } from './orderBytes.ts';
import { singleTimes, type Timed, timeOps } from './timeOps.ts';

export interface SheetRequest {
  readonly engine: 'book core' | 'whole apply';
  readonly opFilePath: string;
  readonly ticks: number;
  readonly books: number;
  readonly untimedOps: number;
  /** Ops timed in a row; the single ops come after them in the file. */
  readonly timedOps: number;
  /** How many orders the memory figure is computed for. */
  readonly orders: number;
  /** The file that receives the times of single ops, in op order: nanoseconds, 64-bit floats. */
  readonly singlesPath: string;
}

export interface Sheet {
  /** Nanoseconds per op, over all timed ops in a row. */
  readonly meanNs: number;
  /** Nanoseconds of single ops, including the cost of reading the clock. */
  readonly medianNs: number;
  readonly p999Ns: number;
  /** The same for turns of a loop that only counts, each as long as these ops on average: the noise of the machine alone. */
  readonly countingMedianNs: number;
  readonly countingP999Ns: number;
  /** Garbage collections that began while the timed ops ran in a row. */
  readonly collections: number;
  /** See orderBytes.ts. */
  readonly bytesAnOrder: number;
  /** Nanoseconds per step of a pointer chase over as many bytes as the orders and the books' levels take. */
  readonly chaseNs: number;
  /** The engine's results after all ops of the file. */
  readonly totals: Totals;
}

const CHASE_STEPS = 2_000_000;
const LINE_BYTES = 64;
const WORDS_A_LINE = 16;

/** Bytes of the books' levels: the first and last order of each level. */
const levelBytes = ({ ticks, books }: SheetRequest): number => books * (ticks + 1) * 2 * Int32Array.BYTES_PER_ELEMENT;

/** Nanoseconds per step from cache line to cache line, in an order that no processor can predict. */
function chase(bytes: number): number {
  const lines = Math.ceil(bytes / LINE_BYTES);
  const words = new Int32Array(lines * WORDS_A_LINE);
  const order = Int32Array.from({ length: lines }, (_, i) => i);
  let seed = 1;
  for (let i = lines - 1; i > 0; i -= 1) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    const other = seed % (i + 1);
    [order[i], order[other]] = [order[other], order[i]];
  }
  for (let i = 0; i < lines; i += 1) words[order[i] * WORDS_A_LINE] = order[(i + 1) % lines] * WORDS_A_LINE;
  const walk = (steps: number): number => {
    let at = 0;
    for (let step = 0; step < steps; step += 1) at = words[at];
    return at;
  };
  walk(CHASE_STEPS);
  const start = performance.now();
  if (walk(CHASE_STEPS) % WORDS_A_LINE !== 0) throw new Error('The chase left its lines.');
  return ((performance.now() - start) * 1e6) / CHASE_STEPS;
}

/** Counts `steps` steps, each of which depends on the one before. */
function count(steps: number): number {
  let state = steps | 1;
  for (let step = 0; step < steps; step += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
  }
  return state;
}

/** Counts instead of trading and touches no memory: slowness of its ops is due to the clock and the machine. */
class Counting implements Timed {
  /** The result of counting, kept so that the compiler does not drop the loop. */
  read = 0;
  private readonly steps: number;

  constructor(steps: number) {
    this.steps = steps;
  }

  prepare(): void {}

  run(): void {
    this.read ^= count(this.steps);
  }
}

/** Times of single counting turns of about `turnNs` each, ns, sorted ascending. */
function countingTimes(turnNs: number, bytes: Uint8Array, from: number): Float64Array {
  const took = percentile(singleTimes(new Counting(turnNs), bytes, from).sort(), 0.5);
  return singleTimes(new Counting(Math.round(turnNs ** 2 / took)), bytes, from).sort();
}

/** The mean of sorted times without the slowest of a thousand, which are interruptions and say nothing about the ops. */
function usualMeanNs(times: Float64Array): number {
  const usual = times.subarray(0, Math.floor(times.length * 0.999));
  return usual.reduce((sum, time) => sum + time, 0) / usual.length;
}

async function main(request: SheetRequest): Promise<Sheet> {
  tuneCompiler();
  const starts: number[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) starts.push(entry.startTime);
  });
  observer.observe({ entryTypes: ['gc'] });
  const makeEngine = request.engine === 'book core' ? bookCore : wholeApply;
  const ops = readFileSync(request.opFilePath);
  const engine = makeEngine({ bytes: ops, ticks: request.ticks, books: request.books });
  const { windows, singles } = timeOps(engine, ops, request);
  const meanNs = (windows.reduce((sum, [from, to]) => sum + to - from, 0) * 1e6) / request.timedOps;
  writeFileSync(request.singlesPath, singles);
  singles.sort();
  // The performance observer reports collections only when the event loop is idle.
  await sleep(50);
  const collections = starts.filter((start) => windows.some(([from, to]) => start >= from && start < to)).length;
  const totals = engine.totals();
  const bytes = bytesAnOrder(request.orders);
  const counting = countingTimes(usualMeanNs(singles), ops, request.untimedOps + request.timedOps);
  return {
    meanNs,
    medianNs: percentile(singles, 0.5),
    p999Ns: percentile(singles, 0.999),
    countingMedianNs: percentile(counting, 0.5),
    countingP999Ns: percentile(counting, 0.999),
    collections,
    bytesAnOrder: bytes,
    chaseNs: chase(bytes * request.orders + levelBytes(request)),
    totals,
  };
}

const request: SheetRequest = JSON.parse(process.argv[2] ?? '');
console.log(JSON.stringify(await main(request)));
