// LMDB's binding rejects two promises for one failed commit. This distinguishes the second one, which our code cannot
// reach, from truly unhandled rejections. Called in the server's process and in the historian's thread; it imports nothing,
// so that the command line can call it before anything else is loaded.

/** Whether an unhandled rejection is the second one of a failed commit. The writer got the first one; it waits and retries. */
export function isFollowUpOfCommit(reason: unknown): boolean {
  return reason instanceof Error && 'commitError' in reason;
}
