// Figures of the process: processor time, memory, open files, pauses of the event loop and of garbage collection. They
// cover the whole process, however many servers run in it, and are collected from the first server's start on.
// prom-client's own set is not used: it counts only the first of several collections reported at once, and resets the
// loop's delays with every reader.
import { readdir } from 'node:fs/promises';
import { constants, type PerformanceEntry, PerformanceObserver, performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import { Distribution } from '../../engine/index.ts';
import { soon } from './disk.ts';
import { Figures } from './figures.ts';

/**
 * Interval of the loop delay measurement (ms): it sees every longer pause, and a share of the shorter ones. Long, so as not
 * to disturb orders.
 */
const LOOP_EVERY_MS = 100;
const LOOP_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const COLLECTION_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];
const COLLECTION_KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

/** Node's entry for a collection; its types omit the detail. */
type Collection = PerformanceEntry & { readonly detail: { readonly kind: number } };

function watchLoop(figures: Figures): void {
  const delays = new Distribution(LOOP_SECONDS);
  let dueMs = performance.now() + LOOP_EVERY_MS;
  setInterval(() => {
    const nowMs = performance.now();
    delays.add(Math.max(0, nowMs - dueMs) / 1000);
    dueMs = nowMs + LOOP_EVERY_MS;
  }, LOOP_EVERY_MS).unref();
  const help = `How late a timer of ${LOOP_EVERY_MS} ms came on the main thread, which answers every request.`;
  figures.histogram('event_loop_delay_seconds', help, delays);
  figures.counter(
    'event_loop_active_seconds_total',
    'Time in which the main thread was at work; its rate is how busy it is, from 0 to 1.',
    () => performance.eventLoopUtilization().active / 1000,
  );
}

function watchCollections(figures: Figures): void {
  const byKind = new Map<string, Distribution>();
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { detail } = entry as Collection; // no others are observed
      const kind = COLLECTION_KINDS[detail.kind] ?? 'other';
      const distribution = byKind.get(kind) ?? new Distribution(COLLECTION_SECONDS);
      byKind.set(kind, distribution);
      distribution.add(entry.duration / 1000);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  figures.histograms('gc_duration_seconds', 'Pauses of the main thread for garbage collection, by kind.', () =>
    Array.from(byKind, ([kind, distribution]) => [{ kind }, distribution] as const),
  );
}

/** Undefined if no file can be opened: Node reads the value from one. */
function residentBytes(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    return undefined;
  }
}

function watchMemory(figures: Figures): void {
  figures.gauge(
    'process_resident_memory_bytes',
    'Memory of the process that is in RAM, mapped files included.',
    residentBytes,
  );
  figures.gauges('heap_bytes', 'Heap of the main thread by space, as far as it is used.', ['space'], (put) => {
    for (const { space_name: name, space_used_size: bytes } of getHeapSpaceStatistics()) {
      put({ space: name.replace(/_space$/, '') }, bytes);
    }
  });
  figures.gauge('external_memory_bytes', 'Buffers outside of the heap of the main thread.', () => {
    return getHeapStatistics().external_memory;
  });
}

let shared: Figures | undefined;

/** The process's figures; the first call starts collecting them, for the life of the process. */
export function processFigures(): Figures {
  if (shared !== undefined) return shared;
  const figures = new Figures();
  shared = figures;
  figures.gauge('process_start_time_seconds', 'When the process started, in unix seconds.', () => {
    return performance.timeOrigin / 1000;
  });
  figures.counters('process_cpu_seconds_total', 'Processor time of all threads, by mode.', ['mode'], (put) => {
    const { user, system } = process.cpuUsage();
    put({ mode: 'user' }, user / 1e6);
    put({ mode: 'system' }, system / 1e6);
  });
  watchMemory(figures);
  if (process.platform === 'linux') {
    figures.gauge('process_open_fds', 'Open files and sockets of the process.', async () => {
      return (await soon(readdir('/proc/self/fd')))?.length;
    });
  }
  watchLoop(figures);
  watchCollections(figures);
  return figures;
}
