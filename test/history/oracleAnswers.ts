// The reply to each question to the historian as a JSON value, found in the oracle's world by scanning everything and
// sorting whole lists. Called by the tests of the historian. Shapes follow interface.md 2.10 to 2.13 and
// catalog-and-data.md 3.1; figures follow the definitions of server/history/figures.ts, computed independently.
import { getAddress } from 'viem/utils';
import type {
  ActivityQuery,
  ClosedPositionsQuery,
  HistoryQuery,
  HistoryRequest,
  MarketScope,
  PageQuery,
  PositionsQuery,
  TradesQuery,
} from '../../server/wire/historyQueries.ts';
import {
  type Oracle,
  type OracleHolding,
  type OracleMarket,
  type OracleOrder,
  type OracleRow,
  shownPips,
} from './oracle.ts';

type Dialect = HistoryRequest['dialect'];
type Json = Readonly<Record<string, unknown>>;

/** Units of 10^−decimals as the nearest double. */
function decimal(units: bigint, decimals: number): number {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  const at = digits.length - decimals;
  return Number(`${units < 0n ? '-' : ''}${digits.slice(0, at)}.${digits.slice(at)}`);
}
const micro = (value: bigint): number => decimal(value, 6);
const pips = (value: number): number => decimal(BigInt(value), 4);

