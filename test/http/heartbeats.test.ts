// Heartbeats over HTTP: ids that follow one another, the refusal of a wrong id with the expected one, the older form
// without ids, and the orders of a key that fell silent.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VirtualClock } from '../../engine/index.ts';
import type { ApiCredentials } from '../../server/auth/apiKeys.ts';
import { signOrder } from '../../server/auth/orderSignature.ts';
import { ADMIN, createKey, type JsonReply, send, sendSigned } from '../support/client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { UUID } from '../support/uuid.ts';

// The exchange's clock stands at the present, so signatures made by the real clock are fresh.
const clock = new VirtualClock(Date.now());
let server: TestServer;
let key: ApiCredentials;
let token: string;

beforeAll(async () => {
  server = await startTestServer({ clock });
  key = await createKey(server.url, server.wallets[0]);
  const body = { question: 'Alive?', slug: 'alive' };
  const made = await send(server.url, 'POST', '/admin/markets', body, ADMIN);
  token = made.json.tokens[0].token_id;
});
afterAll(() => server.close());

const call = (method: string, path: string, body?: unknown): Promise<JsonReply> =>
  sendSigned(server.url, server.wallets[0].address, key, method, path, body);
const beat = (id: unknown): Promise<JsonReply> => call('POST', '/v1/heartbeats', { heartbeat_id: id });

let salt = 0;
async function rest(): Promise<string> {
  salt += 1;
  const { address, privateKey } = server.wallets[0];
  const zero = `0x${'0'.repeat(64)}`;
  const order = {
    salt,
    maker: address,
    signer: address,
    tokenId: token,
    makerAmount: 4_000_000,
    takerAmount: 10_000_000,
    side: 0,
    signatureType: 0,
    timestamp: clock.now(),
    metadata: zero,
    builder: zero,
  } as const;
  const signature = signOrder(order, privateKey, server.services.orderHasher.domain(false));
  const amounts = { makerAmount: '4000000', takerAmount: '10000000', side: 'BUY', timestamp: String(order.timestamp) };
  const reply = await call('POST', '/order', { order: { ...order, ...amounts, signature }, owner: key.apiKey });
  expect(reply.json.status).toBe('live');
  return reply.json.orderID;
}
const openIds = async (): Promise<readonly string[]> =>
  (await call('GET', '/data/orders')).json.data.map(({ id }: { id: string }) => id);

test('each heartbeat gives a new id for the next one; a wrong id is rejected with the expected one', async () => {
  const first = await beat('');
  expect(first.status).toBe(200);
  expect(first.json).toEqual({ heartbeat_id: expect.stringMatching(UUID) });
  const second = await beat(first.json.heartbeat_id);
  expect(second.json.heartbeat_id).toMatch(UUID);
  expect(second.json.heartbeat_id).not.toBe(first.json.heartbeat_id);
  for (const wrong of [first.json.heartbeat_id, '', null, undefined, 'x', 7, crypto.randomUUID()]) {
    const refused = await beat(wrong);
    expect([wrong, refused.status]).toEqual([wrong, 400]);
    expect(refused.json).toEqual({
      error: 'Invalid Heartbeat ID',
      error_msg: 'Invalid Heartbeat ID',
      heartbeat_id: second.json.heartbeat_id,
    });
  }
  // A request without a body gives no id either.
  expect((await call('POST', '/v1/heartbeats')).json).toMatchObject({ heartbeat_id: second.json.heartbeat_id });
  expect((await call('POST', '/v1/heartbeats', [])).json.error).toContain('Invalid heartbeat payload');
  expect((await beat(second.json.heartbeat_id.toUpperCase())).status).toBe(200);
});

test('ten seconds without a heartbeat cancel the orders of the key, and heartbeats keep them open', async () => {
  const order = await rest();
  clock.advance(9_000);
  expect((await call('POST', '/heartbeats')).json).toEqual({ status: 'ok' });
  clock.advance(9_999);
  expect(await openIds()).toEqual([order]);
  clock.advance(1);
  expect(await openIds()).toEqual([]);
  expect((await call('GET', `/data/order/${order}`)).json.status).toBe('CANCELED');
  const [newest] = (await call('GET', '/notifications')).json;
  expect([newest.payload.order_id, newest.payload.reason]).toEqual([order, 'heartbeat_lapsed']);
});

test('after a lapse heartbeats restart with any UUID, and without heartbeats nothing is cancelled', async () => {
  const order = await rest();
  clock.advance(60_000);
  expect(await openIds()).toEqual([order]);
  const unknown = await beat('not an id');
  expect([unknown.status, unknown.json.heartbeat_id]).toEqual([400, '']);
  const anew = await beat(crypto.randomUUID());
  expect([anew.status, UUID.test(anew.json.heartbeat_id)]).toEqual([200, true]);
  expect((await call('POST', '/heartbeats')).status).toBe(200);
  expect((await beat(anew.json.heartbeat_id)).status).toBe(200);
  clock.advance(10_000);
  expect(await openIds()).toEqual([]);
});

test('a heartbeat with a read-only key is rejected with 401', async () => {
  const { json } = await call('POST', '/auth/readonly-api-key');
  const headers = { POLY_ADDRESS: server.wallets[0].address, POLY_API_KEY: json.apiKey };
  const reply = await send(server.url, 'POST', '/heartbeats', undefined, headers);
  expect([reply.status, reply.json.error]).toEqual([401, 'Unauthorized/Invalid api key']);
});
