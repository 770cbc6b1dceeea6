// Sending an order again is safe: a duplicate reports the fate of the first copy, or answers as the first did; an order
// that comes too late is not accepted; and every reply states the log sequence that it is based on. Also when the order has
// long ended, and after a restart.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { encodeCommand, OrderType } from '../../engine/index.ts';
import { requireKeyId } from '../../server/auth/keyIds.ts';
import { throttleRows } from '../../server/config/throttleTable.ts';
import { endpoints } from '../../server/http/endpoints.ts';
import { httpLimits } from '../../server/http/limits.ts';
import {
  ADMIN,
  createKey,
  type HeaderFields,
  type JsonReply,
  l2Headers,
  requestHead,
  send,
  sendRaw,
} from '../support/client.ts';
import { buyCommand } from '../support/commands.ts';
import { orderIdOf } from '../support/hex.ts';
import { openApiDocument } from '../support/openApiDocument.ts';
import { PATIENCE } from '../support/patience.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { tempDir } from '../support/tempDir.ts';
import {
  alice,
  bob,
  call,
  type MarketIds,
  market,
  marketIdsOf,
  newMarket,
  openTradingWorld,
  orderBody,
  post,
  server,
  type Trader,
} from './tradingWorld.ts';

beforeAll(openTradingWorld);
afterAll(() => server.close());

const IDEMPOTENT: HeaderFields = { Idempotent: '1' };

function sendWith({ wallet, key }: Trader, path: string, body: unknown, headers: HeaderFields, url = server.url) {
  const text = JSON.stringify(body);
  return send(url, 'POST', path, text, { ...l2Headers(wallet.address, key, 'POST', path, text), ...headers });
}

async function split(trader: Trader): Promise<void> {
  const reply = await call(trader, 'POST', '/split', { condition_id: market.conditionId, amount: '100' });
  expect(reply.status).toBe(200);
}

test('a duplicate reports the current state of the order; with Idempotent: 1 it gets the first response', async () => {
  const body = orderBody(alice, market, { pips: 4_000, shares: 10 });
  const first = await sendWith(alice, '/order', body, IDEMPOTENT);
  expect([first.status, first.json.status, first.headers.get('idempotent-replayed')]).toEqual([200, 'live', null]);
  const id = first.json.orderID;
  const again = await sendWith(alice, '/order', body, {});
  expect([again.status, again.json.error]).toEqual([400, `order ${id} is invalid. Duplicated.`]);
  const record = (await call(alice, 'GET', `/data/order/${id}`)).json;
  expect(again.json.detail).toEqual({ original: record });
  expect(record).toMatchObject({ id, status: 'LIVE', size_matched: '0', original_size: '10' });

  expect((await post(bob, market, { pips: 4_000, shares: 10, token: 0, side: 'SELL' })).status).toBe(400); // no shares
  await split(bob);
  expect((await post(bob, market, { pips: 4_000, shares: 6, side: 'SELL' })).json.status).toBe('matched');
  const later = await sendWith(alice, '/order', body, {});
  expect(later.json.detail.original).toMatchObject({ id, status: 'LIVE', size_matched: '6' });
  const replayed = await sendWith(alice, '/order', body, IDEMPOTENT);
  expect([replayed.status, replayed.json]).toEqual([200, first.json]);
  expect(replayed.headers.get('idempotent-replayed')).toBe('true');
  await call(alice, 'DELETE', '/cancel-all');
});

test('a replayed taker order gets its first response, even after its remainder filled or was cancelled', async () => {
  await split(bob);
  for (const pips of [5_000, 5_100]) await post(bob, market, { pips, shares: 5, side: 'SELL' });
  const body = orderBody(alice, market, { pips: 5_200, shares: 20 });
  const first = await sendWith(alice, '/order', body, {});
  expect(first.json).toMatchObject({ status: 'matched', takingAmount: '10', makingAmount: '5.05' });
  await post(bob, market, { pips: 5_200, shares: 6, side: 'SELL' });
  expect((await sendWith(alice, '/order', body, IDEMPOTENT)).json).toEqual(first.json);
  expect((await sendWith(alice, '/order', body, {})).json.detail.original).toMatchObject({ size_matched: '16' });
  await call(alice, 'DELETE', '/cancel-all');
  expect((await sendWith(alice, '/order', body, IDEMPOTENT)).json).toEqual(first.json);
});

