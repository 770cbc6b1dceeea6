// Queries for positions: open ones, closed ones, their total value, and the largest holders of tokens. Called by answer.ts; it
// reads the tables and never changes them. The figures are those of figures.ts.
import { tokenNumber } from '../../engine/index.ts';
import type {
  ClosedPositionsQuery,
  HolderRow,
  HoldersGroup,
  HoldersQuery,
  PositionRow,
  PositionSort,
  PositionsQuery,
  ValueQuery,
} from '../wire/historyQueries.ts';
import { closedParts } from './closed.ts';
import { averageOf, currentValueOf, figuresOf, LEG, percentOf } from './figures.ts';
import { FirstSorted } from './firstSorted.ts';
import type { HistoryMarket } from './markets.ts';
import { isClosed, legAt } from './pairs.ts';
import { isSliceOver, type Sliced } from './slice.ts';
import type { Tables } from './tables.ts';
import { marketsIn } from './totals.ts';

/** A position in a token: a copy of its numbers, since those held in memory move. */
interface Position {
  readonly market: HistoryMarket;
  readonly outcome: 0 | 1;
  readonly numbers: Float64Array;
  readonly holdsBoth: boolean;
}

/** The sort key of a position; `pips` is the price of its token. */
type KeyOf = (position: Position, pips: number) => number | string;

const OUTCOMES = [0, 1] as const;

/** Shows the positions of an account that were ever opened, in the markets of a scope, filtered by `matches`. */
function* eachPosition(
  { positions, markets }: Tables,
  account: number,
  scope: ReadonlySet<HistoryMarket> | undefined,
  matches: (sizeMicro: number, market: HistoryMarket, holdsBoth: boolean) => boolean,
  onPosition: (position: Position) => void,
): Sliced<undefined> {
  const onPair = (index: number, start: number): void => {
    const market = markets.list[index];
    if (scope !== undefined && !scope.has(market)) return;
    const { numbers } = positions;
    const holdsBoth = OUTCOMES.every((outcome) => numbers[legAt(start, outcome) + LEG.size] > 0);
    for (const outcome of OUTCOMES) {
      const leg = legAt(start, outcome);
      if (numbers[leg + LEG.bought] === 0 || !matches(numbers[leg + LEG.size], market, holdsBoth)) continue;
      onPosition({ market, outcome, numbers: numbers.slice(leg, leg + LEG.numbers), holdsBoth });
    }
  };
  yield* positions.visit(account, onPair);
}

