// THE table of request rates (interface.md 8, wire.md G): its rows with their windows, and the groups by which an endpoint states
// which rows count its requests. Read by the endpoint table, the throttle, the configuration and the documentation. A
// configuration may replace the rates given here; rows are never added or removed.
import { durationMs } from './durations.ts';

/** At most `requestsMax` in any span of `windowMs` milliseconds. */
export interface RateWindow {
  readonly requestsMax: number;
  readonly windowMs: number;
}

const TEN_SECONDS_MS = 10_000;
const TEN_MINUTES_MS = 600_000;

const perTenSeconds = (requestsMax: number): readonly RateWindow[] => [{ requestsMax, windowMs: TEN_SECONDS_MS }];
const burstAndSustained: readonly RateWindow[] = [
  { requestsMax: 2_400, windowMs: TEN_SECONDS_MS },
  { requestsMax: 24_000, windowMs: TEN_MINUTES_MS },
];

/** The rows of interface.md 8, and the keys' of wire.md G; every window of a row applies. */
export const throttleRows = {
  catalog: perTenSeconds(4_000),
  'GET /events': perTenSeconds(500),
  'GET /markets': perTenSeconds(300),
  listings: perTenSeconds(900),
  'GET /tags': perTenSeconds(200),
  'GET /public-search': perTenSeconds(350),
  general: perTenSeconds(5_000),
  'GET /': perTenSeconds(50),
  'GET /book': perTenSeconds(200),
  'POST /books': perTenSeconds(80),
  'GET /price': perTenSeconds(200),
  'POST /prices': perTenSeconds(80),
  'GET /midpoint': perTenSeconds(200),
  'GET /prices-history': perTenSeconds(100),
  'POST /batch-prices-history': perTenSeconds(80),
  'GET /trades': perTenSeconds(150),
  keys: perTenSeconds(100),
  'POST /order': burstAndSustained,
  'DELETE /order': burstAndSustained,
} as const satisfies Readonly<Record<string, readonly RateWindow[]>>;

export type ThrottleRow = keyof typeof throttleRows;

/** The rows in words, for replies and documentation; a row for a single path is named by that path. */
const rowTexts: Partial<Readonly<Record<ThrottleRow, string>>> = {
  catalog: 'the catalog in general',
  listings: 'GET /events and GET /markets together',
  general: 'the order-book interface in general',
  keys: 'creating and deriving keys',
};

/** The name of a row in replies and documentation. */
export function rowText(row: ThrottleRow): string {
  return rowTexts[row] ?? row;
}

export const throttleRowNames = Object.keys(throttleRows) as readonly ThrottleRow[]; // the keys of a literal

/**
 * An endpoint's throttle group: a row of its own, or one of the general ones. `operator` requests are counted only when
 * their credentials are refused.
 */
export type ThrottleGroup = Exclude<ThrottleRow, 'listings'> | 'operator';

const listed: readonly ThrottleGroup[] = ['GET /events', 'GET /markets'];
const ofCatalog: readonly ThrottleGroup[] = [...listed, 'GET /tags', 'GET /public-search'];

/** The rows that count a request of a group, the narrowest first. */
export function rowsOfGroup(group: ThrottleGroup): readonly ThrottleRow[] {
  if (group === 'operator' || group === 'general') return ['general'];
  if (group === 'catalog') return ['catalog'];
  if (!ofCatalog.includes(group)) return [group, 'general'];
  return listed.includes(group) ? [group, 'listings', 'catalog'] : [group, 'catalog'];
}

/** The group of a path outside the catalog: its own row if the table has one, else the general row. */
export function groupOfPath(method: string, path: string): ThrottleGroup {
  const own = throttleRowNames.find((row) => row === `${method} ${path}`);
  return own === undefined || own === 'listings' ? 'general' : own;
}

/** Rates of every row. */
export type ThrottleRates = Readonly<Record<ThrottleRow, readonly RateWindow[]>>;

const WINDOW = /^([1-9][0-9]{0,6})\/([1-9][0-9]{0,3}[smh])$/;
/** Longest window; admissions are remembered for this long. */
const WINDOW_MAX = '1h';
/** Most requests of a window; each takes eight bytes. */
const WINDOW_REQUESTS_MAX = 1_000_000;
const WINDOWS_MAX = 4;

/** The windows that a text such as `2400/10s, 24000/10m` gives; undefined if it is malformed or they are too large. */
export function parseRateWindows(text: string): readonly RateWindow[] | undefined {
  const windows: RateWindow[] = [];
  for (const part of text.split(',')) {
    const found = WINDOW.exec(part.trim());
    if (found === null) return undefined;
    const [, requests, time] = found;
    const window = { requestsMax: Number(requests), windowMs: durationMs(time) };
    if (window.requestsMax > WINDOW_REQUESTS_MAX || window.windowMs > durationMs(WINDOW_MAX)) return undefined;
    windows.push(window);
  }
  return windows.length <= WINDOWS_MAX ? windows : undefined;
}

/** The format that `parseRateWindows` accepts, for its error text. */
export const RATE_WINDOWS_FORM =
  'must be requests and time, such as 200/10s, or 2400/10s, 24000/10m ' +
  `(1 to ${WINDOWS_MAX} of them, of up to ${WINDOW_REQUESTS_MAX} requests in up to ${WINDOW_MAX})`;
