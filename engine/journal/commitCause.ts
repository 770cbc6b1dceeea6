// Why a commit of LMDB failed. Its binding rejects the write with a general error that carries a second promise, `commitError`,
// which rejects with the cause. Nobody else handles that one, and unhandled it would end its process or thread. Called by the
// journal's store and by the store of the history's index, which judge the cause.
import { withDeadline } from './deadline.ts';

/** How long (ms) to wait for the cause. */
const CAUSE_DEADLINE_MS = 500;

/** The cause of a failed commit, from the error that its write met; undefined if LMDB does not tell it. */
export async function commitCauseOf(error: unknown): Promise<Error | undefined> {
  const second = error instanceof Error && 'commitError' in error ? error.commitError : undefined;
  if (!(second instanceof Promise)) return undefined;
  const cause: unknown = await withDeadline(
    second.catch((reason: unknown) => reason),
    CAUSE_DEADLINE_MS,
  );
  return cause instanceof Error ? cause : undefined;
}
