// Interface B.4 through the official client: on every tick size, limit and market orders are accepted at the price that the
// client meant, cost exactly the stated amount, and are refused off the tick. One server process, one market a tick size.
import type { TickSize } from '@polymarket/clob-client-v2';
import { expect, test } from 'vitest';
import { world } from './ownWorld.ts';
import { maker, taker } from './twoTraders.ts';
import {
  admin,
  balancesOf,
  createMarket,
  giveShares,
  levelsOf,
  limit,
  micro,
  moved,
  OrderType,
  openIds,
  orderIdOf,
  refusalOf,
  Side,
  signLimit,
  take,
} from './world.ts';

interface Row {
  readonly tickSize: TickSize;
  /** A price on the tick, with as many decimals as the tick. */
  readonly price: number;
  readonly size: number;
  /** The product of price and size. */
  readonly cost: string;
  readonly complement: string;
}
const rows: readonly Row[] = [
  { tickSize: '0.1', price: 0.3, size: 12.34, cost: '3.702', complement: '0.7' },
  { tickSize: '0.01', price: 0.37, size: 12.34, cost: '4.5658', complement: '0.63' },
  { tickSize: '0.005', price: 0.375, size: 12.34, cost: '4.6275', complement: '0.625' },
  { tickSize: '0.0025', price: 0.3725, size: 12.34, cost: '4.59665', complement: '0.6275' },
  { tickSize: '0.001', price: 0.373, size: 12.34, cost: '4.60282', complement: '0.627' },
  { tickSize: '0.0001', price: 0.3737, size: 12.34, cost: '4.611458', complement: '0.6263' },
];

test.each(rows)('limit orders on a tick of $tickSize rest and trade at exactly their price', async (row) => {
  const { tickSize, price, size, cost, complement } = row;
  const market = await createMarket(world.url, { tickSize });
  expect(await maker.client.getTickSize(market.yes)).toBe(tickSize);
  await giveShares(world.url, taker, market.yes, String(size));
  const [makerBefore, takerBefore] = await Promise.all([balancesOf(maker, market), balancesOf(taker, market)]);
  await limit(maker, market, Side.BUY, market.yes, price, size);
  const [book, mirror] = await Promise.all([
    maker.client.getOrderBook(market.yes),
    maker.client.getOrderBook(market.no),
  ]);
  expect([book.tick_size, levelsOf(book.bids)]).toEqual([tickSize, [[String(price), String(size)]]]);
  expect(levelsOf(mirror.asks)).toEqual([[complement, String(size)]]);
  const sold = await limit(taker, market, Side.SELL, market.yes, price, size);
  expect(sold).toMatchObject({ status: 'matched', makingAmount: String(size), takingAmount: cost });
  expect(await balancesOf(maker, market)).toEqual(moved(makerBefore, { collateral: `-${cost}`, yes: String(size) }));
  expect(await balancesOf(taker, market)).toEqual(moved(takerBefore, { collateral: cost, yes: `-${size}` }));
});

test.each(rows)('market orders on a tick of $tickSize fill in whole lots at the price that they name', async (row) => {
  const { tickSize, price } = row;
  const market = await createMarket(world.url, { tickSize });
  await giveShares(world.url, maker, market.yes, '1000');
  await limit(maker, market, Side.SELL, market.yes, price, 1000);
  for (const type of [OrderType.FOK, OrderType.FAK] as const) {
    const before = await balancesOf(taker, market);
    const amount = type === OrderType.FOK ? 10 : 7.77;
    const reply = await take(taker, market, Side.BUY, market.yes, amount, price, type);
    // Whole lots at the maker's price; the unspent remainder, less than a lot, stays with the buyer.
    const pips = micro(String(price)) / 100n;
    const lots = micro(String(amount)) / pips;
    const spent = lots * pips;
    expect(reply.status).toBe('matched');
    expect([micro(reply.takingAmount), micro(reply.makingAmount)]).toEqual([lots * 10_000n, spent]);
    const after = await balancesOf(taker, market);
    expect([before.collateral - after.collateral, after.yes - before.yes]).toEqual([spent, lots * 10_000n]);
    expect(micro(String(amount)) - spent).toBeLessThan(pips);
    expect(await taker.client.getOrder(reply.orderID)).toMatchObject({ price: String(price), status: 'MATCHED' });
  }
  await maker.client.cancelAll();
});

