// The memory of a resting order in a whole core, with all that the core keeps of its id: within its bound at the numbers of
// orders where the most of it is empty, which are those right after a table has grown or the next one of ids has begun.
import { expect, test } from 'vitest';
import { bytesAnOrder } from '../../bench/core/orderBytes.ts';

const ORDER_BYTES_MAX = 107;

test.each([513, 1_038, 20_001, 20_845, 65_537, 132_189])('%d resting orders take at most 107 bytes each', (orders) => {
  const bytes = bytesAnOrder(orders);
  expect(bytes).toBeGreaterThan(64 + 8 + 8);
  expect(bytes).toBeLessThanOrEqual(ORDER_BYTES_MAX);
});
