// Read-only keys and builder keys over HTTP: created, listed, used for their purpose and refused for anything else, and
// revoked. Also the closed-only status, which a key of any owner can read.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiKeyKind, encodeCommand, type RunningExchange } from '../../engine/index.ts';
import { deriveCredentials } from '../../server/auth/apiKeys.ts';
import { requireKeyId } from '../../server/auth/keyIds.ts';
import { httpLimits } from '../../server/http/limits.ts';
import { createKey, type JsonReply, l1Headers, l2Headers, send } from '../support/client.ts';
import { UUID } from '../support/uuid.ts';
import { callHandler, replyInTurns } from './handlerTurns.ts';
import { alice, bob, call, market, openTradingWorld, orderBody, post, server } from './tradingWorld.ts';

beforeAll(openTradingWorld);
afterAll(() => server.close());

const withKey = (key: string, method: string, path: string, address = alice.wallet.address): Promise<JsonReply> =>
  send(server.url, method, path, undefined, { POLY_ADDRESS: address, POLY_API_KEY: key });

/** Commands that create keys of an owner, at the nonces from 1. */
const keysFor = (owner: string, kind: ApiKeyKind, count: number, secret = server.services.secret) =>
  Array.from({ length: count }, (_, index) => {
    const identity = { kind, owner, nonce: index + 1, generation: 0 };
    const keyId = requireKeyId(deriveCredentials(secret, identity).apiKey);
    return { type: 'CreateApiKey', keyId, ...identity } as const;
  });

test('a read-only key reads own data with only address and key, and is rejected for anything else', async () => {
  const { status, json } = await call(alice, 'POST', '/auth/readonly-api-key');
  expect([status, Object.keys(json)]).toEqual([200, ['apiKey']]);
  expect(json.apiKey).toMatch(UUID);
  const { orderID } = (await post(alice, market, { pips: 3000, shares: 10 })).json;
  const orders = await withKey(json.apiKey, 'GET', '/data/orders');
  expect(orders.json.data.map(({ id }: { id: string }) => id)).toEqual([orderID]);
  for (const path of ['/notifications', '/rewards/user/percentages', '/auth/ban-status/closed-only']) {
    expect([path, (await withKey(json.apiKey, 'GET', path)).status]).toEqual([path, 200]);
  }
  for (const [method, path] of [
    ['DELETE', '/cancel-all'],
    ['GET', '/auth/api-keys'],
    ['POST', '/auth/readonly-api-key'],
    ['DELETE', '/notifications?ids=1'],
  ]) {
    expect([path, (await withKey(json.apiKey, method, path)).status]).toEqual([path, 401]);
  }
  expect((await withKey(json.apiKey, 'GET', '/data/orders', bob.wallet.address)).status).toBe(401);
});

test('the header of read-only keys accepts no other key, and such a key neither places nor cancels orders', async () => {
  const { apiKey } = (await call(alice, 'POST', '/auth/readonly-api-key')).json;
  const { orderID } = (await post(alice, market, { pips: 2900, shares: 10 })).json;
  const statusOf = async (headers: Readonly<Record<string, string>>, method: string, path: string, body?: unknown) =>
    (await send(server.url, method, path, body, { POLY_ADDRESS: alice.wallet.address, ...headers })).status;
  const named = { POLY_READONLY_API_KEY: apiKey };
  expect(await statusOf(named, 'GET', '/data/orders')).toBe(200);
  expect(await statusOf(named, 'POST', '/order', orderBody(alice, market, { pips: 2800, shares: 10 }))).toBe(401);
  expect(await statusOf(named, 'DELETE', '/order', { orderID })).toBe(401);
  expect(await statusOf({ ...named, POLY_ADDRESS: bob.wallet.address }, 'GET', '/data/orders')).toBe(401);
  const trading = { POLY_READONLY_API_KEY: alice.key.apiKey };
  const { POLY_API_KEY: _, ...signed } = l2Headers(alice.wallet.address, alice.key, 'GET', '/data/orders');
  expect(await statusOf(trading, 'GET', '/data/orders')).toBe(401);
  expect(await statusOf({ ...signed, ...trading }, 'GET', '/data/orders')).toBe(401);
  // Beside an API key the header is ignored.
  expect(await statusOf({ ...named, POLY_API_KEY: alice.key.apiKey }, 'GET', '/data/orders')).toBe(401);
});

