// Trading over HTTP, end to end: orders signed with all four signature types, and every reply to placing and cancelling. A
// whole server runs in this process; its keys and signatures are real.
import { getAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ExchangeMode, encodeCommand } from '../../engine/index.ts';
import { ZERO_BYTES32 } from '../../server/auth/hex.ts';
import type { SignableOrder } from '../../server/auth/orderDigest.ts';
import { signOrder } from '../../server/auth/orderSignature.ts';
import { thirdVersionDomain } from '../../server/commands/orderVersion.ts';
import { createKey, send } from '../support/client.ts';
import { inUpperCase } from '../support/hex.ts';
import {
  alice,
  bob,
  call,
  cancelAll,
  get,
  makerOf,
  market,
  newMarket,
  type OrderChoice,
  openTradingWorld,
  orderBody,
  post,
  server,
} from './tradingWorld.ts';

beforeAll(openTradingWorld);
afterAll(() => server.close());

describe.each([0, 1, 2, 3] as const)('signature type %i', (signatureType) => {
  test.each([false, true])(
    'an order rests, appears in the book, matches and settles (neg-risk %s)',
    async (negRisk) => {
      const place = await newMarket({}, negRisk);
      const rested = await post(alice, place, { pips: 4000, shares: 10, signatureType });
      expect(rested.status).toBe(200);
      expect(rested.json).toEqual({
        success: true,
        errorMsg: '',
        orderID: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        takingAmount: '',
        makingAmount: '',
        status: 'live',
        transactionsHashes: [],
        tradeIDs: [],
      });
      const book = await get(`/book?token_id=${place.tokens[1]}`);
      expect(book).toMatchObject({ asks: [{ price: '0.6', size: '10' }], bids: [], neg_risk: negRisk });
      const matched = await post(bob, place, { pips: 6100, shares: 6, token: 1, signatureType });
      expect(matched.json).toMatchObject({ status: 'matched', makingAmount: '3.6', takingAmount: '6' });
      const [tradeId] = matched.json.tradeIDs;
      expect(matched.json.transactionsHashes).toEqual([expect.stringMatching(/^0x[0-9a-f]{64}$/)]);

      const maker = getAddress(makerOf(alice.wallet, signatureType));
      const order = (await call(alice, 'GET', `/data/order/${rested.json.orderID}`)).json;
      expect(order).toMatchObject({
        id: rested.json.orderID,
        status: 'LIVE',
        owner: alice.key.apiKey,
        maker_address: maker,
        market: place.conditionId,
        asset_id: place.tokens[0],
        original_size: '10',
        size_matched: '6',
        price: '0.4',
        associate_trades: [tradeId],
        outcome: 'Yes',
        order_type: 'GTC',
        expiration: '0',
      });
      const query = `asset_type=CONDITIONAL&token_id=${place.tokens[0]}&signature_type=${signatureType}`;
      const held = (await call(alice, 'GET', `/balance-allowance?${query}`)).json;
      expect(held.balance).toBe('6000000');
      expect(held.allowances[getAddress(server.services.contracts.exchange)]).toBe((2n ** 256n - 1n).toString());
      const trades = (await call(alice, 'GET', `/data/trades?id=${tradeId}`)).json;
      expect(trades).toMatchObject({ count: 1, next_cursor: 'LTE=', limit: 100 });
      expect(trades.data[0]).toMatchObject({
        id: tradeId,
        taker_order_id: matched.json.orderID,
        side: 'BUY',
        size: '6',
        price: '0.6',
        status: 'CONFIRMED',
        trader_side: 'MAKER',
        transaction_hash: matched.json.transactionsHashes[0],
        match_time: expect.stringMatching(/^[0-9]{10}$/),
        maker_orders: [
          { order_id: rested.json.orderID, matched_amount: '6', price: '0.4', maker_address: maker, side: 'BUY' },
        ],
      });
      await cancelAll(alice);
    },
  );
});

