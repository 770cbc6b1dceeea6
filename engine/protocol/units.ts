// The units in which the whole exchange counts, and the exact conversions between them.
// Read by every folder. Nothing here ever uses a fraction: prices are pips (1e-4 of a unit, 1 to 9999), sizes are lots
// (0.01 share), collateral and shares are micro (1e-6, as the wire's makerAmount and takerAmount).

/** Pips in one collateral unit: a price of p for one token is 10,000 − p for the other. */
export const PIPS_PER_UNIT = 10_000;
/** Micro in one unit of collateral or one share (six decimals). */
export const MICRO_PER_UNIT = 1_000_000;
/** Lots in one share. */
export const LOTS_PER_SHARE = 100;
/** Micro-shares in one lot. */
export const MICRO_PER_LOT = 10_000;
/** The largest amount that any sum may reach: 2^53 − 1. */
export const MICRO_MAX = Number.MAX_SAFE_INTEGER;

/** The tick sizes a market may have, in pips, coarsest first: 0.1, 0.01, 0.005, 0.0025, 0.001, 0.0001. */
export const TICK_SIZES_PIPS = [1000, 100, 50, 25, 10, 1] as const;

/** Whether a market may have this tick size (pips). */
export function isTickSize(pips: number): boolean {
  return TICK_SIZES_PIPS.some((tick) => tick === pips);
}

/**
 * The step (micro) of the amount that an order's price determines, under a tick (pips): the power of ten in the tick. The ticks
 * 0.1, 0.01, 0.005, 0.0025, 0.001 and 0.0001 thus allow 3, 4, 5, 6, 5 and 6 decimals (wire.md B.4, rounding table).
 */
export function amountStepMicro(tickPips: number): number {
  if (tickPips % 1000 === 0) return 1000;
  if (tickPips % 100 === 0) return 100;
  return tickPips % 10 === 0 ? 10 : 1;
}

/** The price of the other token of a market (pips): the two always add up to one unit. */
export function complementPips(pips: number): number {
  return PIPS_PER_UNIT - pips;
}
