// Waiting with a limit, for what may never come: calls to a disk that hangs, threads and processes that do not end. Used by the
// journal, and by whatever in the server stops or asks the system.

/**
 * The promise's result, or undefined after the deadline. The promise goes on; should it reject later, that is nobody's concern.
 * @param deadlineMs the process stays alive while it runs
 */
export async function withDeadline<T>(promise: Promise<T>, deadlineMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), deadlineMs);
  });
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
