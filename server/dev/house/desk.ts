// One market from the house's point of view: its fair price, its makers, their orders in the book, when it is next due.
// Created and kept by house.ts. It reads the views, turns plans into orders of accounts, and submits nothing.

import { complementPips, MICRO_PER_LOT, OrderType, PIPS_PER_UNIT, Side } from '../../../engine/index.ts';
import type { Market, Order, TokenBook, Views } from '../../views/index.ts';
import { lotsSpending } from '../clientOrder.ts';
import type { HouseAccount, HouseOrder } from './accounts.ts';
import { clamp, type FairPrice, unitPipsAt } from './fairPrice.ts';
import type { MarketState, Quote, RestingQuote } from './maker.ts';
import { choices } from './model.ts';
import type { HouseRandom } from './random.ts';
import type { Take } from './taker.ts';

/** A market that the house serves. */
export interface Desk {
  readonly marketIndex: number;
  /** 1 on average over the recorded markets. */
  readonly activity: number;
  readonly fair: FairPrice;
  readonly makers: readonly HouseAccount[];
  /** The spread between best bid and ask, in units; redrawn now and then. */
  spreadUnits: number;
  hasEntered: boolean;
  isRedeemed: boolean;
  nextUpdateMs: number;
  nextTakeMs: number;
  /** Consecutive steps in which a command for this market was refused. */
  refusals: number;
}

/** Lots of both tokens that an account may still sell; reduced as orders use them. */
export type FreeLots = [first: number, second: number];

const isBidOf = ({ side, outcome }: Order): boolean => (side === Side.BUY) === (outcome === 0);

/** The makers' resting orders in the market, oldest first within each maker. */
export function restingOf(desk: Desk, { orders }: Views): readonly RestingQuote[] {
  const resting: RestingQuote[] = [];
  for (const { address } of desk.makers) {
    for (const order of orders.openOf(address)) {
      if (order.marketIndex !== desk.marketIndex || order.restingLots === 0) continue;
      const pips = order.outcome === 0 ? order.pricePips : complementPips(order.pricePips);
      resting.push({ orderId: order.id, owner: address, isBid: isBidOf(order), pips, lots: order.restingLots });
    }
  }
  return resting;
}

/** An account's holdings of both tokens less what its open orders sell, in whole lots. */
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

/** An account's holdings of the first token less those of the second, in lots. */
export function netLotsOf({ address }: HouseAccount, marketIndex: number, { accounts }: Views): number {
  const accountId = accounts.byWallet(address)?.accountId ?? -1;
  const net = accounts.sharesMicro(accountId, marketIndex, 0) - accounts.sharesMicro(accountId, marketIndex, 1);
  return Math.trunc(net / MICRO_PER_LOT);
}

/** The market as the planners of this folder see it; the makers' `netLots` skews the price at which they quote. */
export function marketStateOf(
  { terms }: Market,
  desk: Desk,
  book: TokenBook,
  resting: readonly RestingQuote[],
  netLots: number,
): MarketState {
  const { tickPips, minOrderLots } = terms;
  const { bids, asks } = book;
  const pips = desk.fair.pips(tickPips);
  const unitPips = unitPipsAt(pips, tickPips);
  const skew = clamp(netLots / choices.skewLots, -1, 1) * choices.skewUnits * unitPips;
  const fairPips = clamp(pips - skew, tickPips, PIPS_PER_UNIT - tickPips);
  const { spreadUnits } = desk;
  return { tickPips, minOrderLots, fairPips, unitPips, spreadUnits, bids, asks, resting };
}

/** The token and side of an order: sells shares that the account holds, if allowed, else buys the opposite token. */
function chooseToken(
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
  return { outcome, side: usesShares ? Side.SELL : Side.BUY, pips: outcome === 0 ? pips : complementPips(pips) };
}

/** The chance that a maker sells shares it holds instead of buying the other token: higher for asks than for bids. */
const SELL_CHANCE = { bid: 0.3, ask: 0.7 } as const;

/** A quote as an order of a maker. */
export function quoteOrder(market: Market, quote: Quote, free: FreeLots, random: HouseRandom): HouseOrder {
  const { isBid, pips, lots } = quote;
  const mayUseShares = random.chance(isBid ? SELL_CHANCE.bid : SELL_CHANCE.ask);
  const terms = chooseToken(isBid, pips, lots, free, mayUseShares);
  return { market, ...terms, lots, orderType: OrderType.GTC, postOnly: true, salt: random.salt() };
}

/** A take as an order of a taker; a buy is raised to the market's minimum. */
export function takeOrder(market: Market, take: Take, free: FreeLots, random: HouseRandom): HouseOrder {
  const terms = chooseToken(take.isBid, take.pips, take.lots, free, true);
  const leastLots = terms.side === Side.BUY ? lotsSpending(market.terms.minMarketableBuyMicro, terms.pips) : take.lots;
  const lots = Math.max(take.lots, leastLots);
  const orderType = take.isFillOrKill && lots === take.lots ? OrderType.FOK : OrderType.FAK;
  return { market, ...terms, lots, orderType, postOnly: false, salt: random.salt() };
}
