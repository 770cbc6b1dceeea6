// The interface of the matching bench to an engine: run a range of the op file's records, and report totals. Each engine is
// one file beside this one and runs in a process of its own (child.ts). Ops become known in batches of 64, as commands do in
// a replay of the journal (a running exchange gets them one by one): an engine may look at the ops of its batch before their
// turn, but never at those of the next.

import type { Totals } from '../lib/totals.ts';
import type { OpFile } from '../opFile.ts';

/** Ops between two readings of the clock. Preparation happens in between, in chunks, which keeps its garbage small. */
export const CHUNK_OPS = 32_768;

export interface BenchEngine {
  /** Turns records into what the engine's caller would pass to it (strings, encoded commands). Not timed. */
  prepare(fromOp: number, toOp: number): void;
  /**
   * Carries out the records in their order, by a call for each or for each batch, and reads every result, unless the engine's
   * file says that totals() does. Timed.
   */
  run(fromOp: number, toOp: number): void;
  /** The totals so far. Not timed. */
  totals(): Totals;
}

/** The part of an op file that an engine is given. */
export type Ops = Pick<OpFile, 'bytes'> & { readonly ticks: number; readonly books: number };

export type EngineFactory = (ops: Ops) => BenchEngine;
