// How long a piece of work takes, by this process's clock. Used by the benches for work that is timed as a whole; latencies
// of single answers have clocks of their own.

/** The time (ms) until `work` has returned and its promise, if any, has resolved. */
export async function timed(work: () => unknown): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/** The times (ms) of `count` pieces of work, run one after the other. */
export async function timesOf(count: number, work: (at: number) => unknown): Promise<readonly number[]> {
  const found: number[] = [];
  for (let at = 0; at < count; at += 1) found.push(await timed(() => work(at)));
  return found;
}
