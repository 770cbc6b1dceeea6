// Bounded memoization: a function's latest results are cached, and the least recently used one is dropped first. Used on
// the paths that check and show orders, for results that cost a hash or more. A cached result must never be modified.

/**
 * The function with its latest results cached.
 * @param max the number of results cached, at least 1
 */
export function memoizeRecent<Key, Result extends object | string>(
  max: number,
  make: (key: Key) => Result,
): (key: Key) => Result {
  // A Map iterates in insertion order, so a result moves to the end when it is used.
  const kept = new Map<Key, Result>();
  return (key) => {
    let result = kept.get(key);
    if (result !== undefined) {
      kept.delete(key);
    } else {
      result = make(key);
      for (const oldest of kept.keys()) {
        if (kept.size < max) break;
        kept.delete(oldest);
      }
    }
    kept.set(key, result);
    return result;
  };
}
