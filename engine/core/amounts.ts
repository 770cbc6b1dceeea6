// What lots come to in micro. Such products are mostly below 2^31 and sometimes beyond: V8 would take them for small integers,
// until the first large order throws the code that it has made for orders away, and then the next, in another place. Called
// wherever the core turns lots into money or shares.

const MICRO_PER_LOT = 10_000;
/** A 64-bit float is read out of it whatever is written into it: the product is one from the beginning. */
const factor = new Float64Array(1);

/** lots × pips: what so many lots cost at a price, micro. */
export const costMicro = (lots: number, pips: number): number => {
  factor[0] = lots;
  return factor[0] * pips;
};

/** What so many lots are in shares, micro. */
export const sharesMicroOf = (lots: number): number => {
  return costMicro(lots, MICRO_PER_LOT);
};
