// Interface F.1, F.5 and F.6 through the official client: how money and shares move when orders match on the same token,
// across the two tokens of a full set, and in a mix of both; the fees; the refusal of a short balance. Exact to the micro.
import { AssetType } from '@polymarket/clob-client-v2';
import { expect, test } from 'vitest';
import { world } from './ownWorld.ts';
import { alice, bob, carol } from './threeTraders.ts';
import {
  admin,
  balancesOf,
  createMarket,
  feeMicro,
  giveShares,
  levelsOf,
  limit,
  moved,
  newTrader,
  OrderType,
  refusalOf,
  Side,
  signedRaw,
  type Trader,
  take,
} from './world.ts';

test('two buyers of opposite tokens mint full sets, and each pays its part of the price', async () => {
  const market = await createMarket(world.url);
  const [aliceBefore, bobBefore] = await Promise.all([balancesOf(alice, market), balancesOf(bob, market)]);
  await limit(alice, market, Side.BUY, market.yes, 0.58, 30);
  // Bob would pay 0.45 and pays 0.42: the improvement is the taker's.
  const reply = await limit(bob, market, Side.BUY, market.no, 0.45, 30);
  expect(reply).toMatchObject({ status: 'matched', makingAmount: '12.6', takingAmount: '30' });
  expect(await balancesOf(alice, market)).toEqual(moved(aliceBefore, { collateral: '-17.4', yes: '30' }));
  expect(await balancesOf(bob, market)).toEqual(moved(bobBefore, { collateral: '-12.6', no: '30' }));
  const [trade] = await bob.client.getTrades({ market: market.conditionId });
  expect(trade).toMatchObject({ asset_id: market.no, side: 'BUY', price: '0.42', size: '30', outcome: 'No' });
  expect(trade.maker_orders).toMatchObject([
    { asset_id: market.yes, side: 'BUY', price: '0.58', matched_amount: '30', outcome: 'Yes' },
  ]);
});

test('two sellers of opposite tokens merge full sets, and each receives its part of the price', async () => {
  const market = await createMarket(world.url);
  await giveShares(world.url, alice, market.yes, '40');
  await giveShares(world.url, bob, market.no, '40');
  const [aliceBefore, bobBefore] = await Promise.all([balancesOf(alice, market), balancesOf(bob, market)]);
  await limit(alice, market, Side.SELL, market.yes, 0.55, 40);
  const reply = await limit(bob, market, Side.SELL, market.no, 0.4, 40);
  expect(reply).toMatchObject({ status: 'matched', makingAmount: '40', takingAmount: '18' });
  expect(await balancesOf(alice, market)).toEqual(moved(aliceBefore, { collateral: '22', yes: '-40' }));
  expect(await balancesOf(bob, market)).toEqual(moved(bobBefore, { collateral: '18', no: '-40' }));
  const [trade] = await bob.client.getTrades({ market: market.conditionId });
  expect(trade).toMatchObject({ asset_id: market.no, side: 'SELL', price: '0.45', size: '40' });
  expect(trade.maker_orders).toMatchObject([{ asset_id: market.yes, side: 'SELL', price: '0.55' }]);
});

test('a taker filled at one price by a seller and a NO buyer gets one trade, makers in time order', async () => {
  const market = await createMarket(world.url);
  await giveShares(world.url, alice, market.yes, '10');
  const before = await Promise.all([alice, bob, carol].map((trader) => balancesOf(trader, market)));
  const sell = await limit(alice, market, Side.SELL, market.yes, 0.6, 10);
  const mint = await limit(bob, market, Side.BUY, market.no, 0.4, 15);
  const reply = await take(carol, market, Side.BUY, market.yes, 12, 0.6);
  expect(reply).toMatchObject({ status: 'matched', makingAmount: '12', takingAmount: '20' });
  expect(reply.tradeIDs).toHaveLength(1);
  expect(await balancesOf(alice, market)).toEqual(moved(before[0], { collateral: '6', yes: '-10' }));
  expect(await balancesOf(bob, market)).toEqual(moved(before[1], { collateral: '-4', no: '10' }));
  expect(await balancesOf(carol, market)).toEqual(moved(before[2], { collateral: '-12', yes: '20' }));
  const [trade] = await carol.client.getTrades({ market: market.conditionId });
  expect(trade).toMatchObject({ price: '0.6', size: '20', trader_side: 'TAKER', taker_order_id: reply.orderID });
  expect(trade.maker_orders.map((order) => [order.order_id, order.price, order.matched_amount, order.side])).toEqual([
    [sell.orderID, '0.6', '10', 'SELL'],
    [mint.orderID, '0.4', '10', 'BUY'],
  ]);
  const book = await carol.client.getOrderBook(market.yes);
  expect([levelsOf(book.bids), levelsOf(book.asks)]).toEqual([[], [['0.6', '5']]]);
  await bob.client.cancelAll();
});

