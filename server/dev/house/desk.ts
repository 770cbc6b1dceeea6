// One market as the house sees it: its fair price, its makers, what they have in the book, when it is due next. Made and
// kept by house.ts. It reads the views, turns plans into orders of accounts, and submits nothing.

import { MICRO_PER_LOT, OrderType, PIPS_PER_UNIT, Side } from '../../../engine/index.ts';
import type { Market, Order, TokenBook, Views } from '../../views/index.ts';
import { lotsSpending } from '../clientAmounts.ts';
import type { HouseAccount, HouseOrder } from './accounts.ts';
import { type FairPrice, unitPipsAt } from './fairPrice.ts';
import type { MarketLook, Quote, RestingQuote } from './maker.ts';
import { choices } from './model.ts';
import type { HouseRandom } from './random.ts';
import type { Take } from './taker.ts';

/** A market in the house's care. */
export interface Desk {
  readonly marketIndex: number;
  /** 1 on average over the recorded markets. */
  readonly activity: number;
  readonly fair: FairPrice;
  readonly makers: readonly HouseAccount[];
  /** Between best bid and ask, in units; drawn anew now and then. */
  spreadUnits: number;
  hasEntered: boolean;
  isRedeemed: boolean;
  nextUpdateMs: number;
  nextTakeMs: number;
  /** Steps in a row in which something here was refused. */
  refusals: number;
}

/** Lots of both tokens that an account may sell; taken down as orders are made of them. */
export type FreeLots = [first: number, second: number];

const isBidOf = ({ side, outcome }: Order): boolean => (side === Side.BUY) === (outcome === 0);

/** The makers' resting orders in the market, oldest first within each maker. */
export function restingOf(desk: Desk, { orders }: Views): readonly RestingQuote[] {
  const resting: RestingQuote[] = [];
  for (const { address } of desk.makers) {
    for (const order of orders.openOf(address)) {
      if (order.marketIndex !== desk.marketIndex || order.restingLots === 0) continue;
      const pips = order.outcome === 0 ? order.pricePips : PIPS_PER_UNIT - order.pricePips;
      resting.push({ orderId: order.id, owner: address, isBid: isBidOf(order), pips, lots: order.restingLots });
    }
  }
  return resting;
}

/** What an account holds of both tokens, less what its open orders sell; whole lots. */
export function freeLotsOf({ address }: HouseAccount, marketIndex: number, { accounts, orders }: Views): FreeLots {
  const accountId = accounts.byWallet(address)?.accountId ?? -1;
  const free: FreeLots = [
    Math.floor(accounts.sharesMicro(accountId, marketIndex, 0) / MICRO_PER_LOT),
    Math.floor(accounts.sharesMicro(accountId, marketIndex, 1) / MICRO_PER_LOT),
  ];
  for (const order of orders.openOf(address)) {
    if (order.marketIndex !== marketIndex || order.side !== Side.SELL) continue;
    free[order.outcome === 0 ? 0 : 1] -= order.originalLots - order.filledLots;
  }
  return free;
}

/** What an account holds of the first token, less what it holds of the second; lots. */
export function netLotsOf({ address }: HouseAccount, marketIndex: number, { accounts }: Views): number {
  const accountId = accounts.byWallet(address)?.accountId ?? -1;
  const net = accounts.sharesMicro(accountId, marketIndex, 0) - accounts.sharesMicro(accountId, marketIndex, 1);
  return Math.trunc(net / MICRO_PER_LOT);
}

/** The market for the plans of this folder; `netLots` of the makers skews the price at which they quote. */
export function lookAt(
  { terms }: Market,
  desk: Desk,
  book: TokenBook,
  resting: readonly RestingQuote[],
  netLots: number,
): MarketLook {
  const { tickPips, minOrderLots } = terms;
  const { bids, asks } = book;
  const pips = desk.fair.pips(tickPips);
  const unitPips = unitPipsAt(pips, tickPips);
  const skew = Math.min(Math.max(netLots / choices.skewLots, -1), 1) * choices.skewUnits * unitPips;
  const fairPips = Math.min(Math.max(pips - skew, tickPips), PIPS_PER_UNIT - tickPips);
  const { spreadUnits } = desk;
  return { tickPips, minOrderLots, fairPips, unitPips, spreadUnits, bids, asks, resting };
}

/** The token and side that carry an order: shares that the account has if it may use them, else money for the other. */
function carry(
  isBid: boolean,
  pips: number,
  lots: number,
  free: FreeLots,
  mayUseShares: boolean,
): { readonly outcome: 0 | 1; readonly side: Side; readonly pips: number } {
  const held = isBid ? 1 : 0;
  const usesShares = mayUseShares && free[held] >= lots;
  if (usesShares) free[held] -= lots;
  const outcome = usesShares ? held : isBid ? 0 : 1;
  return { outcome, side: usesShares ? Side.SELL : Side.BUY, pips: outcome === 0 ? pips : PIPS_PER_UNIT - pips };
}

/** Makers sell what they have rather than buy the other token, more often for asks than for bids. */
const SELL_CHANCE = { bid: 0.3, ask: 0.7 } as const;

/** A quote as an order of a maker. */
export function quoteOrder(market: Market, quote: Quote, free: FreeLots, random: HouseRandom): HouseOrder {
  const { isBid, pips, lots } = quote;
  const mayUseShares = random.chance(isBid ? SELL_CHANCE.bid : SELL_CHANCE.ask);
  const carried = carry(isBid, pips, lots, free, mayUseShares);
  return { market, ...carried, lots, orderType: OrderType.GTC, postOnly: true, salt: random.salt() };
}

/** A take as an order of a taker, raised to the market's minimum where it buys. */
export function takeOrder(market: Market, take: Take, free: FreeLots, random: HouseRandom): HouseOrder {
  const carried = carry(take.isBid, take.pips, take.lots, free, true);
  const leastLots =
    carried.side === Side.BUY ? lotsSpending(market.terms.minMarketableBuyMicro, carried.pips) : take.lots;
  const lots = Math.max(take.lots, leastLots);
  const orderType = take.isFillOrKill && lots === take.lots ? OrderType.FOK : OrderType.FAK;
  return { market, ...carried, lots, orderType, postOnly: false, salt: random.salt() };
}