/** 100 · part / whole rounded half away from zero to four decimals; 0 when there is no whole. */
function percent(part: bigint, whole: bigint): number {
  if (whole === 0n) return 0;
  const size = part < 0n ? -part : part;
  const units = (2n * size * 1_000_000n + whole) / (2n * whole);
  return decimal(part < 0n ? -units : units, 4);
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

class Shapes {
  private readonly oracle: Oracle;
  private readonly dialect: Dialect;

  constructor(oracle: Oracle, dialect: Dialect) {
    this.oracle = oracle;
    this.dialect = dialect;
  }

  event(market: OracleMarket) {
    return this.oracle.events.find(({ number }) => number === market.eventNumber);
  }

  token(market: OracleMarket, outcome: 0 | 1): string {
    return this.dialect === 'root' ? `${market.conditionId}:${outcome}` : market.tokens[outcome];
  }

  outcomeName({ texts: { outcomes } }: OracleMarket, outcome: 0 | 1): string {
    const names = Array.isArray(outcomes) && outcomes.length === 2 ? outcomes : ['Yes', 'No'];
    return String(names[outcome]);
  }

  marketFields(market: OracleMarket) {
    const event = this.event(market);
    return {
      title: text(market.texts.question),
      slug: text(market.texts.slug),
      icon: text(market.texts.icon) || text(event?.texts.icon),
      // Official clients refuse rows without one.
      eventSlug: text(event?.texts.slug) || (this.dialect === 'root' ? '' : text(market.texts.slug)),
    };
  }

  /** The end date from the texts; a date without a time begins at midnight. */
  endDate(market: OracleMarket): string | null {
    const dates = [market.texts.endDate, this.event(market)?.texts.endDate];
    const date = dates.find((one) => typeof one === 'string' && one !== '' && !Number.isNaN(Date.parse(one)));
    if (date === undefined) return null;
    return String(date).length === 10 ? `${date}T00:00:00Z` : String(date);
  }

  trade(row: OracleRow): Json {
    const { wallet, market, outcome, side, size, pricePips, cash, tMs, hash } = row;
    return {
      proxyWallet: wallet,
      side,
      asset: this.token(market, outcome),
      conditionId: market.conditionId,
      size: micro(size),
      price: pips(pricePips),
      timestamp: Math.floor(tMs / 1000),
      ...(this.dialect === 'root' ? { usdcSize: micro(cash) } : {}),
      ...this.marketFields(market),
      outcome: this.outcomeName(market, outcome),
      outcomeIndex: outcome,
      ...nobody(),
      transactionHash: hash,
    };
  }

  activity(row: OracleRow): Json {
    const { market, isOfToken, type, cash } = row;
    const shown = { ...this.trade(row), type, usdcSize: micro(cash) };
    if (isOfToken) return type === 'REDEEM' ? { ...shown, side: '', price: 0 } : shown;
    return { ...shown, ...this.marketFields(market), asset: '', side: '', price: 0, outcome: '', outcomeIndex: 999 };
  }

  position(holding: OracleHolding): Json {
    const { wallet, market, outcome, size, tMs } = holding;
    const figures = figuresOf(holding);
    const event = this.event(market);
    const isOpen = size > 0n;
    const other = outcome === 0 ? 1 : 0;
    const day = this.endDate(market);
    const common = {
      proxyWallet: wallet,
      asset: this.token(market, outcome),
      conditionId: market.conditionId,
      avgPrice: micro(figures.avgPrice),
      totalBought: micro(holding.bought),
      realizedPnl: micro(holding.realized),
      curPrice: pips(figures.curPips),
      ...this.marketFields(market),
      outcome: this.outcomeName(market, outcome),
      outcomeIndex: outcome,
      oppositeOutcome: this.outcomeName(market, other),
      oppositeAsset: this.token(market, other),
    };
    const more = {
      size: micro(size),
      initialValue: micro(figures.initial),
      currentValue: micro(figures.current),
      cashPnl: micro(figures.cashPnl),
      percentPnl: figures.percentPnl,
      percentRealizedPnl: figures.percentRealized,
      redeemable: isOpen && market.resolution !== undefined,
      mergeable: isOpen && this.isMergeable(holding),
    };
    const timestamp = Math.floor(tMs / 1000);
    const negRisk = isOpen ? { negativeRisk: market.negRisk } : {};
    if (this.dialect === 'root') return { ...common, ...more, timestamp, endDate: day, ...negRisk };
    if (!isOpen) return { ...common, timestamp, endDate: day ?? '' };
    const eventId = event === undefined ? '' : String(event.number);
    return { ...common, ...more, eventId, endDate: day?.slice(0, 10) ?? '', ...negRisk };
  }

  isMergeable({ accountId, market }: OracleHolding): boolean {
    const legs = this.oracle.holdings.filter((one) => one.accountId === accountId && one.market === market);
    return legs.filter(({ size }) => size > 0n).length === 2;
  }

  holder({ wallet, market, outcome, size }: OracleHolding): Json {
    return {
      proxyWallet: wallet,
      asset: this.token(market, outcome),
      amount: micro(size),
      outcomeIndex: outcome,
      displayUsernamePublic: false,
      ...nobody(),
    };
  }
}

const nobody = () => ({ name: '', pseudonym: '', bio: '', profileImage: '', profileImageOptimized: '' });

/** The figures of a position, open or closed. */
function figuresOf({ market, outcome, size, cost, bought, spent, realized }: OracleHolding) {
  const curPips = shownPips(market, outcome);
  if (size === 0n) {
    const ratio = percent(realized, bought);
    return {
      ...{ curPips, avgPrice: bought === 0n ? 0n : (spent * 1_000_000n) / bought, initial: spent, current: 0n },
      ...{ cashPnl: realized, percentPnl: ratio, percentRealized: ratio },
    };
  }
  const current = (BigInt(curPips) * size) / 10_000n;
  return {
    ...{ curPips, avgPrice: (cost * 1_000_000n) / size, initial: cost, current, cashPnl: current - cost },
    ...{ percentPnl: percent(current - cost, cost), percentRealized: percent(realized, bought) },
  };
}

const pageOf = <T>(rows: readonly T[], { limit, offset }: PageQuery): T[] => rows.slice(offset, offset + limit);

function isInScope(market: OracleMarket, { conditionIds, eventNumbers }: MarketScope): boolean {
  if (conditionIds === undefined && eventNumbers === undefined) return true;
  const isOfEvent = market.eventNumber !== 0 && eventNumbers?.includes(market.eventNumber) === true;
  return isOfEvent || conditionIds?.includes(market.conditionId) === true;
}

function trades({ rows }: Oracle, query: TradesQuery): OracleRow[] {
  const { user, side, takerOnly, threshold, startMs, endMs } = query;
  const found = rows.filter(
    (row) =>
      row.type === 'TRADE' &&
      isInScope(row.market, query) &&
      (user === undefined || row.wallet === user) &&
      (side === undefined || row.side === side) &&
      (row.isTaker || !takerOnly) &&
      (threshold === undefined || (threshold.unit === 'CASH' ? row.cash : row.size) >= BigInt(threshold.micro)) &&
      row.tMs >= (startMs ?? 0) &&
      row.tMs <= (endMs ?? Number.MAX_SAFE_INTEGER),
  );
  return pageOf(found.toReversed(), query);
}

type Key = bigint | number | string;

const compare = (left: Key, right: Key): number => (left < right ? -1 : left > right ? 1 : 0);

/** Sorted by key in the given direction; equal rows keep their order. */
function sorted<T>(rows: readonly T[], key: (row: T) => Key, ascending: boolean): T[] {
  return rows.toSorted((left, right) => (ascending ? 1 : -1) * compare(key(left), key(right)));
}

function activity({ rows }: Oracle, query: ActivityQuery): OracleRow[] {
  const { user, types, side, startMs, endMs, sortBy, ascending } = query;
  const found = rows.filter(
    (row) =>
      row.wallet === user &&
      isInScope(row.market, query) &&
      (types === undefined || types.includes(row.type)) &&
      (side === undefined || (row.type === 'TRADE' && row.side === side)) &&
      row.tMs >= (startMs ?? 0) &&
      row.tMs <= (endMs ?? Number.MAX_SAFE_INTEGER),
  );
  const inTime = ascending ? found : found.toReversed();
  if (sortBy === 'TIMESTAMP') return pageOf(inTime, query);
  return pageOf(
    sorted(inTime, (row) => (sortBy === 'CASH' ? row.cash : row.size), ascending),
    query,
  );
}

const byMarket = (left: OracleHolding, right: OracleHolding): number =>
  left.market.index - right.market.index || left.outcome - right.outcome;

function hasTitle({ market: { texts } }: OracleHolding, title: string | undefined): boolean {
  return title === undefined || text(texts.question).toLowerCase().includes(title.toLowerCase());
}

function positions(oracle: Oracle, shapes: Shapes, query: PositionsQuery): OracleHolding[] {
  const found = oracle.holdings.filter(
    (one) =>
      one.wallet === query.user &&
      one.size > 0n &&
      one.size >= BigInt(query.sizeThresholdMicro) &&
      isInScope(one.market, query) &&
      hasTitle(one, query.title) &&
      (!query.redeemable || one.market.resolution !== undefined) &&
      (!query.mergeable || shapes.isMergeable(one)) &&
      (query.includeArchived || one.market.texts.archived !== true),
  );
  const keys: Readonly<Record<PositionsQuery['sortBy'], (one: OracleHolding) => Key>> = {
    CURRENT: (one) => figuresOf(one).current,
    INITIAL: (one) => figuresOf(one).initial,
    TOKENS: (one) => one.size,
    CASHPNL: (one) => figuresOf(one).cashPnl,
    PERCENTPNL: (one) => figuresOf(one).percentPnl,
    TITLE: (one) => text(one.market.texts.question),
    RESOLVING: (one) => shapes.endDate(one.market) ?? '',
    PRICE: (one) => figuresOf(one).curPips,
    AVGPRICE: (one) => figuresOf(one).avgPrice,
  };
  return pageOf(sorted(found.toSorted(byMarket), keys[query.sortBy], query.ascending), query);
}

function closedPositions({ holdings }: Oracle, query: ClosedPositionsQuery): OracleHolding[] {
  const found = holdings.filter(
    (one) => one.wallet === query.user && one.size === 0n && isInScope(one.market, query) && hasTitle(one, query.title),
  );
  const keys: Readonly<Record<ClosedPositionsQuery['sortBy'], (one: OracleHolding) => Key>> = {
    REALIZEDPNL: (one) => one.realized,
    TITLE: (one) => text(one.market.texts.question),
    PRICE: (one) => figuresOf(one).curPips,
    AVGPRICE: (one) => figuresOf(one).avgPrice,
    TIMESTAMP: (one) => one.tMs,
  };
  return pageOf(sorted(found.toSorted(byMarket), keys[query.sortBy], query.ascending), query);
}

function holders(oracle: Oracle, shapes: Shapes, query: Extract<HistoryQuery, { kind: 'holders' }>): Json[] {
  const groups: Json[] = [];
  for (const conditionId of new Set(query.conditionIds)) {
    const market = oracle.markets.find((one) => one.conditionId === conditionId);
    if (market === undefined) continue;
    for (const outcome of [0, 1] as const) {
      const found = oracle.holdings.filter(
        (one) =>
          one.market === market &&
          one.outcome === outcome &&
          one.size > 0n &&
          one.size >= BigInt(query.minBalanceMicro),
      );
      const byAccount = found.toSorted((left, right) => left.accountId - right.accountId);
      const most = sorted(byAccount, ({ size }) => size, false).slice(0, query.limit);
      groups.push({ token: shapes.token(market, outcome), holders: most.map((one) => shapes.holder(one)) });
    }
  }
  return groups;
}

const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);

