// The amounts that a client signs for an order of so many lots at a price, as official clients round them. Used by the house
// and by the replay of recordings, whose orders are checked like anybody's.
import { amountStepMicro, MICRO_PER_LOT, Side } from '../../engine/index.ts';

/** Micro in a cent: what a FOK or FAK BUY spends has two decimals (wire.md B.4). */
const MICRO_PER_CENT = 10_000;

/** The fewest lots at a price that spend this much, and a cent at least, when cut to whole cents. */
export function lotsSpending(leastMicro: number, pips: number): number {
  const cents = Math.max(1, Math.ceil(leastMicro / MICRO_PER_CENT));
  return Math.ceil((cents * MICRO_PER_CENT) / pips);
}

interface ClientAmounts {
  readonly makerAmount: number;
  readonly takerAmount: number;
}

interface Asked {
  readonly side: Side;
  /** Limit, on the tick. */
  readonly pips: number;
  readonly lots: number;
  readonly tickPips: number;
  /** FOK or FAK. */
  readonly takesOnly: boolean;
}

/** Whether a FOK or FAK BUY can ask for exactly so many lots: its money must be whole cents. */
export function isWholeCents(lots: number, pips: number): boolean {
  return (lots * pips) % MICRO_PER_CENT === 0;
}

/**
 * Maker and taker amount in micro. A BUY that takes only spends the whole cents of what the lots cost, and asks for the shares
 * that these buy at the price, cut to the decimals that the tick allows.
 */
export function clientAmounts({ side, pips, lots, tickPips, takesOnly }: Asked): ClientAmounts {
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
