// What the matching bench asks of an engine: to run a range of the op file's records, and to tell its totals. Each engine
// is one file beside this one and runs in a process of its own (child.ts); none may look at the ops before its turn.

import type { Totals } from '../lib/totals.ts';
import type { OpFile } from '../opFile.ts';

export interface BenchEngine {
  /** Turns records into what the engine's caller would hand it (texts, encoded commands). Not timed. */
  prepare(fromOp: number, toOp: number): void;
  /** Carries out the records, one call of the engine a record, and reads every result. Timed. */
  run(fromOp: number, toOp: number): void;
  /** What has been done so far. Not timed. */
  totals(): Totals;
}

/** The part of an op file that an engine is given. */
export type Ops = Pick<OpFile, 'bytes'> & { readonly ticks: number; readonly books: number };

export type EngineFactory = (ops: Ops) => BenchEngine;
