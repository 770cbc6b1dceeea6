// The book of the reference exchange: all resting orders of a market, sorted anew for each query, and the dry run of a
// taker over them. Used by the reference's order rules. It changes nothing: the caller settles.
import { limits, OrderType, RulesVersion, Side } from '../../engine/protocol/index.ts';
import type { Account, Market, Order, State, Taker } from './referenceState.ts';
import {
  costOf,
  isBudgetBuy,
  isImmediate,
  microSharesOf,
  ORDER_LOTS_MAX,
  reservedCollateralOf,
} from './referenceState.ts';

/** Whether an order stands on the bid side of the first token's ladder: it buys YES or sells NO. */
const isBid = (order: Taker): boolean => (order.side === Side.BUY) === (order.outcome === 0);

/** Limit of an order in the first token's terms. */
const ladderPips = (order: Taker): number => (order.outcome === 0 ? order.pricePips : 10_000 - order.pricePips);

/** The resting orders of one side in price-time order, best first. */
function sideOf(state: State, market: Market, bids: boolean): Order[] {
  const side = state.orders.filter((order) => order.market === market && !order.isDelayed && isBid(order) === bids);
  const direction = bids ? -1 : 1;
  return side.sort((x, y) => direction * (ladderPips(x) - ladderPips(y)) || x.priority - y.priority);
}

/** The resting orders that a taker's limit reaches, in the order in which it meets them, own ones included. */
export function ordersInReach(state: State, taker: Taker): Order[] {
  const limit = ladderPips(taker);
  const facing = sideOf(state, taker.market, !isBid(taker));
  return facing.filter((maker) => (isBid(taker) ? ladderPips(maker) <= limit : ladderPips(maker) >= limit));
}

export const isOwn = (taker: Taker, maker: Order): boolean => maker.account.owner === taker.owner;

/** Price of a maker in the taker's own token. */
export const takerPips = (taker: Taker, maker: Order): number =>
  taker.outcome === 0 ? ladderPips(maker) : 10_000 - ladderPips(maker);

/** One fill: a maker's part. */
export interface Step {
  readonly maker: Order;
  readonly lots: number;
  readonly pricePips: number;
}

export interface DryRun {
  /** Fills by price level, best first. */
  readonly levels: readonly (readonly Step[])[];
  readonly foundLots: number;
  readonly costMicro: bigint;
  readonly feeMicro: bigint;
  /** Whether a FOK may go ahead, and whether a FAK ends as filled. */
  readonly isFull: boolean;
  /** Lots still wanted after the walk. */
  readonly leftLots: number;
  /** Own orders that would have to be cancelled first, in the order in which the walk meets them. */
  readonly ownInTheWay: readonly Order[];
}

/** Walks the book as the taker would, skipping its owner's orders, and returns the outcome. */
export function dryRun(state: State, taker: Taker): DryRun {
  const reach = ordersInReach(state, taker);
  const steps: Step[] = [];
  let budget = taker.makerAmount;
  let wanted = taker.originalLots;
  let takeable = state.settings.rulesVersion === RulesVersion.FIRST ? Number.MAX_SAFE_INTEGER : Number(ORDER_LOTS_MAX);
  for (const maker of reach) {
    if (isOwn(taker, maker)) continue;
    const pricePips = takerPips(taker, maker);
    const most = isBudgetBuy(taker) ? Math.min(Number(budget / BigInt(pricePips)), takeable) : wanted;
    const lots = Math.min(maker.remainingLots, most);
    if (lots === 0) break;
    steps.push({ maker, lots, pricePips });
    budget -= costOf(lots, pricePips);
    wanted -= lots;
    takeable -= lots;
  }
  const levels = byLevel(steps);
  const leftLots = isBudgetBuy(taker) ? Number(budget / BigInt(taker.pricePips)) : wanted;
  let foundLots = 0;
  let costMicro = 0n;
  for (const step of steps) {
    foundLots += step.lots;
    costMicro += costOf(step.lots, step.pricePips);
  }
  let feeMicro = 0n;
  for (const level of levels) feeMicro += feeOf(taker.market, lotsOf(level), level[0].pricePips);
  const last = steps.at(-1);
  const willRest = !isImmediate(taker) && leftLots > 0;
  const before = willRest ? reach : reach.slice(0, last === undefined ? 0 : reach.indexOf(last.maker));
  const ownInTheWay = before.filter((maker) => isOwn(taker, maker));
  return { levels, foundLots, costMicro, feeMicro, isFull: leftLots === 0, leftLots, ownInTheWay };
}

