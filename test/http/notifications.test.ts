// Notifications over HTTP: which ones there are and for whom, that every payload is complete, that dropped ones stay
// dropped over a restart, and how many are kept.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CancelReason, encodeCommand, notificationItem } from '../../engine/index.ts';
import type { ApiCredentials } from '../../server/auth/apiKeys.ts';
import type { DevelopmentWallet } from '../../server/dev/wallets.ts';
import { NotificationsView } from '../../server/views/index.ts';
import { notificationRow } from '../../server/wire/notifications.ts';
import { ADMIN, createKey, send, sendSigned } from '../support/client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { tempDir } from '../support/tempDir.ts';
import { callHandler, replyInTurns } from './handlerTurns.ts';
import {
  alice,
  bob,
  call,
  cancelAll,
  get,
  market,
  newMarket,
  openTradingWorld,
  post,
  server,
  type Trader,
} from './tradingWorld.ts';

beforeEach(openTradingWorld);
afterEach(() => server.close());

const PAYLOAD_KEYS = [
  'asset_id',
  'condition_id',
  'eventSlug',
  'icon',
  'image',
  'market',
  'market_slug',
  'matched_size',
  'order_id',
  'original_size',
  'outcome',
  'outcome_index',
  'owner',
  'price',
  'question',
  'remaining_size',
  'seriesSlug',
  'side',
  'trade_id',
  'transaction_hash',
  'type',
];

const listOf = async (trader: Trader) => {
  const { status, json } = await call(trader, 'GET', '/notifications?signature_type=0');
  expect(status).toBe(200);
  for (const row of json) {
    expect(Object.keys(row).sort()).toEqual(['id', 'owner', 'payload', 'timestamp', 'type']);
    expect(Object.keys(row.payload)).toEqual(expect.arrayContaining(PAYLOAD_KEYS));
    expect(row.owner).toBe(trader.key.apiKey);
  }
  return json;
};
const drop = (trader: Trader, ids: string) => call(trader, 'DELETE', `/notifications?ids=${ids}`);
const admin = (method: string, path: string, body: unknown) => send(server.url, method, path, body, ADMIN);

test('a fill notifies maker and taker, each with the figures of their own order', async () => {
  const pictures = { icon: 'https://pictures.example/icon.png', image: 'https://pictures.example/image.png' };
  const event = { title: 'Filled', slug: 'filled', series: 'of-fills' };
  expect((await admin('POST', '/admin/events', event)).status).toBe(200);
  const traded = await newMarket({ event: event.slug, ...pictures });
  const first = await post(alice, traded, { pips: 4000, shares: 100 });
  const second = await post(bob, traded, { pips: 7000, shares: 30, token: 1 });
  expect(second.json.status).toBe('matched');
  const record = await get(`/markets/${traded.conditionId}`);
  const shared = {
    condition_id: traded.conditionId,
    market: traded.conditionId,
    market_slug: record.market_slug,
    question: record.question,
    eventSlug: event.slug,
    seriesSlug: event.series,
    ...pictures,
    matched_size: '30',
    side: 'BUY',
    type: 'GTC',
    trade_id: second.json.tradeIDs[0],
    transaction_hash: second.json.transactionsHashes[0],
  };
  const [toMaker] = await listOf(alice);
  expect(toMaker).toEqual({
    id: 1,
    type: 2,
    owner: alice.key.apiKey,
    timestamp: expect.any(Number),
    payload: {
      ...shared,
      asset_id: traded.tokens[0],
      outcome: 'Yes',
      outcome_index: 0,
      order_id: first.json.orderID,
      original_size: '100',
      remaining_size: '70',
      price: '0.4',
      owner: alice.key.apiKey,
    },
  });
  expect(Math.abs(toMaker.timestamp - Date.now())).toBeLessThan(60_000);
  const [toTaker] = await listOf(bob);
  expect(toTaker.payload).toEqual({
    ...shared,
    asset_id: traded.tokens[1],
    outcome: 'No',
    outcome_index: 1,
    order_id: second.json.orderID,
    original_size: '30',
    remaining_size: '0',
    price: '0.6',
    owner: bob.key.apiKey,
  });
});

