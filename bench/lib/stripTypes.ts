// What a Node that runs .ts files of this repository is given, so that it starts as npm scripts start theirs: types stripped
// beforehand, and the engine at its own speed (see there). Used by benches, tests and runs that start processes.
import { join } from 'node:path';

export const STRIP_TYPES: readonly string[] = ['--import', join(import.meta.dirname, '../../.ci/stripTypes.mjs')];
