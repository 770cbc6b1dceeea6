// Flags for a Node process that runs .ts files of this repository, which then starts as npm scripts start theirs
// (ensure.mjs): types stripped by another process, which keeps the engine at full speed; garbage collected once the heap has
// grown, by no more threads than there are processors. Used by benches, tests and runs that start processes.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

export const STRIP_TYPES: readonly string[] = [
  '--no-memory-reducer',
  `--v8-pool-size=${Math.max(1, Math.min(4, availableParallelism() - 1))}`,
  '--import',
  join(import.meta.dirname, '../../.ci/stripTypes.mjs'),
];
