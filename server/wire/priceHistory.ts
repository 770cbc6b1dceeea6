// Requests for price histories and their replies (wire.md C.2, interface.md 2.6): the market, the time range and the
// fidelity. A point is the midpoint in force at its time. Points stand at full multiples of the fidelity, each carrying the
// last midpoint before it forward; one more stands at the end of the series (now, or the market's close).
import { PIPS_PER_UNIT } from '../../engine/index.ts';
import { isBytes32 } from '../auth/hex.ts';
import { isUint256Decimal } from '../auth/uint256.ts';
import { parseWhole } from '../lib/decimals.ts';
import { isAbsent, isFields } from '../lib/jsonFields.ts';
import type { Market, MidpointsView, SampleQuery } from '../views/index.ts';
import { BadRequest } from './badRequest.ts';
import { halfPipsText, unixSeconds } from './numbers.ts';

/** Most markets of one batch request. */
export const PRICE_HISTORIES_MAX = 20;
/** Most points of one series: a week at one a minute. */
const PRICE_HISTORY_POINTS_MAX = 10_080;
/** Latest time of a series. Milliseconds, which some clients send, exceed it. */
export const PRICE_HISTORY_TIME_S_MAX = 99_999_999_999;
/** Longest time between points: a year, in minutes. */
export const FIDELITY_MINUTES_MAX = 525_600;
const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;
const MONTH_S = 30 * DAY_S;

/**
 * Interval names to seconds back from the end; the last two reach back to the first point. As in production, 1m is a
 * month; 5m and 15m are minutes.
 */
const INTERVALS: Readonly<Record<string, number>> = {
  '5m': 5 * MINUTE_S,
  '15m': 15 * MINUTE_S,
  '1h': HOUR_S,
  '6h': 6 * HOUR_S,
  '1d': DAY_S,
  '1w': 7 * DAY_S,
  '1m': MONTH_S,
  max: Number.POSITIVE_INFINITY,
  all: Number.POSITIVE_INFINITY,
};

/** The names of the intervals. */
export const PRICE_HISTORY_INTERVALS = Object.keys(INTERVALS);

/** The time range of a request; undefined = not given. Times in unix seconds. */
interface HistoryRange {
  readonly startS: number | undefined;
  readonly endS: number | undefined;
  readonly intervalS: number | undefined;
  readonly fidelityMinutes: number | undefined;
}

/** Reads a field's value by its name, as text; a number in a body becomes its digits. */
type FieldReader = (name: string) => string | undefined;

const invalid = (name: string, must: string): BadRequest => new BadRequest(`invalid_field: ${name}: it ${must}`);

/** A time, with the first of its names that the request uses. */
interface NamedSeconds {
  readonly name: string;
  readonly seconds: number;
}

function readSeconds(read: FieldReader, names: readonly [string, string]): NamedSeconds | undefined {
  for (const name of names) {
    const text = read(name);
    if (text === undefined) continue;
    const seconds = parseWhole(text);
    if (seconds === undefined) throw invalid(name, 'must be a whole number of unix seconds');
    if (seconds > PRICE_HISTORY_TIME_S_MAX)
      throw invalid(name, `must be at most ${PRICE_HISTORY_TIME_S_MAX} unix seconds, got ${seconds}`);
    return { name, seconds };
  }
  return undefined;
}

function readInterval(read: FieldReader): number | undefined {
  const text = read('interval');
  if (text === undefined) return undefined;
  if (!Object.hasOwn(INTERVALS, text))
    throw invalid('interval', `must be one of ${PRICE_HISTORY_INTERVALS.join(', ')}`);
  return INTERVALS[text];
}

function readFidelity(read: FieldReader): number | undefined {
  const text = read('fidelity');
  if (text === undefined) return undefined;
  const minutes = parseWhole(text);
  if (minutes !== undefined && minutes >= 1 && minutes <= FIDELITY_MINUTES_MAX) return minutes;
  throw invalid('fidelity', `must be a whole number of minutes from 1 to ${FIDELITY_MINUTES_MAX}`);
}

