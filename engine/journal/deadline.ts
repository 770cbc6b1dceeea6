// Waiting with a limit for something that may never happen: a call to a disk that hangs, the end of a thread or a process. Used
// by the journal, and by the parts of the server that stop or call the system.

/**
 * The promise's result, or undefined after the deadline. The promise goes on; a later rejection is ignored.
 * @param deadlineMs its timer keeps the process alive
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