test('only the taker pays the fee, per price level: added to a BUY, deducted from a SELL', async () => {
  const market = await createMarket(world.url, { feeRate: 0.07, feeExponent: 1 });
  await giveShares(world.url, alice, market.yes, '60');
  const [aliceBefore, bobBefore] = await Promise.all([balancesOf(alice, market), balancesOf(bob, market)]);
  await limit(alice, market, Side.SELL, market.yes, 0.31, 7.77);
  await limit(alice, market, Side.SELL, market.yes, 0.33, 20);
  const buy = await limit(bob, market, Side.BUY, market.yes, 0.33, 20);
  // 7.77 at 0.31 and 12.23 at 0.33; the reply states the amount without the fee.
  expect(buy).toMatchObject({ status: 'matched', takingAmount: '20', makingAmount: '6.4446' });
  const buyFee = feeMicro(777, 3_100, 700) + feeMicro(1_223, 3_300, 700);
  const bobBought = moved(bobBefore, { collateral: '-6.4446', yes: '20' });
  expect(await balancesOf(bob, market)).toEqual({ ...bobBought, collateral: bobBought.collateral - buyFee });
  expect(await balancesOf(alice, market)).toEqual(moved(aliceBefore, { collateral: '6.4446', yes: '-20' }));

  await alice.client.cancelAll();
  await limit(alice, market, Side.BUY, market.yes, 0.3, 20);
  const sell = await take(bob, market, Side.SELL, market.yes, 20, 0.3);
  expect(sell).toMatchObject({ makingAmount: '20', takingAmount: '6' });
  const sellFee = feeMicro(2_000, 3_000, 700);
  expect(await balancesOf(bob, market)).toEqual({
    ...bobBefore,
    collateral: bobBefore.collateral - 6_444_600n - buyFee + 6_000_000n - sellFee,
  });
  // The client knows the same rate and exponent.
  expect((await bob.client.getClobMarketInfo(market.conditionId)).fd).toEqual({ r: 0.07, e: 1, to: true });
  expect(await bob.client.getFeeExponent(market.yes)).toBe(1);
});

test('a fee with exponent 3 is charged exactly on mint and merge', async () => {
  const market = await createMarket(world.url, { feeRate: 0.1, feeExponent: 3 });
  const [aliceBefore, bobBefore] = await Promise.all([balancesOf(alice, market), balancesOf(bob, market)]);
  await limit(alice, market, Side.BUY, market.yes, 0.47, 123.45);
  await limit(bob, market, Side.BUY, market.no, 0.53, 123.45);
  const mintFee = feeMicro(12_345, 5_300, 1_000, 3);
  expect(mintFee).toBeGreaterThan(0n);
  const bobMinted = moved(bobBefore, { collateral: '-65.4285', no: '123.45' });
  expect(await balancesOf(bob, market)).toEqual({ ...bobMinted, collateral: bobMinted.collateral - mintFee });
  expect(await balancesOf(alice, market)).toEqual(moved(aliceBefore, { collateral: '-58.0215', yes: '123.45' }));
  await limit(alice, market, Side.SELL, market.yes, 0.5, 100);
  await limit(bob, market, Side.SELL, market.no, 0.5, 100);
  const mergeFee = feeMicro(10_000, 5_000, 1_000, 3);
  expect((await balancesOf(bob, market)).collateral).toBe(bobMinted.collateral - mintFee + 50_000_000n - mergeFee);
  expect(await bob.client.getFeeExponent(market.no)).toBe(3);
});

/** A wallet of a new key with the given amount and nothing else. */
async function traderWith(collateral: string): Promise<Trader> {
  const trader = await newTrader(world.url);
  const { balance } = await trader.client.getBalanceAllowance({ asset_type: AssetType.COLLATERAL });
  const surplus = Number(balance) / 1e6 - Number(collateral);
  await admin(world.url, 'POST', '/admin/withdrawals', { address: trader.wallet, amount: String(surplus) });
  return trader;
}

test('a market BUY sized by userUSDCBalance fits that balance, fee included', async () => {
  const market = await createMarket(world.url, { feeRate: 0.05 });
  await giveShares(world.url, alice, market.yes, '1000');
  await limit(alice, market, Side.SELL, market.yes, 0.4, 1000);
  const trader = await traderWith('50');
  const { tickSize, negRisk } = market;
  const options = { tickSize, negRisk };
  const order = { tokenID: market.yes, amount: 50, side: Side.BUY, price: 0.4, userUSDCBalance: 50 };
  const reply = await trader.client.createAndPostMarketOrder(order, options, OrderType.FOK);
  // 50 - 50 / 0.4 * 0.05 * 0.24 = 48.5: the client leaves 1.5 for a fee of 1.455.
  expect(reply).toMatchObject({ status: 'matched', makingAmount: '48.5', takingAmount: '121.25' });
  const fee = feeMicro(12_125, 4_000, 500);
  expect(await balancesOf(trader, market)).toEqual({ collateral: 1_500_000n - fee, yes: 121_250_000n, no: 0n });
  await alice.client.cancelAll();
});