function figures(oracle: Oracle, query: Extract<HistoryQuery, { kind: 'value' | 'traded' | 'oi' | 'live-volume' }>) {
  switch (query.kind) {
    case 'value': {
      const scope = { conditionIds: query.conditionIds, eventNumbers: undefined };
      const held = oracle.holdings.filter(
        (one) => one.wallet === query.user && one.size > 0n && isInScope(one.market, scope),
      );
      return [{ user: query.user, value: micro(sum(held.map((one) => figuresOf(one).current))) }];
    }
    case 'traded': {
      const own = oracle.rows.filter((row) => row.type === 'TRADE' && row.wallet === query.user);
      return { user: query.user, traded: new Set(own.map(({ market }) => market)).size };
    }
    case 'oi': {
      const { conditionIds } = query;
      if (conditionIds === undefined) {
        return [{ market: 'GLOBAL', value: micro(sum(oracle.markets.map(({ vault }) => vault))) }];
      }
      const asked = [...new Set(conditionIds)].flatMap((id) => oracle.markets.filter((one) => one.conditionId === id));
      return asked.map(({ conditionId, vault }) => ({ market: conditionId, value: micro(vault) }));
    }
    case 'live-volume': {
      const found = oracle.markets.filter((market) => isInScope(market, query));
      const markets = found.map(({ conditionId, volume }) => ({ market: conditionId, value: micro(volume) }));
      return [{ total: micro(sum(found.map(({ volume }) => volume))), markets }];
    }
  }
}

