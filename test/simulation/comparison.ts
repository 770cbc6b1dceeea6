// Compares everything that can be read with what follows from the events: books,
// balances and open orders of the views, and those of the core itself, which must agree
// once everything it did is durable. Used by simulation.ts after flushes and restarts.
import type { BookLevel } from '../../engine/core/index.ts';
import type { Reducers } from '../../engine/index.ts';
import type { BookSide, Views } from '../../server/views/index.ts';
import { type Audit, type AuditedMarket, type AuditedOrder, type AuditedSide, fail } from './audit.ts';

interface Parts {
  readonly core: Reducers['core'];
  readonly views: Views;
  readonly audit: Audit;
}

const SIDES = ['bids', 'asks'] as const;

/** Compares all markets, accounts and orders. */
export function compareAll(parts: Parts): void {
  const { audit, views } = parts;
  for (const market of audit.markets) compareMarket(parts, market);
  for (let account = 0; account < audit.accounts.length; account += 1) compareAccount(parts, account);
  const openOf = new Map<string, AuditedOrder[]>();
  for (const order of audit.orders.values()) {
    const { owner } = order.account;
    const orders = openOf.get(owner);
    if (orders === undefined) openOf.set(owner, [order]);
    else orders.push(order);
    compareOrder(parts, order);
  }
  for (const owner of new Set(audit.accounts.map((account) => account.owner))) {
    const shown = [...views.orders.openOf(owner)].map(({ orderNumber }) => orderNumber).join();
    const due = (openOf.get(owner) ?? []).map(({ number }) => number).join();
    if (shown !== due) fail('the open orders of an owner are shown', { owner, shown, due });
  }
}

/** Compares one market and one account of the views, different ones each time: cheap enough for every flush. */
export function compareSome(parts: Parts, round: number): void {
  const { markets, accounts } = parts.audit;
  if (markets.length > 0) compareShown(parts, markets[markets.length - 1 - (round % Math.min(markets.length, 6))]);
  compareAccount(parts, round % accounts.length);
}

function compareOrder({ views }: Parts, order: AuditedOrder): void {
  const shown = views.orders.byId(order.id);
  if (shown?.orderNumber !== order.number) fail('an open order is found by its id', { number: order.number });
  if (shown.status !== (order.isResting ? 'LIVE' : 'DELAYED')) fail('an order has its status', { is: shown.status });
  if (order.isResting && shown.restingLots !== order.remaining) {
    fail('what is left of an order is shown', { shown: shown.restingLots, due: order.remaining });
  }
}

function compareAccount({ core, views, audit }: Parts, account: number): void {
  const { wallet, owner, collateral, shares } = audit.accounts[account];
  const shown = views.accounts.byWallet(wallet);
  if (shown?.accountId !== account || shown.owner !== owner) fail('a wallet has its account', { wallet, account });
  const inCore = core.collateralMicro(account);
  if (shown.collateralMicro !== collateral || inCore !== collateral) {
    fail('collateral is shown', { account, due: collateral, shown: shown.collateralMicro, inCore });
  }
  for (const [key, held] of shares) {
    const market = key >> 1;
    const outcome = key & 1;
    const view = views.accounts.sharesMicro(account, market, outcome);
    const inCore = core.sharesMicro(account, market, outcome);
    if (view !== held || inCore !== held)
      fail('shares are shown', { account, market, outcome, due: held, view, inCore });
  }
}

function compareMarket(parts: Parts, market: AuditedMarket): void {
  compareShown(parts, market);
  const levels = parts.core.bookLevels(market.index);
  for (const name of SIDES) {
    if (!isInCore(levels[name], market[name])) {
      const core = levels[name].map(({ pips, lots }) => `${lots}@${pips}`).reverse();
      const figures = { market: market.index, due: bookText(market[name]), core: core.join(' ') };
      fail(`the core's book has its ${name}`, figures);
    }
  }
}

function compareShown({ views, audit }: Parts, market: AuditedMarket): void {
  const { index, status } = market;
  const row = views.markets.byIndex(index);
  if (audit.markets[index] !== market || row?.status !== status) {
    fail('a market has its status', { market: index, due: status, shown: row?.status });
  }
  const book = views.books.book(index, 0);
  for (const name of SIDES) {
    if (!isShown(book[name], market[name])) {
      const shown = book[name].pips.map((pips, at) => `${book[name].lots[at]}@${pips}`).join(' ');
      fail(`the book shows its ${name}`, { market: index, due: bookText(market[name]), shown });
    }
  }
  if (views.trades.ofMarket(index).length !== market.trades) fail('all trades are shown', { market: index });
}

/** Whether the core has the levels of a side: it lists the best first. */
function isInCore(levels: readonly BookLevel[], side: AuditedSide): boolean {
  if (levels.length !== side.pips.length) return false;
  for (let at = 0; at < levels.length; at += 1) {
    const { pips, lots } = levels[levels.length - 1 - at];
    if (side.pips[at] !== pips || lots !== lotsOf(side.levels.get(pips) ?? [])) return false;
  }
  return true;
}

function isShown(shown: BookSide, side: AuditedSide): boolean {
  if (shown.pips.length !== side.pips.length) return false;
  for (let at = 0; at < shown.pips.length; at += 1) {
    const pips = side.pips[at];
    if (shown.pips[at] !== pips || shown.lots[at] !== lotsOf(side.levels.get(pips) ?? [])) return false;
  }
  return true;
}

const lotsOf = (orders: readonly AuditedOrder[]): number => orders.reduce((sum, { remaining }) => sum + remaining, 0);
const bookText = (side: AuditedSide): string =>
  side.pips.map((pips) => `${lotsOf(side.levels.get(pips) ?? [])}@${pips}`).join(' ');
