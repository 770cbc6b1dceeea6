// LMDB's binding rejects twice for a commit that failed. Asked by whoever hears of rejections that nobody handled, in the
// server's process and in the historian's thread; it loads nothing, since the command line asks before anything is loaded.

/**
 * Whether a rejection is the second one of a commit that failed: it belongs to a promise that nobody can reach, and whoever
 * wrote was told by the first one, waits and tries again.
 */
export function isFollowUpOfCommit(reason: unknown): boolean {
  return reason instanceof Error && 'commitError' in reason;
}
