// GET /metrics of whole servers: every line is in the format, figures change with their cause and with nothing else, no
// request can add a series of its own; who may read it; and servers in one process stay separate.
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ServerConfig } from '../../server/config/config.ts';
import { throttleRows } from '../../server/config/throttleTable.ts';
import { endpoints } from '../../server/http/endpoints.ts';
import { alice, bob, call, market, newMarket, openTradingWorld, post, server } from '../http/tradingWorld.ts';
import { TestSocket } from '../streams/socket.ts';
import { type HeaderFields, requestHead, send, sendRaw } from '../support/client.ts';
import { PATIENCE } from '../support/patience.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { tempDir } from '../support/tempDir.ts';
import { type Family, readExposition } from './exposition.ts';

const TYPE = 'text/plain; version=0.0.4; charset=utf-8';

beforeAll(openTradingWorld);
afterAll(() => server.close());

type Families = ReadonlyMap<string, Family>;

async function scrape(of: TestServer = server, headers: HeaderFields = {}): Promise<Families> {
  const reply = await fetch(`${of.url}/metrics`, { headers });
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, TYPE]);
  return readExposition(await reply.text());
}

/** The value of the one series with these labels; 0 when there is none. */
function figure(families: Families, name: string, labels: Readonly<Record<string, string>> = {}): number {
  const family = families.get(`outcry_${name.replace(/_(sum|count)$/, '')}`) ?? families.get(`outcry_${name}`);
  if (family === undefined) throw new Error(`there is no outcry_${name}`);
  const found = family.samples.filter(
    (sample) =>
      sample.name === `outcry_${name}` && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  if (found.length > 1) throw new Error(`outcry_${name} has several series of ${JSON.stringify(labels)}`);
  return found[0]?.value ?? 0;
}

/** The change of a figure from one reading to the next. */
const change = (
  before: Families,
  after: Families,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number => figure(after, name, labels) - figure(before, name, labels);

const unauthorized = async (of: TestServer, headers: HeaderFields = {}): Promise<string> => {
  const { status, json } = await send(of.url, 'GET', '/metrics', undefined, headers);
  expect(status).toBe(401);
  return json.error;
};

const bearer = (token: string): HeaderFields => ({ authorization: `Bearer ${token}` });

async function withServer(config: Partial<ServerConfig>, run: (other: TestServer) => Promise<void>): Promise<void> {
  const other = await startTestServer({ config });
  try {
    await run(other);
  } finally {
    await other.close();
  }
}

test('orders, fills, rejections and cancels are each counted once', async () => {
  const before = await scrape();
  expect((await post(alice, market, { pips: 4_000, shares: 20 })).status).toBe(200);
  const resting = await scrape();
  expect(change(before, resting, 'live_orders')).toBe(1);
  expect(change(before, resting, 'commands_total', { command: 'PlaceOrder', outcome: 'accepted' })).toBe(1);
  expect((await post(bob, market, { pips: 6_000, shares: 8, token: 1 })).status).toBe(200);
  expect((await post(bob, market, { pips: 4_005, shares: 8 })).status).toBe(400);
  expect((await post(bob, market, { pips: 3_000, shares: 10, orderType: 'FOK' })).status).toBe(400);
  expect((await call(alice, 'DELETE', '/cancel-all')).status).toBe(200);
  const after = await scrape();
  const changes = (name: string, labels = {}): number => change(before, after, name, labels);
  expect(changes('live_orders')).toBe(0);
  expect(changes('trades_total')).toBe(1);
  expect(changes('traded_collateral_total')).toBeCloseTo(8 * 0.6, 6);
  expect(changes('commands_total', { command: 'PlaceOrder', outcome: 'accepted' })).toBe(2);
  expect(changes('commands_total', { command: 'PlaceOrder', outcome: 'refused' })).toBe(2);
  expect(changes('rejections_total', { reason: 'PRICE_OFF_TICK' })).toBe(1);
  expect(changes('rejections_total', { reason: 'FOK_NOT_FILLED' })).toBe(1);
  expect(changes('orders_canceled_total', { reason: 'REQUESTED' })).toBe(1);
  expect(changes('http_requests_total', { route: '/order', method: 'POST', status: '200' })).toBe(2);
  expect(changes('http_requests_total', { route: '/order', method: 'POST', status: '400' })).toBe(2);
  expect(changes('http_request_duration_seconds_count', { route: '/order', method: 'POST' })).toBe(4);
  expect(changes('signatures_checked_total')).toBe(4);
  const records = changes('durable_sequence');
  expect(records).toBe(server.exchange.durableSequence - figure(before, 'durable_sequence'));
  expect(changes('journal_batch_records_sum')).toBe(records);
  expect(changes('journal_flush_duration_seconds_count')).toBe(changes('journal_batch_records_count'));
  expect(changes('journal_written_bytes_total')).toBeGreaterThan(records * 100);
});

test('metrics report markets by every status, and the exchange mode, in line with the views', async () => {
  const before = await scrape();
  const { conditionId } = await newMarket({ status: 'paused' });
  const admin = bearer('dev-admin');
  expect((await send(server.url, 'PATCH', '/admin/exchange', { mode: 'cancel_only' }, admin)).status).toBe(200);
  const middle = await scrape();
  expect(change(before, middle, 'markets', { status: 'paused' })).toBe(1);
  expect(figure(middle, 'exchange_mode', { mode: 'cancel_only' })).toBe(1);
  expect(figure(middle, 'exchange_mode', { mode: 'normal' })).toBe(0);
  expect((await send(server.url, 'PATCH', '/admin/exchange', { mode: 'normal' }, admin)).status).toBe(200);
  const path = `/admin/markets/${conditionId}/resolve`;
  expect((await send(server.url, 'POST', path, { outcome: 'split' }, admin)).status).toBe(200);
  const after = await scrape();
  expect(change(before, after, 'markets', { status: 'resolved' })).toBe(1);
  expect(change(before, after, 'markets', { status: 'paused' })).toBe(0);
  const statuses = after.get('outcry_markets')?.samples.map(({ labels }) => labels.status);
  expect(statuses).toEqual(['draft', 'active', 'paused', 'closed', 'resolved']);
  expect(figure(after, 'exchange_available')).toBe(1);
  expect(figure(after, 'accounts')).toBe(server.services.views.accounts.accountCount);
});

test('arbitrary paths, methods and hosts add no series beyond those of the endpoints', async () => {
  const label = 'a"b\\c{d}=1,\n%0A';
  for (let index = 0; index < 50; index += 1) {
    await fetch(`${server.url}/${encodeURIComponent(label)}/${index}?x=${index}`);
    await fetch(`${server.url}/markets/${index}${encodeURIComponent(label)}`);
    await fetch(`${server.url}/book?token_id=${index}`);
  }
  const requests = ['BREW /book', 'BREW /x', 'OPTIONS /book', 'HEAD /time', 'DELETE /markets/1'];
  for (const line of requests) await sendRaw(server.port, [requestHead(line)]);
  await sendRaw(server.port, [requestHead('GET /book', 'Host: elsewhere.example')]);
  const families = await scrape();
  const known = new Set([...endpoints.map(({ method, path }) => `${method} ${path}`), 'none none']);
  for (const name of ['outcry_http_requests_total', 'outcry_http_request_duration_seconds']) {
    for (const { labels } of families.get(name)?.samples ?? [])
      expect(known).toContain(`${labels.method} ${labels.route}`);
  }
  const ofNone = (status: string): number => figure(families, 'http_requests_total', { route: 'none', status });
  expect([ofNone('404'), ofNone('405'), ofNone('421'), ofNone('200')]).toEqual([51, 2, 1, 1]);
  expect(figure(families, 'http_request_duration_seconds_count', { route: '/markets/{id}' })).toBe(50);
  expect(figure(families, 'http_requests_total', { route: '/time', method: 'GET', status: '200' })).toBe(1);
});

test('a client that disconnects before its response is counted once, with status 499', async () => {
  const gone = (families: Families): number =>
    figure(families, 'http_requests_total', { route: '/order', method: 'POST', status: '499' });
  const before = gone(await scrape());
  const socket = connect(server.port, '127.0.0.1');
  socket.write(`${requestHead('POST /order', 'Content-Type: application/json', 'Content-Length: 9')}{`);
  await vi.waitUntil(async () => figure(await scrape(), 'http_requests_in_progress') === 2, PATIENCE);
  socket.destroy();
  await vi.waitUntil(async () => gone(await scrape()) > before, PATIENCE);
  const after = await scrape();
  expect([gone(after) - before, figure(after, 'http_requests_in_progress')]).toEqual([1, 1]);
});

test('sockets are counted by channel while they are open', async () => {
  const before = await scrape();
  const bare = await TestSocket.open(server.url, '/ws');
  const follower = await TestSocket.open(server.url, '/ws/market');
  follower.send({ type: 'market', assets_ids: [market.tokens[0]] });
  await follower.until(() => follower.events('book').length > 0);
  await Promise.all([1_000, 1_100].map((pips) => post(alice, market, { pips, shares: 10 })));
  await follower.until(() => follower.events('price_change').length === 2);
  const open = await scrape();
  expect(change(before, open, 'stream_sockets', { channel: 'market' })).toBe(1);
  expect(change(before, open, 'stream_sockets', { channel: 'undecided' })).toBe(1);
  expect(change(before, open, 'stream_sockets_opened_total')).toBe(2);
  expect(change(before, open, 'stream_frames_total')).toBe(2);
  await Promise.all([bare.close(), follower.close()]);
  await vi.waitUntil(async () => {
    const families = await scrape();
    return ['market', 'undecided'].every((channel) => figure(families, 'stream_sockets', { channel }) === 0);
  }, PATIENCE);
  expect(figure(await scrape(), 'stream_slow_closed_total')).toBe(0);
});

test('metrics include memory, start time, CPU time and event loop activity of the process', async () => {
  const first = await scrape();
  for (const name of ['process_resident_memory_bytes', 'process_start_time_seconds', 'external_memory_bytes']) {
    expect(figure(first, name)).toBeGreaterThan(0);
  }
  expect(Math.abs(figure(first, 'process_start_time_seconds') - Date.now() / 1000)).toBeLessThan(3_600);
  // The system counts a process's time in ticks of some milliseconds.
  const { user } = process.cpuUsage();
  while (process.cpuUsage().user === user);
  const later = await scrape();
  expect(change(first, later, 'process_cpu_seconds_total', { mode: 'user' })).toBeGreaterThan(0);
  expect(change(first, later, 'event_loop_active_seconds_total')).toBeGreaterThan(0);
});

test('on /metrics, write methods get a 405, HEAD an empty body, pages of other origins a 401', async () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const reply = await send(server.url, method, '/metrics', method === 'DELETE' ? undefined : {});
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  }
  const head = await fetch(`${server.url}/metrics`, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, TYPE, '']);
  expect(head.headers.get('access-control-allow-origin')).toBeNull();
  expect(await unauthorized(server, { origin: 'https://elsewhere.example' })).toContain('elsewhere.example');
});

