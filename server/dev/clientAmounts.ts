// The amounts that a client signs for an order of a given number of lots at a price, rounded as official clients do. Used
// by the house and by the replay of recordings, whose orders pass the same checks as all others.
import { amountStepMicro, MICRO_PER_LOT, Side } from '../../engine/index.ts';

/** Micro in a cent: the amount that a FOK or FAK BUY spends has two decimals (wire.md B.4). */
const MICRO_PER_CENT = 10_000;

/** The fewest lots that, at this price, cost at least this much and at least a cent when cut to whole cents. */
export function lotsSpending(minCostMicro: number, pips: number): number {
  const cents = Math.max(1, Math.ceil(minCostMicro / MICRO_PER_CENT));
  return Math.ceil((cents * MICRO_PER_CENT) / pips);
}

interface ClientAmounts {
  readonly makerAmount: number;
  readonly takerAmount: number;
}

interface OrderTerms {
  readonly side: Side;
  /** Limit, on the tick. */
  readonly pips: number;
  readonly lots: number;
  readonly tickPips: number;
  /** FOK or FAK. */
  readonly takesOnly: boolean;
}

/** Whether a FOK or FAK BUY can ask for exactly this many lots: its cost must be whole cents. */
export function isWholeCents(lots: number, pips: number): boolean {
  return (lots * pips) % MICRO_PER_CENT === 0;
}

/**
 * Maker and taker amount in micro. A FOK or FAK BUY spends the whole cents of the lots' cost, and asks for the shares that
 * these buy at the price, cut to the decimals that the tick allows.
 */
export function clientAmounts({ side, pips, lots, tickPips, takesOnly }: OrderTerms): ClientAmounts {
  const moneyMicro = lots * pips;
  const sharesMicro = lots * MICRO_PER_LOT;
  if (side === Side.SELL) return { makerAmount: sharesMicro, takerAmount: moneyMicro };
  if (!takesOnly) return { makerAmount: moneyMicro, takerAmount: sharesMicro };
  const makerAmount = moneyMicro - (moneyMicro % MICRO_PER_CENT);
  const step = amountStepMicro(tickPips);
  const wanted =
    Math.floor(makerAmount / pips) * MICRO_PER_LOT + Math.floor(((makerAmount % pips) * MICRO_PER_LOT) / pips);
  return { makerAmount, takerAmount: wanted - (wanted % step) };
}
