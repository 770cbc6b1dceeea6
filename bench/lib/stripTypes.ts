// What a Node that runs .ts files of this repository is given, so that it starts as npm scripts start theirs (ensure.mjs):
// types stripped beforehand, the engine at its own speed, the heap collected when it has grown. Used by benches, tests and
// runs that start processes.
import { join } from 'node:path';

export const STRIP_TYPES: readonly string[] = [
  '--no-memory-reducer',
  '--import',
  join(import.meta.dirname, '../../.ci/stripTypes.mjs'),
];