test('read-only keys are listed and validated until they are deleted', async () => {
  const { json: before } = await call(alice, 'GET', '/auth/readonly-api-keys');
  const { json: ofBob } = await call(bob, 'GET', '/auth/readonly-api-keys');
  const { apiKey } = (await call(alice, 'POST', '/auth/readonly-api-key')).json;
  expect((await call(alice, 'GET', '/auth/readonly-api-keys')).json).toEqual([...before, apiKey]);
  expect((await call(bob, 'GET', '/auth/readonly-api-keys')).json).toEqual(ofBob);
  const validate = (address: string, key: string) =>
    send(server.url, 'GET', `/auth/validate-readonly-api-key?address=${address}&key=${key}`);
  const valid = await validate(alice.wallet.address, apiKey);
  expect([valid.status, valid.json]).toEqual([200, 'OK']);
  expect((await validate(bob.wallet.address, apiKey)).status).toBe(401);
  expect((await validate(alice.wallet.address, alice.key.apiKey)).status).toBe(401);
  expect((await validate('x', apiKey)).json.error).toContain('Invalid address');
  expect((await validate(alice.wallet.address, 'x')).json.error).toContain('Invalid key');
  expect((await call(bob, 'DELETE', '/auth/readonly-api-key', { key: apiKey })).status).toBe(404);
  const shouted = apiKey.toUpperCase(); // UUIDs may be in any letter case
  expect((await validate(alice.wallet.address, shouted)).status).toBe(200);
  const removed = await call(alice, 'DELETE', '/auth/readonly-api-key', { key: shouted });
  expect([removed.status, removed.json]).toEqual([200, true]);
  expect((await call(alice, 'GET', '/auth/readonly-api-keys')).json).toEqual(before);
  expect((await withKey(apiKey, 'GET', '/data/orders')).status).toBe(401);
  expect((await validate(alice.wallet.address, apiKey)).status).toBe(401);
  expect((await call(alice, 'DELETE', '/auth/readonly-api-key', { key: apiKey })).status).toBe(404);
  for (const body of [{}, [], { key: 7 }, { key: 'x' }, undefined]) {
    expect((await call(alice, 'DELETE', '/auth/readonly-api-key', body)).status).toBe(400);
  }
  const trading = await call(alice, 'DELETE', '/auth/readonly-api-key', { key: alice.key.apiKey });
  expect(trading.status).toBe(404);
});

test('builder keys are listed with their creation times, and one request revokes them all', async () => {
  const made = await call(alice, 'POST', '/auth/builder-api-key');
  expect(made.json).toEqual({
    key: expect.stringMatching(UUID),
    secret: expect.stringMatching(/^[A-Za-z0-9_-]{43}=$/),
    passphrase: expect.stringMatching(/^[0-9a-f]{64}$/),
    builderCode: `0x${'0'.repeat(24)}${alice.wallet.address.slice(2)}`,
  });
  const { key } = (await call(alice, 'POST', '/auth/builder-api-key')).json;
  const { json: listed } = await call(alice, 'GET', '/auth/builder-api-key');
  expect(listed.map((row: { key: string }) => row.key)).toEqual([made.json.key, key]);
  for (const row of listed) {
    expect(Object.keys(row)).toEqual(['key', 'createdAt']);
    expect(Math.abs(Date.parse(row.createdAt) - Date.now())).toBeLessThan(60_000);
  }
  const builder = { apiKey: made.json.key, secret: made.json.secret, passphrase: made.json.passphrase };
  const headers = l2Headers(alice.wallet.address, builder, 'GET', '/data/orders');
  expect((await send(server.url, 'GET', '/data/orders', undefined, headers)).status).toBe(401);
  const revoked = await call(alice, 'DELETE', '/auth/builder-api-key');
  expect([revoked.status, revoked.json]).toEqual([200, 'OK']);
  const { json: ended } = await call(alice, 'GET', '/auth/builder-api-key');
  expect(ended.map((row: { key: string }) => row.key)).toEqual([made.json.key, key]);
  for (const row of ended) {
    expect(Date.parse(row.revokedAt)).toBeGreaterThanOrEqual(Date.parse(row.createdAt));
  }
  expect((await call(alice, 'DELETE', '/auth/builder-api-key')).status).toBe(404);
  expect((await call(bob, 'GET', '/auth/builder-api-key')).json).toEqual([]);
});

test('keys created concurrently are distinct', async () => {
  const made = await Promise.all(Array.from({ length: 10 }, () => call(bob, 'POST', '/auth/readonly-api-key')));
  expect(new Set(made.map(({ json }) => json.apiKey)).size).toBe(10);
  expect((await call(bob, 'GET', '/auth/api-keys')).json).toEqual({ apiKeys: [bob.key.apiKey] });
});

test('a wallet without an API key can create one and use it', async () => {
  const third = server.wallets[2];
  const key = await createKey(server.url, third);
  const reply = await call({ wallet: third, key }, 'GET', '/auth/ban-status/closed-only');
  expect([reply.status, reply.json]).toEqual([200, { closed_only: false }]);
});

