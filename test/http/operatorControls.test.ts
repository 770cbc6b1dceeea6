// The operator's switches over HTTP: the effect of every mode of the exchange and every flag of an owner on orders and
// cancels, including statuses, texts and headers, and wallets that are bound to another owner.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ADMIN, createKey, type JsonReply, send } from '../support/client.ts';
import { inUpperCase } from '../support/hex.ts';
import {
  alice,
  bob,
  call,
  cancelAll,
  market,
  newMarket,
  openTradingWorld,
  orderBody,
  post,
  server,
} from './tradingWorld.ts';

beforeAll(openTradingWorld);
afterAll(() => server.close());

const admin = (path: string, body: unknown): Promise<JsonReply> => send(server.url, 'PATCH', path, body, ADMIN);
const setMode = async (mode: string): Promise<void> => {
  const { status, json } = await admin('/admin/exchange', { mode });
  expect([status, json]).toEqual([200, { mode }]);
};
const rest = (): Promise<JsonReply> => post(alice, market, { pips: 3000, shares: 10 });
const batch = (bodies: readonly unknown[]): Promise<JsonReply> => call(alice, 'POST', '/orders', bodies);
const body = () => orderBody(alice, market, { pips: 3000, shares: 10 });
const isOpen = async (id: string): Promise<boolean> =>
  (await call(alice, 'GET', `/data/order/${id}`)).json.status === 'LIVE';

beforeEach(() => setMode('normal'));

test.each(['normal', 'post_only', 'cancel_only', 'disabled', 'restarting'])(
  'GET /readyz reports the exchange mode %s',
  async (mode) => {
    await setMode(mode);
    const { status, json } = await send(server.url, 'GET', '/readyz');
    expect([status, json.status, json.mode]).toEqual([200, 'ready', mode]);
    // As its summary says, and the README of what everybody may read there.
    expect(Object.keys(json)).toEqual(['status', 'mode', 'durable_sequence', 'markets']);
  },
);

const DISABLED = 'Trading is currently disabled. Orders and cancels are refused.';
const CANCEL_ONLY = 'Trading is currently cancel-only. New orders are not accepted, but cancels are allowed.';
const POST_ONLY = 'post-only mode: only post-only orders and cancels are allowed';

test('a disabled exchange rejects orders and cancels with 503', async () => {
  const { orderID } = (await rest()).json;
  await setMode('disabled');
  const refused = [
    await rest(),
    await batch([body(), body()]),
    await call(alice, 'DELETE', '/order', { orderID }),
    await call(alice, 'DELETE', '/orders', [orderID]),
    await cancelAll(alice),
    await call(alice, 'DELETE', '/cancel-market-orders', { market: market.conditionId }),
  ];
  for (const { status, json, headers } of refused) {
    expect([status, json, headers.get('retry-after')]).toEqual([503, { error: DISABLED }, '30']);
  }
  expect(await isOpen(orderID)).toBe(true);
  expect((await call(alice, 'GET', '/data/orders')).status).toBe(200);
});

test('a restarting exchange rejects orders and cancels with 425', async () => {
  const { orderID } = (await rest()).json;
  await setMode('restarting');
  const refused = [
    await rest(),
    await batch([body()]),
    await call(alice, 'DELETE', '/order', { orderID }),
    await cancelAll(alice),
  ];
  for (const { status, json, headers } of refused) {
    expect([status, headers.get('retry-after')]).toEqual([425, '2']);
    expect(json.error).toContain('restarting');
  }
  await setMode('normal');
  expect(await isOpen(orderID)).toBe(true);
});

test('cancels that match nothing are rejected like any other if the mode accepts no cancels', async () => {
  const ofNothing = () =>
    Promise.all([
      call(alice, 'DELETE', '/orders', []),
      call(alice, 'DELETE', '/cancel-market-orders', { market: `0x${'9'.repeat(64)}` }),
    ]);
  for (const [mode, status] of [
    ['disabled', 503],
    ['restarting', 425],
  ] as const) {
    await setMode(mode);
    const expected = await cancelAll(alice);
    expect(expected.status).toBe(status);
    for (const refused of await ofNothing()) expect([refused.status, refused.json]).toEqual([status, expected.json]);
  }
  await setMode('cancel_only');
  for (const { status, json } of await ofNothing()) expect([status, json.canceled]).toEqual([200, []]);
});

