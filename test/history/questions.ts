// Random questions to the historian about a world: every kind, every filter alone and with others, every sort and
// direction, pages at, inside and past the end. Used by the tests; the world only provides the subjects.
import {
  ACTIVITY_SORTS,
  ACTIVITY_TYPES,
  type ActivityQuery,
  CLOSED_POSITION_SORTS,
  type ClosedPositionsQuery,
  type HistoryQuery,
  type HistoryRequest,
  type MarketScope,
  type PageQuery,
  POSITION_SORTS,
  type PositionsQuery,
  type TimeRange,
  type TradesQuery,
} from '../../server/wire/historyQueries.ts';
import type { Random } from '../model/random.ts';
import { digest } from '../support/commandParts.ts';
import { START_MS } from './actors.ts';
import type { Oracle } from './oracle.ts';

const TITLES = ['will', 'WILL', 'Größer', 'grösser', '"snow"', '\\', '🙂', 'nothing like it', ' '];

const STRANGER = digest('stranger', 20);
const UNKNOWN_CONDITION = digest('unknown condition', 32);

export const KINDS = [
  ...(['trades', 'positions', 'closed-positions', 'activity', 'holders'] as const),
  ...(['value', 'traded', 'oi', 'live-volume', 'order'] as const),
];
type Kind = (typeof KINDS)[number];

/** Draws questions about what the oracle knows. */
export class Questions {
  private readonly random: Random;
  private readonly oracle: Oracle;
  /** How likely filters are in the current question: many at once leave nothing to compare. */
  private filters = 1;
  /** The first of the wallets that most questions are about; some are about any wallet. */
  private readonly firstWallet: number;

  constructor(random: Random, oracle: Oracle, firstWallet = 2) {
    this.random = random;
    this.oracle = oracle;
    this.firstWallet = firstWallet;
  }

  draw(kind: Kind): HistoryRequest {
    this.filters = this.random.pick([0.1, 0.5, 1]);
    return { query: this.query(kind), dialect: this.random.pick(['root', 'polymarket']) };
  }

  private query(kind: Kind): HistoryQuery {
    const { random } = this;
    switch (kind) {
      case 'trades':
        return this.trades();
      case 'positions':
        return this.positions();
      case 'closed-positions':
        return this.closedPositions();
      case 'activity':
        return this.activity();
      case 'holders': {
        const conditionIds = this.conditions();
        return { kind, conditionIds, limit: random.pick([0, 1, 2, 20, 500]), minBalanceMicro: this.smallest() };
      }
      case 'value':
        return { kind, user: this.user(), conditionIds: this.maybe(() => this.conditions()) };
      case 'traded':
        return { kind, user: this.user() };
      case 'oi':
        return { kind, conditionIds: this.maybe(() => this.conditions()) };
      case 'live-volume':
        return { kind, ...this.scope() };
      case 'order':
        return this.order();
    }
  }

  private maybe<T>(draw: () => T, percent = 25): T | undefined {
    return this.isFiltered(percent) ? draw() : undefined;
  }

  private isFiltered(percent: number): boolean {
    return this.random.chance(percent * this.filters);
  }

  private user(): string {
    const { random, oracle } = this;
    if (random.chance(3)) return STRANGER;
    return random.pick(oracle.wallets.slice(random.chance(90) ? this.firstWallet : 0));
  }

  private conditions(): string[] {
    const { random, oracle } = this;
    const known = [...oracle.markets.map(({ conditionId }) => conditionId), UNKNOWN_CONDITION];
    return Array.from({ length: random.int(1, 3) }, () => random.pick(known));
  }

  private scope(): MarketScope {
    const { random } = this;
    const eventNumbers = this.maybe(() => Array.from({ length: random.int(1, 2) }, () => random.int(0, 3)), 15);
    return { conditionIds: this.maybe(() => this.conditions()), eventNumbers };
  }

  private page(): PageQuery {
    const { random } = this;
    const limit = random.pick([0, 1, 2, 3, 10, 100, 10_000]);
    return { limit, offset: !this.isFiltered(40) ? 0 : random.pick([1, 2, 5, random.int(1, 60), 9_999]) };
  }

  private range(): TimeRange {
    const { random, oracle } = this;
    const moment = (): number => {
      const row = oracle.rows.length === 0 ? undefined : random.pick(oracle.rows);
      return (row?.tMs ?? START_MS) + random.pick([0, 0, -1, 1, 500]);
    };
    return { startMs: this.maybe(moment, 20), endMs: this.maybe(moment, 20) };
  }

  private smallest(): number {
    return this.isFiltered(80) ? this.random.pick([1, 1_000_000, 5_000_000, this.random.int(1, 20_000_000)]) : 0;
  }

