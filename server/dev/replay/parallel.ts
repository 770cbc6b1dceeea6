// Runs a task for each item, a bounded number at a time. Called by the preparation of a replay, which would otherwise open
// hundreds of connections at once. It must start no task after one has failed.

const TASKS_AT_ONCE = 16;

/** Results in the order of the items. @throws the error of the first task that fails */
export async function mapParallel<Item, Result>(
  items: readonly Item[],
  task: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < items.length) {
      const index = next;
      next += 1;
      try {
        results[index] = await task(items[index]);
      } catch (error) {
        next = items.length;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(TASKS_AT_ONCE, items.length) }, work));
  return results;
}
