// One figure sheet of one engine in one process, started by ../core.ts with the shape of the run as one JSON argument:
// time an op, single ops' times (all of them go into a file), collections of garbage while ops ran, and what a resting order
// takes. It measures only; that results are right is what the matching bench checks.
import { readFileSync, writeFileSync } from 'node:fs';
import { PerformanceObserver, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { tuneCompiler } from '../../engine/compiler.ts';
import { OrderPool } from '../../engine/core/orderPool.ts';
import { Message } from '../../engine/protocol/message.ts';
import { bookCore } from '../engines/bookCore.ts';
import type { BenchEngine } from '../engines/engine.ts';
import { writeOrderId } from '../engines/orderIds.ts';
import { wholeApply } from '../engines/wholeApply.ts';
import { collectGarbage } from '../lib/collectGarbage.ts';
import { percentile } from '../lib/statistics.ts';
import { OP_BYTES } from '../opFile.ts';

export interface SheetRequest {
  readonly engine: 'book core' | 'whole apply';
  readonly opFilePath: string;
  readonly ticks: number;
  readonly books: number;
  readonly untimedOps: number;
  readonly timedOps: number;
  /** Orders of which the memory is told. */
  readonly orders: number;
  /** Where single ops' times go, in the order of the ops: nanoseconds, 64-bit floats. */
  readonly singlesPath: string;
}

export interface Sheet {
  /** Nanoseconds an op, over all timed ops in a row. */
  readonly meanNs: number;
  /** Nanoseconds of single ops, the clock's own included. */
  readonly medianNs: number;
  readonly p999Ns: number;
  /** The same of turns of a loop that only counts, each as long as these ops on average: so slow is the machine by itself. */
  readonly countingMedianNs: number;
  readonly countingP999Ns: number;
  /** Collections of garbage that began while timed ops ran. */
  readonly collections: number;
  readonly bytesAnOrder: number;
  /** Nanoseconds a step of a chase of pointers over as many bytes as the orders and the books' levels take. */
  readonly chaseNs: number;
}

/** What is timed op by op. */
type Timed = Pick<BenchEngine, 'prepare' | 'run'>;

const CHUNK_OPS = 16_384;
const SINGLE_OPS = 200_000;
/** Ops are timed one by one in pieces, so that V8 has compiled it when it counts: so many before that do not. */
const SINGLE_WARM_UP_OPS = 50_000;
const PIECE_OPS = 1_000;
const CHASE_STEPS = 2_000_000;
const LINE_BYTES = 64;
const WORDS_A_LINE = 16;

/** Bytes of typed arrays that so many live orders take in the pool, their ids included. */
function bytesAnOrder(orders: number): number {
  const message = new Message();
  const pool = new OrderPool();
  for (let number = 0; number < orders; number += 1) {
    writeOrderId(number, message.view, 0);
    pool.makeRoom();
    pool.setId(pool.allocate(number, 0, 0, 100, 100, 0, 0, 0), message, 0);
  }
  if (pool.liveCount !== orders) throw new Error(`The pool holds ${pool.liveCount} orders, not ${orders}.`);
  return pool.byteLength / orders;
}

/** Bytes of the books' levels: first and last order of each. */
const levelBytes = ({ ticks, books }: SheetRequest): number => books * (ticks + 1) * 2 * Int32Array.BYTES_PER_ELEMENT;

/** Nanoseconds a step from line to line in an order that no processor can foresee. */
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

/**
 * The clock, ns. What performance.now() returns is put on the heap: two numbers an op, and each time they come to a page that
 * was never used the system has to find one, in the middle of an op. Of this nothing is left once V8 has compiled it.
 */
function nowNs(): number {
  const time = process.hrtime();
  return time[0] * 1e9 + time[1];
}

/** Times ops one by one from `from` on, ns. Returns what nobody needs, so that the compiler does read the records. */
function timeSingles(engine: Timed, bytes: Uint8Array, from: number, times: Float64Array): number {
  let read = 0;
  for (let i = 0; i < times.length; i += 1) {
    // The op file is tens of megabytes that nobody has looked at for a while; an op that comes in by a socket is near.
    read ^= bytes[(from + i) * OP_BYTES];
    engine.prepare(from + i, from + i + 1);
    const start = nowNs();
    engine.run(from + i, from + i + 1);
    times[i] = nowNs() - start;
  }
  return read;
}

/** Times, ns, of so many single ops after those that warm up, which start at `from`. */
function singleTimes(engine: Timed, bytes: Uint8Array, from: number): Float64Array<ArrayBuffer> {
  const times = new Float64Array(SINGLE_WARM_UP_OPS + SINGLE_OPS);
  for (let at = 0; at < times.length; at += PIECE_OPS) {
    timeSingles(engine, bytes, from + at, times.subarray(at, at + PIECE_OPS));
  }
  return times.slice(SINGLE_WARM_UP_OPS);
}

/** Counts so many steps, each of which waits for the one before. */
function count(steps: number): number {
  let state = steps | 1;
  for (let step = 0; step < steps; step += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
  }
  return state;
}

/** Counts instead of trading, and touches no memory: what is slow about its ops is the clock's and the machine's. */
class Counting implements Timed {
  /** What was counted, so that the compiler does count. */
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

/** Times, ns from the least, of single turns of counting that take about so long. */
function countingTimes(turnNs: number, bytes: Uint8Array, from: number): Float64Array {
  const took = percentile(singleTimes(new Counting(turnNs), bytes, from).sort(), 0.5);
  return singleTimes(new Counting(Math.round(turnNs ** 2 / took)), bytes, from).sort();
}

/** The mean of times from the least, without the slowest of a thousand: what interrupted those says nothing of the ops. */
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
  const windows: [from: number, to: number][] = [];
  const runTo = (from: number, to: number): void => {
    for (let op = from; op < to; op += CHUNK_OPS) {
      const end = Math.min(op + CHUNK_OPS, to);
      engine.prepare(op, end);
      const start = performance.now();
      engine.run(op, end);
      windows.push([start, performance.now()]);
    }
  };
  runTo(0, request.untimedOps);
  // What setting up and compiling have left: otherwise V8 comes to it some time while ops run.
  collectGarbage();
  windows.length = 0;
  const singleFrom = request.untimedOps + request.timedOps - SINGLE_WARM_UP_OPS - SINGLE_OPS;
  runTo(request.untimedOps, singleFrom);
  const meanNs = (windows.reduce((sum, [from, to]) => sum + to - from, 0) * 1e6) / (singleFrom - request.untimedOps);
  const singles = singleTimes(engine, ops, singleFrom);
  writeFileSync(request.singlesPath, singles);
  singles.sort();
  // Collections are told when the program has nothing else to do.
  await sleep(50);
  const collections = starts.filter((start) => windows.some(([from, to]) => start >= from && start < to)).length;
  const bytes = bytesAnOrder(request.orders);
  const counting = countingTimes(usualMeanNs(singles), ops, singleFrom);
  return {
    meanNs,
    medianNs: percentile(singles, 0.5),
    p999Ns: percentile(singles, 0.999),
    countingMedianNs: percentile(counting, 0.5),
    countingP999Ns: percentile(counting, 0.999),
    collections,
    bytesAnOrder: bytes,
    chaseNs: chase(bytes * request.orders + levelBytes(request)),
  };
}

const request: SheetRequest = JSON.parse(process.argv[2] ?? '');
console.log(JSON.stringify(await main(request)));
