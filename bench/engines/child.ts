// One engine in one process, started by matching.ts for every round of every engine, with the op file's path and the shape
// of the run as one JSON argument; it answers with one line of JSON. Each process holds one instance of one engine, because
// V8 compiles better code for an object that is the only one of its class.
import { readFileSync } from 'node:fs';
import { tuneCompiler } from '../../engine/compiler.ts';
import type { Totals } from '../lib/totals.ts';
import { CHUNK_OPS, type EngineFactory } from './engine.ts';

export type EngineName =
  | 'nodejs-order-book'
  | 'book core'
  | 'book core, 32-byte ids'
  | 'whole apply'
  | 'whole apply, events unread';

/** The parent's request. */
export interface ChildRequest {
  readonly engine: EngineName;
  readonly opFilePath: string;
  readonly ticks: number;
  readonly books: number;
  /** Ops carried out before the clock starts. */
  readonly untimedOps: number;
  /** Ascending counts of timed ops at which to stop the clock and report the totals; the last ends the run. */
  readonly checkpoints: readonly number[];
}

/** The child's answer, one entry a checkpoint. */
export interface ChildAnswer {
  readonly timedOps: number;
  /** Processor time of the engine's thread for all timed ops up to this checkpoint. */
  readonly nanoseconds: number;
  readonly totals: Totals;
}

async function loadEngine(name: EngineName): Promise<EngineFactory> {
  switch (name) {
    case 'nodejs-order-book':
      return (await import('./nodejsOrderBook.ts')).nodejsOrderBook;
    case 'book core':
      return (await import('./bookCore.ts')).bookCore;
    case 'book core, 32-byte ids':
      return (await import('./bookCore.ts')).bookCoreWithIds;
    case 'whole apply':
      return (await import('./wholeApply.ts')).wholeApply;
    case 'whole apply, events unread':
      return (await import('./wholeApply.ts')).applyBatchAlone;
    default: {
      const unknown: never = name;
      throw new Error(`There is no engine ${String(unknown)}.`);
    }
  }
}

const cell = new Int32Array(new SharedArrayBuffer(4));
/** A sleep this short is enough for the system to account the thread's time. */
const SLEEP_MS = 0.05;

/**
 * Processor time of this thread, µs. Unlike the wall clock it stands still while another process has the core. The system
 * accounts a running thread's time only every few milliseconds, but always when it goes to sleep: hence the sleep before
 * each reading.
 */
function threadMicroseconds(): number {
  Atomics.wait(cell, 0, 0, SLEEP_MS);
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

async function main(request: ChildRequest): Promise<readonly ChildAnswer[]> {
  // As the server does; every engine runs with the same settings.
  tuneCompiler();
  const makeEngine = await loadEngine(request.engine);
  const engine = makeEngine({ bytes: readFileSync(request.opFilePath), ticks: request.ticks, books: request.books });
  let nanoseconds = 0;
  const runTo = (from: number, to: number): void => {
    for (let op = from; op < to; op += CHUNK_OPS) {
      const end = Math.min(op + CHUNK_OPS, to);
      engine.prepare(op, end);
      const start = threadMicroseconds();
      engine.run(op, end);
      nanoseconds += (threadMicroseconds() - start) * 1000;
    }
  };
  runTo(0, request.untimedOps);
  nanoseconds = 0;
  let done = 0;
  return request.checkpoints.map((timedOps) => {
    runTo(request.untimedOps + done, request.untimedOps + timedOps);
    done = timedOps;
    return { timedOps, nanoseconds, totals: engine.totals() };
  });
}

const request: ChildRequest = JSON.parse(process.argv[2] ?? '');
console.log(JSON.stringify(await main(request)));