test('both forms of the deposit wallet can trade, and the one used last is the latest deposit wallet', async () => {
  const place = await newMarket();
  const { depositUups, depositBeacon } = alice.wallet.derived;
  for (const maker of [depositUups, depositBeacon, depositUups]) {
    expect((await post(alice, place, { pips: 1000, shares: 10, signatureType: 3, maker })).json.status).toBe('live');
    const { orders, accounts } = server.services.views;
    expect(accounts.latestDepositWallet(alice.wallet.address)).toBe(maker);
    expect([...orders.openOf(alice.wallet.address)].at(-1)?.maker).toBe(maker);
  }
  await cancelAll(alice);
});

test('a deposit wallet that was bound to another owner no longer determines the reported balance', async () => {
  const [wallet, heir] = server.wallets.slice(4);
  const trader = { wallet, key: await createKey(server.url, wallet) };
  const { depositUups, depositBeacon } = wallet.derived;
  const credit = { address: depositUups, collateral: '7' };
  expect((await send(server.url, 'POST', '/dev/faucet', credit)).status).toBe(200);
  const order = { pips: 1000, shares: 10, signatureType: 3, maker: depositUups } as const;
  expect((await post(trader, market, order)).json.status).toBe('live');
  await cancelAll(trader);
  const reportedBalance = async () =>
    (await call(trader, 'GET', '/balance-allowance?asset_type=COLLATERAL&signature_type=3')).json.balance;
  const held = (of: string) => String(server.services.views.accounts.byWallet(of)?.collateralMicro);
  expect([await reportedBalance(), Number(held(depositUups)) - Number(held(depositBeacon))]).toEqual([
    held(depositUups),
    7_000_000,
  ]);
  await server.exchange.submit(
    encodeCommand({ type: 'BindWallet', owner: heir.address, wallet: depositUups, signatureType: 3 }),
  );
  expect(await reportedBalance()).toBe(held(depositBeacon));
});

test('an order may name the market of its token, in any letter case', async () => {
  for (const conditionId of [market.conditionId, inUpperCase(market.conditionId)]) {
    const body = orderBody(alice, market, { pips: 1000, shares: 10 });
    const { json } = await call(alice, 'POST', '/order', { ...body, order: { ...body.order, conditionId } });
    expect(json).toMatchObject({ errorMsg: '', status: 'live' });
  }
  await cancelAll(alice);
});

