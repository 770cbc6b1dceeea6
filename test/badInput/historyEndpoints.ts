// Rows for the endpoints of user data (trades, positions, activity, holders and totals) on the root and at their mount, in
// the form of endpoints.ts. Used by endpoints.ts alone.
import { type EndpointCase, row } from './endpointCase.ts';
import type { Kind } from './kinds.ts';
import * as kinds from './kinds.ts';

const someRows = { limit: kinds.clampedLimit, offset: kinds.offsetTo(10_000) };
const sorted = { sortBy: kinds.oneWord, sortDirection: kinds.oneWord };
const times = { start: kinds.seconds, end: kinds.seconds };
const tradeFilters = {
  user: kinds.wallet,
  market: kinds.conditionIds,
  side: kinds.oneWord,
  takerOnly: kinds.trueOrFalse,
  filterType: kinds.oneWord,
  filterAmount: kinds.threshold,
};
const positionFilters = {
  user: kinds.wallet,
  market: kinds.conditionIds,
  title: kinds.title,
  sizeThreshold: kinds.threshold,
  redeemable: kinds.trueOrFalse,
  mergeable: kinds.trueOrFalse,
  ...sorted,
};
const closedFilters = { user: kinds.wallet, market: kinds.conditionIds, title: kinds.title, ...sorted };
const ofUser =
  (path: string): EndpointCase['path'] =>
  ({ wallet }) =>
    `${path}${path.includes('?') ? '&' : '?'}user=${wallet.address}`;
const ofMarkets =
  (path: string): EndpointCase['path'] =>
  ({ market }) =>
    `${path}${path.includes('?') ? '&' : '?'}market=${market.conditionId}`;
const required = ['user'];

/** The endpoints of user data that have the same parameters at both mounts. */
const totals = (mount: string, limit: Kind) => [
  row('GET', ofMarkets(`${mount}/holders?limit=5&minBalance=0.5`), 'none', {
    query: { market: kinds.conditionIds, limit, minBalance: kinds.threshold },
    required: ['market'],
  }),
  row('GET', ofUser(`${mount}/value`), 'none', { query: { user: kinds.wallet, market: kinds.conditionIds }, required }),
  row('GET', ofUser(`${mount}/traded`), 'none', { query: { user: kinds.wallet }, required }),
  row('GET', ofMarkets(`${mount}/oi`), 'none', { query: { market: kinds.conditionIds } }),
  row('GET', `${mount}/live-volume?id=1`, 'none', {
    query: { id: kinds.eventNumber, market: kinds.conditionIds },
    required: ['id'],
  }),
];

export const historyCases = [
  row('GET', ofUser('/trades?limit=5&offset=1&takerOnly=false&side=BUY'), 'none', {
    query: { ...tradeFilters, limit: kinds.limitTo(10_000), offset: kinds.offsetTo(10_000) },
  }),
  row('GET', ofUser('/positions?limit=5&sizeThreshold=0&sortBy=CASHPNL&sortDirection=ASC&title=a'), 'none', {
    query: { ...positionFilters, limit: kinds.limitTo(500), offset: kinds.offsetTo(10_000) },
    required,
  }),
  row('GET', ofUser('/closed-positions?limit=5&sortBy=TITLE'), 'none', {
    query: { ...closedFilters, limit: kinds.limitTo(50), offset: kinds.offsetTo(100_000) },
    required,
  }),
  row('GET', ofUser('/activity?limit=5&offset=0'), 'none', {
    query: { user: kinds.wallet, limit: kinds.limitTo(500), offset: kinds.offsetTo(10_000) },
    required,
  }),
  ...totals('', kinds.limitTo(500)),
  row('GET', '/data-api/', 'none'),
  row('GET', ofUser('/data-api/trades?limit=5&eventId=1&start=1&end=2000000000'), 'none', {
    query: { ...tradeFilters, ...someRows, ...times, eventId: kinds.eventIds },
  }),
  row('GET', ofUser('/data-api/positions?limit=5&eventId=1&includeArchived=true'), 'none', {
    query: { ...positionFilters, ...someRows, eventId: kinds.eventIds, includeArchived: kinds.trueOrFalse },
    required,
  }),
  row('GET', ofUser('/data-api/closed-positions?limit=5&eventId=1'), 'none', {
    query: { ...closedFilters, ...someRows, offset: kinds.offsetTo(100_000), eventId: kinds.eventIds },
    required,
  }),
  row('GET', ofUser('/data-api/activity?limit=5&eventId=1&type=TRADE&start=1&end=2000000000&side=SELL'), 'none', {
    query: {
      user: kinds.wallet,
      market: kinds.conditionIds,
      ...someRows,
      ...sorted,
      ...times,
      side: kinds.oneWord,
      type: kinds.activityTypes,
      eventId: kinds.eventIds,
      excludeDepositsWithdrawals: kinds.trueOrFalse,
    },
    required,
  }),
  ...totals('/data-api', kinds.clampedLimit),
];
