// Lots in micro: used wherever the core turns lots into money or shares. Such products are mostly below 2^31 and sometimes
// beyond. V8 would compile them as small integers until a large order deoptimises the order path, and the next one does so in
// another place.
import * as units from '../protocol/units.ts';

// A file-local constant, see engine/compiler.ts.
const { MICRO_PER_LOT } = units;
/** Reading it always yields a 64-bit float, so V8 takes the product for one from the start. */
const factor = new Float64Array(1);

/** lots × pips: the cost of lots at a price, micro. */
export const costMicro = (lots: number, pips: number): number => {
  factor[0] = lots;
  return factor[0] * pips;
};

/** Lots as shares, micro. */
export const sharesMicroOf = (lots: number): number => {
  return costMicro(lots, MICRO_PER_LOT);
};
