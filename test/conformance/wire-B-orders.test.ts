// Interface B through the official client: limit and market orders of every type and side on both tokens, the replies, and
// the resulting balances, books and order records. One server process, nobody else trades.
import { getAddress } from 'viem';
import { expect, test } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { world } from './ownWorld.ts';
import { maker, taker } from './twoTraders.ts';
import {
  balancesOf,
  createMarket,
  giveShares,
  levelsOf,
  limit,
  type Market,
  moved,
  OrderType,
  openIds,
  orderIdOf,
  refusalOf,
  Side,
  signLimit,
  take,
} from './world.ts';

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

test('a resting limit order is reported as live, recorded in full and shown in both books', async () => {
  const market = await createMarket(world.url);
  const { negRisk, yes, no } = market;
  const order = await signLimit(maker, market, Side.BUY, yes, 0.4, 12.5);
  const secondsBefore = inSeconds(0);
  const reply = await maker.client.postOrder(order, OrderType.GTC);
  expect(reply).toEqual({
    success: true,
    errorMsg: '',
    orderID: orderIdOf(order, negRisk),
    takingAmount: '',
    makingAmount: '',
    status: 'live',
    transactionsHashes: [],
    tradeIDs: [],
  });

  const record = await maker.client.getOrder(reply.orderID);
  expect({ ...record, created_at: 0 }).toEqual({
    id: reply.orderID,
    status: 'LIVE',
    owner: maker.apiKey,
    maker_address: getAddress(maker.wallet),
    market: market.conditionId,
    asset_id: yes,
    side: 'BUY',
    original_size: '12.5',
    size_matched: '0',
    price: '0.4',
    associate_trades: [],
    outcome: 'Yes',
    created_at: 0,
    expiration: '0',
    order_type: 'GTC',
  });
  expect(record.created_at).toBeGreaterThanOrEqual(secondsBefore - 1);
  expect(record.created_at).toBeLessThanOrEqual(inSeconds(1));

  const [yesBook, noBook] = await Promise.all([maker.client.getOrderBook(yes), maker.client.getOrderBook(no)]);
  expect([levelsOf(yesBook.bids), levelsOf(yesBook.asks)]).toEqual([[['0.4', '12.5']], []]);
  expect([levelsOf(noBook.bids), levelsOf(noBook.asks)]).toEqual([[], [['0.6', '12.5']]]);
  await maker.client.cancelAll();
});

/**
 * A taker of 20 shares at 0.37 against one maker of the same token with a resting order of exactly that, in every combination.
 */
const takers = (['yes', 'no'] as const).flatMap((token) =>
  [Side.BUY, Side.SELL].flatMap((side) =>
    [OrderType.GTC, OrderType.GTD, OrderType.FOK, OrderType.FAK].map((type) => ({ token, side, type })),
  ),
);

function takeAll(market: Market, token: string, side: Side, type: OrderType) {
  if (type === OrderType.FOK || type === OrderType.FAK) {
    return take(taker, market, side, token, side === Side.BUY ? 7.4 : 20, 0.37, type);
  }
  const isTimed = type === OrderType.GTD;
  return limit(taker, market, side, token, 0.37, 20, { type, ...(isTimed ? { expiration: inSeconds(3_600) } : {}) });
}