describe('orders rejected before they reach the engine', () => {
  const refused = async (body: unknown, text: string, status = 400) => {
    const reply = await call(alice, 'POST', '/order', body);
    expect([reply.status, reply.json.error]).toEqual([status, expect.stringContaining(text)]);
  };
  const plain = (choice: Partial<OrderChoice> = {}) => orderBody(alice, market, { pips: 4000, shares: 10, ...choice });

  test('an invalid body, owner, version, token, signer, wallet or signature has its own error', async () => {
    const body = plain();
    await refused([], 'Invalid order payload');
    await refused({ ...body, order: { ...body.order, side: 'HOLD' } }, 'order.side');
    await refused({ ...body, owner: bob.key.apiKey }, 'the order owner has to be the owner of the API KEY');
    const { timestamp: _, ...first } = { ...body.order, nonce: '0', feeRateBps: '0', taker: `0x${'0'.repeat(40)}` };
    await refused({ ...body, order: first }, 'order_version_mismatch');
    await refused({ ...body, order: { ...body.order, tokenId: '12345' } }, 'token 12345');
    await refused({ ...body, order: { ...body.order, conditionId: ZERO_BYTES32 } }, 'order.conditionId');
    await refused(
      { ...body, order: { ...body.order, signer: bob.wallet.address } },
      'the order signer address has to be the address of the API KEY',
    );
    await refused({ ...body, order: { ...body.order, maker: bob.wallet.address } }, 'maker address not allowed');
    await refused({ ...body, order: { ...body.order, makerAmount: '4000001' } }, 'invalid signature');
    const thief = { wallet: { ...alice.wallet, privateKey: bob.wallet.privateKey }, key: alice.key };
    for (const signatureType of [0, 1, 2, 3] as const) {
      await refused(orderBody(thief, market, { pips: 4000, shares: 10, signatureType }), 'invalid signature');
    }
  });

  test('the wallet must have the right type and owner, and a deposit wallet must sign for itself', async () => {
    const { proxy, safe, depositBeacon } = alice.wallet.derived;
    await refused(plain({ maker: proxy }), 'is not a wallet of');
    await refused(plain({ signatureType: 1, maker: safe }), 'is not a wallet of');
    await refused(plain({ signatureType: 2, maker: bob.wallet.derived.safe }), 'is not a wallet of');
    await refused(plain({ signatureType: 3, maker: bob.wallet.derived.depositBeacon }), 'is not a wallet of');
    const body = plain({ signatureType: 3 });
    await refused({ ...body, order: { ...body.order, signer: alice.wallet.address } }, 'signature type 3');
    const changed = plain({ signatureType: 3, maker: depositBeacon });
    await refused({ ...changed, order: { ...changed.order, salt: 1 } }, 'invalid signature');
  });

  test('an order that its owner signed for version 3 of the contract is rejected with order_version_mismatch', async () => {
    const domain = thirdVersionDomain(137)!;
    for (const signatureType of [0, 1, 2, 3] as const) {
      const body = plain({ signatureType });
      const { expiration: _, signature: __, ...fields } = body.order;
      const order: SignableOrder = {
        ...fields,
        makerAmount: Number(fields.makerAmount),
        takerAmount: Number(fields.takerAmount),
        side: 0,
        timestamp: Number(fields.timestamp),
      };
      for (const [{ wallet }, text] of [
        [alice, 'order_version_mismatch'],
        [bob, 'invalid signature'],
      ] as const) {
        const signature = signOrder(order, wallet.privateKey, domain);
        await refused({ ...body, order: { ...body.order, signature } }, text);
      }
    }
  });

  test('a wallet bound to another owner trades only for that owner', async () => {
    const third = server.wallets[2];
    const key = await createKey(server.url, third);
    const bound = alice.wallet.derived.safe;
    await server.exchange.submit(
      encodeCommand({ type: 'BindWallet', owner: third.address, wallet: bound, signatureType: 2 }),
    );
    await refused(plain({ signatureType: 2 }), 'belongs to another owner');
    const traded = await post({ wallet: third, key }, market, {
      pips: 1000,
      shares: 10,
      signatureType: 2,
      maker: bound,
    });
    expect(traded.json).toMatchObject({ status: 'live' });
    const balance = await call(
      { wallet: third, key },
      'GET',
      '/balance-allowance?asset_type=COLLATERAL&signature_type=2',
    );
    expect(balance.json.balance).toBe(String(server.services.views.accounts.byWallet(bound)?.collateralMicro));
  });
});

test('a killed FOK or FAK order gets 400 and its id, stays readable, and cannot be sent again', async () => {
  const place = await newMarket();
  for (const [orderType, text] of [
    ['FOK', "order couldn't be fully filled. FOK orders are fully filled or killed."],
    ['FAK', 'no orders found to match with FAK order. FAK orders are partially filled or killed if no match is found.'],
  ]) {
    const body = orderBody(alice, place, { pips: 4000, shares: 10, orderType });
    const killed = await call(alice, 'POST', '/order', body);
    expect([killed.status, killed.json.error]).toEqual([400, text]);
    const order = await call(alice, 'GET', `/data/order/${killed.json.orderID}`);
    expect(order.json).toMatchObject({ status: 'CANCELED', size_matched: '0', order_type: orderType });
    const again = await call(alice, 'POST', '/order', body);
    expect(again.json.error).toBe(`order ${killed.json.orderID} is invalid. Duplicated.`);
  }
});

