// Request rates on a clock that the test moves: every row of the table is exact at both edges of each of its windows, for
// any pattern of requests, and its memory is bounded whoever calls.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  parseRateWindows,
  type RateWindow,
  rowsOfGroup,
  rowText,
  type ThrottleGroup,
  type ThrottleRates,
  type ThrottleRow,
  throttleRowNames,
  throttleRows,
} from '../../server/config/throttleTable.ts';
import type { Endpoint } from '../../server/http/endpoint.ts';
import { endpoints } from '../../server/http/endpoints.ts';
import { httpLimits } from '../../server/http/limits.ts';
import { isCountedByAddress, Throttle } from '../../server/http/throttle.ts';
import { networkOf } from '../../server/lib/networks.ts';
import { BadRequest } from '../../server/wire/badRequest.ts';

const START_MS = 1_800_000_000_000;
/** The clock readings that the test last set. */
let [elapsedMs, clockMs] = [0, 0];
const throttleOf = (rates: ThrottleRates): Throttle =>
  new Throttle(rates, { elapsedMs: () => elapsedMs, clockMs: () => clockMs });
/** Rates under which only the named rows are ever full. */
const only = (rates: Partial<ThrottleRates>): ThrottleRates => ({
  ...(Object.fromEntries(
    throttleRowNames.map((row) => [row, [{ requestsMax: 1_000_000, windowMs: 10_000 }]]),
  ) as unknown as ThrottleRates), // every row has a rate
  ...rates,
});

/** The refusal of a request, or undefined when it was allowed. */
function ask(
  throttle: Throttle,
  group: ThrottleGroup,
  client: string,
  atMs: number,
  byClockMs = atMs,
): BadRequest | undefined {
  [elapsedMs, clockMs] = [atMs, byClockMs];
  try {
    throttle.count(group, client);
    return undefined;
  } catch (error) {
    if (error instanceof BadRequest) return error;
    throw error;
  }
}

function passedOf(throttle: Throttle, group: ThrottleGroup, atMs: number, count: number): number {
  let passed = 0;
  for (let index = 0; index < count; index += 1) if (ask(throttle, group, 'a', atMs) === undefined) passed += 1;
  return passed;
}

/** The group whose requests a row counts, for rows that are no group of their own. */
const groupOfRow = (row: ThrottleRow): ThrottleGroup => (row === 'listings' ? 'GET /events' : row);

test('the rate table has the limits of the interface', () => {
  const shown = throttleRowNames.map((row) => {
    const windows: readonly RateWindow[] = throttleRows[row];
    return [rowText(row), windows.map(({ requestsMax, windowMs }) => `${requestsMax}/${windowMs / 1000}`).join(' ')];
  });
  expect(Object.fromEntries(shown)).toEqual({
    'the catalog in general': '4000/10',
    'GET /events': '500/10',
    'GET /markets': '300/10',
    'GET /events and GET /markets together': '900/10',
    'GET /tags': '200/10',
    'GET /public-search': '350/10',
    'the order-book interface in general': '5000/10',
    'GET /': '50/10',
    'GET /book': '200/10',
    'POST /books': '80/10',
    'GET /price': '200/10',
    'POST /prices': '80/10',
    'GET /midpoint': '200/10',
    'GET /prices-history': '100/10',
    'POST /batch-prices-history': '80/10',
    'GET /trades': '150/10',
    'creating and deriving keys': '100/10',
    'POST /order': '2400/10 24000/600',
    'DELETE /order': '2400/10 24000/600',
  });
});

test.each(throttleRowNames)(
  '%s: each window allows exactly its number of requests and reopens on the exact millisecond',
  (row) => {
    const windows: readonly RateWindow[] = throttleRows[row];
    for (const window of windows) {
      // The other windows of a row are tested on their own, as if each were alone.
      const throttle = throttleOf(only({ [row]: [window] }));
      const { requestsMax, windowMs } = window;
      const group = groupOfRow(row);
      expect(passedOf(throttle, group, START_MS, 1)).toBe(1);
      expect(passedOf(throttle, group, START_MS + 1, requestsMax + 5)).toBe(requestsMax - 1);
      expect(passedOf(throttle, group, START_MS + windowMs - 1, 1)).toBe(0);
      expect(passedOf(throttle, group, START_MS + windowMs, 5)).toBe(1);
      expect(passedOf(throttle, group, START_MS + windowMs + 1, requestsMax + 5)).toBe(requestsMax - 1);
      // No drift: a thousand windows later the edge is where it was.
      const laterMs = START_MS + 1_000 * windowMs + 7;
      expect(passedOf(throttle, group, laterMs, requestsMax + 1)).toBe(requestsMax);
      expect(passedOf(throttle, group, laterMs + windowMs - 1, 1)).toBe(0);
      expect(passedOf(throttle, group, laterMs + windowMs, requestsMax + 1)).toBe(requestsMax);
    }
  },
);