test('a market BUY sized for the fee at a worse price is rejected for insufficient balance', async () => {
  const market = await createMarket(world.url, { feeRate: 0.05 });
  await giveShares(world.url, alice, market.yes, '1000');
  await limit(alice, market, Side.SELL, market.yes, 0.1, 1000);
  const trader = await traderWith('50');
  const { tickSize, negRisk } = market;
  const order = { tokenID: market.yes, amount: 50, side: Side.BUY, price: 0.9, userUSDCBalance: 50 };
  const refusal = await refusalOf(trader.client.createAndPostMarketOrder(order, { tickSize, negRisk }, OrderType.FOK));
  // It kept 50 / 0.9 * 0.05 * 0.09 = 0.25 for the fee; at 0.1 the 49.75 buy 497.5 shares, whose fee is 2.23875.
  const needed = 49_750_000n + feeMicro(49_750, 1_000, 500);
  expect(refusal.message).toContain('not enough balance / allowance');
  expect(refusal.message).toContain(`balance: 50000000, sum of active orders: 0, order amount (inc. fees): ${needed}`);
  expect(await balancesOf(trader, market)).toEqual({ collateral: 50_000_000n, yes: 0n, no: 0n });
  await alice.client.cancelAll();
});

test('collateral backs orders in each market separately, and a fill invalidates uncovered ones', async () => {
  const [first, second] = [await createMarket(world.url), await createMarket(world.url)];
  const trader = await traderWith('100');
  await limit(trader, first, Side.BUY, first.yes, 0.5, 200);
  const older = await limit(trader, second, Side.BUY, second.yes, 0.5, 160);
  const younger = await limit(trader, second, Side.BUY, second.yes, 0.1, 100);
  await expect(limit(trader, first, Side.BUY, first.yes, 0.4, 10)).rejects.toThrow(
    'balance: 100000000, sum of active orders: 100000000, order amount (inc. fees): 4000000',
  );
  await giveShares(world.url, alice, first.yes, '200');
  await take(alice, first, Side.SELL, first.yes, 100, 0.5);
  // With 50 left, the younger orders of the second market are cancelled first, and then others that are still not covered.
  expect((await balancesOf(trader, first)).collateral).toBe(50_000_000n);
  const open = await trader.client.getOpenOrders();
  expect(open.map(({ market, size_matched }) => [market, size_matched])).toEqual([[first.conditionId, '100']]);
  expect(await trader.client.getOrder(younger.orderID)).toMatchObject({ status: 'INVALID' });
  expect(await trader.client.getOrder(older.orderID)).toMatchObject({ status: 'INVALID' });
  expect((await trader.client.getOrderBook(second.yes)).bids).toEqual([]);
});

test('split, merge and redemption convert between collateral and shares', async () => {
  const market = await createMarket(world.url);
  const trader = await traderWith('100');
  const l2 = (path: string, body: object) => signedRaw(trader, 'POST', path, body);
  const condition_id = market.conditionId;
  expect((await l2('/split', { condition_id, amount: '60.5' })).status).toBe(200);
  expect(await balancesOf(trader, market)).toEqual({ collateral: 39_500_000n, yes: 60_500_000n, no: 60_500_000n });
  expect((await l2('/merge', { condition_id, amount: '10.25' })).status).toBe(200);
  expect(await balancesOf(trader, market)).toEqual({ collateral: 49_750_000n, yes: 50_250_000n, no: 50_250_000n });
  await limit(trader, market, Side.SELL, market.no, 0.5, 50);
  expect((await l2('/merge', { condition_id, amount: '1' })).status).toBe(400);
  await admin(world.url, 'POST', `/admin/markets/${condition_id}/resolve`, { outcome: 'Yes' });
  expect(await trader.client.getOpenOrders()).toEqual([]);
  expect((await l2('/redeem', { condition_id })).status).toBe(200);
  expect(await balancesOf(trader, market)).toEqual({ collateral: 100_000_000n, yes: 0n, no: 0n });
  expect((await l2('/redeem', { condition_id })).status).toBe(400);
  const record = await trader.client.getMarket(condition_id);
  expect(record.tokens.map(({ winner }: { winner: boolean }) => winner)).toEqual([true, false]);
});