test('a cancel-only exchange accepts cancels and rejects orders with 503', async () => {
  const { orderID } = (await rest()).json;
  await setMode('cancel_only');
  for (const { status, json } of [await rest(), await batch([body(), body()])]) {
    expect([status, json.error]).toEqual([503, CANCEL_ONLY]);
  }
  expect((await call(alice, 'DELETE', '/order', { orderID })).json.canceled).toEqual([orderID]);
});

test('a post-only exchange accepts post-only orders and cancels; other orders get 503 and Retry-After', async () => {
  await setMode('post_only');
  const { status, json, headers } = await rest();
  expect([status, headers.get('retry-after')]).toEqual([503, '5']);
  expect(json).toEqual({ error: POST_ONLY, code: 'post_only_mode', retry_after_seconds: 5 });
  const taken = await call(alice, 'POST', '/order', { ...body(), postOnly: true });
  expect([taken.status, taken.json.status]).toEqual([200, 'live']);
  const mixed = await batch([body(), { ...body(), postOnly: true }]);
  expect([mixed.status, mixed.json[0].errorMsg, mixed.json[0].orderID]).toEqual([200, POST_ONLY, '']);
  expect([mixed.json[1].errorMsg, mixed.json[1].status]).toEqual(['', 'live']);
  const all = await batch([body()]);
  expect([all.status, all.json[0].errorMsg]).toEqual([200, POST_ONLY]);
  expect((await call(alice, 'DELETE', '/order', { orderID: taken.json.orderID })).json.canceled).toHaveLength(1);
});

test('an exchange mode is one of five, and only an operator can set it', async () => {
  for (const mode of ['open', '', 1, null, 'NORMAL']) {
    const { status, json } = await admin('/admin/exchange', { mode });
    expect([status, json.error]).toEqual([
      400,
      'invalid_field: mode: it must be normal, post_only, cancel_only, disabled or restarting',
    ]);
  }
  expect((await admin('/admin/exchange', {})).json.error).toBe('missing_field: mode');
  expect((await admin('/admin/exchange', { mode: 'normal', x: 1 })).json.error).toBe('unknown_field: x');
  expect((await send(server.url, 'PATCH', '/admin/exchange', { mode: 'disabled' })).status).toBe(401);
  expect((await rest()).json.status).toBe('live');
});

test('closed-only cancels resting BUYs and rejects new ones and splits, while SELLs and merges continue', async () => {
  const path = `/admin/accounts/${bob.wallet.address}`;
  const place = await newMarket();
  const sets = { condition_id: place.conditionId, amount: '100' };
  expect((await call(bob, 'POST', '/split', sets)).status).toBe(200);
  const bought = (await post(bob, place, { pips: 2000, shares: 10 })).json.orderID;
  const sold = (await post(bob, place, { pips: 7000, shares: 10, side: 'SELL' })).json.orderID;
  const { status, json } = await admin(path, { closed_only: true });
  expect(status).toBe(200);
  expect(json).toEqual({ address: bob.wallet.address, banned: false, closed_only: true, bound: [] });
  expect((await call(bob, 'GET', '/auth/ban-status/closed-only')).json).toEqual({ closed_only: true });
  const open = (await call(bob, 'GET', '/data/orders')).json.data.map(({ id }: { id: string }) => id);
  expect([open.includes(bought), open.includes(sold)]).toEqual([false, true]);
  const refused = await post(bob, place, { pips: 2000, shares: 10 });
  const error = `'${bob.wallet.address}' address in closed only mode`;
  expect([refused.status, refused.json]).toEqual([400, { error }]);
  const unsplit = await call(bob, 'POST', '/split', sets);
  expect([unsplit.status, unsplit.json]).toEqual([400, { error }]);
  expect((await call(bob, 'POST', '/merge', { ...sets, amount: '1' })).status).toBe(200);
  expect((await post(bob, place, { pips: 8000, shares: 10, side: 'SELL' })).json.status).toBe('live');
  const other = (await call(bob, 'GET', '/notifications')).json[0];
  expect([other.payload.order_id, other.payload.reason]).toEqual([bought, 'closed_only']);
  expect((await admin(path, { closed_only: false })).json.closed_only).toBe(false);
  expect((await post(bob, place, { pips: 2000, shares: 10 })).json.status).toBe('live');
});