test('both windows apply to POST /order and DELETE /order', () => {
  for (const group of ['POST /order', 'DELETE /order'] as const) {
    const throttle = throttleOf(only({ [group]: throttleRows[group] }));
    let passed = 0;
    for (let burst = 0; burst < 11; burst += 1) passed += passedOf(throttle, group, START_MS + burst * 10_000, 2_500);
    expect(passed).toBe(24_000);
    const full = ask(throttle, group, 'a', START_MS + 100_000);
    expect([full?.headers?.['retry-after'], full?.headers?.['ratelimit-limit']]).toEqual(['500', '24000']);
    expect(passedOf(throttle, group, START_MS + 599_999, 1)).toBe(0);
    expect(passedOf(throttle, group, START_MS + 600_000, 2_500)).toBe(2_400);
    expect(passedOf(throttle, group, START_MS + 609_999, 2_500)).toBe(0);
    expect(passedOf(throttle, group, START_MS + 610_000, 2_500)).toBe(2_400);
  }
});

test('general and combined listing limits apply too, and a rejected request counts nowhere', () => {
  const ten = { windowMs: 10_000 };
  const rates = only({
    'GET /events': [{ requestsMax: 6, ...ten }],
    'GET /markets': [{ requestsMax: 6, ...ten }],
    listings: [{ requestsMax: 9, ...ten }],
    catalog: [{ requestsMax: 11, ...ten }],
  });
  const throttle = throttleOf(rates);
  expect(passedOf(throttle, 'GET /events', START_MS, 20)).toBe(6);
  expect(passedOf(throttle, 'GET /markets', START_MS, 20)).toBe(3);
  expect(ask(throttle, 'GET /markets', 'a', START_MS)?.message).toContain('GET /events and GET /markets together');
  expect(passedOf(throttle, 'GET /tags', START_MS, 20)).toBe(2);
  expect(ask(throttle, 'GET /events', 'a', START_MS)?.status).toBe(429);
  expect(passedOf(throttle, 'GET /book', START_MS, 20)).toBe(20);
  const bookRates = only({ general: [{ requestsMax: 5, ...ten }], 'GET /book': [{ requestsMax: 3, ...ten }] });
  const books = throttleOf(bookRates);
  expect(passedOf(books, 'GET /book', START_MS, 9)).toBe(3);
  expect(passedOf(books, 'POST /order', START_MS, 9)).toBe(2);
});

test('each client has its own count', () => {
  const throttle = throttleOf(throttleRows);
  for (const client of ['a', 'b', '10.0.0.1']) {
    for (let index = 0; index < 80; index += 1) expect(ask(throttle, 'POST /books', client, START_MS)).toBeUndefined();
    expect(ask(throttle, 'POST /books', client, START_MS)?.status).toBe(429);
  }
});

test('a rejection states the limit and exactly when to retry', () => {
  const throttle = throttleOf(throttleRows);
  for (let index = 0; index < 100; index += 1) ask(throttle, 'GET /prices-history', 'a', START_MS + index);
  const refusal = ask(throttle, 'GET /prices-history', 'a', START_MS + 6_500);
  expect(refusal?.status).toBe(429);
  expect(JSON.parse(refusal?.body() ?? '')).toEqual({
    error: 'Too Many Requests: the limit for GET /prices-history is 100 requests in 10 s; try again in 4 s',
  });
  expect(refusal?.headers).toMatchObject({
    'retry-after': '4',
    'ratelimit-limit': '100',
    'ratelimit-remaining': '0',
    'ratelimit-reset': '4',
    'ratelimit-policy': '100;w=10',
    'poly-ratelimit-remaining': '0',
    'poly-ratelimit-reset': String((START_MS + 10_000) / 1000),
  });
  expect(ask(throttle, 'GET /prices-history', 'a', START_MS + 10_000)).toBeUndefined();
});

test('if several windows or rows are exhausted, the rejection names the one that stays exhausted longest', () => {
  const short: RateWindow = { requestsMax: 1, windowMs: 10_000 };
  const long: RateWindow = { requestsMax: 2, windowMs: 60_000 };
  for (const rates of [
    { 'GET /book': [short, long] },
    { 'GET /book': [long, short] },
    { 'GET /book': [short], general: [long] },
    { 'GET /book': [long], general: [short] },
  ]) {
    const throttle = throttleOf(only(rates));
    expect(ask(throttle, 'GET /book', 'a', START_MS)).toBeUndefined();
    expect(ask(throttle, 'GET /book', 'a', START_MS + 10_000)).toBeUndefined();
    const refusal = ask(throttle, 'GET /book', 'a', START_MS + 11_000);
    expect(refusal?.headers, JSON.stringify(rates)).toMatchObject({ 'retry-after': '49', 'ratelimit-limit': '2' });
  }
});