test.each(takers)(
  'a $type $side of $token fills against a resting order with exact balances and records',
  async (row) => {
    const market = await createMarket(world.url);
    const token = market[row.token];
    const [makerSide, seller] = row.side === Side.BUY ? [Side.SELL, maker] : [Side.BUY, taker];
    await giveShares(world.url, seller, token, '20');
    const [makerBefore, takerBefore] = await Promise.all([balancesOf(maker, market), balancesOf(taker, market)]);

    const rested = await limit(maker, market, makerSide, token, 0.37, 20);
    expect(rested.status).toBe('live');
    const reply = await takeAll(market, token, row.side, row.type);
    const [given, got] = row.side === Side.BUY ? ['7.4', '20'] : ['20', '7.4'];
    expect(reply).toMatchObject({
      success: true,
      errorMsg: '',
      status: 'matched',
      makingAmount: given,
      takingAmount: got,
    });
    expect(reply.tradeIDs).toHaveLength(1);
    expect(reply.transactionsHashes).toHaveLength(1);

    const buyer = { collateral: '-7.4', [row.token]: '20' };
    const sold = { collateral: '7.4', [row.token]: '-20' };
    expect(await balancesOf(taker, market)).toEqual(moved(takerBefore, row.side === Side.BUY ? buyer : sold));
    expect(await balancesOf(maker, market)).toEqual(moved(makerBefore, row.side === Side.BUY ? sold : buyer));

    const [makerOrder, takerOrder] = await Promise.all([
      maker.client.getOrder(rested.orderID),
      taker.client.getOrder(reply.orderID),
    ]);
    const matched = { status: 'MATCHED', original_size: '20', size_matched: '20', price: '0.37' };
    expect(makerOrder).toMatchObject({ ...matched, side: makerSide, associate_trades: reply.tradeIDs });
    expect(takerOrder).toMatchObject({
      ...matched,
      side: row.side,
      order_type: row.type,
      associate_trades: reply.tradeIDs,
    });

    const book = await maker.client.getOrderBook(token);
    expect([book.bids, book.asks, book.last_trade_price]).toEqual([[], [], '0.37']);
  },
);

test('a limit order fills up to its limit, and the remainder rests at its own price', async () => {
  const market = await createMarket(world.url);
  await giveShares(world.url, maker, market.yes, '30');
  const [makerBefore, takerBefore] = await Promise.all([balancesOf(maker, market), balancesOf(taker, market)]);
  await limit(maker, market, Side.SELL, market.yes, 0.5, 10);
  await limit(maker, market, Side.SELL, market.yes, 0.52, 10);
  await limit(maker, market, Side.SELL, market.yes, 0.6, 10);

  const reply = await limit(taker, market, Side.BUY, market.yes, 0.55, 25);
  expect(reply).toMatchObject({ status: 'matched', makingAmount: '10.2', takingAmount: '20' });
  expect(reply.tradeIDs).toHaveLength(2);
  expect(await balancesOf(taker, market)).toEqual(moved(takerBefore, { collateral: '-10.2', yes: '20' }));
  expect(await balancesOf(maker, market)).toEqual(moved(makerBefore, { collateral: '10.2', yes: '-20' }));
  expect(await taker.client.getOrder(reply.orderID)).toMatchObject({
    status: 'LIVE',
    original_size: '25',
    size_matched: '20',
    price: '0.55',
  });
  const book = await taker.client.getOrderBook(market.yes);
  expect([levelsOf(book.bids), levelsOf(book.asks)]).toEqual([[['0.55', '5']], [['0.6', '10']]]);
  expect((await taker.client.cancelOrder({ orderID: reply.orderID })).canceled).toEqual([reply.orderID]);
  await maker.client.cancelAll();
});

test('a GTD order records its expiration and is cancelled sixty seconds before it', async () => {
  const market = await createMarket(world.url);
  const lasting = inSeconds(3_600);
  const kept = await limit(maker, market, Side.BUY, market.yes, 0.3, 10, {
    type: OrderType.GTD,
    expiration: lasting,
  });
  expect(await maker.client.getOrder(kept.orderID)).toMatchObject({
    order_type: 'GTD',
    expiration: String(lasting),
    status: 'LIVE',
  });
  const soon = await limit(maker, market, Side.BUY, market.yes, 0.31, 10, {
    type: OrderType.GTD,
    expiration: inSeconds(70), // ten seconds for a slow machine to send it
  });
  expect(soon.status).toBe('live');
  await expect.poll(async () => (await maker.client.getOrder(soon.orderID)).status, PATIENCE).toBe('CANCELED');
  expect(await openIds(maker, market)).toEqual([kept.orderID]);
  expect(levelsOf((await maker.client.getOrderBook(market.yes)).bids)).toEqual([['0.3', '10']]);
  await maker.client.cancelAll();
});