test('40 concurrent scrapes all get a valid exposition', async () => {
  const texts = await Promise.all(
    Array.from({ length: 40 }, async () => (await fetch(`${server.url}/metrics`)).text()),
  );
  for (const text of texts) readExposition(text);
});

test('/metrics requires the metrics or admin token in production and where a metrics token is set', async () => {
  const adminToken = 'the-admin-token-of-a-venue';
  const metricsToken = 'the-metrics-token-of-a-venue';
  await withServer({ mode: 'production', adminToken }, async (venue) => {
    expect(await unauthorized(venue)).toContain('Authorization: Bearer');
    await unauthorized(venue, bearer(metricsToken));
    await unauthorized(venue, bearer('undefined'));
    await unauthorized(venue, bearer(''));
    await unauthorized(venue, { authorization: `Basic ${adminToken}` });
    expect((await scrape(venue, bearer(adminToken))).size).toBeGreaterThan(30);
  });
  await withServer({ mode: 'production', adminToken, metricsToken }, async (venue) => {
    await unauthorized(venue);
    await scrape(venue, bearer(metricsToken));
    await scrape(venue, bearer(adminToken));
    const { status } = await send(venue.url, 'PATCH', '/admin/exchange', { mode: 'disabled' }, bearer(metricsToken));
    expect(status).toBe(401);
  });
  await withServer({ metricsToken }, async (development) => {
    await unauthorized(development);
    await scrape(development, bearer(metricsToken));
  });
});

