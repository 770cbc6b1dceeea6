// Queries for positions: open ones, closed ones, their total value, and the largest holders of tokens. Called by answer.ts; it
// reads the tables and never changes them. The figures are those of figures.ts.
import { tokenNumber } from '../../engine/index.ts';
import { closedParts } from './closed.ts';
import { averageOf, currentValueOf, figuresOf, LEG, percentOf } from './figures.ts';
import { marketsOf } from './findRows.ts';
import type { HistoryMarket } from './markets.ts';
import { isClosed, legAt } from './pairs.ts';
import type {
  ClosedPositionsQuery,
  HolderRow,
  HoldersGroup,
  HoldersQuery,
  PositionRow,
  PositionSort,
  PositionsQuery,
  ValueQuery,
} from './queries.ts';
import { isSliceOver, type Sliced } from './slice.ts';
import type { Tables } from './tables.ts';

/** A candidate to show: a copy of its numbers, since those held in memory move. */
interface Found {
  readonly market: HistoryMarket;
  readonly outcome: 0 | 1;
  readonly numbers: Float64Array;
  readonly holdsBoth: boolean;
  key: number | string;
}

const OUTCOMES = [0, 1] as const;

/** The legs of an account that were ever bought, in the markets of a scope, filtered by `matches`. */
function* legsOf(
  { positions, markets }: Tables,
  account: number,
  scope: ReadonlySet<HistoryMarket> | undefined,
  matches: (sizeMicro: number, market: HistoryMarket, holdsBoth: boolean) => boolean,
): Sliced<Found[]> {
  const found: Found[] = [];
  const onPair = (index: number, start: number): void => {
    const market = markets.list[index];
    if (scope !== undefined && !scope.has(market)) return;
    const { numbers } = positions;
    const holdsBoth = OUTCOMES.every((outcome) => numbers[legAt(start, outcome) + LEG.size] > 0);
    for (const outcome of OUTCOMES) {
      const leg = legAt(start, outcome);
      if (numbers[leg + LEG.bought] === 0 || !matches(numbers[leg + LEG.size], market, holdsBoth)) continue;
      found.push({ market, outcome, numbers: numbers.slice(leg, leg + LEG.numbers), holdsBoth, key: 0 });
    }
  };
  for (const _ of positions.visit(account, onPair)) yield undefined;
  return found;
}

/** The sort key of each column of open positions. */
const openKeys: Readonly<Record<PositionSort, (found: Found, pips: number) => number | string>> = {
  CURRENT: ({ numbers }, pips) => currentValueOf(numbers[LEG.size], pips),
  INITIAL: ({ numbers }) => numbers[LEG.cost],
  TOKENS: ({ numbers }) => numbers[LEG.size],
  CASHPNL: ({ numbers }, pips) => currentValueOf(numbers[LEG.size], pips) - numbers[LEG.cost],
  PERCENTPNL: ({ numbers }, pips) =>
    percentOf(currentValueOf(numbers[LEG.size], pips) - numbers[LEG.cost], numbers[LEG.cost]),
  TITLE: ({ market }) => market.facts.title,
  RESOLVING: ({ market }) => market.endsAt,
  PRICE: (_, pips) => pips,
  AVGPRICE: ({ numbers }) => averageOf(numbers[LEG.cost], numbers[LEG.size]),
};

const closedKeys: Readonly<Record<ClosedPositionsQuery['sortBy'], (found: Found, pips: number) => number | string>> = {
  REALIZEDPNL: ({ numbers }) => numbers[LEG.realized],
  TITLE: ({ market }) => market.facts.title,
  PRICE: (_, pips) => pips,
  AVGPRICE: ({ numbers }) => averageOf(numbers[LEG.spent], numbers[LEG.bought]),
  TIMESTAMP: ({ numbers }) => numbers[LEG.tMs],
};

/** Sorts by the keys in the requested direction; ties are broken by creation of the market, first token first. */
function sortFound(
  found: Found[],
  keyOf: (found: Found, pips: number) => number | string,
  ascending: boolean,
): readonly Found[] {
  const sign = ascending ? 1 : -1;
  for (const one of found) one.key = keyOf(one, one.market.shownPips(one.outcome));
  return found.sort((left, right) => {
    if (left.key < right.key) return -sign;
    if (left.key > right.key) return sign;
    return left.market.index - right.market.index || left.outcome - right.outcome;
  });
}

/**
 * The closed positions of an account in the markets selected by `matches`: all of them, or enough of the greatest gains to
 * include the first `countMax`.
 */
function* closedOf(
  { positions, store, markets }: Tables,
  account: number,
  matches: (market: HistoryMarket) => boolean,
  countMax: number,
): Sliced<Found[]> {
  const found: Found[] = [];
  const uncommitted = new Set<number>();
  positions.forEachUncommitted(account, (index, start) => {
    uncommitted.add(index);
    const market = markets.list[index];
    if (!matches(market)) return;
    for (const outcome of OUTCOMES) {
      const leg = legAt(start, outcome);
      const { numbers } = positions;
      if (!isClosed(numbers, leg)) continue;
      found.push({ market, outcome, numbers: numbers.slice(leg, leg + LEG.numbers), holdsBoth: false, key: 0 });
    }
  });
  let stored = 0;
  for (const entries of closedParts(store, account, countMax)) {
    for (const { market: index, outcome, numbers } of entries) {
      const market = markets.list[index];
      if (uncommitted.has(index) || !matches(market)) continue;
      found.push({ market, outcome, numbers, holdsBoth: false, key: 0 });
      stored += 1;
      if (stored === countMax) return found;
    }
    if (isSliceOver()) yield undefined;
  }
  return found;
}