test('a ban cancels all orders and rejects new ones, while reads and cancels still work', async () => {
  const path = `/admin/accounts/${inUpperCase(bob.wallet.address)}`;
  await post(bob, market, { pips: 2000, shares: 10 });
  expect((await admin(path, { banned: true, closed_only: true })).json).toMatchObject({
    banned: true,
    closed_only: true,
  });
  expect((await call(bob, 'GET', '/data/orders')).json.count).toBe(0);
  const refused = await post(bob, market, { pips: 7000, shares: 10, side: 'SELL' });
  expect([refused.status, refused.json]).toEqual([400, { error: `'${bob.wallet.address}' address banned` }]);
  expect((await cancelAll(bob)).json).toEqual({ canceled: [], not_canceled: {} });
  expect((await admin(path, { banned: false })).json).toMatchObject({ banned: false, closed_only: true });
  expect((await admin(path, { closed_only: false })).json).toMatchObject({ banned: false, closed_only: false });
  expect((await post(bob, market, { pips: 2000, shares: 10 })).json.status).toBe('live');
});

test('a bound wallet trades for its new owner and cannot be bound to another one', async () => {
  const wallet = `0x${'77'.repeat(20)}`;
  const path = `/admin/accounts/${alice.wallet.address}`;
  const deposit = { address: wallet, amount: '50' };
  await send(server.url, 'POST', '/admin/deposits', deposit, ADMIN);
  const { json } = await admin(path, { bind: { wallet, type: 2 } });
  expect(json.bound).toEqual([{ wallet, type: 2 }]);
  const placed = await post(alice, market, { pips: 3000, shares: 10, signatureType: 2, maker: wallet });
  expect([placed.status, placed.json.status]).toEqual([200, 'live']);
  const asProxy = await post(alice, market, { pips: 3000, shares: 10, signatureType: 1, maker: wallet });
  expect([asProxy.status, asProxy.json.error]).toEqual([400, expect.stringContaining('for signature type 1')]);
  const balance = await call(alice, 'GET', '/balance-allowance?asset_type=COLLATERAL&signature_type=2');
  expect(balance.json.balance).toBe('50000000');
  const taken = await admin(`/admin/accounts/${bob.wallet.address}`, { bind: { wallet, type: 2 }, banned: true });
  expect([taken.status, taken.json.error]).toEqual([
    400,
    `the wallet ${wallet} cannot be bound: it already belongs to an owner or is the zero address`,
  ]);
  expect((await admin(`/admin/accounts/${wallet}`, { banned: false })).json.address).toBe(alice.wallet.address);
  expect((await post(bob, market, { pips: 2100, shares: 10 })).json.status).toBe('live');
});

test('one request binds a wallet and sets a flag', async () => {
  const owner = `0x${'5f'.repeat(20)}`;
  const wallet = `0x${'79'.repeat(20)}`;
  const { json } = await admin(`/admin/accounts/${owner}`, { bind: { wallet, type: 2 }, banned: true });
  expect(json).toEqual({ address: owner, banned: true, closed_only: false, bound: [{ wallet, type: 2 }] });
});

