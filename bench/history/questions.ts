// The questions of the history bench: each endpoint at its default limit, about wallets and markets drawn as busy as they
// are. Used by measure.ts. Everything is drawn from a seed, so two runs ask the same questions.
import type { HistoryQuery } from '../../server/wire/historyQueries.ts';
import type { SeededRandom } from '../lib/seededRandom.ts';
import { conditionOf, MARKET_SKEW, MARKETS_AN_EVENT, skewed, WALLET_SKEW, type WorldSize, walletOf } from './names.ts';

const all = { conditionIds: undefined, eventNumbers: undefined } as const;
const ever = { startMs: undefined, endMs: undefined } as const;
const first100 = { limit: 100, offset: 0 } as const;

/** The newest `limit` trades. */
export const newestTrades = (limit: number): HistoryQuery => ({
  ...{ kind: 'trades', limit, offset: 0, ...all, ...ever, user: undefined, side: undefined },
  ...{ takerOnly: true, threshold: undefined },
});

export interface Endpoint {
  readonly name: string;
  readonly draw: (random: SeededRandom, size: WorldSize) => HistoryQuery;
  /** For a reply that is one figure computed from rows: the question that these rows answer. */
  readonly rowsBehind?: ((query: HistoryQuery) => HistoryQuery | undefined) | undefined;
}

/** A wallet is as likely to be queried as it is to trade. */
const userOf = (random: SeededRandom, { wallets }: WorldSize): string =>
  walletOf(skewed(random.fraction(), wallets, WALLET_SKEW));
const marketOf = (random: SeededRandom, { markets }: WorldSize): number =>
  skewed(random.fraction(), markets, MARKET_SKEW);

const everyPosition = (user: string): HistoryQuery => ({
  ...{ kind: 'positions', limit: 10_000, offset: 0, ...all, user, sizeThresholdMicro: 0, redeemable: false },
  ...{ mergeable: false, includeArchived: true, title: undefined, sortBy: 'TOKENS', ascending: false },
});

/** Every endpoint, with its default limit. */
export const endpoints: readonly Endpoint[] = [
  { name: '/trades', draw: () => newestTrades(100) },
  {
    name: '/trades?user',
    draw: (random, size) => ({
      ...{ kind: 'trades', ...first100, ...all, ...ever, user: userOf(random, size), side: undefined },
      ...{ takerOnly: true, threshold: undefined },
    }),
  },
  {
    name: '/trades?market',
    draw: (random, size) => ({
      ...{ kind: 'trades', ...first100, ...ever, conditionIds: [conditionOf(marketOf(random, size))] },
      ...{ eventNumbers: undefined, user: undefined, side: undefined, takerOnly: true, threshold: undefined },
    }),
  },
  {
    name: '/positions',
    draw: (random, size) => ({
      ...{ kind: 'positions', ...first100, ...all, user: userOf(random, size), sizeThresholdMicro: 1_000_000 },
      ...{ redeemable: false, mergeable: false, includeArchived: false, title: undefined },
      ...{ sortBy: 'TOKENS', ascending: false },
    }),
  },
  {
    name: '/closed-positions',
    draw: (random, size) => ({
      ...{ kind: 'closed-positions', limit: 10, offset: 0, ...all, user: userOf(random, size), title: undefined },
      ...{ sortBy: 'REALIZEDPNL', ascending: false },
    }),
  },
  {
    name: '/activity',
    draw: (random, size) => ({
      ...{ kind: 'activity', ...first100, ...all, ...ever, user: userOf(random, size), types: undefined },
      ...{ side: undefined, sortBy: 'TIMESTAMP', ascending: false },
    }),
  },
  {
    name: '/holders',
    draw: (random, size) => ({
      ...{ kind: 'holders', conditionIds: [conditionOf(marketOf(random, size))], limit: 100 },
      minBalanceMicro: 1_000_000,
    }),
  },
  {
    name: '/value',
    draw: (random, size) => ({ kind: 'value', user: userOf(random, size), conditionIds: undefined }),
    rowsBehind: (query) => (query.kind === 'value' ? everyPosition(query.user) : undefined),
  },
  { name: '/traded', draw: (random, size) => ({ kind: 'traded', user: userOf(random, size) }) },
  { name: '/oi', draw: (random, size) => ({ kind: 'oi', conditionIds: [conditionOf(marketOf(random, size))] }) },
  {
    name: '/live-volume',
    draw: (random, size) => ({
      ...{ kind: 'live-volume', conditionIds: undefined },
      eventNumbers: [1 + Math.floor(marketOf(random, size) / MARKETS_AN_EVENT)],
    }),
  },
];