test('an order off the tick is rejected, and the error names its price and the tick', async () => {
  const market = await createMarket(world.url, { tickSize: '0.01' });
  // The client assumes a finer tick than the market has.
  const order = await signLimit(maker, market, Side.BUY, market.yes, 0.375, 10);
  expect(order.makerAmount).toBe('3800000');
  await admin(world.url, 'PATCH', `/admin/markets/${market.conditionId}`, { tick_size: '0.1' });
  const refusal = await refusalOf(maker.client.postOrder(order));
  expect(refusal.message).toContain(
    `order ${orderIdOf(order, false)} is invalid. Price (0.38) breaks minimum tick size rule: 0.1`,
  );
  expect(await maker.client.getOpenOrders({ market: market.conditionId })).toEqual([]);
});

test('a limit BUY posted as FOK or FAK is rejected if its cost has more than two decimals', async () => {
  const market = await createMarket(world.url, { tickSize: '0.01' });
  await giveShares(world.url, maker, market.yes, '100');
  await limit(maker, market, Side.SELL, market.yes, 0.37, 100);
  const ask = async (size: number, type: OrderType.FOK | OrderType.FAK) => {
    return taker.client.postOrder(await signLimit(taker, market, Side.BUY, market.yes, 0.37, size), type);
  };
  for (const type of [OrderType.FOK, OrderType.FAK] as const) {
    expect((await refusalOf(ask(12.34, type))).message).toContain(
      'invalid amounts, the market buy orders maker amount supports a max accuracy of 2 decimals, taker amount a max of 4 ' +
        'decimals: got makerAmount 4.5658 and takerAmount 12.34',
    );
    expect(await ask(12, type)).toMatchObject({ status: 'matched', makingAmount: '4.44', takingAmount: '12' });
  }
  await maker.client.cancelAll();
});

test('after a tick change resting orders stay and match, and new orders follow the new tick', async () => {
  const market = await createMarket(world.url, { tickSize: '0.001' });
  const resting = await limit(maker, market, Side.BUY, market.yes, 0.373, 10);
  const before = await maker.client.getOrderBook(market.yes);
  await admin(world.url, 'PATCH', `/admin/markets/${market.conditionId}`, { tick_size: '0.01' });
  const after = await maker.client.getOrderBook(market.yes);
  expect([before.tick_size, after.tick_size]).toEqual(['0.001', '0.01']);
  expect(levelsOf(after.bids)).toEqual([['0.373', '10']]);
  expect(await maker.client.getOrderBookHash({ ...after })).toBe(after.hash);
  expect(after.hash).not.toBe(before.hash);
  const coarser = { ...market, tickSize: '0.01' as const };
  await giveShares(world.url, taker, market.yes, '10');
  const takerBefore = await balancesOf(taker, market);
  const reply = await take(taker, coarser, Side.SELL, market.yes, 10, 0.37);
  expect(reply).toMatchObject({ makingAmount: '10', takingAmount: '3.73' });
  expect(await balancesOf(taker, market)).toEqual(moved(takerBefore, { collateral: '3.73', yes: '-10' }));
  expect(await maker.client.getOrder(resting.orderID)).toMatchObject({ status: 'MATCHED', price: '0.373' });
});

test('prices at both ends of the grid are accepted, and a price beyond them is rejected', async () => {
  const market = await createMarket(world.url, { tickSize: '0.0025' });
  const before = await balancesOf(maker, market);
  const low = await limit(maker, market, Side.BUY, market.yes, 0.0025, 100);
  const high = await limit(maker, market, Side.BUY, market.no, 0.9975, 100);
  expect([low.status, high.status]).toEqual(['live', 'live']);
  // Both are the owner's own: the second cancels the first, which it would have met.
  expect(await openIds(maker, market)).toEqual([high.orderID]);
  expect(await balancesOf(maker, market)).toEqual(before);
  await expect(limit(maker, market, Side.BUY, market.no, 0.999, 100)).rejects.toThrow('invalid price');
});