test('a batch response lists results in request order, rejections included', async () => {
  const place = await newMarket();
  const good = orderBody(alice, place, { pips: 4000, shares: 10 });
  const bodies = [
    good,
    { ...good, order: { ...good.order, signature: `0x${'00'.repeat(65)}` } },
    orderBody(alice, place, { pips: 4050, shares: 10 }),
    orderBody(alice, place, { pips: 4100, shares: 10 }),
    good,
    'x',
  ];
  const { status, json } = await call(alice, 'POST', '/orders', bodies);
  expect(status).toBe(200);
  expect(json.map((one: { status: string }) => one.status)).toEqual(['live', '', '', 'live', '', '']);
  expect(json.map((one: { errorMsg: string }) => one.errorMsg)).toEqual([
    '',
    'invalid signature',
    expect.stringMatching(/^order 0x[0-9a-f]{64} is invalid. Price \(0.405\) breaks minimum tick size rule: 0.01$/),
    '',
    `order ${json[0].orderID} is invalid. Duplicated.`,
    'Invalid order payload',
  ]);
  expect(json[1]).toEqual({
    success: true,
    errorMsg: 'invalid signature',
    orderID: '',
    takingAmount: '',
    makingAmount: '',
    status: '',
    transactionsHashes: [],
    tradeIDs: [],
  });
  const many = await call(alice, 'POST', '/orders', Array(16).fill(good));
  expect([many.status, many.json.error]).toEqual([400, 'Too many orders in payload: 16, max allowed: 15']);
  expect((await call(alice, 'POST', '/orders', [])).json.error).toBe('Invalid order payload');
  await cancelAll(alice);
});

test('cancel responses list the cancelled orders and the reason for each that was not', async () => {
  const place = await newMarket();
  const ids: string[] = [];
  for (const pips of [1000, 1100, 1200, 1300]) {
    ids.push((await post(alice, place, { pips, shares: 10, token: pips === 1300 ? 1 : 0 })).json.orderID);
  }
  const unknown = `0x${'ab'.repeat(32)}`;
  const one = await call(alice, 'DELETE', '/order', { orderID: ids[0] });
  expect(one.json).toEqual({ canceled: [ids[0]], not_canceled: {} });
  const gone = 'Order not found or already canceled';
  const again = await call(alice, 'DELETE', '/order', { orderId: ids[0] });
  const late = { canceled: [], not_canceled: { [ids[0]]: "order can't be found - already canceled or matched" } };
  expect([again.status, again.json]).toEqual([200, late]);
  expect((await call(bob, 'DELETE', '/order', { orderID: ids[0] })).json.not_canceled).toEqual({ [ids[0]]: gone });
  const foreign = await call(bob, 'DELETE', '/orders', [ids[1], unknown, unknown]);
  expect(foreign.json).toEqual({ canceled: [], not_canceled: { [ids[1]]: gone, [unknown]: gone } });
  const second = await call(alice, 'DELETE', '/cancel-market-orders', {
    market: place.conditionId,
    asset_id: place.tokens[1],
  });
  expect(second.json.canceled).toEqual([ids[3]]);
  const elsewhere = await call(alice, 'DELETE', '/cancel-market-orders', { market: ZERO_BYTES32 });
  expect(elsewhere.json).toEqual({ canceled: [], not_canceled: {} });
  const several = await call(alice, 'DELETE', '/orders', [ids[2], ids[1]]);
  expect(several.json.canceled).toEqual([ids[2], ids[1]]);
  await post(alice, place, { pips: 1000, shares: 10 });
  expect((await call(alice, 'DELETE', '/cancel-market-orders', {})).json.canceled).toHaveLength(1);
  expect((await cancelAll(alice)).json).toEqual({ canceled: [], not_canceled: {} });
});