/** The sort key of each column of open positions. */
const openKeys: Readonly<Record<PositionSort, KeyOf>> = {
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

const closedKeys: Readonly<Record<ClosedPositionsQuery['sortBy'], KeyOf>> = {
  REALIZEDPNL: ({ numbers }) => numbers[LEG.realized],
  TITLE: ({ market }) => market.facts.title,
  PRICE: (_, pips) => pips,
  AVGPRICE: ({ numbers }) => averageOf(numbers[LEG.spent], numbers[LEG.bought]),
  TIMESTAMP: ({ numbers }) => numbers[LEG.tMs],
};

/**
 * Shows the closed positions of an account in the markets selected by `matches`: all of them, or enough of the greatest gains
 * to include the first `countMax`.
 */
function* eachClosedPosition(
  { positions, store, markets }: Tables,
  account: number,
  matches: (market: HistoryMarket) => boolean,
  countMax: number,
  onPosition: (position: Position) => void,
): Sliced<undefined> {
  const uncommitted = new Set<number>();
  positions.forEachUncommitted(account, (index, start) => {
    uncommitted.add(index);
    const market = markets.list[index];
    if (!matches(market)) return;
    for (const outcome of OUTCOMES) {
      const leg = legAt(start, outcome);
      const { numbers } = positions;
      if (!isClosed(numbers, leg)) continue;
      onPosition({ market, outcome, numbers: numbers.slice(leg, leg + LEG.numbers), holdsBoth: false });
    }
  });
  let stored = 0;
  for (const entries of closedParts(store, account, countMax)) {
    for (const { market: index, outcome, numbers } of entries) {
      const market = markets.list[index];
      if (uncommitted.has(index) || !matches(market)) continue;
      onPosition({ market, outcome, numbers, holdsBoth: false });
      stored += 1;
      if (stored === countMax) return;
    }
    yield undefined;
  }
}

function positionRow(wallet: string, { market, outcome, numbers, holdsBoth }: Position): PositionRow {
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

/** The page of a question: its positions by a key in the requested direction; ties by creation of the market, first token first. */
class PositionPage {
  private readonly query: PositionsQuery | ClosedPositionsQuery;
  private readonly keyOf: KeyOf;
  private readonly first: FirstSorted<{ readonly position: Position; readonly key: number | string }>;

  constructor(query: PositionsQuery | ClosedPositionsQuery, keyOf: KeyOf) {
    this.query = query;
    this.keyOf = keyOf;
    const sign = query.ascending ? 1 : -1;
    this.first = new FirstSorted(query.offset + query.limit, (left, right) => {
      if (left.key < right.key) return -sign;
      if (left.key > right.key) return sign;
      const [one, other] = [left.position, right.position];
      return one.market.index - other.market.index || one.outcome - other.outcome;
    });
  }

  readonly add = (position: Position): void => {
    this.first.add({ position, key: this.keyOf(position, position.market.shownPips(position.outcome)) });
  };

  *show(onRow: (row: PositionRow) => void): Sliced<undefined> {
    const { user, offset } = this.query;
    for (const { position } of this.first.sorted().slice(offset)) {
      if (isSliceOver()) yield undefined;
      onRow(positionRow(user, position));
    }
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
  const { user, limit, sizeThresholdMicro, redeemable, mergeable, includeArchived, sortBy } = query;
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
  const page = new PositionPage(query, openKeys[sortBy]);
  yield* eachPosition(tables, account, marketsIn(tables.markets, query), matches, page.add);
  yield* page.show(show);
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
  const scope = marketsIn(tables.markets, query);
  const matches = (market: HistoryMarket): boolean =>
    (scope === undefined || scope.has(market)) && hasTitle(market, title);
  const countMax = sortBy === 'REALIZEDPNL' && !ascending ? offset + limit : Number.POSITIVE_INFINITY;
  const page = new PositionPage(query, closedKeys[sortBy]);
  yield* eachClosedPosition(tables, account, matches, countMax, page.add);
  yield* page.show(show);
}

/** The total current value of a wallet's open positions, micro. */
export function* findValue(tables: Tables, query: ValueQuery): Sliced<number> {
  const account = tables.accounts.idOf(query.user);
  if (account < 0) return 0;
  const { positions, markets } = tables;
  const scope = marketsIn(markets, query);
  let valueMicro = 0;
  const onPair = (index: number, start: number): void => {
    const market = markets.list[index];
    if (scope !== undefined && !scope.has(market)) return;
    for (const outcome of OUTCOMES) {
      valueMicro += currentValueOf(positions.numbers[legAt(start, outcome) + LEG.size], market.shownPips(outcome));
    }
  };
  yield* positions.visit(account, onPair);
  return valueMicro;
}

interface Holding {
  readonly account: number;
  readonly amountMicro: number;
}

/** Largest first; ties in the order in which the accounts were opened. */
const byAmount = (left: Holding, right: Holding): number =>
  right.amountMicro - left.amountMicro || left.account - right.account;

/** The largest holders of a token. */
function* largestHolders(
  { holders, accounts }: Tables,
  market: HistoryMarket,
  outcome: 0 | 1,
  { limit, minBalanceMicro }: HoldersQuery,
): Sliced<readonly HolderRow[]> {
  const token = tokenNumber(market.index, outcome);
  const count = market.holderCounts[outcome];
  const leastMicro = Math.max(1, minBalanceMicro);
  const largest = new FirstSorted(limit, byAmount);
  for (let place = 0; place < count && limit > 0; place += 1) {
    if (isSliceOver()) yield undefined;
    holders.read(token, place);
    const { account, amountMicro } = holders;
    if (amountMicro >= leastMicro) largest.add({ account, amountMicro });
  }
  return largest.sorted().map(({ account, amountMicro }) => ({ wallet: accounts.walletOf(account), amountMicro }));
}

/** Shows a group of holders for each token of each known market, in the requested order. */
export function* findHolders(
  tables: Tables,
  query: HoldersQuery,
  show: (group: HoldersGroup) => void,
): Sliced<undefined> {
  for (const market of marketsIn(tables.markets, query) ?? []) {
    for (const outcome of OUTCOMES) {
      const holders = yield* largestHolders(tables, market, outcome, query);
      show({ market: market.facts, outcome, holders });
      if (isSliceOver()) yield undefined;
    }
  }
}