  private trades(): TradesQuery {
    const { random } = this;
    const unit = random.pick(['CASH', 'TOKENS'] as const);
    return {
      ...{ kind: 'trades', ...this.page(), ...this.scope(), ...this.range(), user: this.maybe(() => this.user(), 60) },
      side: this.maybe(() => random.pick(['BUY', 'SELL'] as const), 30),
      takerOnly: random.chance(50),
      threshold: this.maybe(() => ({ unit, micro: this.threshold(unit) }), 30),
    };
  }

  /** Often exactly the size or worth of a trade. */
  private threshold(unit: 'CASH' | 'TOKENS'): number {
    const { random, oracle } = this;
    if (oracle.rows.length === 0 || random.chance(30)) return this.smallest();
    const { size, cash } = random.pick(oracle.rows);
    return Number(unit === 'CASH' ? cash : size) + random.pick([0, 0, 1]);
  }

  private positions(): PositionsQuery {
    const { random } = this;
    return {
      ...{ kind: 'positions', ...this.page(), ...this.scope(), user: this.user() },
      sizeThresholdMicro: this.smallest(),
      redeemable: this.isFiltered(15),
      mergeable: this.isFiltered(15),
      includeArchived: random.chance(50),
      title: this.maybe(() => random.pick(TITLES), 20),
      sortBy: random.pick(POSITION_SORTS),
      ascending: random.chance(50),
    };
  }

  private closedPositions(): ClosedPositionsQuery {
    const { random } = this;
    return {
      ...{ kind: 'closed-positions', ...this.page(), ...this.scope(), user: this.user() },
      title: this.maybe(() => random.pick(TITLES), 20),
      sortBy: random.pick(CLOSED_POSITION_SORTS),
      ascending: random.chance(50),
    };
  }

  private activity(): ActivityQuery {
    const { random } = this;
    return {
      ...{ kind: 'activity', ...this.page(), ...this.scope(), ...this.range(), user: this.user() },
      types: this.maybe(() => ACTIVITY_TYPES.filter(() => random.chance(50)), 40),
      side: this.maybe(() => random.pick(['BUY', 'SELL'] as const), 20),
      sortBy: random.pick(ACTIVITY_SORTS),
      ascending: random.chance(50),
    };
  }

  private order(): HistoryQuery {
    const { random, oracle } = this;
    const known = [...oracle.orders.values()];
    const order = known.length === 0 ? undefined : random.pick(known);
    const orderId = order === undefined || random.chance(5) ? digest('no order', 32) : order.id;
    return { kind: 'order', orderId, owner: order === undefined || random.chance(10) ? STRANGER : order.owner };
  }
}

/** The newest trades of everybody in every market. */
export const newestTrades = (limit: number, takerOnly: boolean): HistoryRequest => ({
  query: {
    ...{ kind: 'trades', user: undefined, side: undefined, takerOnly, threshold: undefined, limit, offset: 0 },
    ...{ conditionIds: undefined, eventNumbers: undefined, startMs: undefined, endMs: undefined },
  },
  dialect: 'polymarket',
});

/** The open interest of all markets together. */
export const OPEN_INTEREST: HistoryRequest = { query: { kind: 'oi', conditionIds: undefined }, dialect: 'root' };

/** Each list in full and each figure, for every wallet and market: the questions of a full comparison. */
export function everything(oracle: Oracle): HistoryRequest[] {
  const page = { limit: 10_000, offset: 0 };
  const all = { conditionIds: undefined, eventNumbers: undefined, startMs: undefined, endMs: undefined };
  const queries: HistoryQuery[] = [true, false].map((takerOnly) => newestTrades(page.limit, takerOnly).query);
  const conditionIds = oracle.markets.map((market) => market.conditionId);
  queries.push({ kind: 'holders', conditionIds, limit: 500, minBalanceMicro: 0 });
  queries.push(OPEN_INTEREST.query, { kind: 'oi', conditionIds });
  queries.push({ kind: 'live-volume', conditionIds, eventNumbers: undefined });
  for (const { id: orderId, owner } of oracle.orders.values()) queries.push({ kind: 'order', orderId, owner });
  for (const user of oracle.wallets) {
    queries.push(...listsOf(user), { kind: 'value', user, conditionIds: undefined }, { kind: 'traded', user });
    queries.push({
      ...{ kind: 'activity', user, ...page, ...all, types: undefined, side: undefined },
      ...{ sortBy: 'TIMESTAMP', ascending: false },
    });
  }
  return queries.flatMap((query) => [
    { query, dialect: 'root' as const },
    { query, dialect: 'polymarket' as const },
  ]);
}

/** All positions of a wallet, open and closed. */
export function listsOf(user: string): [PositionsQuery, ClosedPositionsQuery] {
  const all = { limit: 10_000, offset: 0, conditionIds: undefined, eventNumbers: undefined, title: undefined };
  return [
    {
      ...{ kind: 'positions', user, ...all, sizeThresholdMicro: 0, redeemable: false, mergeable: false },
      ...{ includeArchived: true, sortBy: 'TOKENS', ascending: false },
    },
    { kind: 'closed-positions', user, ...all, sortBy: 'REALIZEDPNL', ascending: false },
  ];
}
