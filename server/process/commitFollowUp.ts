// LMDB's binding rejects two promises for one failed commit. This tells the second one, which no code of ours can reach, from
// rejections that really are unhandled. Asked in the server's process and in the historian's thread; it imports nothing, so
// that the command line can ask before anything else is loaded.

/**
 * Whether an unhandled rejection is the second one of a failed commit. Whoever wrote has been told by the first one, waits and
 * tries again.
 */
export function isFollowUpOfCommit(reason: unknown): boolean {
  return reason instanceof Error && 'commitError' in reason;
}