test('a replayed FOK or FAK order that was killed gets the same error and order id, also as another type', async () => {
  for (const orderType of ['FOK', 'FAK']) {
    const body = orderBody(alice, market, { pips: 100, shares: 500, orderType });
    const first = await sendWith(alice, '/order', body, {});
    for (const resentType of ['FOK', 'FAK', 'GTC', 'GTD']) {
      const replayed = await sendWith(alice, '/order', { ...body, orderType: resentType }, IDEMPOTENT);
      expect([resentType, replayed.status, replayed.json.error]).toEqual([resentType, 400, first.json.error]);
      expect(replayed.json.orderID).toBe(first.json.orderID);
    }
    const { json } = await sendWith(alice, '/order', body, {});
    expect(json.detail.original).toMatchObject({ id: first.json.orderID, status: 'CANCELED', size_matched: '0' });
  }
});

test('a replayed order that was delayed gets status delayed, even once it has matched', async () => {
  const slow = await newMarket({ seconds_delay: 1 });
  expect((await call(bob, 'POST', '/split', { condition_id: slow.conditionId, amount: '20' })).status).toBe(200);
  await post(bob, slow, { pips: 5_000, shares: 10, side: 'SELL' });
  const body = orderBody(alice, slow, { pips: 5_000, shares: 5 });
  const first = await sendWith(alice, '/order', body, {});
  expect(first.json.status).toBe('delayed');
  let state = '';
  while (state !== 'MATCHED') {
    const { json } = await sendWith(alice, '/order', body, {});
    state = json.detail.original.status;
    expect((await sendWith(alice, '/order', body, IDEMPOTENT)).json).toEqual(first.json);
  }
});

