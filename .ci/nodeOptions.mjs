// How every Node process of this repository starts: the options and the environment with which ensure.mjs runs a script, and
// with which benches and tests start processes of their own. It must never need anything but Node's built-in modules: ensure.mjs
// loads it on whatever Node the host has.
import * as os from 'node:os'; // by name, what an old Node lacks would be an error of syntax in place of a sentence
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const stripTypes = join(dirname(fileURLToPath(import.meta.url)), 'stripTypes.mjs');

/**
 * Large pages for the engine's tables, on Linux with glibc: a tenth to a quarter off an order. Elsewhere it says nothing.
 *
 * The threshold, 2 MiB, gives large tables blocks of their own: glibc raises it whenever a large block is freed, and takes the
 * next one from its heap, where the records of a table straddle cache lines. Cancels then take a quarter more time. (What fits
 * into a gap of the heap still goes there: in ten runs no table of orders, four of positions.)
 */
export const nodeEnvironment = {
  GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=2097152',
};

/** V8's helper threads. Read once, before a bench pins itself to some of the processors. */
const helpers = Math.max(1, Math.min(4, (os.availableParallelism?.() ?? 1) - 1));

/**
 * The options of a process that runs .ts files. V8 reads those of its own when it starts and never again.
 *
 * V8 collects the whole heap whenever a process seems idle, to give memory back: an exchange that answers now and then always
 * seems idle, and each of these collections holds up its next answers by milliseconds. The heap is still collected whenever
 * it has grown.
 *
 * V8's helper threads, which collect garbage and compile, are four whatever the machine has: where processors are fewer they
 * take all of them, and who answers waits behind each for its turn, milliseconds at a time.
 *
 * Types are stripped by a process of its own, and once, see stripTypes.mjs.
 */
export const nodeOptions = [
  '--no-memory-reducer',
  `--v8-pool-size=${helpers}`,
  '--import',
  pathToFileURL(stripTypes).href,
];
