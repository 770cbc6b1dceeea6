// Rewards, rebates and scoring over HTTP: empty in the shapes that clients page through, own orders that never score, and
// parameters refused in the texts that clients know. Also which markets the sampling lists contain.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN, send } from '../support/client.ts';
import { inUpperCase } from '../support/hex.ts';
import { alice, bob, call, get, market, newMarket, openTradingWorld, post, server } from './tradingWorld.ts';

beforeAll(openTradingWorld);
afterAll(() => server.close());

const emptyPage = (limit: number) => ({ data: [], next_cursor: 'LTE=', limit, count: 0 });

test('rewards and rebates are an empty last page, list or object', async () => {
  const own: readonly (readonly [string, unknown])[] = [
    ['/rewards/user?date=2026-02-28&signature_type=0&next_cursor=MA==', emptyPage(100)],
    ['/rewards/user/total?date=2024-02-29&signature_type=2', []],
    ['/rewards/user/percentages?signature_type=1', {}],
    ['/rewards/user/percentages?signature_type=', {}],
    ['/rewards/user/markets?date=2026-01-01&order_by=&position=&no_competition=false', emptyPage(100)],
  ];
  for (const [path, wanted] of own) expect((await call(alice, 'GET', path)).json).toEqual(wanted);
  const open: readonly (readonly [string, unknown])[] = [
    ['/rewards/markets/current?next_cursor=MA==', emptyPage(500)],
    ['/rewards/markets/multi', emptyPage(100)],
    [`/rewards/markets/${market.conditionId}?next_cursor=MA==`, emptyPage(100)],
    [`/rebates/current?date=2026-01-01&maker_address=${alice.wallet.address}`, []],
  ];
  for (const [path, wanted] of open) expect(await get(path)).toEqual(wanted);
});

test('invalid dates, signature types, cursors and ids are rejected', async () => {
  const date = 'Invalid date (format: YYYY-MM-DD)';
  const bad: readonly (readonly [string, number, string])[] = [
    ['/rewards/user', 400, date],
    ['/rewards/user?date=2026-02-29', 400, date],
    ['/rewards/user?date=2026-13-01', 400, date],
    ['/rewards/user?date=01-01-2026', 400, date],
    ['/rewards/user/total?date=', 400, date],
    ['/rewards/user/markets?date=today', 400, date],
    ['/rewards/user?date=2026-01-01&signature_type=9', 400, 'Invalid signature_type'],
    ['/rewards/user/percentages?signature_type=x', 400, 'Invalid signature_type'],
    ['/rewards/user?date=2026-01-01&next_cursor=LTE=', 400, 'Invalid next_cursor'],
    ['/rewards/markets/current?next_cursor=x', 400, 'Invalid next_cursor'],
    ['/rewards/markets/x', 400, 'Invalid market'],
    [`/rewards/markets/0x${'9'.repeat(64)}`, 404, 'market not found'],
    ['/rebates/current?date=x', 400, date],
    ['/rebates/current?date=2026-01-01&maker_address=x', 400, 'Invalid maker_address'],
    ['/order-scoring', 400, 'Invalid orderID'],
    ['/order-scoring?order_id=x', 400, 'Invalid orderID'],
    [`/order-scoring?order_id=0x${'9'.repeat(64)}`, 404, 'Order not found'],
    ['/orders-scoring', 400, 'Invalid payload'],
    ['/orders-scoring?order_ids=x', 400, 'Invalid orderID'],
  ];
  for (const [path, status, text] of bad) {
    const reply = await call(alice, 'GET', path);
    expect([path, reply.status, reply.json.error?.slice(0, text.length)]).toEqual([path, status, text]);
  }
  for (const body of [{}, ['x'], [7], undefined]) {
    expect((await call(alice, 'POST', '/orders-scoring', body)).status).toBe(400);
  }
  const many = Array(501).fill(`0x${'9'.repeat(64)}`);
  expect((await call(alice, 'POST', '/orders-scoring', many)).json.error).toBe('Payload exceeds the limit');
  expect((await send(server.url, 'GET', '/rewards/user?date=2026-01-01')).status).toBe(401);
});

test('own orders are reported as not scoring, and orders of others are not reported', async () => {
  const [own, others] = [
    (await post(alice, market, { pips: 2000, shares: 10 })).json.orderID,
    (await post(bob, market, { pips: 2000, shares: 10 })).json.orderID,
  ];
  expect((await call(alice, 'GET', `/order-scoring?order_id=${own}`)).json).toEqual({ scoring: false });
  expect((await call(alice, 'GET', `/order-scoring?order_id=${others}`)).status).toBe(404);
  const ids = [own, others, inUpperCase(own)];
  expect((await call(alice, 'POST', '/orders-scoring', ids)).json).toEqual({ [own]: false });
  expect((await call(bob, 'GET', `/orders-scoring?order_ids=${ids.join(',%20')}`)).json).toEqual({ [others]: false });
  expect((await call(alice, 'POST', '/orders-scoring', [])).json).toEqual({});
});

test('sampling lists contain only markets that accept orders and offer rewards', async () => {
  const asset = `0x${'5'.repeat(40)}`;
  const rewards = { rates: [{ asset_address: asset, rewards_daily_rate: 12.5 }], min_size: 50, max_spread: 3.5 };
  const offered = await newMarket({ rewards });
  await newMarket({ rewards: { rates: [{ asset_address: asset, rewards_daily_rate: 0 }] } });
  await newMarket({ rewards: { rates: [], min_size: 50 } });
  const paused = await newMarket({ rewards, status: 'paused' });
  for (const path of ['/sampling-markets', '/sampling-simplified-markets']) {
    const { data, next_cursor } = await get(path);
    expect([data.length, data[0].condition_id, next_cursor]).toEqual([1, offered.conditionId, 'LTE=']);
    expect(data[0].rewards).toEqual({
      rates: [{ asset_address: asset, rewards_daily_rate: 12.5 }],
      min_size: 50,
      max_spread: 3.5,
    });
  }
  const change = { status: 'active', rewards: { rates: [] } };
  await send(server.url, 'PATCH', `/admin/markets/${paused.conditionId}`, change, ADMIN);
  expect((await get('/sampling-markets')).count).toBe(1);
  await send(server.url, 'PATCH', `/admin/markets/${paused.conditionId}`, { rewards }, ADMIN);
  expect((await get('/sampling-markets')).count).toBe(2);
  expect((await get('/simplified-markets')).count).toBe(5);
});
