// The questions that the main process of the streams bench asks its children, their answers, and two readings that all of
// them take: a clock shared by the processes, and the cost of a process so far.
import { statusBytes } from '../lib/processStatus.ts';

/** For the exchange, and for the bare publisher (which knows start, publish and cost, and has nothing to prepare). */
export type ServerQuestion =
  | {
      readonly kind: 'start';
      readonly markets: number;
      readonly framesFile: string;
      /** Without the streams: orders as usual, and one frame of the file published for each. */
      readonly isBare: boolean;
    }
  /** Prepares this many orders for the rounds to come. */
  | { readonly kind: 'prepare'; readonly orders: number }
  /** Rounds of `batch` orders placed at once; each round is one flush. */
  | {
      readonly kind: 'publish';
      readonly rounds: number;
      readonly batch: number;
      readonly pauseMs: number;
      /** Writes the published frames to the file. */
      readonly isRecorded: boolean;
    }
  /** Orders at a steady rate over all markets; every twentieth causes a fill in the first market. */
  | { readonly kind: 'steady'; readonly ordersPerSecond: number; readonly seconds: number }
  | { readonly kind: 'cost' };

/** What the rounds sent: the size of each frame on the wire (bytes), and when it was published (ms). */
export interface Published {
  readonly frameBytes: readonly number[];
  readonly publishedMs: readonly number[];
}

export type ClientQuestion =
  | {
      readonly kind: 'connect';
      readonly port: number;
      readonly count: number;
      readonly message: string;
      /** Stops reading once connected. */
      readonly isPaused: boolean;
      /** Reads in passes a moment apart, so that no write has to wake the process. Not for measuring delays. */
      readonly isInPasses: boolean;
    }
  /** Resolves once every socket has received `bytes` since it settled, or one is closed; with the number of closed sockets. */
  | { readonly kind: 'await'; readonly bytes: number }
  /** Delays (ms) of frames of these sizes and publication times, over all sockets since they settled: p50, p99. */
  | { readonly kind: 'delays'; readonly frameBytes: readonly number[]; readonly publishedMs: readonly number[] }
  /** One socket that parses: trades and echoes are timed until `stopWatch`. */
  | { readonly kind: 'watch'; readonly port: number; readonly message: string }
  | { readonly kind: 'stopWatch' };

/** Arrival time of each trade, and round trips of echoes (ms). */
export interface Watched {
  readonly tradesMs: readonly number[];
  readonly echoMs: readonly number[];
}

/** The time in ms on a clock that all processes of the machine share. */
export const sharedMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Resident memory (bytes) and processor time (ms, all threads) of a process so far. */
export interface Cost {
  readonly residentBytes: number;
  /** The part that no file backs; NaN off Linux. */
  readonly anonymousBytes: number;
  readonly cpuMs: number;
}

/** Runs the garbage collector before the memory is read, where Node exposes it (--expose-gc). */
export function costNow(): Cost {
  const { user, system } = process.cpuUsage();
  globalThis.gc?.();
  return {
    residentBytes: process.memoryUsage().rss,
    anonymousBytes: statusBytes('RssAnon'),
    cpuMs: (user + system) / 1_000,
  };
}
