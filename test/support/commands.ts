// Commands that tests submit to an exchange directly, where no signature matters: an owner with a key and money, and its
// plain BUYs. Used by tests that need many orders, or orders at exact times.
import { type Command, type CommandOf, OrderType, Side } from '../../engine/index.ts';

/** An owner that trades from its own address, and its key. */
export interface Buyer {
  readonly owner: string;
  readonly keyId: string;
}

/** Creates an owner's key, and gives the owner money. */
export const ownerCommands = ({ owner, keyId }: Buyer, amountMicro = 1e12): readonly Command[] => [
  { type: 'CreateApiKey', owner, keyId, nonce: 0, generation: 0, kind: 0 },
  { type: 'Deposit', wallet: owner, owner, amountMicro, isFaucet: 0 },
];

interface Buy {
  readonly orderId: string;
  readonly marketIndex: number;
  readonly outcome: number;
  readonly pips: number;
  readonly lots: number;
  /** When it was signed. */
  readonly timestampMs: number;
}

/** A GTC order for `lots` at `pips` or less. */
export function buyCommand({ owner, keyId }: Buyer, { pips, lots, ...order }: Buy): CommandOf<'PlaceOrder'> {
  return {
    type: 'PlaceOrder',
    ...order,
    ...{ keyId, maker: owner, owner, side: Side.BUY, orderType: OrderType.GTC, flags: 0, expirationS: 0 },
    ...{ makerAmountMicro: lots * pips, takerAmountMicro: lots * 10_000 },
  };
}
