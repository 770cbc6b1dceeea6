// Replies that are the same for everybody and take long to make: one is made at a time, for all who had asked by the time at
// which it was begun. Used by routes whose replies hold every market. Nobody is given what was begun before they asked: that
// may lack what they have just done.
import type { Reply } from '../http/endpoint.ts';

/**
 * Shares what is made.
 * @param make is called for each of the keys, which tell servers of one process apart
 */
export function sharedReply<Key extends object>(make: (key: Key) => Promise<Reply>): (key: Key) => Promise<Reply> {
  /** The reply that is being made, and the one that is to be begun after it. */
  const latest = new WeakMap<Key, Promise<unknown>>();
  const next = new WeakMap<Key, Promise<Reply>>();
  return (key) => {
    const waiting = next.get(key);
    if (waiting !== undefined) return waiting;
    const begun = (latest.get(key) ?? Promise.resolve()).then(() => {
      next.delete(key);
      return make(key);
    });
    next.set(key, begun);
    latest.set(
      key,
      begun.catch(() => {}), // whoever asked for it hears of it
    );
    return begun;
  };
}