test('the address of an owner with a key cannot be bound to another owner', async () => {
  const wallet = bob.wallet.address.toLowerCase();
  const { status, json } = await admin(`/admin/accounts/${alice.wallet.address}`, { bind: { wallet, type: 2 } });
  expect([status, json.error]).toEqual([
    400,
    `the wallet ${wallet} cannot be bound: it already belongs to an owner or is the zero address`,
  ]);
  expect((await admin(`/admin/accounts/${wallet}`, { banned: false })).json.address).toBe(bob.wallet.address);
});

test('flags apply to an owner whose address was bound to another owner before it had a key', async () => {
  const [, , late] = server.wallets;
  const bind = { wallet: late.address, type: 3 };
  expect((await admin(`/admin/accounts/${alice.wallet.address}`, { bind })).status).toBe(200);
  const owner = { wallet: late, key: await createKey(server.url, late) };
  const { json } = await admin(`/admin/accounts/${late.address}`, { banned: true });
  expect(json).toEqual({ address: late.address, banned: true, closed_only: false, bound: [] });
  const refused = await post(owner, market, { pips: 2000, shares: 10, signatureType: 1 });
  expect([refused.status, refused.json]).toEqual([400, { error: `'${late.address}' address banned` }]);
  expect((await rest()).json.status).toBe('live');
});

test('binding a wallet again with another signature type replaces its first type', async () => {
  const wallet = `0x${'78'.repeat(20)}`;
  const path = `/admin/accounts/${bob.wallet.address}`;
  const derived = await call(bob, 'GET', '/balance-allowance?asset_type=COLLATERAL&signature_type=1');
  await admin(path, { bind: { wallet, type: 1 } });
  const { json } = await admin(path, { bind: { wallet, type: 2 } });
  expect(json.bound).toEqual([{ wallet, type: 2 }]);
  const ofType = (type: number) => call(bob, 'GET', `/balance-allowance?asset_type=COLLATERAL&signature_type=${type}`);
  expect((await ofType(1)).json.balance).toBe(derived.json.balance);
  expect((await ofType(2)).json.balance).toBe('0');
});

test('GET /admin/accounts/{address} returns the owner, its flags and the balances of its wallets', async () => {
  const read = (address: string): Promise<JsonReply> =>
    send(server.url, 'GET', `/admin/accounts/${address}`, undefined, ADMIN);
  const unused = `0x${'5e'.repeat(20)}`;
  const nobody = { address: unused, banned: false, closed_only: false, bound: [], wallets: [] };
  expect([(await read(unused)).status, (await read(unused)).json]).toEqual([200, nobody]);
  const { address, derived } = alice.wallet;
  const before = (await read(address)).json.wallets;
  const deposit = await send(server.url, 'POST', '/admin/deposits', { address: derived.safe, amount: '12.5' }, ADMIN);
  const { json } = await read(derived.safe);
  expect(json.address).toBe(address);
  expect(json.wallets).toContainEqual({ wallet: derived.safe, type: 2, balance: deposit.json.balance, tokens: [] });
  expect(json.wallets).toEqual((await read(inUpperCase(address))).json.wallets);
  expect(before.map(({ wallet }: { readonly wallet: string }) => wallet)).toContain(address);
  expect((await read('x')).json.error).toBe('invalid_field: address: it must be 0x and 40 hex digits');
  expect((await send(server.url, 'GET', `/admin/accounts/${address}`)).status).toBe(401);
});

