// A helper for doubly linked lists of slots: the orders of a position. Used by the ledger, which holds the ends of these lists,
// and by the order pool, which holds the links in between.

/**
 * `first`, or `second` when `asked` is NONE (negative). Whether an order has a neighbour in such a list is unpredictable, so
 * this is branch-free, see usualOrder.ts.
 */
export const orWhereNone = (asked: number, first: number, second: number): number => {
  return first ^ ((first ^ second) & (asked >> 31));
};
