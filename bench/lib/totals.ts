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

export const emptyTotals = (): Totals => ({ fills: 0, lots: 0, notional: 0, restingOrders: 0, restingLots: 0 });

/** One line to compare and to print. */
export function totalsText(totals: Totals): string {
  return (
    `${totals.fills} fills, ${totals.lots} lots, notional ${totals.notional}, ` +
    `${totals.restingOrders} resting orders of ${totals.restingLots} lots`
  );
}
