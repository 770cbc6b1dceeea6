// What the main part of the streams' bench asks its children, and what they answer; and the two readings that all of them
// take: a clock that the processes share, and what a process has cost so far.
import { readFileSync } from 'node:fs';

/** To the exchange, and to the bare publisher (which knows start, publish and cost, and has nothing to prepare). */
export type ServerQuestion =
  | {
      readonly kind: 'start';
      readonly markets: number;
      readonly framesFile: string;
      /** Without the streams: orders as ever, and for each flush a frame of the file is published. */
      readonly isBare: boolean;
    }
  /** Makes so many orders for the rounds to come. */
  | { readonly kind: 'prepare'; readonly orders: number }
  /** Rounds of so many orders at once; each round is one flush. */
  | {
      readonly kind: 'publish';
      readonly rounds: number;
      readonly batch: number;
      readonly pauseMs: number;
      /** Writes the published frames to the file. */
      readonly isRecorded: boolean;
    }
  /** Orders at a steady rate over all markets; every twentieth fills one in the first market. */
  | { readonly kind: 'steady'; readonly ordersPerSecond: number; readonly seconds: number }
  | { readonly kind: 'cost' };

/** What rounds sent: bytes of each frame on the wire, and when it was published (ms). */
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
      /** Reads in passes a moment apart, so that no write has to wake the process: not for measuring delays. */
      readonly isInPasses: boolean;
    }
  /** Resolves once every socket has so many bytes since it settled, or one is closed; with how many were closed. */
  | { readonly kind: 'await'; readonly bytes: number }
  /** Delays (ms) of frames with these sizes and times over all sockets since they settled: p50, p99. */
  | { readonly kind: 'delays'; readonly frameBytes: readonly number[]; readonly publishedMs: readonly number[] }
  /** A socket that parses: trades and echoes are timed until `stopWatch`. */
  | { readonly kind: 'watch'; readonly port: number; readonly message: string }
  | { readonly kind: 'stopWatch' };

/** Times (ms): of each trade's arrival, and round trips of echoes. */
export interface Watched {
  readonly tradesMs: readonly number[];
  readonly echoMs: readonly number[];
}

/** Milliseconds of a clock that all processes of the machine share. */
export const sharedMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Resident memory (bytes; the part that no file backs too) and processor time (ms, all threads) of a process so far. */
export interface Cost {
  readonly residentBytes: number;
  readonly anonymousBytes: number;
  readonly cpuMs: number;
}

/** Where Node was told to expose the collector (--expose-gc), it runs before the memory is read. */
export function costNow(): Cost {
  const { user, system } = process.cpuUsage();
  globalThis.gc?.();
  const anonymousKib = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return {
    residentBytes: process.memoryUsage().rss,
    anonymousBytes: Number(anonymousKib) * 1_024,
    cpuMs: (user + system) / 1_000,
  };
}