test('GET /admin/accounts/{address} returns the shares of each wallet', async () => {
  const { proxy } = alice.wallet.derived;
  const [first, second] = [await newMarket(), await newMarket()];
  const [no, yes] = [first.tokens[1], second.tokens[0]];
  const credit = async (token_id: string, shares: string) => {
    const { status } = await send(server.url, 'POST', '/dev/faucet', { address: proxy, token_id, shares });
    expect(status).toBe(200);
  };
  const tokens = async () => {
    const { json } = await send(server.url, 'GET', `/admin/accounts/${proxy}`, undefined, ADMIN);
    return json.wallets.find(({ wallet }: { readonly wallet: string }) => wallet === proxy).tokens;
  };
  expect(await tokens()).toEqual([]);
  await credit(no, '2.25');
  const held = { token_id: no, outcome: 'No', balance: '2.25' };
  expect(await tokens()).toEqual([held]);
  await credit(yes, '0.000001');
  expect(await tokens()).toEqual([held, { token_id: yes, outcome: 'Yes', balance: '0.000001' }]);
  const resolve = `/admin/markets/${first.conditionId}/resolve`;
  expect((await send(server.url, 'POST', resolve, { outcome: 'No' }, ADMIN)).status).toBe(200);
  const redeem = { condition_id: first.conditionId, signature_type: 1 };
  expect((await call(alice, 'POST', '/redeem', redeem)).json.payout).toBe('2.25');
  expect(await tokens()).toEqual([{ token_id: yes, outcome: 'Yes', balance: '0.000001' }]);
});

test('GET /admin/accounts/{address} returns the signature type of each derived or bound wallet', async () => {
  const wallet = server.wallets[5];
  await createKey(server.url, wallet);
  const { address, derived } = wallet;
  const [bound, replaced] = [`0x${'a5'.repeat(20)}`, `0x${'a6'.repeat(20)}`];
  for (const [other, type] of [
    [replaced, 2],
    [bound, 2],
    [replaced, 1],
  ] as const) {
    expect((await admin(`/admin/accounts/${address}`, { bind: { wallet: other, type } })).status).toBe(200);
    expect((await send(server.url, 'POST', '/admin/deposits', { address: other, amount: '1' }, ADMIN)).status).toBe(
      200,
    );
  }
  const { json } = await send(server.url, 'GET', `/admin/accounts/${address}`, undefined, ADMIN);
  const types = Object.fromEntries(json.wallets.map((row: { wallet: string; type: number }) => [row.wallet, row.type]));
  expect(types).toEqual({
    [address]: 0,
    [derived.proxy]: 1,
    [derived.safe]: 2,
    [derived.depositBeacon]: 3,
    [derived.depositUups]: 3,
    [bound]: 2,
    [replaced]: 1,
  });
});

test('invalid or unauthorized account changes are rejected', async () => {
  const path = `/admin/accounts/${alice.wallet.address}`;
  const bad: readonly (readonly [string, unknown, string])[] = [
    [path, {}, 'missing_field: banned, closed_only or bind'],
    [path, { banned: 1 }, 'invalid_field: banned'],
    [path, { closed_only: 'true' }, 'invalid_field: closed_only'],
    [path, { frozen: true }, 'unknown_field: frozen'],
    [path, { bind: { wallet: 'x', type: 1 } }, 'invalid_field: bind.wallet'],
    [path, { bind: { wallet: alice.wallet.address } }, 'missing_field: bind.type'],
    [path, { bind: { wallet: `0x${'1'.repeat(40)}`, type: 0 } }, 'invalid_field: bind.type'],
    [path, { bind: 'x' }, 'invalid_field: bind'],
    ['/admin/accounts/x', { banned: true }, 'invalid_field: address'],
  ];
  for (const [where, change, text] of bad) {
    const { status, json } = await admin(where, change);
    expect([status, json.error.slice(0, text.length)]).toEqual([400, text]);
  }
  expect((await send(server.url, 'PATCH', path, { banned: true })).status).toBe(401);
});

test('the balance of a bound wallet is shown to its new owner alone', async () => {
  const [late, next] = [server.wallets[3], server.wallets[4]];
  const owner = { wallet: next, key: await createKey(server.url, next) };
  const bind = { wallet: late.address, type: 3 };
  expect((await admin(`/admin/accounts/${owner.wallet.address}`, { bind })).status).toBe(200);
  const former = { wallet: late, key: await createKey(server.url, late) };
  const balance = async (trader: typeof alice, type: number): Promise<string> =>
    (await call(trader, 'GET', `/balance-allowance?asset_type=COLLATERAL&signature_type=${type}`)).json.balance;
  expect([await balance(owner, 3), await balance(former, 0)]).toEqual(['10000000000', '0']);
});
