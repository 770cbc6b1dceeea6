// The comparison of what views show with what the log says, for all figures of a row at once. Used by the referees of the
// views beside this file.
import { isDeepStrictEqual } from 'node:util';
import { fail } from './audit.ts';

/** Fails unless both are equal, field by field; all of both is shown, so rows are compared one at a time. */
export function same(what: string, shown: unknown, due: unknown): void {
  if (isDeepStrictEqual(shown, due)) return;
  fail(what, { shown: JSON.stringify(shown), due: JSON.stringify(due) });
}