test('servers in one process have separate counters', async () => {
  await withServer({}, async (other) => {
    const [here, there] = [await scrape(), await scrape(other)];
    await fetch(`${other.url}/ok`);
    await fetch(`${other.url}/ok`);
    const labels = { route: '/ok', status: '200' };
    expect(change(here, await scrape(), 'http_requests_total', labels)).toBe(0);
    expect(change(there, await scrape(other), 'http_requests_total', labels)).toBe(2);
    expect(figure(there, 'live_orders')).toBe(0);
    expect(figure(there, 'trades_total')).toBe(0);
  });
});

test('throttled requests are counted under the rate limit row that was exhausted', async () => {
  const rates = { ...throttleRows, 'GET /book': [{ requestsMax: 2, windowMs: 3_600_000 }] };
  await withServer({ isThrottled: true, rates }, async (throttled) => {
    for (let index = 0; index < 5; index += 1) await fetch(`${throttled.url}/book?token_id=1`);
    const families = await scrape(throttled);
    expect(figure(families, 'http_throttled_requests_total', { row: 'GET /book' })).toBe(3);
    expect(figure(families, 'http_throttled_requests_total', { row: 'general' })).toBe(0);
    expect(figure(families, 'http_throttle_clients')).toBe(1);
    expect(figure(families, 'http_requests_total', { route: '/book', status: '429' })).toBe(3);
  });
});

