// Memoization with a bound: a function's latest results are kept, and the least recently used one is dropped first. Used where
// orders are checked and shown, for what costs a hash or more. A kept result must never be changed.

/** @param max how many results are kept, at least 1 */
export function memoizeRecent<Key, Result extends object | string>(
  max: number,
  make: (key: Key) => Result,
): (key: Key) => Result {
  // A Map iterates in the order of insertion: a result that is used moves to the end.
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