const uuid = (keyId: string): string => keyId.slice(2).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

function orderReply(
  oracle: Oracle,
  shapes: Shapes,
  { orderId, owner }: Extract<HistoryQuery, { kind: 'order' }>,
  dialect: Dialect,
): Json | undefined {
  const order = [...oracle.orders.values()].find(({ id }) => id === orderId);
  if (order === undefined || order.owner !== owner || !isFinished(order)) return undefined;
  const { id, status, market, outcome, side, tradeIds, createdMs } = order;
  const names = {
    ...{ id, status, owner: uuid(order.keyId), makerAddress: getAddress(oracle.wallets[order.accountId]) },
    ...{ market: market.conditionId, assetId: market.tokens[outcome], side },
    ...{ originalSize: shares(order.originalLots), sizeMatched: shares(order.filledLots) },
    ...{ price: String(pips(order.pricePips)), associateTrades: tradeIds },
    ...{ outcome: shapes.outcomeName(market, outcome), type: ['GTC', 'GTD', 'FOK', 'FAK'][order.orderType] },
  };
  if (dialect === 'root') return { order: { ...names, createdAt: new Date(createdMs).toISOString() } };
  const { makerAddress, assetId, originalSize, sizeMatched, associateTrades, type, ...same } = names;
  return {
    ...{ ...same, maker_address: makerAddress, asset_id: assetId, original_size: originalSize },
    ...{ size_matched: sizeMatched, associate_trades: associateTrades, order_type: type },
    ...{ created_at: Math.floor(createdMs / 1000), expiration: String(order.expirationS) },
  };
}

const shares = (lots: number): string => String(decimal(BigInt(lots), 2));

/** Whether nothing can happen to the order any more. */
const isFinished = ({ status }: OracleOrder): boolean => status !== 'LIVE' && status !== 'DELAYED';

/** The reply to a question as a JSON value; undefined for an order that is unknown, another's or not finished. */
export function oracleAnswer(oracle: Oracle, { query, dialect }: HistoryRequest): unknown {
  const shapes = new Shapes(oracle, dialect);
  switch (query.kind) {
    case 'trades':
      return trades(oracle, query).map((row) => shapes.trade(row));
    case 'activity':
      return activity(oracle, query).map((row) => shapes.activity(row));
    case 'positions':
      return positions(oracle, shapes, query).map((one) => shapes.position(one));
    case 'closed-positions':
      return closedPositions(oracle, query).map((one) => shapes.position(one));
    case 'holders':
      return holders(oracle, shapes, query);
    case 'order':
      return orderReply(oracle, shapes, query, dialect);
    case 'original':
      throw new Error('the oracle is not asked for first answers');
    default:
      return figures(oracle, query);
  }
}
