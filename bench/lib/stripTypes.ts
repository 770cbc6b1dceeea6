// What a Node that runs .ts files of this repository is given, so that it starts as npm scripts start theirs (ensure.mjs):
// types stripped beforehand, the engine at its own speed, the heap collected when it has grown, by no more threads than there
// are processors for. Used by benches, tests and runs that start processes.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

export const STRIP_TYPES: readonly string[] = [
  '--no-memory-reducer',
  `--v8-pool-size=${Math.max(1, Math.min(4, availableParallelism() - 1))}`,
  '--import',
  join(import.meta.dirname, '../../.ci/stripTypes.mjs'),
];
