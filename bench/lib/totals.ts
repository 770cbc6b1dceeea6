// What an engine has done, in figures that any right engine must reach on the same ops: the checksum that a fast but
// wrong book fails. Filled by every engine of the bench and by the model inside the generator.

export interface Totals {
  /** One a maker order and taker order that met. */
  fills: number;
  /** Σ lots of the fills. */
  lots: number;
  /** Σ lots × price in ticks of the fills. */
  notional: number;
  /** Orders resting at the end. */
  restingOrders: number;
  /** Σ lots of these. */
  restingLots: number;
}

/** Nothing done yet. Sums of lots are floats from the beginning: V8 would compile every engine anew once one passes 2^31. */
export function emptyTotals(): Totals {
  const totals = { fills: 0, lots: Number.NaN, notional: Number.NaN, restingOrders: 0, restingLots: Number.NaN };
  return Object.assign(totals, { lots: 0, notional: 0, restingLots: 0 });
}

/** One line to compare and to print. */
export function totalsText(totals: Totals): string {
  return (
    `${totals.fills} fills, ${totals.lots} lots, notional ${totals.notional}, ` +
    `${totals.restingOrders} resting orders of ${totals.restingLots} lots`
  );
}
