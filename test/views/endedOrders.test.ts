// The orders that ended long ago leave the view a part at each record: one record may end a hundred thousand of them, and
// forgetting all at once would take longer than anybody should wait.
import { expect, test } from 'vitest';
import type { CommandOf, EventOf } from '../../engine/index.ts';
import { OrdersView } from '../../server/views/orders.ts';

const ORDERS = 20_000;
/** Ended orders that always stay. */
const LATEST = 4_096;
/** Forgetting so many orders takes about a millisecond. */
const A_RECORD = 1_000;

test('orders that ended together are forgotten in parts, the oldest first', () => {
  const orders = new OrdersView();
  for (let number = 1; number <= ORDERS; number += 1) {
    const event = { orderNumber: number, accountId: 1, marketIndex: 0 } as EventOf<'OrderAccepted'>; // what the view reads
    orders.accepted(event, { orderId: `0x${number}`, owner: '0x2' } as CommandOf<'PlaceOrder'>, 0);
    orders.canceled(number, 0);
  }
  const known = (): number[] =>
    Array.from({ length: ORDERS }, (_, index) => index + 1).filter(
      (number) => orders.byOrderNumber(number) !== undefined,
    );
  let before = ORDERS;
  while (before > LATEST) {
    orders.recordBegan(10_000);
    const numbers = known();
    expect(numbers.length).toBeLessThan(before);
    expect(before - numbers.length).toBeLessThanOrEqual(A_RECORD);
    before = numbers.length;
    expect(numbers[0]).toBe(ORDERS - before + 1);
    expect([orders.byId(`0x${numbers[0]}`)?.orderNumber, orders.byId(`0x${numbers[0] - 1}`)]).toEqual([
      numbers[0],
      undefined,
    ]);
  }
  orders.recordBegan(20_000);
  expect(known()).toHaveLength(LATEST);
});
