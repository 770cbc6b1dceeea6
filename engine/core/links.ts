// Links of lists whose members are numbers: the orders of a position, by slot. Used by the ledger, which has their ends, and by the
// order pool, which has the links between.

/**
 * The first of two numbers, or the second where `asked` is NONE (negative). Whether an order has a neighbour in such a list is as
 * good as random: calculated without a question, see usualOrder.ts.
 */
export const orWhereNone = (asked: number, first: number, second: number): number => {
  return first ^ ((first ^ second) & (asked >> 31));
};