test('an expiration that is too near, missing for GTD or set for GTC is rejected', async () => {
  const market = await createMarket(world.url);
  const tooNear = limit(maker, market, Side.BUY, market.yes, 0.3, 10, {
    type: OrderType.GTD,
    expiration: inSeconds(30),
  });
  expect((await refusalOf(tooNear)).message).toContain('invalid expiration');
  const none = limit(maker, market, Side.BUY, market.yes, 0.3, 10, { type: OrderType.GTD });
  expect((await refusalOf(none)).message).toContain('invalid expiration');
  const untimed = limit(maker, market, Side.BUY, market.yes, 0.3, 10, { expiration: inSeconds(3_600) });
  expect((await refusalOf(untimed)).message).toContain('invalid expiration');
  expect(await maker.client.getOpenOrders({ market: market.conditionId })).toEqual([]);
});

test('an unfillable FOK order leaves the book unchanged, returns its id and cannot be resent', async () => {
  const market = await createMarket(world.url);
  await giveShares(world.url, maker, market.yes, '10');
  const rested = await limit(maker, market, Side.SELL, market.yes, 0.5, 10);
  const [makerBefore, takerBefore] = await Promise.all([balancesOf(maker, market), balancesOf(taker, market)]);
  const bookBefore = await maker.client.getOrderBook(market.yes);

  const { tickSize, negRisk } = market;
  const order = await taker.client.createMarketOrder(
    { tokenID: market.yes, amount: 5.5, side: Side.BUY, price: 0.5, orderType: OrderType.FOK },
    { tickSize, negRisk },
  );
  const refusal = await refusalOf(taker.client.postOrder(order, OrderType.FOK));
  expect(refusal.status).toBe(400);
  expect(refusal.message).toContain("order couldn't be fully filled. FOK orders are fully filled or killed.");
  const id = orderIdOf(order, negRisk);
  expect(refusal.data).toMatchObject({ orderID: id });

  expect(await maker.client.getOrderBook(market.yes)).toEqual(bookBefore);
  expect(await balancesOf(maker, market)).toEqual(makerBefore);
  expect(await balancesOf(taker, market)).toEqual(takerBefore);
  expect(await maker.client.getOrder(rested.orderID)).toMatchObject({ status: 'LIVE', size_matched: '0' });
  expect(await taker.client.getOrder(id)).toMatchObject({ size_matched: '0', original_size: '11', order_type: 'FOK' });
  const again = await refusalOf(taker.client.postOrder(order, OrderType.FOK));
  expect(again.message).toContain(`order ${id} is invalid. Duplicated.`);

  // An order that can fill is filled completely.
  const filled = await take(taker, market, Side.BUY, market.yes, 5, 0.5);
  expect(filled).toMatchObject({ status: 'matched', makingAmount: '5', takingAmount: '10' });
  expect(await balancesOf(taker, market)).toEqual(moved(takerBefore, { collateral: '-5', yes: '10' }));
});

test('a FAK order fills what it can and drops the rest, and is rejected if nothing matches', async () => {
  const market = await createMarket(world.url);
  await giveShares(world.url, taker, market.yes, '30');
  const nothing = await refusalOf(take(taker, market, Side.SELL, market.yes, 30, 0.5, OrderType.FAK));
  expect(nothing.message).toContain(
    'no orders found to match with FAK order. FAK orders are partially filled or killed if no match is found.',
  );
  expect(nothing.data).toMatchObject({ orderID: expect.stringMatching(/^0x[0-9a-f]{64}$/), status: 400 });

  await limit(maker, market, Side.BUY, market.yes, 0.5, 12);
  const before = await balancesOf(taker, market);
  const reply = await take(taker, market, Side.SELL, market.yes, 30, 0.5, OrderType.FAK);
  expect(reply).toMatchObject({ status: 'matched', makingAmount: '12', takingAmount: '6' });
  expect(await balancesOf(taker, market)).toEqual(moved(before, { collateral: '6', yes: '-12' }));
  expect(await taker.client.getOpenOrders({ market: market.conditionId })).toEqual([]);
  expect(await taker.client.getOrder(reply.orderID)).toMatchObject({ original_size: '30', size_matched: '12' });
});