describe('an owner with as many active keys as one may have', () => {
  const MAX = httpLimits.ownedKeysMax;
  const make = (nonce: number): Promise<JsonReply> =>
    send(server.url, 'POST', '/auth/api-key', undefined, l1Headers(server.wallets[3], String(nonce)));

  test('gets no further one of that kind until it deletes one', async () => {
    const wallet = server.wallets[3];
    const trader = { wallet, key: await createKey(server.url, wallet) };
    const owner = wallet.address.toLowerCase();
    for (const [kind, count] of [
      [ApiKeyKind.TRADING, MAX - 1],
      [ApiKeyKind.READONLY, MAX],
      [ApiKeyKind.BUILDER, MAX],
    ] as const) {
      await Promise.all(keysFor(owner, kind, count).map((key) => server.exchange.submit(encodeCommand(key))));
    }
    const refused = { status: 400, json: { error: expect.stringContaining(`an owner may have ${MAX}`) } };
    for (const path of ['/auth/readonly-api-key', '/auth/builder-api-key'])
      expect(await call(trader, 'POST', path)).toMatchObject(refused);
    expect(await make(MAX + 5)).toMatchObject(refused);
    // Nor does it get one in the place of a key of another server secret, which does not count among them.
    const [stale] = keysFor(owner, ApiKeyKind.TRADING, MAX + 7, Buffer.alloc(32, 7)).slice(-1);
    await server.exchange.submit(encodeCommand(stale));
    expect(await make(stale.nonce)).toMatchObject(refused);
    // One that exists is refused as ever, so that clients derive it.
    expect((await make(0)).json.error).toBe('Could not create api key');

    const [key] = (await call(trader, 'GET', '/auth/readonly-api-keys')).json;
    expect((await call(trader, 'DELETE', '/auth/readonly-api-key', { key })).status).toBe(200);
    expect((await call(trader, 'POST', '/auth/readonly-api-key')).status).toBe(200);
    expect(await call(trader, 'POST', '/auth/readonly-api-key')).toMatchObject(refused);
    expect((await call(trader, 'DELETE', '/auth/builder-api-key')).status).toBe(200);
    expect((await call(trader, 'POST', '/auth/builder-api-key')).status).toBe(200);
    expect((await call(trader, 'DELETE', '/auth/api-key')).status).toBe(200);
    expect((await make(MAX + 5)).status).toBe(200);
  });

  test('gets further ones if those are of another server secret, which no list shows', async () => {
    const wallet = server.wallets[4];
    const trader = { wallet, key: await createKey(server.url, wallet) };
    const owner = wallet.address.toLowerCase();
    const former = Buffer.alloc(32, 7);
    for (const kind of [ApiKeyKind.TRADING, ApiKeyKind.READONLY, ApiKeyKind.BUILDER]) {
      const keys = keysFor(owner, kind, MAX, former);
      await Promise.all(keys.map((key) => server.exchange.submit(encodeCommand(key))));
    }
    for (const path of ['/auth/readonly-api-key', '/auth/builder-api-key']) {
      expect([path, (await call(trader, 'POST', path)).status]).toEqual([path, 200]);
    }
    const nonce = String(MAX + 5);
    const made = await send(server.url, 'POST', '/auth/api-key', undefined, l1Headers(wallet, nonce));
    expect(made.status).toBe(200);
  });
});

interface Asked {
  readonly body?: unknown;
  readonly exchange?: Pick<RunningExchange, 'submit'>;
}

/** What a handler returns for an owner's request. */
function begin(owner: string, method: string, path: string, { body, exchange = server.exchange }: Asked = {}) {
  const context = { services: { ...server.services, exchange }, caller: () => ({ owner }) };
  return callHandler(method, path, { json: () => body }, context);
}

test('of two concurrent requests to delete a key, one succeeds and the other gets 404', async () => {
  const { apiKey } = (await call(bob, 'POST', '/auth/readonly-api-key')).json;
  await call(bob, 'POST', '/auth/builder-api-key');
  for (const [path, body, text, gone] of [
    ['/auth/readonly-api-key', { key: apiKey }, 'true', 'read-only key not found'],
    ['/auth/builder-api-key', undefined, '"OK"', 'builder key not found'],
  ] as const) {
    const [first, second] = [1, 2].map(() => begin(bob.wallet.address, 'DELETE', path, { body }));
    expect(await first).toEqual({ body: text });
    await expect(second).rejects.toMatchObject({ status: 404, message: gone });
  }
});

describe('an owner with thousands of keys', () => {
  const owner = `0x${'c3'.repeat(20)}`;
  const KEYS = 3_000;

  beforeAll(async () => {
    for (const kind of [ApiKeyKind.TRADING, ApiKeyKind.READONLY, ApiKeyKind.BUILDER]) {
      await Promise.all(keysFor(owner, kind, KEYS).map((key) => server.exchange.submit(encodeCommand(key))));
    }
  });

  test.each(['/auth/api-keys', '/auth/readonly-api-keys', '/auth/builder-api-key'])(
    'lists them at %s over several turns of the event loop',
    async (path) => {
      const { text, turns } = await replyInTurns(begin(owner, 'GET', path));
      expect(turns).toBeGreaterThanOrEqual(2);
      const rows = JSON.parse(text);
      expect(rows.apiKeys ?? rows).toHaveLength(KEYS);
    },
  );

  test('revokes its builder keys with at most 500 commands at a time', async () => {
    let underWay = 0;
    let most = 0;
    const submit = async (bytes: Uint8Array) => {
      underWay += 1;
      most = Math.max(most, underWay);
      const record = await server.exchange.submit(bytes);
      underWay -= 1;
      return record;
    };
    expect(await begin(owner, 'DELETE', '/auth/builder-api-key', { exchange: { submit } })).toEqual({ body: '"OK"' });
    expect(server.services.views.keys.activeOf(owner, ApiKeyKind.BUILDER)).toEqual([]);
    expect(most).toBeLessThanOrEqual(500);
  });
});