test('for random requests at random times the counts match those of a plain list', () => {
  const windows = fc.array(
    fc.record({ requestsMax: fc.integer({ min: 1, max: 12 }), windowMs: fc.integer({ min: 1, max: 60 }) }),
    { minLength: 1, maxLength: 3 },
  );
  const steps = fc.array(fc.integer({ min: 0, max: 25 }), { maxLength: 300, size: 'max' });
  fc.assert(
    fc.property(windows, windows, steps, (own, general, waits) => {
      const throttle = throttleOf(only({ 'GET /book': own, general }));
      const passed: number[] = [];
      let nowMs = START_MS;
      for (const wait of waits) {
        nowMs += wait;
        const isFree = [...own, ...general].every(
          ({ requestsMax, windowMs }) => passed.filter((atMs) => atMs + windowMs > nowMs).length < requestsMax,
        );
        const refusal = ask(throttle, 'GET /book', 'a', nowMs);
        expect(refusal === undefined).toBe(isFree);
        if (isFree) passed.push(nowMs);
      }
    }),
    { seed: 7, numRuns: 300 },
  );
});

test('setting the wall clock changes no window, and the stated reset time follows it', () => {
  const throttle = throttleOf(only({ 'GET /': [{ requestsMax: 2, windowMs: 10_000 }] }));
  const askAt = (atMs: number, byClockMs: number) => ask(throttle, 'GET /', 'a', atMs, byClockMs);
  expect(askAt(1_000, START_MS)).toBeUndefined();
  expect(askAt(5_000, START_MS - 3_600_000)).toBeUndefined();
  const refusal = askAt(10_999, START_MS + 3_600_000);
  expect(refusal?.headers).toMatchObject({
    'retry-after': '1',
    'poly-ratelimit-reset': String(START_MS / 1000 + 3_601),
  });
  expect(askAt(11_000, START_MS - 3_600_000)).toBeUndefined();
  expect(askAt(11_000, START_MS - 3_600_000)?.headers).toMatchObject({ 'retry-after': '4' });
});

test('a million addresses use bounded memory, and a busy client among them keeps its count', () => {
  const throttle = throttleOf(throttleRows);
  let passed = 0;
  let most = 0;
  for (let number = 0; number < 1_000_000; number += 1) {
    const nowMs = START_MS + Math.floor(number / 200); // five seconds for all
    elapsedMs = nowMs;
    throttle.count('GET /book', `10.${number >>> 16}.${(number >>> 8) & 255}.${number & 255}`);
    if (number % 1_000 === 0 && ask(throttle, 'GET /midpoint', 'busy', nowMs) === undefined) passed += 1;
    if (number % 10_000 === 0) most = Math.max(most, throttle.clientCount);
  }
  expect(passed).toBe(200);
  expect(most).toBeLessThanOrEqual(httpLimits.throttledClientsMax);
  expect(throttle.clientCount).toBeGreaterThan(httpLimits.throttledClientsMax / 2);
});

test('an active client keeps its count over 300,000 new clients, until its window ends', () => {
  const rates = only({ 'GET /': [{ requestsMax: 3, windowMs: 60_000 }] });
  const throttle = throttleOf(rates);
  expect(passedOf(throttle, 'GET /', START_MS, 3)).toBe(3);
  elapsedMs = START_MS + 1;
  for (let number = 0; number < 300_000; number += 1) {
    throttle.count('GET /', `client ${number}`);
    if (number % 20_000 === 0) expect(passedOf(throttle, 'GET /', START_MS + 1, 1)).toBe(0);
  }
  expect(passedOf(throttle, 'GET /', START_MS + 59_999, 1)).toBe(0);
  expect(passedOf(throttle, 'GET /', START_MS + 60_000, 5)).toBe(3);
});

test('the times of busy clients use bounded memory, also when these come back', () => {
  const [windowMs, ringBytes] = [60_000, 1_048_576];
  // Twice the times that fill a ring of half that size: each client has one ring in each of the group's two rows.
  const [times, clients] = [ringBytes / 16 + 1, httpLimits.throttleRingBytesMax / 2 / (2 * ringBytes)];
  const throttle = throttleOf(only({ 'GET /': [{ requestsMax: 1_000_000, windowMs }] }));
  const askAll = (atMs: number, count: number): void => {
    elapsedMs = atMs;
    for (let client = 0; client < clients; client += 1)
      for (let time = 0; time < count; time += 1) throttle.count('GET /', `busy ${client}`);
  };
  const askAnother = (atMs: number): number => {
    ask(throttle, 'GET /', `another at ${atMs}`, atMs);
    return throttle.clientCount;
  };
  askAll(START_MS, times); // fills the young generation
  askAll(START_MS + windowMs / 2, 1); // fills the next one, with what they had
  expect(askAnother(START_MS + windowMs)).toBe(clients + 1);
  expect(askAnother(START_MS + (windowMs * 3) / 2)).toBe(2);
});

