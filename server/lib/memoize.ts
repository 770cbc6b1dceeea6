// Results of a function that is asked the same again and again, kept up to a bound: those that were asked for most recently.
// Used where orders are checked and shown, for what takes a hash or more to tell. What it keeps is never changed.

/** @param max how many results are kept, at least 1 */
export function keepResults<Key, Result extends object | string>(
  max: number,
  make: (key: Key) => Result,
): (key: Key) => Result {
  // A Map keeps the order of insertion: what is used moves to its end.
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