test('a cancel by the exchange causes a notification with a reason, a cancel by the owner causes none', async () => {
  const own = await post(alice, market, { pips: 4000, shares: 70 });
  expect((await cancelAll(alice)).json.canceled).toEqual([own.json.orderID]);
  expect(await listOf(alice)).toEqual([]);
  const closing = await newMarket();
  const order = (await post(alice, closing, { pips: 2500, shares: 40 })).json.orderID;
  expect((await admin('PATCH', `/admin/markets/${closing.conditionId}`, { status: 'closed' })).status).toBe(200);
  const [newest, ...older] = await listOf(alice);
  expect(older).toEqual([]);
  expect([newest.type, newest.payload.order_id, newest.payload.reason]).toEqual([1, order, 'market_closed']);
  expect(newest.payload).toMatchObject({
    original_size: '40',
    matched_size: '0',
    remaining_size: '40',
    price: '0.25',
    eventSlug: '',
    seriesSlug: '',
    icon: '',
    image: '',
    trade_id: '',
    transaction_hash: `0x${'0'.repeat(64)}`,
    market_slug: (await get(`/markets/${closing.conditionId}`)).market_slug,
  });
});

test('every reason for which the exchange cancels an order has its word', async () => {
  const { services } = server;
  const order = services.views.orders.byId((await post(alice, market, { pips: 4000, shares: 10 })).json.orderID);
  if (order === undefined) throw new Error('the order is not there');
  const wordOf = (reason: CancelReason) => {
    const notice = { kind: 'canceled', number: 1, tMs: 0, order, reason } as const;
    const { payload } = notificationRow(notice, services, alice.key.apiKey);
    return 'reason' in payload ? payload.reason : undefined;
  };
  const words = Object.fromEntries(Object.entries(CancelReason).map(([name, reason]) => [name, wordOf(reason)]));
  expect(words).toEqual({
    REQUESTED: '',
    SELF_TRADE: 'self_trade',
    INVALID: 'not_enough_balance',
    EXPIRED: 'expired',
    FAK_REMAINDER: 'fak_remainder',
    HEARTBEAT: 'heartbeat_lapsed',
    MARKET_CLOSED: 'market_closed',
    MARKET_RESOLVED: 'market_resolved',
    BANNED: 'banned',
    CLOSED_ONLY: 'closed_only',
    WALLET_MOVED: 'wallet_moved',
    NOT_TRADING: 'not_trading',
    FUNDS: 'not_enough_balance',
    NO_MATCH: 'no_match',
  } satisfies Record<keyof typeof CancelReason, string>);
});

test('fak_remainder reports the unfilled shares, and 0 if a better price bought more than ordered', async () => {
  const cheap = await newMarket();
  const remainderOf = async (shares: number) => {
    await post(alice, cheap, { pips: 6000, shares, token: 1 });
    await post(bob, cheap, { pips: 5000, shares: 20, orderType: 'FAK' });
    const [{ payload }] = await listOf(bob);
    return [payload.reason, payload.original_size, payload.matched_size, payload.remaining_size];
  };
  expect(await remainderOf(10)).toEqual(['fak_remainder', '20', '10', '10']);
  expect(await remainderOf(22)).toEqual(['fak_remainder', '20', '22', '0']);
});

test('a resolution causes one notification for each token held', async () => {
  await admin('POST', '/admin/markets', { question: 'Ends it?', slug: 'ends-it', outcomes: ['Up', 'Down'] });
  const { json } = await call(alice, 'GET', '/markets?next_cursor=MA==');
  const ended = json.data.find(({ market_slug }: { market_slug: string }) => market_slug === 'ends-it');
  const split = { condition_id: ended.condition_id, amount: '12.5' };
  expect((await call(alice, 'POST', '/split', split)).status).toBe(200);
  const path = `/admin/markets/${ended.condition_id}/resolve`;
  expect((await admin('POST', path, { outcome: 'Down' })).status).toBe(200);
  const [won, lost, ...others] = await listOf(alice);
  expect(others).toEqual([]);
  expect([lost.type, lost.payload.outcome, lost.payload.price, lost.payload.winner]).toEqual([4, 'Up', '0', false]);
  expect([won.type, won.payload.outcome, won.payload.price, won.payload.winner]).toEqual([4, 'Down', '1', true]);
  expect([won.payload.matched_size, won.payload.asset_id]).toEqual(['12.5', ended.tokens[1].token_id]);
  expect(await listOf(bob)).toEqual([]);
});