test('IPv6 addresses count by /64 network, and IPv4-mapped ones by their IPv4 address', () => {
  expect(networkOf('127.0.0.1')).toBe('127.0.0.1');
  expect(networkOf('2001:0db8:0000:0001:0000:0000:0000:0001')).toBe('2001:db8:0:1::/64');
  expect(networkOf('2001:db8:0:1:ffff::2')).toBe('2001:db8:0:1::/64');
  expect(networkOf('2001:db8::5')).toBe('2001:db8:0:0::/64');
  expect(networkOf('2001:db8::3:4:5:6:7')).toBe('2001:db8:0:3::/64');
  expect(networkOf('::1')).toBe('0:0:0:0::/64');
  expect(networkOf('::ffff:192.0.2.7')).toBe('192.0.2.7');
  expect(networkOf('0000:0000:0000:0000:0000:ffff:c000:0207')).toBe('192.0.2.7');
  expect(networkOf('::ffff:c000:207')).toBe('192.0.2.7');
  expect(networkOf('::FFFF:a00:1')).toBe('10.0.0.1');
  expect(networkOf('fe80::1%eth0')).toBe('fe80:0:0:0::/64');
  expect(networkOf('not:an:address')).toBe('');
});

test('rates are parsed from text, and malformed or out-of-range ones are rejected', () => {
  expect(parseRateWindows('200/10s')).toEqual([{ requestsMax: 200, windowMs: 10_000 }]);
  expect(parseRateWindows('2400/10s, 24000/10m')).toEqual(throttleRows['POST /order']);
  expect(parseRateWindows('5/1h')).toEqual([{ requestsMax: 5, windowMs: 3_600_000 }]);
  for (const text of ['', '0/10s', '5', '5/s', '5/10d', '1000001/1s', '5/2h', '5/0s', '1/1s,1/2s,1/3s,1/4s,1/5s']) {
    expect([text, parseRateWindows(text)]).toEqual([text, undefined]);
  }
});

const withHeaders = (headers: Readonly<Record<string, string>>) => ({
  getHeader: (name: string) => headers[name] ?? '',
});

/**
 * The group by the README's table of rates: what makes a key counts as that, a list by cursor or with a count as its list,
 * and a path without a row as its part.
 */
function groupByTable({ method, path, auth, section }: Endpoint): string {
  if (auth === 'admin' || auth === 'watch') return 'operator';
  const listPath = path.replace(/^\/(gamma|data-api)(?=\/)/, '').replace(/\/(keyset|pagination)$/, '');
  const own = throttleRowNames.find((row) => row === `${method} ${listPath}`);
  if (/^(POST \/auth\/.*api-key|GET \/auth\/derive-api-key)$/.test(`${method} ${path}`)) return 'keys';
  return own ?? (/^(interface 4\.2|catalog)\b/.test(section) ? 'catalog' : 'general');
}

test('every endpoint counts under the row named after it, others under that of their part, and every row is used', () => {
  for (const endpoint of endpoints) {
    const { method, path, throttle } = endpoint;
    expect([method, path, throttle]).toEqual([method, path, groupByTable(endpoint)]);
    if (throttle === 'operator') expect(isCountedByAddress(endpoint, withHeaders({}))).toBe(false);
  }
  const used = new Set(endpoints.flatMap(({ throttle }) => rowsOfGroup(throttle)));
  expect([...used].sort()).toEqual([...throttleRowNames].sort());
});

test('wallet-signed requests count by network address, except where an API key signs instead', () => {
  const byWallet = new Set(endpoints.filter(({ auth }) => auth === 'l1' || auth === 'l1-or-l2'));
  expect(byWallet.size).toBe(3);
  const headers = { poly_address: '0x1', poly_signature: '0x2', poly_timestamp: '3' };
  for (const endpoint of byWallet) expect(isCountedByAddress(endpoint, withHeaders(headers))).toBe(true);
  const ofKey = { ...headers, poly_api_key: 'key', poly_passphrase: 'words' };
  const byEither = endpoints.find(({ auth }) => auth === 'l1-or-l2');
  if (byEither === undefined) throw new Error('no endpoint takes a wallet or a key');
  expect(isCountedByAddress(byEither, withHeaders(ofKey))).toBe(false);
});
