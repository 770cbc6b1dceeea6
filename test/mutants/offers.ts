// Short forms for the orders and deposits of the traces: an order in the first token, by an owner's own wallet and only
// key. Used by bursts.ts, hairs.ts and asides.ts.
import { OrderType, Side } from '../../engine/protocol/index.ts';
import { orderIdOf } from '../model/names.ts';
import { addressOf, keyOf, type Take } from './situations.ts';

interface Offer {
  readonly marketIndex: number;
  readonly side: number;
  readonly moneyMicro: number;
  readonly sharesMicro: number;
  /** GTC by default. */
  readonly orderType?: number;
  /** The command's own time by default. */
  readonly timestampMs?: number;
}

/** The amounts of `lots` at a price. */
export const priced = (pips: number, lots: number) => ({ moneyMicro: lots * pips, sharesMicro: lots * 10_000 });

/** Places an order of an owner; its id is made from the label. */
export function offer(take: Take, tMs: number, label: number, owner: number, order: Offer): void {
  const { marketIndex, side, moneyMicro, sharesMicro, orderType = OrderType.GTC, timestampMs = tMs } = order;
  const wallet = addressOf(owner);
  take(tMs, {
    ...{ type: 'PlaceOrder', orderId: orderIdOf(label), keyId: keyOf(owner), maker: wallet, owner: wallet },
    ...{ marketIndex, outcome: 0, side, orderType, flags: 0, timestampMs, expirationS: 0 },
    makerAmountMicro: side === Side.BUY ? moneyMicro : sharesMicro,
    takerAmountMicro: side === Side.BUY ? sharesMicro : moneyMicro,
  });
}

/** Deposits money for an owner. */
export function fund(take: Take, tMs: number, owner: number, amountMicro: number): void {
  const wallet = addressOf(owner);
  take(tMs, { type: 'Deposit', wallet, owner: wallet, amountMicro, isFaucet: 0 });
}