test('the notification of a resolved market has the market record, with the winner among its tokens', async () => {
  const event = await admin('POST', '/admin/events', { title: 'Ends', slug: 'ends', tags: ['sports'] });
  expect(event.status).toBe(200);
  const ended = await newMarket({ event: 'ends', description: 'How it ends.', seconds_delay: 3 });
  const before = await get('/markets?next_cursor=MA==');
  const split = { condition_id: ended.conditionId, amount: '2' };
  expect((await call(alice, 'POST', '/split', split)).status).toBe(200);
  const path = `/admin/markets/${ended.conditionId}/resolve`;
  expect((await admin('POST', path, { outcome: 'No' })).status).toBe(200);
  const { data } = await get('/markets?next_cursor=MA==');
  expect(data.length).toBe(before.data.length);
  const record = data.find(({ condition_id }: { condition_id: string }) => condition_id === ended.conditionId);
  expect(record).toMatchObject({
    description: 'How it ends.',
    seconds_delay: 3,
    closed: true,
    accepting_orders: false,
  });
  expect(record.tags).toHaveLength(1);
  expect(record.tokens).toMatchObject([
    { price: 0, winner: false },
    { price: 1, winner: true },
  ]);
  const [no, yes] = await listOf(alice);
  expect(no.payload).toMatchObject({ ...record, outcome: 'No', price: '1', winner: true, matched_size: '2' });
  expect(yes.payload).toMatchObject({ ...record, outcome: 'Yes', price: '0', winner: false, matched_size: '2' });
  await post(bob, market, { pips: 4000, shares: 10 });
  await post(alice, market, { pips: 6000, shares: 10, token: 1 });
  const [fill] = await listOf(alice);
  expect([fill.type, Object.keys(fill.payload).sort()]).toEqual([2, PAYLOAD_KEYS]);
});

test('notifications with long records are rendered in parts, not in one turn of the event loop', async () => {
  const description = 'Long. '.repeat(8_000);
  for (let count = 0; count < 5; count += 1) {
    const { conditionId } = await newMarket({ description });
    const split = { condition_id: conditionId, amount: '1' };
    expect((await call(alice, 'POST', '/split', split)).status).toBe(200);
    expect((await admin('POST', `/admin/markets/${conditionId}/resolve`, { outcome: 'Yes' })).status).toBe(200);
  }
  const caller = () => ({ owner: alice.wallet.address, apiKey: alice.key.apiKey });
  const context = { services: server.services, caller };
  const { text, turns } = await replyInTurns(callHandler('GET', '/notifications', {}, context));
  expect(turns).toBeGreaterThanOrEqual(1);
  expect(JSON.parse(text)).toEqual(await listOf(alice));
});

test('a split resolution notifies of both tokens, each with price 0.5 and no winner', async () => {
  const halved = await newMarket();
  const split = { condition_id: halved.conditionId, amount: '3' };
  expect((await call(alice, 'POST', '/split', split)).status).toBe(200);
  const path = `/admin/markets/${halved.conditionId}/resolve`;
  expect((await admin('POST', path, { outcome: 'split' })).status).toBe(200);
  const shared = { market: halved.conditionId, matched_size: '3', price: '0.5', winner: false };
  expect(await listOf(alice)).toMatchObject([1, 0].map((outcome_index) => ({ payload: { ...shared, outcome_index } })));
});

test('DELETE /notifications drops only the named ids of the caller', async () => {
  for (const shares of [20, 30, 40]) {
    await post(alice, market, { pips: 4000, shares });
    await post(bob, market, { pips: 6000, shares, token: 1 });
  }
  const [before, others] = [await listOf(alice), await listOf(bob)];
  const [newest, second] = before;
  // As many ids as one request may name.
  const reply = await drop(alice, [newest.id, second.id, ...Array(498).fill(99_999)].join());
  expect([reply.status, reply.json]).toEqual([200, 'OK']);
  expect(await listOf(alice)).toEqual(before.slice(2));
  expect(await listOf(bob)).toEqual(others);
  expect((await drop(alice, String(newest.id))).json).toBe('OK');
  const sequence = server.exchange.durableSequence;
  expect((await drop(alice, '4503599627370497')).json).toBe('OK');
  expect(server.exchange.durableSequence).toBe(sequence);
});