test('a cancel that names a market and the token of another one cancels nothing', async () => {
  const [one, another] = [await newMarket(), await newMarket()];
  const ids = [
    (await post(alice, one, { pips: 1000, shares: 10 })).json.orderID,
    (await post(alice, another, { pips: 1000, shares: 10 })).json.orderID,
  ];
  const asked = (market: string, asset_id: string) =>
    call(alice, 'DELETE', '/cancel-market-orders', { market, asset_id });
  const none = await asked(one.conditionId, another.tokens[0]);
  expect([none.status, none.json]).toEqual([200, { canceled: [], not_canceled: {} }]);
  expect((await asked(one.conditionId, one.tokens[0])).json.canceled).toEqual([ids[0]]);
  expect((await asked(another.conditionId, another.tokens[0])).json.canceled).toEqual([ids[1]]);
});

test('a delayed order has status delayed and cannot be cancelled', async () => {
  const place = await newMarket({ seconds_delay: 3600 });
  await post(bob, place, { pips: 4000, shares: 10 });
  const delayed = await post(alice, place, { pips: 6000, shares: 10, token: 1 });
  expect(delayed.json).toMatchObject({ status: 'delayed', makingAmount: '', tradeIDs: [] });
  const cancel = await call(alice, 'DELETE', '/order', { orderID: delayed.json.orderID });
  expect(cancel.json).toEqual({ canceled: [], not_canceled: { [delayed.json.orderID]: 'order is delayed' } });
  expect((await call(alice, 'GET', '/data/orders')).json.data).toMatchObject([{ status: 'DELAYED' }]);
  await cancelAll(bob);
});

test('in each restricted exchange mode, orders, batches and cancels get the status of that mode', async () => {
  const place = await newMarket();
  const { orderID } = (await post(alice, place, { pips: 4000, shares: 10 })).json;
  const order = () => orderBody(alice, place, { pips: 4000, shares: 10 });
  const answers = async (mode: number) => {
    await server.exchange.submit(encodeCommand({ type: 'SetExchangeMode', mode }));
    const single = await call(alice, 'POST', '/order', order());
    const batch = await call(alice, 'POST', '/orders', [order(), { ...order(), postOnly: true }]);
    const cancel = await call(alice, 'DELETE', '/order', { orderID: `0x${'ab'.repeat(32)}` });
    expect(single.headers.get('retry-after')).toMatch(/^[0-9]+$/);
    return [single, batch, cancel] as const;
  };
  const [single, batch, cancel] = await answers(ExchangeMode.POST_ONLY);
  expect(single).toMatchObject({
    status: 503,
    json: { code: 'post_only_mode', retry_after_seconds: expect.any(Number) },
  });
  expect(batch.json).toMatchObject([
    { errorMsg: single.json.error, orderID: '' },
    { errorMsg: '', status: 'live' },
  ]);
  expect(cancel.status).toBe(200);
  for (const [mode, status, cancelStatus] of [
    [ExchangeMode.CANCEL_ONLY, 503, 200],
    [ExchangeMode.DISABLED, 503, 503],
    [ExchangeMode.RESTARTING, 425, 425],
  ] as const) {
    const replies = await answers(mode);
    expect(replies.map((reply) => reply.status)).toEqual([status, status, cancelStatus]);
    expect(replies[1].json).toEqual(replies[0].json);
  }
  await server.exchange.submit(encodeCommand({ type: 'SetExchangeMode', mode: ExchangeMode.NORMAL }));
  expect((await cancelAll(alice)).json.canceled).toContain(orderID);
});

test('an order body is validated before authentication: 400 if it is invalid, else 401 without a key', async () => {
  for (const [path, body] of [
    ['/order', {}],
    ['/order', { order: { salt: 1 }, owner: 'nobody' }],
    ['/orders', []],
  ] as const) {
    const { status, json } = await send(server.url, 'POST', path, body);
    expect([path, status, json.error]).toEqual([path, 400, expect.stringMatching(/^Invalid order payload/)]);
  }
  const whole = orderBody(alice, market, { pips: 4000, shares: 10 });
  expect(await send(server.url, 'POST', '/order', whole)).toMatchObject({
    status: 401,
    json: { error: 'Unauthorized/Invalid api key' },
  });
});
