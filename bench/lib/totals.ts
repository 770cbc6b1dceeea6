// An engine's results as figures that every correct engine must reach on the same ops: the checksum that a fast but wrong
// book fails. Filled by every engine of the bench and by the model inside the generator.

export interface Totals {
  /** The number of fills: one for each maker order that a taker order meets. */
  fills: number;
  /** Σ lots of the fills. */
  lots: number;
  /** Σ lots × price in ticks of the fills. */
  notional: number;
  /** Orders resting at the end. */
  restingOrders: number;
  /** Σ lots of the resting orders. */
  restingLots: number;
}

/** All totals 0. Sums of lots are floats from the start: otherwise V8 would recompile every engine once a sum passes 2^31. */
export function emptyTotals(): Totals {
  const totals = { fills: 0, lots: Number.NaN, notional: Number.NaN, restingOrders: 0, restingLots: Number.NaN };
  return Object.assign(totals, { lots: 0, notional: 0, restingLots: 0 });
}

/** The totals as one line, to compare and to print. */
export function totalsText(totals: Totals): string {
  return (
    `${totals.fills} fills, ${totals.lots} lots, notional ${totals.notional}, ` +
    `${totals.restingOrders} resting orders of ${totals.restingLots} lots`
  );
}
