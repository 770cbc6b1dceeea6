// What must hold after every command regardless of the detailed rules: nothing is created or lost, nothing is reserved
// twice, no book is crossed. Checks the reference's state; eventAudit.ts checks the same on the events. Throws an Error
// that names the invariant and its figures.
import { MarketStatus, Resolution, Side } from '../../engine/protocol/index.ts';
import type { Account, Market, Order, State } from './referenceState.ts';

export function fail(invariant: string, figures: Readonly<Record<string, unknown>>): never {
  const shown = Object.entries(figures).map(([name, value]) => `${name} ${String(value)}`);
  throw new Error(`invariant broken: ${invariant} (${shown.join(', ')})`);
}

export function checkState(state: State): void {
  checkConservation(state);
  for (const market of state.markets) {
    checkSets(state, market);
    checkLadder(state.orders.filter((order) => order.market === market && !order.isDelayed));
  }
  checkCoverage(state);
  checkOrders(state);
}

function checkConservation(state: State): void {
  let held = state.dust;
  for (const account of state.accounts) held += account.collateral;
  for (const market of state.markets) held += market.vault;
  const paidIn = state.deposited - state.withdrawn;
  if (held !== paidIn) fail('all collateral adds up to deposits less withdrawals', { held, paidIn });
  if (state.dust < 0n) fail('dust is not negative', { dust: state.dust });
}

function checkSets(state: State, market: Market): void {
  let first = 0n;
  let second = 0n;
  for (const { shares } of state.accounts) {
    const [one, other] = shares.get(market.index) ?? [0n, 0n];
    if (one < 0n || other < 0n) fail('no shares are negative', { market: market.index, one, other });
    first += one;
    second += other;
  }
  const { vault, resolution, index } = market;
  const figures = { market: index, vault, first, second };
  if (vault < 0n) fail('no vault is negative', figures);
  if (market.status !== MarketStatus.RESOLVED) {
    if (first !== vault || second !== vault) fail('until resolution, YES = NO = vault', figures);
  } else if (resolution === Resolution.SPLIT) {
    if (2n * vault < first + second) fail('after 50/50, 2 x vault covers all shares', figures);
    if (first + second === 0n && vault !== 0n) fail('with the last share the vault is empty', figures);
  } else if (vault !== (resolution === Resolution.FIRST ? first : second)) {
    fail('after a winner, its shares = vault', figures);
  }
}

/** No bid reaches an ask, not even one of the same owner. */
function checkLadder(resting: readonly Order[]): void {
  let bestBid = 0;
  let bestAsk = 10_000;
  for (const { side, outcome, pricePips } of resting) {
    const ladderPips = outcome === 0 ? pricePips : 10_000 - pricePips;
    if ((side === Side.BUY) === (outcome === 0)) bestBid = Math.max(bestBid, ladderPips);
    else bestAsk = Math.min(bestAsk, ladderPips);
  }
  if (bestBid >= bestAsk) fail('no book is crossed or locked', { bestBid, bestAsk });
}

function checkCoverage(state: State): void {
  const reserved = new Map<Account, Map<number, { money: bigint; shares: [bigint, bigint] }>>();
  for (const order of state.orders) {
    const markets = reserved.get(order.account) ?? new Map();
    reserved.set(order.account, markets);
    const sums = markets.get(order.market.index) ?? { money: 0n, shares: [0n, 0n] };
    markets.set(order.market.index, sums);
    const lots = BigInt(order.remainingLots);
    if (order.side === Side.SELL) sums.shares[order.outcome] += lots * 10_000n;
    else if (order.isDelayed && order.orderType >= 2) sums.money += order.makerAmount;
    else sums.money += lots * BigInt(order.pricePips);
  }
  for (const account of state.accounts) {
    const { collateral, id } = account;
    if (collateral < 0n) fail('no balance is negative', { account: id, collateral });
    for (const [market, { money, shares }] of reserved.get(account) ?? []) {
      if (money > collateral) fail('BUYs of a market are covered', { account: id, market, money, collateral });
      const held = account.shares.get(market) ?? [0n, 0n];
      for (const outcome of [0, 1] as const) {
        const figures = { account: id, market, outcome, reserved: shares[outcome], held: held[outcome] };
        if (shares[outcome] > held[outcome]) fail('SELLs of a token are covered', figures);
      }
    }
  }
}

function checkOrders(state: State): void {
  const ids = new Set<string>();
  let last = 0;
  for (const order of state.orders) {
    const { number, remainingLots, originalLots, market, isDelayed, orderType } = order;
    if (number <= last) fail('live orders stand by rising number', { number, last });
    last = number;
    if (ids.has(order.id)) fail('an id is live once', { number, id: order.id });
    ids.add(order.id);
    if (remainingLots < 1 || remainingLots > originalLots)
      fail('what rests is 1 to all lots', { number, remainingLots });
    if (!isDelayed && orderType >= 2) fail('FOK and FAK never rest', { number });
    const isTradable = market.status === MarketStatus.OPEN || market.status === MarketStatus.PAUSED;
    if (!isTradable) fail('only open and paused markets have orders', { number, status: market.status });
  }
}
