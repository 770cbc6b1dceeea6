// Heartbeats over HTTP: ids that follow one another, the refusal of a wrong id with the expected one, the older form
// without ids, and the orders of a key that fell silent.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VirtualClock } from '../../engine/index.ts';
import { type JsonReply, send } from '../support/client.ts';
import { UUID } from '../support/uuid.ts';
import { alice, call, market, openTradingWorldOn, post, server } from './tradingWorld.ts';

// The exchange's clock stands at the present, so signatures made by the real clock are fresh.
const clock = new VirtualClock(Date.now());

beforeAll(() => openTradingWorldOn(clock));
afterAll(() => server.close());

const beat = (id: unknown): Promise<JsonReply> => call(alice, 'POST', '/v1/heartbeats', { heartbeat_id: id });

/** Rests an order; returns its id. */
async function rest(): Promise<string> {
  const { json } = await post(alice, market, { pips: 4_000, shares: 10 });
  expect(json.status).toBe('live');
  return json.orderID;
}
const openIds = async (): Promise<readonly string[]> =>
  (await call(alice, 'GET', '/data/orders')).json.data.map(({ id }: { id: string }) => id);

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
  expect((await call(alice, 'POST', '/v1/heartbeats')).json).toMatchObject({ heartbeat_id: second.json.heartbeat_id });
  expect((await call(alice, 'POST', '/v1/heartbeats', [])).json.error).toContain('Invalid heartbeat payload');
  expect((await beat(second.json.heartbeat_id.toUpperCase())).status).toBe(200);
});

test('ten seconds without a heartbeat cancel the orders of the key, and heartbeats keep them open', async () => {
  const order = await rest();
  clock.advance(9_000);
  expect((await call(alice, 'POST', '/heartbeats')).json).toEqual({ status: 'ok' });
  clock.advance(9_999);
  expect(await openIds()).toEqual([order]);
  clock.advance(1);
  expect(await openIds()).toEqual([]);
  expect((await call(alice, 'GET', `/data/order/${order}`)).json.status).toBe('CANCELED');
  const [newest] = (await call(alice, 'GET', '/notifications')).json;
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
  expect((await call(alice, 'POST', '/heartbeats')).status).toBe(200);
  expect((await beat(anew.json.heartbeat_id)).status).toBe(200);
  clock.advance(10_000);
  expect(await openIds()).toEqual([]);
});

test('a heartbeat with a read-only key is rejected with 401', async () => {
  const { json } = await call(alice, 'POST', '/auth/readonly-api-key');
  const headers = { POLY_ADDRESS: alice.wallet.address, POLY_API_KEY: json.apiKey };
  const reply = await send(server.url, 'POST', '/heartbeats', undefined, headers);
  expect([reply.status, reply.json.error]).toEqual([401, 'Unauthorized/Invalid api key']);
});
