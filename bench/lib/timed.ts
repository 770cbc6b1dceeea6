// How long a piece of work takes, by this process's clock. Called by the benches for whatever they time as a whole; latencies
// of single answers have clocks of their own.

/** The time (ms) until some work has ended, or what it promises has. */
export async function timed(work: () => unknown): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/** The times (ms) of so many pieces of work, one after the other. */
export async function timesOf(count: number, work: (at: number) => unknown): Promise<readonly number[]> {
  const found: number[] = [];
  for (let at = 0; at < count; at += 1) found.push(await timed(() => work(at)));
  return found;
}
