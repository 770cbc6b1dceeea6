// Times an engine's ops for the figure sheet: first many in a row, then others one by one. Called by child.ts, in the engine's
// own process. Reading the clock costs as much as an op and may leave garbage, so ops that are timed one by one count
// neither for the mean nor for the collections.
import { performance } from 'node:perf_hooks';
import type { BenchEngine } from '../engines/engine.ts';
import { collectGarbage } from '../lib/collectGarbage.ts';
import { OP_BYTES } from '../opFile.ts';

/** An engine, or a stand-in for one. */
export type Timed = Pick<BenchEngine, 'prepare' | 'run'>;

interface OpTimes {
  /** When the timed ops in a row ran, chunk by chunk: milliseconds of performance.now(). */
  readonly windows: readonly (readonly [from: number, to: number])[];
  /** Times of single ops, in op order, ns. */
  readonly singles: Float64Array<ArrayBuffer>;
}

const CHUNK_OPS = 16_384;
export const SINGLE_OPS = 200_000;
/** Single ops are timed in pieces, which gives V8 time to compile the loop; this many warm-up ops do not count. */
export const SINGLE_WARM_UP_OPS = 50_000;
const PIECE_OPS = 1_000;

/** Runs ops in chunks and returns when each of them ran. */
function runChunks(engine: Timed, from: number, to: number): [from: number, to: number][] {
  const windows: [from: number, to: number][] = [];
  for (let op = from; op < to; op += CHUNK_OPS) {
    const end = Math.min(op + CHUNK_OPS, to);
    engine.prepare(op, end);
    const start = performance.now();
    engine.run(op, end);
    windows.push([start, performance.now()]);
  }
  return windows;
}

/**
 * The clock, ns. performance.now() returns a boxed (heap-allocated) number: with two of them an op, every first touch of a
 * heap page makes the system find one in the middle of an op. process.hrtime leaves no allocation here once V8 has compiled
 * this function.
 */
function nowNs(): number {
  const time = process.hrtime();
  return time[0] * 1e9 + time[1];
}

/** Times ops one by one from `from` on, ns. The returned value has no use; it keeps the compiler from dropping the reads. */
function timeSingles(engine: Timed, bytes: Uint8Array, from: number, times: Float64Array): number {
  let read = 0;
  for (let i = 0; i < times.length; i += 1) {
    // The op file is tens of megabytes and cold by now, whereas an op that arrives by a socket is in the cache.
    read ^= bytes[(from + i) * OP_BYTES];
    engine.prepare(from + i, from + i + 1);
    const start = nowNs();
    engine.run(from + i, from + i + 1);
    times[i] = nowNs() - start;
  }
  return read;
}

/** Times, ns, of SINGLE_OPS single ops, after the warm-up ops that start at `from`. */
export function singleTimes(engine: Timed, bytes: Uint8Array, from: number): Float64Array<ArrayBuffer> {
  const times = new Float64Array(SINGLE_WARM_UP_OPS + SINGLE_OPS);
  for (let at = 0; at < times.length; at += PIECE_OPS) {
    timeSingles(engine, bytes, from + at, times.subarray(at, at + PIECE_OPS));
  }
  return times.slice(SINGLE_WARM_UP_OPS);
}

/**
 * Runs the untimed ops from the file's first op on, all timed ops in a row, and after them the single ops with their
 * warm-up: the file must hold SINGLE_WARM_UP_OPS + SINGLE_OPS more than the other two.
 */
export function timeOps(
  engine: Timed,
  bytes: Uint8Array,
  { untimedOps, timedOps }: { readonly untimedOps: number; readonly timedOps: number },
): OpTimes {
  runChunks(engine, 0, untimedOps);
  // Collects what set-up and compilation have left; otherwise V8 would do so while ops run.
  collectGarbage();
  const singleFrom = untimedOps + timedOps;
  const windows = runChunks(engine, untimedOps, singleFrom);
  return { windows, singles: singleTimes(engine, bytes, singleFrom) };
}