test('the ids may come in several parameters; an empty one counts as absent', async () => {
  await post(alice, market, { pips: 4000, shares: 30 });
  for (const shares of [10, 20]) await post(bob, market, { pips: 6000, shares, token: 1 });
  const before = await listOf(alice);
  const [newest, second] = before;
  const reply = await drop(alice, `${newest.id}&ids=&ids=${second.id}`);
  expect([reply.status, reply.json]).toEqual([200, 'OK']);
  expect(await listOf(alice)).toEqual(before.slice(2));
});

test('invalid ids, an invalid signature type and missing credentials are rejected', async () => {
  for (const ids of ['', 'x', '1,', '-1', '1.5', '1e3', Array(501).fill('1').join(',')]) {
    const { status, json } = await drop(alice, ids);
    expect([ids.slice(0, 9), status, json.error.slice(0, 11)]).toEqual([ids.slice(0, 9), 400, 'Invalid ids']);
  }
  const bare = await call(alice, 'DELETE', '/notifications');
  expect([bare.status, bare.json.error.slice(0, 11)]).toEqual([400, 'Invalid ids']);
  const type = await call(alice, 'GET', '/notifications?signature_type=4');
  expect([type.status, type.json.error]).toEqual([400, 'Invalid signature_type']);
  const unsigned = await fetch(`${server.url}/notifications`);
  expect(unsigned.status).toBe(401);
});

/** Resolves a market of which the wallet holds a full set: two notifications. */
async function resolveHeldMarket(own: TestServer, wallet: DevelopmentWallet, key: ApiCredentials, slug: string) {
  const made = await send(own.url, 'POST', '/admin/markets', { question: 'Held?', slug }, ADMIN);
  const { condition_id } = made.json;
  const split = await sendSigned(own.url, wallet.address, key, 'POST', '/split', { condition_id, amount: '1' });
  const body = { outcome: 'Yes' };
  const resolved = await send(own.url, 'POST', `/admin/markets/${condition_id}/resolve`, body, ADMIN);
  expect([made.status, split.status, resolved.status]).toEqual([200, 200, 200]);
}

test('dropped notifications stay dropped after a restart, and their ids are not reused', async () => {
  const dataDir = tempDir();
  const before = await startTestServer({ config: { dataDir } });
  const [wallet] = before.wallets;
  const key = await createKey(before.url, wallet);
  const idsOf = async (own: TestServer): Promise<readonly number[]> => {
    const { json } = await sendSigned(own.url, wallet.address, key, 'GET', '/notifications');
    return json.map(({ id }: { id: number }) => id);
  };
  await resolveHeldMarket(before, wallet, key, 'first');
  expect(await idsOf(before)).toEqual([2, 1]);
  await sendSigned(before.url, wallet.address, key, 'DELETE', '/notifications?ids=2');
  expect(await idsOf(before)).toEqual([1]);
  const hash = before.exchange.stateHash();
  await before.close();
  const after = await startTestServer({ config: { dataDir } });
  expect(after.exchange.stateHash()).toEqual(hash);
  expect(await idsOf(after)).toEqual([1]);
  await resolveHeldMarket(after, wallet, key, 'second');
  expect(await idsOf(after)).toEqual([4, 3, 1]);
  await after.close();
});

test('the newest 500 notifications are kept, and one command can drop them all', async () => {
  const view = new NotificationsView();
  const owner = alice.wallet.address;
  for (let count = 0; count < 1_700; count += 1) view.resolved(0, owner, 0, 1_000_000, 5);
  expect(view.of(owner).map(({ number }) => number)).toEqual(Array.from({ length: 500 }, (_, at) => at + 1_201));
  const items = view.of(owner).map(({ number }) => notificationItem(number));
  const command = { type: 'DropNotifications', owner, keyId: `0x${'1'.repeat(32)}`, items } as const;
  expect(() => encodeCommand(command)).not.toThrow();
  view.dropped(command);
  expect(view.of(owner)).toEqual([]);
  expect(view.of(bob.wallet.address)).toEqual([]);
});
