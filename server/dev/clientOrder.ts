// An order as a client signs and posts it: the amounts for a given number of lots at a price, rounded as official clients
// do, and the signed body of POST /order. Used by the house and by the replay of recordings, whose orders pass the same
// checks as all others.
import { amountStepMicro, MICRO_PER_LOT, Side } from '../../engine/index.ts';
import { ZERO_BYTES32 } from '../auth/hex.ts';
import { type OrderDomain, type SignableOrder, SignatureType } from '../auth/orderDigest.ts';
import { signOrder } from '../auth/orderSignature.ts';
import { sideText } from '../wire/terms.ts';

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

interface ClientOrder {
  readonly salt: number;
  /** Both owner and wallet (signature type 0). */
  readonly address: string;
  readonly tokenId: string;
  readonly amounts: ClientAmounts;
  readonly side: Side;
  readonly timestampMs: number;
  readonly apiKey: string;
  readonly orderType: string;
  readonly postOnly: boolean;
}

/** The body of POST /order, signed. */
export function signedBody(order: ClientOrder, privateKey: Uint8Array | string, domain: OrderDomain) {
  const { salt, address, tokenId, amounts, side, timestampMs, apiKey, orderType, postOnly } = order;
  const signable: SignableOrder = {
    salt,
    maker: address,
    signer: address,
    tokenId,
    ...amounts,
    side,
    signatureType: SignatureType.EOA,
    timestamp: timestampMs,
    metadata: ZERO_BYTES32,
    builder: ZERO_BYTES32,
  };
  const posted = {
    ...signable,
    makerAmount: String(amounts.makerAmount),
    takerAmount: String(amounts.takerAmount),
    side: sideText(side),
    timestamp: String(timestampMs),
    expiration: '0',
    signature: signOrder(signable, privateKey, domain),
  };
  return { order: posted, owner: apiKey, orderType, deferExec: false, postOnly };
}
