// Orders and recent trades are in snapshots in sections of bounded size, however many there are, so that a stop can give its
// snapshot up between any two; and they are loaded as they were, with the fills of builder codes.
import { deserialize } from 'node:v8';
import { expect, test } from 'vitest';
import { type CommandOf, type EventOf, SnapshotUnusable } from '../../engine/index.ts';
import { type FreshTrade, type Order, Views } from '../../server/views/index.ts';
import { KeptSections } from '../support/keptSections.ts';

const ORDERS = 12_000;
const TRADES = 300;
const MAKERS_EACH = 40;
const SECTION_BYTES_MAX = 3_000_000;
const BUILDER = `0x${'b'.repeat(64)}`;
const OWNER = `0x${'a'.repeat(40)}`;
const idOf = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`;

function place({ orders }: Views, orderNumber: number): Order {
  const numbers = { orderNumber, accountId: 1, marketIndex: 3, outcome: 0, side: 0, pricePips: 5_000 };
  const event = { type: 'OrderAccepted', ...numbers, orderType: 0, originalLots: 500 } as EventOf<'OrderAccepted'>;
  const texts = { orderId: idOf(orderNumber), owner: OWNER, maker: OWNER, keyId: `0x${'b'.repeat(32)}` };
  const command = { type: 'PlaceOrder', ...texts, expirationS: 0 } as CommandOf<'PlaceOrder'>; // what the view reads
  return orders.accepted(event, command, 1_800_000_000_000);
}

/** Views with many open orders, some ended ones, and trades that are not confirmed yet. */
function filledViews(): Views {
  const views = new Views();
  const { orders, trades } = views;
  const placed = Array.from({ length: ORDERS }, (_, index) => place(views, index + 1));
  for (let tradeNumber = 1; tradeNumber <= TRADES; tradeNumber += 1) {
    const numbers = { marketIndex: 3, tradeNumber, pricePips: 5_000, lots: 10, feeMicro: 0 };
    for (const maker of placed.slice(tradeNumber, tradeNumber + MAKERS_EACH)) {
      trades.filled(maker, { ...numbers, kind: 0 } as unknown as EventOf<'Fill'>); // what the view reads
    }
    const taker = placed[ORDERS - tradeNumber];
    const trade: FreshTrade = trades.traded(numbers as EventOf<'Trade'>, taker, 5); // what the view reads
    orders.traded(trade);
    views.builders.traded({ ...trade, taker: { ...taker, builder: BUILDER } });
    orders.filled(taker.orderNumber);
  }
  orders.canceled(17, 1);
  return views;
}

function saved(views: Views): Map<string, unknown> {
  const values = new Map<string, unknown>();
  for (const { snapshot } of views.followers()) snapshot?.visit(new KeptSections(values, false));
  return values;
}

function loaded(values: Map<string, unknown>): Views {
  const views = new Views();
  for (const { snapshot } of views.followers()) snapshot?.visit(new KeptSections(values, true));
  return views;
}

test('no section of many orders and trades is long, and they are loaded as they were', () => {
  const views = filledViews();
  const values = saved(views);
  const long = [...values].filter(([, value]) => value instanceof Uint8Array && value.length > SECTION_BYTES_MAX);
  expect(long.map(([name]) => name)).toEqual([]);
  const again = loaded(values);
  expect(again.orders.openCount).toBe(ORDERS - TRADES - 1);
  expect([...again.orders.openOf(OWNER)]).toEqual([...views.orders.openOf(OWNER)]);
  for (const number of [1, 17, 40, ORDERS]) {
    expect(again.orders.byOrderNumber(number)).toEqual(views.orders.byOrderNumber(number));
    expect(again.orders.byId(idOf(number))).toBe(again.orders.byOrderNumber(number));
  }
  expect(again.orders.byOrderNumber(40)?.trades).toHaveLength(39);
  expect(again.builders.countOf(BUILDER)).toBe(TRADES);
  for (const ordinal of [1, TRADES]) {
    const { taker, makers, ...rest } = again.trades.byOrdinal(ordinal);
    const before = views.trades.byOrdinal(ordinal);
    expect(before).toMatchObject({ ...rest, taker });
    expect(makers).toHaveLength(MAKERS_EACH);
    expect(before.makers).toMatchObject([...makers]);
  }
  const [rows, rowsAgain] = [values, saved(again)].map((kept) =>
    ['orders/slice 0', 'orders/slice 2', 'trades/recent/slice 1'].map((name) => deserialize(kept.get(name) as Buffer)),
  );
  expect(rowsAgain).toEqual(rows);
});

test('ended orders that a snapshot does not hold, or without a time, make it unusable', () => {
  const values = saved(filledViews());
  const numbers = values.get('orders/ended') as Float64Array; // as written under this name
  expect(() => loaded(new Map([...values, ['orders/ended', numbers.with(3, ORDERS + 1)]]))).toThrow(SnapshotUnusable);
  expect(() => loaded(new Map([...values, ['orders/ended', numbers.slice(1)]]))).toThrow(SnapshotUnusable);
});
