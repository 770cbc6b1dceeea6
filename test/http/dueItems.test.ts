// Due items are settled in the record of whichever command comes next, before the command itself. The reply to a request reports
// only its own command, whatever else is in its record or its millisecond. The clock is moved by hand and wakes nobody.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Clock } from '../../engine/index.ts';
import { l2Headers, send } from '../support/client.ts';
import { alice, bob, call, market, newMarket, openTradingWorldOn, orderBody, post, server } from './tradingWorld.ts';

let aheadMs = 0;
/** The time at which the clock is stopped, while it is. */
let heldMs: number | undefined;
const clock: Clock = { now: () => heldMs ?? Date.now() + aheadMs, attach: () => () => {} };

beforeAll(() => openTradingWorldOn(clock));
afterAll(() => server.close());

/** Lets time pass; in total less than the maximum age of a signature by the real clock. */
function pass(seconds: number): void {
  aheadMs += seconds * 1000;
}

const statusOf = async (id: string): Promise<string> => (await call(alice, 'GET', `/data/order/${id}`)).json.status;

test('the response to a resting order omits the trades of a delayed order that entered just before it', async () => {
  const slow = await newMarket({ seconds_delay: 2 });
  expect((await post(bob, slow, { pips: 6000, shares: 10, side: 'BUY', token: 1 })).json.status).toBe('live');
  const delayed = await post(alice, slow, { pips: 4000, shares: 10 });
  expect([delayed.json.status, await statusOf(delayed.json.orderID)]).toEqual(['delayed', 'DELAYED']);
  pass(3);
  const resting = await post(bob, slow, { pips: 1000, shares: 5 });
  expect(await statusOf(delayed.json.orderID)).toBe('MATCHED');
  expect(resting.json).toMatchObject({ success: true, status: 'live', takingAmount: '', makingAmount: '' });
  expect(resting.json.tradeIDs ?? []).toEqual([]);
});

test('DELETE /cancel-all does not list an order that has already expired', async () => {
  const body = orderBody(alice, market, { pips: 2000, shares: 10, orderType: 'GTD' });
  const expiration = String(Math.floor(clock.now() / 1000) + 90);
  const expiring = await call(alice, 'POST', '/order', { ...body, order: { ...body.order, expiration } });
  const kept = await post(alice, market, { pips: 2000, shares: 10 });
  expect([expiring.json.status, kept.json.status]).toEqual(['live', 'live']);
  pass(120);
  const reply = await call(alice, 'DELETE', '/cancel-all');
  expect([reply.status, reply.json]).toEqual([200, { canceled: [kept.json.orderID], not_canceled: {} }]);
  expect(await statusOf(expiring.json.orderID)).not.toBe('LIVE');
});

test('an idempotent resend of an order gets its first response, even if filled in the same millisecond', async () => {
  const place = await newMarket();
  const body = orderBody(alice, place, { pips: 4000, shares: 10 });
  const again = () => {
    const headers = l2Headers(alice.wallet.address, alice.key, 'POST', '/order', JSON.stringify(body));
    return send(server.url, 'POST', '/order', body, { ...headers, Idempotent: '1' });
  };
  heldMs = clock.now();
  const first = await again();
  expect((await post(bob, place, { pips: 6000, shares: 10, token: 1 })).json.status).toBe('matched');
  heldMs = undefined;
  expect([first.json.status, await statusOf(first.json.orderID)]).toEqual(['live', 'MATCHED']);
  expect((await again()).json).toEqual(first.json);
});

test('an order is accepted up to the exact millisecond of its X-Valid-Until-Ms, and rejected after it', async () => {
  heldMs = clock.now() + 1;
  const sendUntil = (untilMs: number) => {
    const body = orderBody(alice, market, { pips: 1000, shares: 10 });
    const headers = l2Headers(alice.wallet.address, alice.key, 'POST', '/order', JSON.stringify(body));
    return send(server.url, 'POST', '/order', body, { ...headers, 'X-Valid-Until-Ms': String(untilMs) });
  };
  const [inTime, late] = [await sendUntil(heldMs), await sendUntil(heldMs - 1)];
  heldMs = undefined;
  expect([inTime.status, inTime.json.status]).toEqual([200, 'live']);
  expect([late.status, late.json.code]).toEqual([400, 'too_late']);
});

test('each order of a batch is rejected if X-Valid-Until-Ms has passed when its own turn comes', async () => {
  const choice = { pips: 1000, shares: 10, signatureType: 3 } as const;
  const bodies = Array.from({ length: 15 }, () => orderBody(alice, market, choice));
  const { orderHasher, views } = server.services;
  const { domain } = orderHasher;
  const startMs = server.exchange.now();
  const headers = l2Headers(alice.wallet.address, alice.key, 'POST', '/orders', JSON.stringify(bodies));
  let checkedCount = 0;
  // The check of a wrapped signature asks for the domain. Here each check takes a millisecond.
  const domainAfterMs = (negRisk: boolean) => {
    checkedCount += 1;
    heldMs = startMs + checkedCount;
    return domain(negRisk);
  };
  heldMs = startMs;
  Reflect.set(orderHasher, 'domain', domainAfterMs);
  try {
    const untilMs = String(startMs + 5);
    const { status, json } = await send(server.url, 'POST', '/orders', bodies, {
      ...headers,
      'X-Valid-Until-Ms': untilMs,
    });
    expect([status, checkedCount]).toEqual([200, 15]);
    const [inTime, late] = [json.slice(0, 5), json.slice(5)];
    const createdMs = inTime.map(({ orderID }: { orderID: string }) => views.orders.byId(orderID)?.createdMs);
    expect(createdMs).toEqual([1, 2, 3, 4, 5].map((ms) => startMs + ms));
    for (const { orderID, errorMsg } of late) {
      expect([orderID, errorMsg]).toEqual(['', expect.stringMatching(/^the order is too late: /)]);
    }
    expect(late).toHaveLength(10);
  } finally {
    Reflect.set(orderHasher, 'domain', domain);
    heldMs = undefined;
  }
});
