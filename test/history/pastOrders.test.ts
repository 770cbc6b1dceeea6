// Orders that ended long ago: they leave the memory of the views, and their owner still reads them, from the historian, as
// they were shown before. Nobody else does.
import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { encodeCommand, OrderType, Side, VirtualClock } from '../../engine/index.ts';
import { requireKeyId } from '../../server/wire/ids.ts';
import { ADMIN, createKey, send, sendSigned } from '../support/client.ts';
import { startTestServer } from '../support/server.ts';

/** More than the views keep. */
const ORDERS = 4_200;

const idOf = (number: number): string => `0x${hash('sha256', String(number))}`;

test('an order that ended long ago is returned unchanged, to its owner only', async () => {
  const clock = new VirtualClock(Date.now());
  const server = await startTestServer({ clock });
  const [alice, bob] = server.wallets;
  const [key, otherKey] = [await createKey(server.url, alice), await createKey(server.url, bob)];
  const made = await send(server.url, 'POST', '/admin/markets', { question: 'Past?', slug: 'past' }, ADMIN);
  expect(made.status).toBe(200);
  const keyId = requireKeyId(key.apiKey);
  /** A FAK order, killed because the book is empty. */
  const submitKilled = (number: number) =>
    server.exchange.submit(
      encodeCommand({
        ...{ type: 'PlaceOrder', orderId: idOf(number), keyId, maker: alice.address, owner: alice.address },
        ...{ marketIndex: 0, outcome: 0, side: Side.BUY, orderType: OrderType.FAK, flags: 0 },
        ...{ makerAmountMicro: 5_000_000, takerAmountMicro: 10_000_000, timestampMs: clock.now(), expirationS: 0 },
      }),
    );
  const read = async (number: number, isBob = false) => {
    const [{ address }, credentials] = isBob ? [bob, otherKey] : [alice, key];
    const { status, json } = await sendSigned(server.url, address, credentials, 'GET', `/data/order/${idOf(number)}`);
    return { status, json };
  };
  await submitKilled(1);
  const before = await read(1);
  expect(before).toMatchObject({ status: 200, json: { id: idOf(1), status: 'CANCELED', size_matched: '0' } });
  for (let number = 2; number <= ORDERS; number += 1) await submitKilled(number);
  clock.advance(6_000);
  await submitKilled(ORDERS + 1);
  const { orders } = server.services.views;
  expect(orders.byId(idOf(1))).toBeUndefined();
  expect(orders.byId(idOf(ORDERS))).toBeDefined();
  expect(await read(1)).toEqual(before);
  expect((await read(1, true)).status).toBe(404);
  expect((await read(ORDERS + 2)).status).toBe(404);
  const scored = await sendSigned(server.url, alice.address, key, 'GET', `/order-scoring?order_id=${idOf(1)}`);
  expect(scored.json).toEqual({ scoring: false });
  await server.close();
});