function positionRow(wallet: string, { market, outcome, numbers, holdsBoth }: Found): PositionRow {
  const curPricePips = market.shownPips(outcome);
  const isOpen = numbers[LEG.size] > 0;
  return {
    wallet,
    market: market.facts,
    outcome,
    sizeMicro: numbers[LEG.size],
    ...figuresOf(numbers, 0, curPricePips),
    totalBoughtMicro: numbers[LEG.bought],
    realizedPnlMicro: numbers[LEG.realized],
    curPricePips,
    redeemable: isOpen && market.resolution >= 0,
    mergeable: isOpen && holdsBoth,
    tMs: numbers[LEG.tMs],
  };
}

interface Page {
  readonly user: string;
  readonly limit: number;
  readonly offset: number;
}

function* showPage(
  sorted: readonly Found[],
  { user, limit, offset }: Page,
  show: (row: PositionRow) => void,
): Sliced<undefined> {
  for (const one of sorted.slice(offset, offset + limit)) {
    if (isSliceOver()) yield undefined;
    show(positionRow(user, one));
  }
}

const hasTitle = ({ titleLower }: HistoryMarket, part: string | undefined): boolean =>
  part === undefined || titleLower.includes(part);

/** Shows the page's open positions of a wallet, in the requested order. */
export function* findPositions(
  tables: Tables,
  query: PositionsQuery,
  show: (row: PositionRow) => void,
): Sliced<undefined> {
  const { user, limit, sizeThresholdMicro, redeemable, mergeable, includeArchived, sortBy, ascending } = query;
  const account = tables.accounts.idOf(user);
  if (account < 0 || limit === 0) return;
  const title = query.title?.toLowerCase();
  const matches = (sizeMicro: number, market: HistoryMarket, holdsBoth: boolean): boolean =>
    sizeMicro > 0 &&
    sizeMicro >= sizeThresholdMicro &&
    (!redeemable || market.resolution >= 0) &&
    (!mergeable || holdsBoth) &&
    (includeArchived || !market.isArchived) &&
    hasTitle(market, title);
  const found = yield* legsOf(tables, account, marketsOf(tables, query), matches);
  yield* showPage(sortFound(found, openKeys[sortBy], ascending), query, show);
}

/** Shows the page's closed positions of a wallet, in the requested order; by falling gain it reads only what the page needs. */
export function* findClosedPositions(
  tables: Tables,
  query: ClosedPositionsQuery,
  show: (row: PositionRow) => void,
): Sliced<undefined> {
  const { user, limit, offset, sortBy, ascending } = query;
  const account = tables.accounts.idOf(user);
  if (account < 0 || limit === 0) return;
  const title = query.title?.toLowerCase();
  const scope = marketsOf(tables, query);
  const matches = (market: HistoryMarket): boolean =>
    (scope === undefined || scope.has(market)) && hasTitle(market, title);
  const countMax = sortBy === 'REALIZEDPNL' && !ascending ? offset + limit : Number.POSITIVE_INFINITY;
  const found = yield* closedOf(tables, account, matches, countMax);
  yield* showPage(sortFound(found, closedKeys[sortBy], ascending), query, show);
}

/** The total current value of a wallet's open positions, micro. */
export function* findValue(tables: Tables, query: ValueQuery): Sliced<number> {
  const account = tables.accounts.idOf(query.user);
  if (account < 0) return 0;
  const scope = marketsOf(tables, query);
  const { positions, markets } = tables;
  let valueMicro = 0;
  const onPair = (index: number, start: number): void => {
    const market = markets.list[index];
    if (scope !== undefined && !scope.has(market)) return;
    for (const outcome of OUTCOMES) {
      valueMicro += currentValueOf(positions.numbers[legAt(start, outcome) + LEG.size], market.shownPips(outcome));
    }
  };
  for (const _ of positions.visit(account, onPair)) yield undefined;
  return valueMicro;
}

interface Holding {
  readonly account: number;
  readonly amountMicro: number;
}

/** Largest first; ties in the order in which the accounts were opened. */
const byAmount = (left: Holding, right: Holding): number =>
  right.amountMicro - left.amountMicro || left.account - right.account;

/** The largest holders of a token; if there are many candidates, the smaller ones are discarded now and then. */
function* largestHolders(
  { holders, accounts }: Tables,
  market: HistoryMarket,
  outcome: 0 | 1,
  { limit, minBalanceMicro }: HoldersQuery,
): Sliced<readonly HolderRow[]> {
  const token = tokenNumber(market.index, outcome);
  const count = market.holderCounts[outcome];
  const keptMax = 4 * limit + 1_000;
  let kept: Holding[] = [];
  let leastMicro = Math.max(1, minBalanceMicro);
  for (let place = 0; place < count && limit > 0; place += 1) {
    if (isSliceOver()) yield undefined;
    holders.read(token, place);
    const { account, amountMicro } = holders;
    if (amountMicro < leastMicro) continue;
    kept.push({ account, amountMicro });
    if (kept.length < keptMax) continue;
    kept = kept.sort(byAmount).slice(0, limit);
    leastMicro = kept[limit - 1].amountMicro;
  }
  const largest = kept.sort(byAmount).slice(0, limit);
  return largest.map(({ account, amountMicro }) => ({ wallet: accounts.walletOf(account), amountMicro }));
}

/** Shows a group of holders for each token of each known market, in the requested order. */
export function* findHolders(
  tables: Tables,
  query: HoldersQuery,
  show: (group: HoldersGroup) => void,
): Sliced<undefined> {
  for (const market of marketsOf(tables, query) ?? []) {
    for (const outcome of OUTCOMES) {
      const holders = yield* largestHolders(tables, market, outcome, query);
      show({ market: market.facts, outcome, holders });
      if (isSliceOver()) yield undefined;
    }
  }
}