test('duplicates in a batch are answered individually', async () => {
  const [known, fresh, killed] = [
    orderBody(alice, market, { pips: 3_000, shares: 10 }),
    orderBody(alice, market, { pips: 3_100, shares: 10 }),
    orderBody(alice, market, { pips: 100, shares: 500, orderType: 'FAK' }),
  ];
  const first = await sendWith(alice, '/order', known, {});
  const killedText = (await sendWith(alice, '/order', killed, {})).json.error;
  const plain = await sendWith(alice, '/orders', [known, fresh, killed], {});
  expect(plain.json.map(({ errorMsg }: { errorMsg: string }) => errorMsg !== '')).toEqual([true, false, true]);
  expect(plain.json[0].detail.original).toMatchObject({ id: first.json.orderID, status: 'LIVE' });
  const again = await sendWith(alice, '/orders', [known, fresh, killed], IDEMPOTENT);
  expect(again.json[0]).toEqual(first.json);
  expect(again.json[1]).toEqual(plain.json[1]);
  expect(again.json[2].errorMsg).toBe(killedText);
  expect([plain, again].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
  await call(alice, 'DELETE', '/cancel-all');
});

const admin = (method: string, path: string, body: object): Promise<JsonReply> =>
  send(server.url, method, path, body, ADMIN);

test('a known order gets its first response again even though its market is closed by now', async () => {
  const closing = await newMarket();
  const [known, killed, fresh] = [
    orderBody(alice, closing, { pips: 3_000, shares: 10 }),
    orderBody(alice, closing, { pips: 100, shares: 500, orderType: 'FOK' }),
    orderBody(alice, closing, { pips: 3_000, shares: 10 }),
  ];
  const first = await sendWith(alice, '/order', known, {});
  const kill = await sendWith(alice, '/order', killed, {});
  await admin('PATCH', `/admin/markets/${closing.conditionId}`, { status: 'closed' });
  const refusal = { error: `the orderbook ${closing.tokens[0]} does not exist`, market_status: 'closed' };
  const replayed = await sendWith(alice, '/order', known, IDEMPOTENT);
  expect([replayed.status, replayed.json, replayed.headers.get('idempotent-replayed')]).toEqual([
    200,
    first.json,
    'true',
  ]);
  const again = await sendWith(alice, '/order', killed, IDEMPOTENT);
  expect([again.status, again.json]).toEqual([400, { error: kill.json.error, orderID: kill.json.orderID }]);
  for (const [body, headers] of [[known, {}] as const, [fresh, IDEMPOTENT] as const]) {
    const { status, json } = await sendWith(alice, '/order', body, headers);
    expect([status, json]).toEqual([400, refusal]);
  }
  const batch = await sendWith(alice, '/orders', [known, killed, fresh], IDEMPOTENT);
  expect(batch.json[0]).toEqual(first.json);
  expect(batch.json.slice(1).map(({ errorMsg }: { errorMsg: string }) => errorMsg)).toEqual([
    kill.json.error,
    refusal.error,
  ]);
});

test('a known order gets its first response again while the exchange is disabled', async () => {
  const [known, fresh] = [2_000, 2_100].map((pips) => orderBody(alice, market, { pips, shares: 10 }));
  const first = await sendWith(alice, '/order', known, {});
  await admin('PATCH', '/admin/exchange', { mode: 'disabled' });
  try {
    expect((await sendWith(alice, '/order', known, IDEMPOTENT)).json).toEqual(first.json);
    const { json } = await sendWith(alice, '/orders', [known, fresh], IDEMPOTENT);
    expect([json[0], json[1].errorMsg]).toEqual([first.json, expect.stringMatching(/^Trading is currently disabled/)]);
    expect((await sendWith(alice, '/orders', [known, fresh], {})).status).toBe(503);
    expect((await sendWith(alice, '/orders', [fresh], IDEMPOTENT)).status).toBe(503);
  } finally {
    await admin('PATCH', '/admin/exchange', { mode: 'normal' });
  }
  await call(alice, 'DELETE', '/cancel-all');
});

test('an order that arrives after X-Valid-Until-Ms is rejected unless it replays a known one', async () => {
  const body = orderBody(alice, market, { pips: 2_000, shares: 10 });
  const past: HeaderFields = { 'X-Valid-Until-Ms': String(Date.now() - 10_000) };
  const late = await sendWith(alice, '/order', body, past);
  expect(late.status).toBe(400);
  expect(late.json.error).toMatch(/^the order is too late: it was valid until \d+ and the exchange's time is \d+$/);
  expect(late.json).toMatchObject({ code: 'too_late', valid_until_ms: Number(past['X-Valid-Until-Ms']) });
  expect((await sendWith(alice, '/orders', [body], past)).status).toBe(400);
  expect((await sendWith(alice, '/order', body, { ...past, ...IDEMPOTENT })).status).toBe(400);
  const inTime = await sendWith(alice, '/order', body, { 'X-Valid-Until-Ms': String(Date.now() + 60_000) });
  expect(inTime.status).toBe(200);
  const replayed = await sendWith(alice, '/order', body, { ...past, ...IDEMPOTENT });
  expect([replayed.status, replayed.json]).toEqual([200, inTime.json]);
  await call(alice, 'DELETE', '/cancel-all');
});

test('in a replayed batch that arrives too late, known orders get their first response, new ones an error', async () => {
  const [known, fresh] = [2_000, 2_100].map((pips) => orderBody(alice, market, { pips, shares: 10 }));
  const past: HeaderFields = { 'X-Valid-Until-Ms': String(Date.now() - 10_000) };
  const inTime = await sendWith(alice, '/orders', [known], {});
  const replayed = await sendWith(alice, '/orders', [known, fresh], { ...past, ...IDEMPOTENT });
  expect([replayed.status, replayed.json[0]]).toEqual([200, inTime.json[0]]);
  expect(replayed.headers.get('idempotent-replayed')).toBeNull();
  expect(replayed.json[1]).toMatchObject({
    errorMsg: expect.stringMatching(/^the order is too late: /),
    orderID: '',
  });
  for (const [bodies, headers] of [[[known], past] as const, [[fresh], { ...past, ...IDEMPOTENT }] as const]) {
    const { status, json } = await sendWith(alice, '/orders', bodies, headers);
    expect([status, json.code]).toEqual([400, 'too_late']);
  }
  await call(alice, 'DELETE', '/cancel-all');
});

test('in a replayed batch that arrives too late, killed orders get their first response too', async () => {
  const killed = orderBody(alice, market, { pips: 100, shares: 500, orderType: 'FOK' });
  const fresh = orderBody(alice, market, { pips: 2_000, shares: 10 });
  const past: HeaderFields = { 'X-Valid-Until-Ms': String(Date.now() - 10_000) };
  const inTime = await sendWith(alice, '/orders', [killed], {});
  expect(inTime.json[0].errorMsg).toContain('FOK orders are fully filled or killed');
  const replayed = await sendWith(alice, '/orders', [killed], { ...past, ...IDEMPOTENT });
  expect([replayed.status, replayed.json]).toEqual([200, inTime.json]);
  expect(replayed.headers.get('idempotent-replayed')).toBe('true');
  const mixed = await sendWith(alice, '/orders', [killed, fresh], { ...past, ...IDEMPOTENT });
  expect([mixed.status, mixed.json[0]]).toEqual([200, inTime.json[0]]);
  expect(mixed.json[1].errorMsg).toMatch(/^the order is too late: /);
  const late = await sendWith(alice, '/orders', [killed], past);
  expect([late.status, late.json.code]).toEqual([400, 'too_late']);
});

test('in a batch that arrives too late, an order with a wrong signature is rejected for that', async () => {
  const [good, bad] = [2_000, 2_100].map((pips) => orderBody(alice, market, { pips, shares: 10 }));
  const forged = { ...bad, order: { ...bad.order, signature: good.order.signature } };
  const past: HeaderFields = { 'X-Valid-Until-Ms': String(Date.now() - 10_000) };
  const { status, json } = await sendWith(alice, '/orders', [good, forged], past);
  expect([status, json[0].errorMsg, json[1].errorMsg]).toEqual([
    200,
    expect.stringMatching(/^the order is too late: /),
    'invalid signature',
  ]);
});

test('if the journal accepts only part of a batch, each order reports whether it was accepted', async () => {
  const { exchange } = server;
  const pendingBytesMax: unknown = Reflect.get(exchange, 'pendingBytesMax');
  const bodies = [2_000, 2_100, 2_200, 2_300].map((pips) => orderBody(alice, market, { pips, shares: 10 }));
  try {
    Reflect.set(exchange, 'pendingBytesMax', 1_000);
    const { status, json } = await sendWith(alice, '/orders', bodies, {});
    const taken = json.filter(({ errorMsg }: { errorMsg: string }) => errorMsg === '');
    expect([status, taken.length > 0, taken.length < bodies.length]).toEqual([200, true, true]);
    expect(json.at(-1).errorMsg).toMatch(
      /^the exchange does not accept commands at present: the journal is \d+ bytes behind/,
    );
    const { canceled } = (await call(alice, 'DELETE', '/cancel-all')).json;
    expect(canceled).toEqual(taken.map(({ orderID }: { orderID: string }) => orderID));
    Reflect.set(exchange, 'pendingBytesMax', -1);
    const none = await sendWith(alice, '/orders', bodies, {});
    expect([none.status, none.json.error, none.headers.get('retry-after')]).toEqual([
      503,
      'the exchange does not accept commands at present: the journal is 0 bytes behind, and at most -1 may wait',
      '5',
    ]);
  } finally {
    Reflect.set(exchange, 'pendingBytesMax', pendingBytesMax);
  }
});

test('if the history of one order in a batch cannot be read, the other orders are still answered', async () => {
  const { historian } = server.services;
  const paused = await newMarket({ status: 'paused' });
  const bodies = [market, paused].map((where) => orderBody(alice, where, { pips: 2_000, shares: 10 }));
  const timer = setTimeout(() => {}, 0);
  Reflect.set(historian, 'restartTimer', timer);
  try {
    const text = 'internal_error: The history cannot be read at present: its thread starts again';
    const { status, json } = await sendWith(alice, '/orders', bodies, IDEMPOTENT);
    expect([status, json[0]?.status, json[1]?.errorMsg]).toEqual([200, 'live', text]);
    const single = await sendWith(alice, '/order', bodies[1], IDEMPOTENT);
    expect([single.status, single.json, single.headers.get('retry-after')]).toEqual([503, { error: text }, '5']);
    expect((await sendWith(alice, '/order', bodies[1], {})).status).toBe(400);
  } finally {
    Reflect.set(historian, 'restartTimer', undefined);
  }
  await call(alice, 'DELETE', '/cancel-all');
});

test('invalid Idempotent and X-Valid-Until-Ms headers are rejected by name', async () => {
  const body = orderBody(alice, market, { pips: 2_000, shares: 10 });
  const bad: HeaderFields[] = [{ Idempotent: 'yes' }, { 'X-Valid-Until-Ms': 'soon' }, { 'X-Valid-Until-Ms': '-1' }];
  for (const headers of bad) {
    const { status, json } = await sendWith(alice, '/order', body, headers);
    expect([status, json.error]).toEqual([400, expect.stringContaining(`invalid_field: ${Object.keys(headers)[0]}`)]);
  }
});

test('a reply carries the last durable sequence, which rises when an order is placed', async () => {
  const before = Number((await send(server.url, 'GET', '/time')).headers.get('x-sequence'));
  expect(before).toBe(server.exchange.durableSequence);
  const placed = await post(alice, market, { pips: 2_000, shares: 10 });
  expect(Number(placed.headers.get('x-sequence'))).toBeGreaterThan(before);
});

test('replies of every status carry the sequence, those to HEAD, preflights and refused upgrades too', async () => {
  const rates = { ...throttleRows, 'GET /book': [{ requestsMax: 1, windowMs: 3_600_000 }] };
  const world = await startTestServer({ config: { isThrottled: true, rates } });
  const { exchange, port, wallets, url } = world;
  const key = await createKey(url, wallets[0]);
  const answered = new Set<string>();
  const elsewhere = 'Host: elsewhere.example';
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
  const socketKey = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  const signed = (method: string, path: string): readonly string[] =>
    Object.entries(l2Headers(wallets[0].address, key, method, path)).map(([name, value]) => `${name}: ${value}`);
  const expectSequence = async (status: number, line: string, ...headers: readonly string[]): Promise<void> => {
    const [reply] = await sendRaw(port, [requestHead(line, ...headers)]);
    expect([line, reply.status, reply.headers['x-sequence']]).toEqual([line, status, String(exchange.durableSequence)]);
    answered.add(String(status));
  };
  await expectSequence(200, 'GET /time');
  await expectSequence(200, 'HEAD /time');
  await expectSequence(200, 'OPTIONS /time');
  await expectSequence(400, 'GET /book');
  await expectSequence(429, 'GET /book');
  await expectSequence(429, 'HEAD /book');
  await expectSequence(401, 'GET /data/orders');
  await expectSequence(404, 'GET /nowhere');
  await expectSequence(405, 'PUT /time');
  await expectSequence(413, 'POST /order', `Content-Length: ${httpLimits.bodyBytesMax + 1}`);
  await expectSequence(415, 'POST /order', 'Content-Length: 1', 'Content-Type: text/plain');
  await expectSequence(421, 'GET /time', elsewhere);
  await expectSequence(421, 'GET /ws/market', elsewhere, ...upgrade, socketKey);
  await expectSequence(422, 'GET /gamma/events?limit=x');
  expect((await send(url, 'PATCH', '/admin/exchange', { mode: 'restarting' }, ADMIN)).status).toBe(200);
  await expectSequence(425, 'DELETE /cancel-all', ...signed('DELETE', '/cancel-all'));
  await exchange.close();
  await expectSequence(503, 'GET /readyz');
  await expectSequence(503, 'DELETE /cancel-all', ...signed('DELETE', '/cancel-all'));
  const documented = Object.values(openApiDocument(endpoints).paths).flatMap((operations) =>
    Object.values(operations).flatMap(({ responses }) => Object.keys(responses)),
  );
  expect(documented.filter((status) => !answered.has(status))).toEqual([]);
  await world.close();
});

/** Ends so many orders that the views forget those that ended before: they are killed, since nobody sells. */
async function endMany({ exchange, services }: TestServer, { wallet, key }: Trader): Promise<void> {
  const buyer = { owner: wallet.address, keyId: requireKeyId(key.apiKey) };
  const head = { marketIndex: 0, outcome: 0, pips: 5_000, lots: 1_000, timestampMs: Date.now() };
  const numbers = Array.from({ length: 4_100 }, (_, number) => number);
  const submit = (number: number) => {
    const buy = buyCommand(buyer, { ...head, orderId: orderIdOf(number) });
    return exchange.submit(encodeCommand({ ...buy, orderType: OrderType.FAK }));
  };
  await Promise.all(numbers.map(submit));
  services.views.orders.recordBegan(Number.MAX_SAFE_INTEGER); // those that ended some seconds ago
}

test('after a restart, duplicates of orders that only the history knows get the same responses', async () => {
  const dataDir = tempDir();
  const old = await startTestServer({ config: { dataDir } });
  const trader = { wallet: old.wallets[0], key: await createKey(old.url, old.wallets[0]) };
  const created = await send(old.url, 'POST', '/admin/markets', { question: 'Again?', slug: 'again' }, ADMIN);
  const where = marketIdsOf(created.json);
  const bodies = ['GTC', 'FAK'].map((orderType) => orderBody(trader, where, { pips: 4_000, shares: 10, orderType }));
  bodies.push(orderBody(trader, where, { pips: 4_700, shares: 20 }));
  const maker = { wallet: old.wallets[1], key: await createKey(old.url, old.wallets[1]) };
  const offer = (place: MarketIds, pips: number) =>
    sendWith(maker, '/order', orderBody(maker, place, { pips, shares: 5, token: 1 }), {}, old.url);
  for (const pips of [5_500, 5_400]) await offer(where, pips);
  const slow = { question: 'Again, later?', slug: 'slow', seconds_delay: 1 };
  const slowly = marketIdsOf((await send(old.url, 'POST', '/admin/markets', slow, ADMIN)).json);
  await offer(slowly, 5_500);
  bodies.push(orderBody(trader, slowly, { pips: 4_700, shares: 5 }));
  const firsts: JsonReply[] = [];
  for (const body of bodies) firsts.push(await sendWith(trader, '/order', body, {}, old.url));
  await offer(where, 5_300); // takes a part of what the third order left in the book
  const isMatched = (at: number): boolean => {
    const order = old.services.views.orders.byId(firsts[at].json.orderID);
    return order !== undefined && order.filledLots > 0 && order.status !== 'DELAYED';
  };
  await vi.waitUntil(() => isMatched(3), PATIENCE);
  const path = '/cancel-all';
  await send(old.url, 'DELETE', path, undefined, l2Headers(trader.wallet.address, trader.key, 'DELETE', path));
  await old.close();
  const fresh = await startTestServer({ config: { dataDir } });
  await endMany(fresh, trader);
  const known = firsts.filter(({ json }) => fresh.services.views.orders.byId(json.orderID) !== undefined);
  expect(known).toEqual([]);
  const [resting, killed, taker, delayed] = bodies;
  const again = await sendWith(trader, '/order', resting, {}, fresh.url);
  expect(again.json.detail.original).toMatchObject({ id: firsts[0].json.orderID, status: 'CANCELED' });
  expect((await sendWith(trader, '/order', resting, IDEMPOTENT, fresh.url)).json).toEqual(firsts[0].json);
  expect(firsts[2].json.tradeIDs).toHaveLength(2);
  expect((await sendWith(trader, '/order', taker, IDEMPOTENT, fresh.url)).json).toEqual(firsts[2].json);
  const { json } = await sendWith(trader, '/order', taker, {}, fresh.url);
  expect(json.detail.original).toMatchObject({ size_matched: '15' });
  expect(firsts[3].json.status).toBe('delayed');
  expect((await sendWith(trader, '/order', delayed, IDEMPOTENT, fresh.url)).json).toEqual(firsts[3].json);
  const refused = await sendWith(trader, '/order', killed, IDEMPOTENT, fresh.url);
  expect([refused.status, refused.json.error]).toEqual([400, firsts[1].json.error]);
  const retyped = await sendWith(trader, '/order', { ...killed, orderType: 'FOK' }, IDEMPOTENT, fresh.url);
  expect([retyped.status, retyped.json.error]).toEqual([400, firsts[1].json.error]);
  await fresh.close();
});