function byLevel(steps: readonly Step[]): Step[][] {
  const levels: Step[][] = [];
  for (const step of steps) {
    const level = levels.at(-1);
    if (level !== undefined && level[0].pricePips === step.pricePips) level.push(step);
    else levels.push([step]);
  }
  return levels;
}

export function lotsOf(level: readonly Step[]): number {
  return level.reduce((sum, step) => sum + step.lots, 0);
}

/** Fee in micro of `lots` at one price: exact, then rounded down to 10 micro. */
export function feeOf(market: Pick<Market, 'feeRate' | 'feeExponent'>, lots: number, pricePips: number): bigint {
  const exponent = BigInt(market.feeExponent);
  const product = BigInt(pricePips) * BigInt(10_000 - pricePips);
  const exact = BigInt(lots) * BigInt(market.feeRate) * product ** exponent;
  const step = BigInt(limits.feeStepMicro);
  return (exact / 10n ** (8n * exponent) / step) * step;
}

/**
 * The free balance that a taker needs to enter: collateral in micro for a BUY, micro-shares for a SELL. A part that would
 * rest counts at the limit; FOK and FAK need what they would take.
 */
export function neededMicro(taker: Taker, run: DryRun): bigint {
  if (taker.side === Side.SELL) return microSharesOf(isImmediate(taker) ? run.foundLots : taker.originalLots);
  const taking = run.costMicro + run.feeMicro;
  return isImmediate(taker) ? taking : taking + costOf(run.leftLots, taker.pricePips);
}

/** What an order reserves while it is delayed. */
export function delayReservationMicro(taker: Taker): bigint {
  if (taker.side === Side.SELL) return microSharesOf(taker.originalLots);
  return isImmediate(taker) ? taker.makerAmount : costOf(taker.originalLots, taker.pricePips);
}

/** What the given orders reserve, on this account, of the balance that the taker pays with. */
export function releasedMicro(taker: Taker, orders: readonly Order[]): bigint {
  let sum = 0n;
  for (const order of orders) {
    if (order.account !== taker.account) continue;
    if (taker.side === Side.BUY) sum += reservedCollateralOf(order);
    else if (order.side === Side.SELL && order.outcome === taker.outcome) sum += microSharesOf(order.remainingLots);
  }
  return sum;
}

export interface Level {
  readonly pips: number;
  readonly lots: number;
}

/** The levels of one side in the first token's terms, best first. */
export function levelsOf(state: State, market: Market, bids: boolean): Level[] {
  const levels: { pips: number; lots: number }[] = [];
  for (const order of sideOf(state, market, bids)) {
    const pips = ladderPips(order);
    const level = levels.at(-1);
    if (level !== undefined && level.pips === pips) level.lots += order.remainingLots;
    else levels.push({ pips, lots: order.remainingLots });
  }
  return levels;
}

export const isFok = (taker: Taker): boolean => taker.orderType === OrderType.FOK;

/** The balance that pays for an order: collateral for a BUY, the token's shares for a SELL. */
export function balanceMicro(taker: Taker, account: Account | undefined): bigint {
  if (account === undefined) return 0n;
  if (taker.side === Side.BUY) return account.collateral;
  return account.shares.get(taker.market.index)?.[taker.outcome] ?? 0n;
}
