// One figure sheet of one engine in one process, started by ../core.ts with the shape of the run as one JSON argument:
// time an op, single ops' times, collections of garbage while ops ran, and what a resting order takes. It measures only;
// that results are right is what the matching bench checks.
import { readFileSync } from 'node:fs';
import { PerformanceObserver, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { tuneCompiler } from '../../engine/compiler.ts';
import { OrderPool } from '../../engine/core/orderPool.ts';
import { Message } from '../../engine/protocol/message.ts';
import { bookCore } from '../engines/bookCore.ts';
import { writeOrderId } from '../engines/orderIds.ts';
import { wholeApply } from '../engines/wholeApply.ts';
import { percentile } from '../lib/statistics.ts';

export interface SheetRequest {
  readonly engine: 'book core' | 'whole apply';
  readonly opFilePath: string;
  readonly ticks: number;
  readonly books: number;
  readonly untimedOps: number;
  readonly timedOps: number;
  /** Orders of which the memory is told. */
  readonly orders: number;
}

export interface Sheet {
  /** Nanoseconds an op, over all timed ops in a row. */
  readonly meanNs: number;
  /** Nanoseconds of single ops, the clock's own included. */
  readonly medianNs: number;
  readonly p999Ns: number;
  /** Collections of garbage that began while timed ops ran. */
  readonly collections: number;
  readonly bytesAnOrder: number;
  /** Nanoseconds a step of a chase of pointers over as many bytes as the orders and the books' levels take. */
  readonly chaseNs: number;
}

const CHUNK_OPS = 16_384;
const SINGLE_OPS = 200_000;
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

async function main(request: SheetRequest): Promise<Sheet> {
  tuneCompiler();
  const starts: number[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) starts.push(entry.startTime);
  });
  observer.observe({ entryTypes: ['gc'] });
  const makeEngine = request.engine === 'book core' ? bookCore : wholeApply;
  const engine = makeEngine({ bytes: readFileSync(request.opFilePath), ticks: request.ticks, books: request.books });
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
  windows.length = 0;
  const singleFrom = request.untimedOps + request.timedOps - SINGLE_OPS;
  runTo(request.untimedOps, singleFrom);
  const meanNs = (windows.reduce((sum, [from, to]) => sum + to - from, 0) * 1e6) / (singleFrom - request.untimedOps);
  const singles = new Float64Array(SINGLE_OPS);
  for (let at = 0; at < SINGLE_OPS; at += 1) {
    const op = singleFrom + at;
    engine.prepare(op, op + 1);
    const start = performance.now();
    engine.run(op, op + 1);
    singles[at] = (performance.now() - start) * 1e6;
  }
  singles.sort();
  // Collections are told when the program has nothing else to do.
  await sleep(50);
  const collections = starts.filter((start) => windows.some(([from, to]) => start >= from && start < to)).length;
  const bytes = bytesAnOrder(request.orders);
  const figures = { medianNs: percentile(singles, 0.5), p999Ns: percentile(singles, 0.999) };
  return {
    meanNs,
    ...figures,
    collections,
    bytesAnOrder: bytes,
    chaseNs: chase(bytes * request.orders + levelBytes(request)),
  };
}

const request: SheetRequest = JSON.parse(process.argv[2] ?? '');
console.log(JSON.stringify(await main(request)));