test('a market BUY spends its budget from the best price on and buys more than at its limit', async () => {
  const market = await createMarket(world.url);
  await giveShares(world.url, maker, market.no, '100');
  await limit(maker, market, Side.SELL, market.no, 0.25, 20);
  await limit(maker, market, Side.SELL, market.no, 0.3, 80);
  const before = await balancesOf(taker, market);
  expect(await taker.client.calculateMarketPrice(market.no, Side.BUY, 8)).toBe(0.3);
  // Without a price the client reads the book and signs the price of the worst level that it needs.
  const reply = await take(taker, market, Side.BUY, market.no, 8);
  expect(reply).toMatchObject({ status: 'matched', makingAmount: '8', takingAmount: '30' });
  expect(await balancesOf(taker, market)).toEqual(moved(before, { collateral: '-8', no: '30' }));
  const record = await taker.client.getOrder(reply.orderID);
  expect(record).toMatchObject({ price: '0.3', original_size: '26.66', size_matched: '30', status: 'MATCHED' });
  await maker.client.cancelAll();
});

test('post-only orders rest, and are rejected if they cross the book through the other token', async () => {
  const market = await createMarket(world.url);
  const rested = await limit(maker, market, Side.BUY, market.yes, 0.45, 10, { postOnly: true });
  expect(rested.status).toBe('live');
  // A bid for NO at 0.55 and an ask for YES at 0.45 would both meet it.
  const crossings: readonly Promise<unknown>[] = [
    limit(taker, market, Side.BUY, market.no, 0.55, 10, { postOnly: true }),
    limit(maker, market, Side.BUY, market.no, 0.6, 10, { postOnly: true }),
  ];
  // Awaited together: a promise rejected before anything awaits it would be an unhandled rejection.
  for (const { message } of await Promise.all(crossings.map(refusalOf))) {
    expect(message).toContain('invalid post-only order: order crosses book');
  }
  const beside = await limit(taker, market, Side.BUY, market.no, 0.54, 10, { postOnly: true });
  expect(beside.status).toBe('live');
  const book = await maker.client.getOrderBook(market.yes);
  expect([levelsOf(book.bids), levelsOf(book.asks)]).toEqual([[['0.45', '10']], [['0.46', '10']]]);
  await expect(take(taker, market, Side.BUY, market.no, 1, 0.5, OrderType.FOK)).rejects.toThrow('FOK orders');
  expect((await maker.client.cancelAll()).canceled).toEqual([rested.orderID]);
  expect((await taker.client.cancelAll()).canceled).toEqual([beside.orderID]);
});

test('a signed order is accepted once and then rejected as a duplicate, even after it has filled', async () => {
  const market = await createMarket(world.url);
  const order = await signLimit(maker, market, Side.BUY, market.yes, 0.4, 10);
  const { orderID } = await maker.client.postOrder(order);
  const duplicated = `order ${orderID} is invalid. Duplicated.`;
  expect((await refusalOf(maker.client.postOrder(order))).message).toContain(duplicated);
  await giveShares(world.url, taker, market.yes, '10');
  await take(taker, market, Side.SELL, market.yes, 10, 0.4);
  expect(await maker.client.getOrder(orderID)).toMatchObject({ status: 'MATCHED' });
  expect((await refusalOf(maker.client.postOrder(order))).message).toContain(duplicated);
  expect((await maker.client.getTrades({ market: market.conditionId })).map(({ size }) => size)).toEqual(['10']);
});

test('orders of one owner never match each other: the older one is cancelled', async () => {
  const market = await createMarket(world.url);
  await giveShares(world.url, maker, market.yes, '10');
  const before = await balancesOf(maker, market);
  const bid = await limit(maker, market, Side.BUY, market.yes, 0.5, 10);
  const ask = await limit(maker, market, Side.SELL, market.yes, 0.5, 10);
  expect(ask).toMatchObject({ status: 'live', makingAmount: '' });
  expect(await maker.client.getOrder(bid.orderID)).toMatchObject({ status: 'CANCELED', size_matched: '0' });
  expect(await openIds(maker, market)).toEqual([ask.orderID]);
  expect(await balancesOf(maker, market)).toEqual(before);
  await maker.client.cancelAll();
});
