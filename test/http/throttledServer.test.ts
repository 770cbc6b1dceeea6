// Request rates over real sockets, on a clock that the test moves: to whom a request is counted, under which row of the
// table, and the reply that a client gets. throttle.test.ts shows that each window is exact.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { VirtualClock } from '../../engine/index.ts';
import { resolveConfig, type ServerConfig } from '../../server/config/config.ts';
import { CONFIG_FILE } from '../../server/config/settings.ts';
import { type ThrottleRow, throttleRowNames, throttleRows } from '../../server/config/throttleTable.ts';
import { endpoints } from '../../server/http/endpoints.ts';
import { ADMIN, createKey, type JsonReply, l1Headers, l2Headers, send, sendSigned } from '../support/client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { tempDir } from '../support/tempDir.ts';

const three = [{ requestsMax: 3, windowMs: 10_000 }];

async function withServer(
  rates: Partial<ServerConfig['rates']>,
  run: (server: TestServer, clock: VirtualClock) => Promise<void>,
  trustedProxies: readonly string[] = [],
): Promise<void> {
  const clock = new VirtualClock(Date.now());
  const config = { isThrottled: true, rates: { ...throttleRows, ...rates }, trustedProxies };
  const server = await startTestServer({ config, clock });
  try {
    await run(server, clock);
  } finally {
    await server.close();
  }
}