test('after a restart, replayed commands are not counted again and the histories catch up', async () => {
  const dataDir = tempDir();
  await withServer({ dataDir }, async (first) => {
    expect(figure(await scrape(first), 'commands_total', { command: 'CreditOwner', outcome: 'accepted' })).toBe(10);
  });
  await withServer({ dataDir }, async (second) => {
    const families = await scrape(second);
    expect(figure(families, 'commands_total', { command: 'CreditOwner', outcome: 'accepted' })).toBe(0);
    expect(figure(families, 'commands_total', { command: 'Started', outcome: 'accepted' })).toBe(1);
    expect(figure(families, 'journal_batch_records_sum')).toBe(1);
    expect(figure(families, 'durable_sequence')).toBe(second.exchange.durableSequence);
    expect(figure(families, 'journal_file_bytes')).toBeGreaterThan(10_000);
    expect(figure(families, 'history_available')).toBe(1);
    await vi.waitUntil(async () => figure(await scrape(second), 'history_lag_records') === 0, PATIENCE);
    // A new record is not indexed yet when the figure is read at once.
    const isBehind = async (): Promise<boolean> => {
      const { status } = await send(second.url, 'POST', '/dev/faucet', {
        address: alice.wallet.address,
        collateral: '1',
      });
      expect(status).toBe(200);
      return figure(await scrape(second), 'history_lag_records') > 0;
    };
    await vi.waitUntil(isBehind, PATIENCE);
  });
});

test('while commands are not accepted, /metrics still responds and reports the exchange unavailable', async () => {
  await withServer({}, async (other) => {
    await other.exchange.close();
    expect((await send(other.url, 'GET', '/readyz')).status).toBe(503);
    const families = await scrape(other);
    expect(figure(families, 'exchange_available')).toBe(0);
    expect(figure(families, 'http_requests_total', { route: '/readyz', status: '503' })).toBe(1);
  });
});

test('a metric that cannot be read gives a 503 and leaves the exchange running', async () => {
  await withServer({}, async (other) => {
    other.services.metrics.figures.gauge('broken', 'Cannot be read.', () => {
      throw new Error('broken');
    });
    const { status, json } = await send(other.url, 'GET', '/metrics');
    expect([status, json]).toEqual([503, { error: 'the metrics cannot be read at present; see the log' }]);
    expect((await send(other.url, 'GET', '/ok')).status).toBe(200);
  });
});