function readRange(read: FieldReader): HistoryRange {
  const start = readSeconds(read, ['startTs', 'start_ts']);
  const end = readSeconds(read, ['endTs', 'end_ts']);
  if (start !== undefined && end !== undefined && start.seconds > end.seconds) {
    throw invalid(start.name, `must be at most ${end.name}, which is ${end.seconds}`);
  }
  return {
    startS: start?.seconds,
    endS: end?.seconds,
    intervalS: readInterval(read),
    fidelityMinutes: readFidelity(read),
  };
}

function readMarketKey(value: unknown, name: string): string {
  if (typeof value === 'string' && (isUint256Decimal(value) || isBytes32(value))) return value;
  throw invalid(name, 'must be a token id (digits) or a condition id (0x and 64 hex digits)');
}

/** A parsed history request. */
export interface PriceHistoryRequest {
  /** Token ids or condition ids as given; a condition stands for its first token. */
  readonly markets: readonly string[];
  readonly range: HistoryRange;
}

/** The query of GET /prices-history. @throws BadRequest naming the parameter */
export function readPriceHistoryQuery(query: URLSearchParams): PriceHistoryRequest {
  const read: FieldReader = (name) => query.get(name) || undefined; // an empty value counts as absent
  const name = read('market') === undefined && read('token_id') !== undefined ? 'token_id' : 'market';
  const market = read(name);
  if (market === undefined) throw new BadRequest('missing_field: market');
  return { markets: [readMarketKey(market, name)], range: readRange(read) };
}

/** The body of POST /batch-prices-history. @throws BadRequest naming the field */
export function readPriceHistoryBody(body: unknown): PriceHistoryRequest {
  if (!isFields(body)) throw new BadRequest('Invalid payload: the body must be an object with markets');
  const { markets } = body;
  if (markets === undefined || markets === null) throw new BadRequest('missing_field: markets');
  if (!Array.isArray(markets)) throw invalid('markets', 'must be a list of token ids');
  if (markets.length > PRICE_HISTORIES_MAX) {
    throw invalid('markets', `must name at most ${PRICE_HISTORIES_MAX} markets, got ${markets.length}`);
  }
  const read: FieldReader = (name) => {
    const value = body[name];
    if (isAbsent(value)) return undefined;
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    throw invalid(name, 'must be a number or a string');
  };
  return { markets: markets.map((market) => readMarketKey(market, 'markets')), range: readRange(read) };
}

/**
 * The sample query of a request for one market.
 * @param firstS the beginning of the market's first minute with a midpoint, unix seconds
 * @param nowS the present, unix seconds
 * @throws BadRequest naming fidelity if there would be too many points
 */
function sampleQueryOf(range: HistoryRange, market: Market, firstS: number, nowS: number): SampleQuery {
  const lastS = market.closedMs === undefined ? nowS : unixSeconds(market.closedMs);
  const endS = range.endS ?? nowS;
  const startS = Math.max(range.startS ?? endS - (range.intervalS ?? Number.POSITIVE_INFINITY), firstS);
  const minutes = Math.max(Math.min(endS, lastS) - startS, 0) / MINUTE_S;
  const leastFidelity = Math.max(Math.ceil(minutes / PRICE_HISTORY_POINTS_MAX), 1);
  const { fidelityMinutes = leastFidelity } = range;
  const pointCount = Math.floor(minutes / fidelityMinutes);
  if (pointCount > PRICE_HISTORY_POINTS_MAX) {
    throw invalid(
      'fidelity',
      `would give ${pointCount} points, the limit is ${PRICE_HISTORY_POINTS_MAX}: use ${leastFidelity} or more`,
    );
  }
  return { startS, endS, lastS, stepS: fidelityMinutes * MINUTE_S };
}

/** The points of a token as a JSON list; the second token's midpoint is one minus the first's. */
export function priceHistoryJson(
  midpoints: MidpointsView,
  market: Market,
  outcome: number,
  range: HistoryRange,
  nowS: number,
): string {
  const firstS = midpoints.firstS(market.index);
  if (firstS === undefined) return '[]';
  const { times, sums } = midpoints.samples(market.index, sampleQueryOf(range, market, firstS, nowS));
  const points = times.map((timeS, index) => {
    const sum = outcome === 0 ? sums[index] : 2 * PIPS_PER_UNIT - sums[index];
    return `{"t":${timeS},"p":${halfPipsText(sum)}}`;
  });
  return `[${points.join(',')}]`;
}