/** Statuses of `count` replies, as `status: count`. */
async function statusesOf(count: number, ask: () => Promise<JsonReply>): Promise<Readonly<Record<number, number>>> {
  const counts: Record<number, number> = {};
  for (let index = 0; index < count; index += 1) {
    const { status } = await ask();
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

test('GET / allows exactly 50 requests in 10 s from an address, and a 429 states when to retry', () =>
  withServer({}, async ({ url }, clock) => {
    const ask = (): Promise<JsonReply> => send(url, 'GET', '/');
    expect(await statusesOf(60, ask)).toEqual({ 200: 50, 429: 10 });
    const refused = await ask();
    expect(refused.json).toEqual({
      error: 'Too Many Requests: the limit for GET / is 50 requests in 10 s; try again in 10 s',
    });
    const names = ['retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit-policy'];
    expect(names.map((name) => refused.headers.get(name))).toEqual(['10', '50', '0', '10', '50;w=10']);
    expect(refused.headers.get('poly-ratelimit-reset')).toBe(String(Math.ceil(clock.now() / 1000) + 10));
    expect(refused.headers.get('access-control-expose-headers')).toBe('*'); // once, as in every reply
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    expect((await send(url, 'GET', '/time')).status).toBe(200);
    clock.advance(9_999);
    expect((await ask()).status).toBe(429);
    clock.advance(1);
    expect(await statusesOf(60, ask)).toEqual({ 200: 50, 429: 10 });
  }));

test('a client that waits for Retry-After is served even if the clock was set back by an hour', async () => {
  const times = { clockMs: Date.now(), elapsedMs: 0 };
  const clock = { now: () => times.clockMs, monotonicMs: () => times.elapsedMs };
  const config = { isThrottled: true, rates: { ...throttleRows, 'GET /': three } };
  const server = await startTestServer({ config, clock });
  try {
    const ask = (): Promise<JsonReply> => send(server.url, 'GET', '/');
    expect(await statusesOf(2, ask)).toEqual({ 200: 2 });
    times.clockMs -= 3_600_000;
    expect(await statusesOf(2, ask)).toEqual({ 200: 1, 429: 1 });
    const refused = await ask();
    expect(refused.headers.get('retry-after')).toBe('10');
    expect(refused.headers.get('poly-ratelimit-reset')).toBe(String(Math.ceil(times.clockMs / 1000) + 10));
    times.clockMs += 10_000;
    times.elapsedMs += 10_000;
    expect(await statusesOf(4, ask)).toEqual({ 200: 3, 429: 1 });
  } finally {
    await server.close();
  }
});

test('clients behind a trusted proxy have separate rates, and an untrusted X-Forwarded-For is ignored', async () => {
  const askAs = (url: string, address: string) => (): Promise<JsonReply> =>
    send(url, 'GET', '/', undefined, { 'x-forwarded-for': address });
  const own = { 'GET /': three };
  await withServer(
    own,
    async ({ url }) => {
      expect(await statusesOf(4, askAs(url, '192.0.2.1'))).toEqual({ 200: 3, 429: 1 });
      expect(await statusesOf(4, askAs(url, '192.0.2.2'))).toEqual({ 200: 3, 429: 1 });
    },
    ['127.0.0.1'],
  );
  await withServer(own, async ({ url }) => {
    expect(await statusesOf(4, askAs(url, '192.0.2.1'))).toEqual({ 200: 3, 429: 1 });
    expect(await statusesOf(4, askAs(url, '192.0.2.2'))).toEqual({ 429: 4 });
  });
});

test('every row of the table limits its own path, together with its copies under /gamma and /data-api', () => {
  const isOwnPath = (row: ThrottleRow): boolean => row.includes('/');
  const rows = throttleRowNames.filter(isOwnPath);
  const rates = Object.fromEntries(rows.map((row) => [row, three]));
  return withServer(rates, async ({ url, wallets: [alice] }, clock) => {
    const key = await createKey(url, alice);
    let rowCount = 0;
    for (const row of rows) {
      const [method, rowPath] = row.split(' ');
      const paths = ['', '/gamma', '/data-api']
        .map((mount) => `${mount}${rowPath}`)
        .filter((path) =>
          endpoints.some((each) => each.method === method && each.path === path && path !== '/data-api/'),
        );
      const body = method === 'GET' ? undefined : {};
      const ask = (path: string): Promise<JsonReply> => sendSigned(url, alice.address, key, method, path, body);
      if (paths.length > 0) rowCount += 1;
      for (const path of paths) {
        clock.advance(10_000);
        const replies = [];
        for (let index = 0; index < 5; index += 1) replies.push(await ask(path));
        // A request that is refused for its content counts all the same.
        const isFull = replies.map(({ status }) => status === 429);
        expect([path, isFull]).toEqual([path, [false, false, false, true, true]]);
        expect(replies[4].json.error).toContain(`Too Many Requests: the limit for ${row} is 3 requests in 10 s`);
        for (const other of paths) expect([other, (await ask(other)).status]).toEqual([other, 429]);
      }
    }
    expect(rowCount).toBeGreaterThan(13);
  });
});

test('HEAD counts as GET, requests with a body are limited too, and a preflight is not', () =>
  withServer({ 'GET /': three, 'POST /books': three }, async ({ url }) => {
    const head = async (): Promise<number> => (await fetch(url, { method: 'HEAD' })).status;
    expect([await head(), await head(), await head(), await head()]).toEqual([200, 200, 200, 429]);
    expect(await statusesOf(5, () => send(url, 'POST', '/books', []))).toEqual({ 200: 3, 429: 2 });
    expect((await fetch(`${url}/books`, { method: 'OPTIONS' })).status).toBe(200);
  }));

test('validly signed requests count for their API key, failed ones for the address', () =>
  withServer({ 'DELETE /order': three, general: [{ requestsMax: 12, windowMs: 10_000 }] }, async (server) => {
    const { url, wallets } = server;
    const [alice, bob] = wallets;
    const keys = [await createKey(url, alice), await createKey(url, alice, '1'), await createKey(url, bob)];
    const body = { orderID: `0x${'1'.repeat(64)}` };
    for (const [index, owner] of [alice, alice, bob].entries()) {
      const ask = (): Promise<JsonReply> => sendSigned(url, owner.address, keys[index], 'DELETE', '/order', body);
      expect(await statusesOf(5, ask)).toEqual({ 200: 3, 429: 2 });
    }
    // Three of the address's twelve general requests created keys; a request that names a key without its secret does not
    // use up the key's rate.
    const forged = { ...keys[0], secret: Buffer.alloc(32).toString('base64url') };
    const forge = (): Promise<JsonReply> => sendSigned(url, alice.address, forged, 'DELETE', '/order', body);
    expect(await statusesOf(6, forge)).toEqual({ 401: 3, 429: 3 });
    const malformed = (): Promise<JsonReply> => send(url, 'DELETE', '/orders', '{');
    expect(await statusesOf(8, malformed)).toEqual({ 400: 6, 429: 2 });
    expect((await send(url, 'GET', '/time')).status).toBe(429);
    // A client with a valid key is served from the same address all the same.
    const own = (): Promise<JsonReply> => sendSigned(url, bob.address, keys[2], 'GET', '/data/orders');
    expect(await statusesOf(12, own)).toEqual({ 200: 9, 429: 3 });
  }));

test('GET /auth/api-keys counts for the API key that signs it, or for the address if a wallet signs it', () =>
  withServer({ general: three }, async ({ url, wallets: [alice] }) => {
    const key = await createKey(url, alice);
    const byWallet = (): Promise<JsonReply> => send(url, 'GET', '/auth/api-keys', undefined, l1Headers(alice));
    expect(await statusesOf(4, byWallet)).toEqual({ 200: 2, 429: 2 });
    const byKey = (): Promise<JsonReply> => sendSigned(url, alice.address, key, 'GET', '/auth/api-keys');
    expect(await statusesOf(4, byKey)).toEqual({ 200: 3, 429: 1 });
  }));

test('creating and deriving keys counts for the address, whoever signs, and listing or deleting them does not', () =>
  withServer({ keys: three }, async ({ url, wallets: [alice, bob] }, clock) => {
    const key = await createKey(url, alice);
    const derive = (): Promise<JsonReply> => send(url, 'GET', '/auth/derive-api-key', undefined, l1Headers(alice));
    expect(await statusesOf(4, derive)).toEqual({ 200: 2, 429: 2 });
    for (const path of ['/auth/readonly-api-key', '/auth/builder-api-key'])
      expect((await sendSigned(url, alice.address, key, 'POST', path)).json.error).toContain(
        'the limit for creating and deriving keys is 3 requests in 10 s',
      );
    expect((await send(url, 'POST', '/auth/api-key', undefined, l1Headers(bob))).status).toBe(429);
    const others = ['/auth/api-keys', '/auth/readonly-api-keys', '/auth/builder-api-key', '/auth/api-keys'];
    for (const path of others) expect((await sendSigned(url, alice.address, key, 'GET', path)).status).toBe(200);
    clock.advance(10_000);
    const made = (): Promise<JsonReply> => sendSigned(url, alice.address, key, 'POST', '/auth/readonly-api-key');
    expect(await statusesOf(5, made)).toEqual({ 200: 3, 429: 2 });
  }));

test('a read-only key has its own rate, and builder trades without a key count for the address', () =>
  withServer({ general: three }, async ({ url, wallets: [alice] }) => {
    const key = await createKey(url, alice);
    const made = await sendSigned(url, alice.address, key, 'POST', '/auth/readonly-api-key');
    const readonly = { POLY_ADDRESS: alice.address, POLY_API_KEY: made.json.apiKey };
    expect(await statusesOf(5, () => send(url, 'GET', '/data/orders', undefined, readonly))).toEqual({
      200: 3,
      429: 2,
    });
    const path = `/builder/trades?builder_code=0x${'1'.repeat(64)}`;
    // The address's first two requests created the keys.
    expect(await statusesOf(5, () => send(url, 'GET', path))).toEqual({ 200: 1, 429: 4 });
    expect(
      (await send(url, 'GET', path, undefined, l2Headers(alice.address, key, 'GET', '/builder/trades'))).status,
    ).toBe(200);
  }));

test('operator requests are not limited, but those with a wrong token are', () =>
  withServer({ general: three }, async ({ url }) => {
    const mode = { mode: 'normal' };
    const operate = (): Promise<JsonReply> => send(url, 'PATCH', '/admin/exchange', mode, ADMIN);
    expect(await statusesOf(20, operate)).toEqual({ 200: 20 });
    const guess = (): Promise<JsonReply> =>
      send(url, 'PATCH', '/admin/exchange', mode, { authorization: 'Bearer wrong-token' });
    expect(await statusesOf(6, guess)).toEqual({ 401: 3, 429: 3 });
    expect((await operate()).status).toBe(200);
  }));

test('throttling is on by default in production and off in development, and rates can be configured', () => {
  const venue = { adminToken: 'a-token-of-the-venue', chain: '80002' };
  const configOf = (mode: ServerConfig['mode'], flags: object): ServerConfig =>
    resolveConfig(mode, { ...(mode === 'production' ? venue : {}), ...flags }, {}, import.meta.dirname);
  expect(configOf('production', {}).isThrottled).toBe(true);
  expect(configOf('production', { throttle: false }).isThrottled).toBe(false);
  expect(configOf('development', {}).isThrottled).toBe(false);
  expect(configOf('development', { throttle: true }).isThrottled).toBe(true);
  expect(configOf('production', {}).rates).toEqual(throttleRows);
  const folder = tempDir();
  const rates = { 'GET /book': '7/10s', 'POST /order': '100/1s, 5000/1h' };
  writeFileSync(join(folder, CONFIG_FILE), JSON.stringify({ rates }));
  expect(resolveConfig('development', {}, {}, folder).rates).toEqual({
    ...throttleRows,
    'GET /book': [{ requestsMax: 7, windowMs: 10_000 }],
    'POST /order': [
      { requestsMax: 100, windowMs: 1_000 },
      { requestsMax: 5_000, windowMs: 3_600_000 },
    ],
  });
});
