// V8's garbage collector, called by name where a bench or a test counts what is allocated or collected afterwards: Node
// hides it without --expose-gc. Called before what is counted, never while it runs.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects all garbage, and returns when it is done. */
export const collectGarbage: () => void = runInNewContext('gc');
