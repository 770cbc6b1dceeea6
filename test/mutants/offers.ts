// The names and short forms of the traces' commands: owners, their wallets and keys, markets, deposits, and orders in the first
// token by an owner's own wallet and only key. Used by the files that make up traces, and by tests of the core.
import { type Command, type CommandOf, OrderType, RULES_VERSION, Side } from '../../engine/protocol/index.ts';
import { hex, marketIds, orderIdOf } from '../model/names.ts';

/** Takes a command with its time. */
export type Take = (tMs: number, command: Command) => void;

/** The settings of an exchange, without its rules. */
export type Settings = Omit<CommandOf<'Started'>, 'type' | 'rulesVersion'>;

/** How many owners, markets and orders the crowd has; those of other situations are numbered after them. */
export const OWNERS = 1_200;
export const MARKETS = 90;
export const ORDERS = 5_000;
export const HOUR_MS = 3_600_000;
export const addressOf = (owner: number): string =>
  `0x${hex(Math.imul(owner + 7, 0x9e3779b1) >>> 0, 8)}${hex(owner, 32)}`;
export const keyOf = (owner: number): string => `0x${hex(Math.imul(owner + 9, 0x85ebca6b) >>> 0, 8)}${hex(owner, 24)}`;

/** The terms of a market, unless it needs others. */
export const terms = {
  ...{ status: 1, negRisk: 0, autoTick: 0, feeExponent: 2, tickPips: 10, feeRate: 300, minOrderLots: 1 },
  ...{ delaySeconds: 0, minMarketableBuyMicro: 0 },
};

/** Starts an exchange under the latest rules, which credits nobody and whose trades have all statuses at once. */
export function start(take: Take, tMs: number, orderWindowMs: number): void {
  const settings = { heartbeatWindowMs: 60_000, minedDelayMs: 0, confirmedDelayMs: 0, creditMicro: 0 };
  take(tMs, { type: 'Started', rulesVersion: RULES_VERSION, orderWindowMs, ...settings });
}

type PlaceOrder = CommandOf<'PlaceOrder'>;
type Required = 'orderId' | 'keyId' | 'maker' | 'marketIndex' | 'makerAmountMicro' | 'takerAmountMicro';

/** Places an order: a GTC BUY of the first token by the wallet's own owner, signed at that time, unless it says otherwise. */
export function placeOrder(take: Take, tMs: number, order: Pick<PlaceOrder, Required> & Partial<PlaceOrder>): void {
  take(tMs, {
    ...{ type: 'PlaceOrder', owner: order.maker, outcome: 0, side: Side.BUY, orderType: OrderType.GTC, flags: 0 },
    ...{ timestampMs: tMs, expirationS: 0 },
    ...order,
  });
}

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

/** What the maker of an order gives and takes: a BUY's money is its maker amount, for a SELL it is the other way round. */
export const amountsOf = (
  side: number,
  { moneyMicro, sharesMicro }: ReturnType<typeof priced>,
): { makerAmountMicro: number; takerAmountMicro: number } => ({
  makerAmountMicro: side === Side.BUY ? moneyMicro : sharesMicro,
  takerAmountMicro: side === Side.BUY ? sharesMicro : moneyMicro,
});

/** Places an order of an owner; its id is made from the label. */
export function offer(take: Take, tMs: number, label: number, owner: number, order: Offer): void {
  const { marketIndex, side, orderType = OrderType.GTC, timestampMs = tMs } = order;
  placeOrder(take, tMs, {
    ...{ orderId: orderIdOf(label), keyId: keyOf(owner), maker: addressOf(owner) },
    ...{ marketIndex, side, orderType, timestampMs },
    ...amountsOf(side, order),
  });
}

/** Deposits money to a wallet of its own owner. */
export function deposit(take: Take, tMs: number, wallet: string, amountMicro: number): void {
  take(tMs, { type: 'Deposit', wallet, owner: wallet, amountMicro, isFaucet: 0 });
}

/** Deposits money for an owner. */
export function fund(take: Take, tMs: number, owner: number, amountMicro: number): void {
  deposit(take, tMs, addressOf(owner), amountMicro);
}

/** Turns an owner's money into shares of both tokens. */
export function split(take: Take, tMs: number, owner: number, marketIndex: number, amountMicro: number): void {
  const wallet = addressOf(owner);
  take(tMs, { type: 'Split', wallet, owner: wallet, keyId: keyOf(owner), marketIndex, amountMicro, flags: 0 });
}

/** Creates a market on `terms`, but for the given ones. */
export function createMarket(take: Take, tMs: number, marketIndex: number, changes: Partial<typeof terms> = {}): void {
  take(tMs, { type: 'CreateMarket', eventNumber: 0, ...marketIds(marketIndex), ...terms, ...changes });
}
