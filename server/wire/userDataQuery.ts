// Parses a user-data request into a query of its kind (interface.md 4.1, 7, 8; catalog-and-data.md 2, 3, 7, 8). Called
// through dialect.ts by the routes of user data. It looks nothing up and knows no market; the parameters and their parsing
// are in userDataParameters.ts.

import { MICRO_PER_UNIT } from '../../engine/index.ts';
import {
  ACTIVITY_SORTS,
  type ActivityQuery,
  CLOSED_POSITION_SORTS,
  type ClosedPositionsQuery,
  type HistoryQuery,
  type HoldersQuery,
  type LiveVolumeQuery,
  type OpenInterestQuery,
  POSITION_SORTS,
  type PositionsQuery,
  type TradedQuery,
  type TradesQuery,
  type ValueQuery,
} from './historyQueries.ts';
import { sideWords } from './terms.ts';
import {
  type AskedKind,
  DEFAULTS,
  invalid,
  officialRules,
  type ParameterRules,
  Parameters,
  plainRules,
} from './userDataParameters.ts';

/**
 * Most holders of one outcome that a request may ask for, summed over its markets: as many rows as the longest page of
 * trades.
 */
const HOLDERS_MAX = 10_000;

function readHolders(given: Parameters): HoldersQuery {
  given.required('market');
  const conditionIds = given.conditionIds() ?? [];
  const limit = given.limit('holders');
  const minBalanceMicro = given.microCeiling('minBalance') ?? DEFAULTS.minBalance * MICRO_PER_UNIT;
  if (conditionIds.length * limit > HOLDERS_MAX) {
    const marketsMax = Math.floor(HOLDERS_MAX / limit);
    throw invalid('market', `at most ${marketsMax} condition ids with a limit of ${limit}`);
  }
  return { kind: 'holders', conditionIds, limit, minBalanceMicro };
}

function readLiveVolume(given: Parameters, rules: ParameterRules): LiveVolumeQuery {
  const scope = given.scope('id');
  if (scope.conditionIds === undefined && scope.eventNumbers === undefined) throw rules.missing('id');
  return { kind: 'live-volume', ...scope };
}

const readTrades = (given: Parameters): TradesQuery => ({
  kind: 'trades',
  user: given.optionalUser(),
  ...given.page('trades'),
  ...given.scope(),
  ...given.range(),
  side: given.word('side', sideWords),
  takerOnly: given.flag('takerOnly', DEFAULTS.takerOnly),
  threshold: given.threshold(),
});

const readPositions = (given: Parameters, rules: ParameterRules): PositionsQuery => ({
  kind: 'positions',
  user: given.user(),
  ...given.page('positions'),
  ...given.scope(),
  sizeThresholdMicro: given.microCeiling('sizeThreshold') ?? DEFAULTS.sizeThreshold * MICRO_PER_UNIT,
  redeemable: given.flag('redeemable', DEFAULTS.redeemable),
  mergeable: given.flag('mergeable', DEFAULTS.mergeable),
  includeArchived: given.flag('includeArchived', rules.includesArchived),
  title: given.title(),
  sortBy: given.word('sortBy', POSITION_SORTS) ?? DEFAULTS.positionSort,
  ascending: given.isAscending(),
});

const readClosedPositions = (given: Parameters): ClosedPositionsQuery => ({
  kind: 'closed-positions',
  user: given.user(),
  ...given.page('closed-positions'),
  ...given.scope(),
  title: given.title(),
  sortBy: given.word('sortBy', CLOSED_POSITION_SORTS) ?? DEFAULTS.closedPositionSort,
  ascending: given.isAscending(),
});

function readActivity(given: Parameters): ActivityQuery {
  const user = given.user();
  given.flag('excludeDepositsWithdrawals', true); // validated only: no such rows exist
  return {
    kind: 'activity',
    user,
    ...given.page('activity'),
    ...given.scope(),
    ...given.range(),
    types: given.activityTypes(),
    side: given.word('side', sideWords),
    sortBy: given.word('sortBy', ACTIVITY_SORTS) ?? DEFAULTS.activitySort,
    ascending: given.isAscending(),
  };
}

const readValue = (given: Parameters): ValueQuery => ({
  kind: 'value',
  user: given.user(),
  conditionIds: given.conditionIds(),
});
const readTraded = (given: Parameters): TradedQuery => ({ kind: 'traded', user: given.user() });
const readOpenInterest = (given: Parameters): OpenInterestQuery => ({ kind: 'oi', conditionIds: given.conditionIds() });

const READERS: Readonly<Record<AskedKind, (given: Parameters, rules: ParameterRules) => HistoryQuery>> = {
  trades: readTrades,
  positions: readPositions,
  'closed-positions': readClosedPositions,
  activity: readActivity,
  holders: readHolders,
  value: readValue,
  traded: readTraded,
  oi: readOpenInterest,
  'live-volume': readLiveVolume,
};

/**
 * Parses a request into a query.
 * @throws BadRequest naming the first parameter that is unknown, missing or not allowed, and what is allowed
 */
export type UserDataReader = (kind: AskedKind, query: URLSearchParams) => HistoryQuery;

const readerOf =
  (rules: ParameterRules): UserDataReader =>
  (kind, query) =>
    READERS[kind](new Parameters(kind, query, rules), rules);

/** The root's rules: only what interface.md 4.1 lists, and any excess is refused. */
export const readPlainUserData = readerOf(plainRules);
/** The rules for official clients: their parameters too, unknown ones ignored, limits cut to their maximum. */
export const readOfficialUserData = readerOf(officialRules);
