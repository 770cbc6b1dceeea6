// Read-only keys and builder keys over HTTP: made, listed, used for what they are for and nothing else, and taken away.
// Also the closed-only status, which a key of any owner can read.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey, type JsonReply, l2Headers, send } from '../support/client.ts';
import { alice, bob, call, market, openTradingWorld, post, server } from './tradingWorld.ts';

beforeAll(openTradingWorld);
afterAll(() => server.close());

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const withKey = (key: string, method: string, path: string, address = alice.wallet.address): Promise<JsonReply> =>
  send(server.url, method, path, undefined, { POLY_ADDRESS: address, POLY_API_KEY: key });

test('a read-only key reads with address and key alone, and may do nothing else', async () => {
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

test('read-only keys are listed and validated until they are deleted', async () => {
  const { json: before } = await call(alice, 'GET', '/auth/readonly-api-keys');
  const { apiKey } = (await call(alice, 'POST', '/auth/readonly-api-key')).json;
  expect((await call(alice, 'GET', '/auth/readonly-api-keys')).json).toEqual([...before, apiKey]);
  expect((await call(bob, 'GET', '/auth/readonly-api-keys')).json).toEqual([]);
  const validate = (address: string, key: string) =>
    send(server.url, 'GET', `/auth/validate-readonly-api-key?address=${address}&key=${key}`);
  const valid = await validate(alice.wallet.address, apiKey);
  expect([valid.status, valid.json]).toEqual([200, 'OK']);
  expect((await validate(bob.wallet.address, apiKey)).status).toBe(401);
  expect((await validate(alice.wallet.address, alice.key.apiKey)).status).toBe(401);
  expect((await validate('x', apiKey)).json.error).toContain('Invalid address');
  expect((await validate(alice.wallet.address, 'x')).json.error).toContain('Invalid key');
  expect((await call(bob, 'DELETE', '/auth/readonly-api-key', { key: apiKey })).status).toBe(404);
  const removed = await call(alice, 'DELETE', '/auth/readonly-api-key', { key: apiKey });
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

test('builder keys are listed with their times, and revoked together', async () => {
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
  for (const row of (await call(alice, 'GET', '/auth/builder-api-key')).json) {
    expect(Date.parse(row.revokedAt)).toBeGreaterThanOrEqual(Date.parse(row.createdAt));
  }
  expect((await call(alice, 'DELETE', '/auth/builder-api-key')).status).toBe(404);
  expect((await call(bob, 'GET', '/auth/builder-api-key')).json).toEqual([]);
});

test('keys that are made at the same time are different', async () => {
  const made = await Promise.all(Array.from({ length: 10 }, () => call(bob, 'POST', '/auth/readonly-api-key')));
  expect(new Set(made.map(({ json }) => json.apiKey)).size).toBe(10);
  expect((await call(bob, 'GET', '/auth/api-keys')).json).toEqual({ apiKeys: [bob.key.apiKey] });
});

test('a wallet without a key of its own can make one still', async () => {
  const third = server.wallets[2];
  const key = await createKey(server.url, third);
  const reply = await call({ wallet: third, key }, 'GET', '/auth/ban-status/closed-only');
  expect([reply.status, reply.json]).toEqual([200, { closed_only: false }]);
});
