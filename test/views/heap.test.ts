// What the views keep for ever, or for as long as an order rests, lies off the heap, which ends at a few gigabytes: price
// histories, and the lists of trades by market, owner, builder and order. Counts the bytes of the heap that millions of entries
// leave behind.
import { getHeapStatistics } from 'node:v8';
import { expect, test } from 'vitest';
import { collectGarbage } from '../../bench/lib/collectGarbage.ts';
import { type CommandOf, type EventOf, FillKind, TradeStatus } from '../../engine/index.ts';
import { BuildersView } from '../../server/views/builders.ts';
import { type BooksView, type MarketsView, MidpointsView, type Order } from '../../server/views/index.ts';
import { OrdersView } from '../../server/views/orders.ts';
import type { FreshTrade } from '../../server/views/records.ts';
import { TradesView } from '../../server/views/trades.ts';

/** Bytes of the heap in use, without garbage. */
function heapBytes(): number {
  collectGarbage();
  return getHeapStatistics().used_heap_size;
}

test('a million points of price history take less than 2 MB of heap', () => {
  const [marketCount, minutes] = [100, 10_000];
  let bid = 0;
  const books = { bestBidPips: () => bid, bestAskPips: () => 9_000 } as unknown as BooksView; // all that the view asks for
  const markets = { byIndex: () => ({ status: 1 }) } as unknown as MarketsView; // open
  const history = new MidpointsView();
  const before = heapBytes();
  for (let minute = 0; minute < minutes; minute += 1) {
    bid = 1_000 + (minute % 7);
    for (let market = 0; market < marketCount; market += 1) history.bookChanged(market);
    history.recordEnded(books, markets, 1_800_000_000_000 + minute * 60_000);
  }
  expect(heapBytes() - before).toBeLessThan(2_000_000);
  const firstS = history.firstS(99) ?? 0;
  const lastS = firstS + minutes * 60;
  const { sums } = history.samples(99, { startS: firstS, endS: lastS, lastS, stepS: 60 });
  expect(sums).toEqual(Array.from({ length: minutes }, (_, minute) => 10_000 + (minute % 7)));
});

/** An order of a person; 0 carries no builder code. */
function orderOf(person: number, code: number): Order {
  const id = `0x${'1'.repeat(64)}`;
  const builder = code === 0 ? '' : `0x${code.toString(16).padStart(64, '0')}`;
  const texts = { id, owner: `0x${person}`, maker: '0x5', keyId: '0x6', builder };
  return { ...texts, accountId: 1, outcome: 0, side: 0, trades: [] } as unknown as Order; // the fields that the views read
}

/** Views of trades, which get trades one after another. */
class World {
  readonly trades = new TradesView();
  readonly builders = new BuildersView(this.trades);

  trade(tradeNumber: number, taker: Order, maker: Order): void {
    const { trades, builders } = this;
    const numbers = { marketIndex: 0, tradeNumber, pricePips: 5_000, lots: 1 };
    trades.filled(maker, { ...numbers, kind: FillKind.MINT } as unknown as EventOf<'Fill'>); // the fields that it reads
    builders.traded(trades.traded({ ...numbers, feeMicro: 0 } as EventOf<'Trade'>, taker, tradeNumber)); // the same
    trades.statusChanged({ type: 'TradeStatusChanged', ...numbers, status: TradeStatus.CONFIRMED }, tradeNumber);
  }
}

test('200,000 trades in the lists of their market, owners and builders take less than 2 MB of heap', () => {
  const world = new World();
  const [maker, taker] = [orderOf(1, 1), orderOf(2, 2)];
  for (let number = 1; number <= 1_000; number += 1) world.trade(number, taker, maker);
  const before = heapBytes();
  for (let number = 1_001; number <= 201_000; number += 1) world.trade(number, taker, maker);
  expect(heapBytes() - before).toBeLessThan(2_000_000);
  const { trades, builders } = world;
  expect([trades.ofMarket(0).length, trades.ofOwner('0x1').length, trades.ofOwner('0x2').length]).toEqual([
    201_000, 201_000, 201_000,
  ]);
  expect(builders.countOf(taker.builder)).toBe(201_000);
});

test('as many trades whose orders each carry a builder code of their own take less than 2 MB of heap', () => {
  const world = new World();
  const trade = (number: number): void => world.trade(number, orderOf(1, number), orderOf(2, 1_000_000 + number));
  for (let number = 1; number <= 1_000; number += 1) trade(number);
  const before = heapBytes();
  for (let number = 1_001; number <= 201_000; number += 1) trade(number);
  expect(heapBytes() - before).toBeLessThan(2_000_000);
  const { builder } = orderOf(1, 150_000);
  expect(world.builders.countOf(builder)).toBe(1);
  const { trade: found } = world.builders.fillOf(builder, 1);
  expect([found.ordinal, found.taker.builder]).toEqual([150_000, builder]);
});

test('200,000 trades of an order that rests take less than 2 MB of heap', () => {
  const orders = new OrdersView();
  const event = { orderNumber: 1, accountId: 1, marketIndex: 0 } as EventOf<'OrderAccepted'>; // what the view must read
  const maker = orders.accepted(event, { orderId: '0x1', owner: '0x2' } as CommandOf<'PlaceOrder'>, 0);
  const trade = (tradeNumber: number): void =>
    orders.traded({ tradeNumber, taker: { orderNumber: 2 }, makers: [{ order: maker }] } as unknown as FreshTrade); // the same
  for (let number = 1; number <= 1_000; number += 1) trade(number);
  const before = heapBytes();
  for (let number = 1_001; number <= 201_000; number += 1) trade(number);
  expect(heapBytes() - before).toBeLessThan(2_000_000);
  expect(maker.trades).toHaveLength(201_000);
});
