// Orders that ended long ago: they leave the memory of the views, and their owner still reads them, from the historian, as
// they were shown before. Nobody else does.
import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { encodeCommand, OrderType, Side, VirtualClock } from '../../engine/index.ts';
import { requireKeyId } from '../../server/auth/keyIds.ts';
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
  /** A BUY of 10 shares at a half, whose budget a FAK order states. */
  const submitBuy = (number: number, orderType: OrderType, outcome = 0) => {
    const isBob = outcome === 1;
    const [{ address }, credentials] = isBob ? [bob, otherKey] : [alice, key];
    return server.exchange.submit(
      encodeCommand({
        ...{ type: 'PlaceOrder', orderId: idOf(number), keyId: requireKeyId(credentials.apiKey) },
        ...{ maker: address, owner: address, marketIndex: 0, outcome, side: Side.BUY, orderType, flags: 0 },
        ...{ makerAmountMicro: 5_000_000, takerAmountMicro: 10_000_000, timestampMs: clock.now(), expirationS: 0 },
      }),
    );
  };
  /** Killed because the book is empty. */
  const submitKilled = (number: number) => submitBuy(number, OrderType.FAK);
  const read = async (number: number, isBob = false) => {
    const [{ address }, credentials] = isBob ? [bob, otherKey] : [alice, key];
    const { status, json } = await sendSigned(server.url, address, credentials, 'GET', `/data/order/${idOf(number)}`);
    return { status, json };
  };
  /** Orders of alice that ended as a killed one, a filled maker and a cancelled one; bob's is the taker. */
  const [killed, filled, canceled, taker] = [1, 2, 3, 4];
  await submitKilled(killed);
  await submitBuy(filled, OrderType.GTC);
  await submitBuy(taker, OrderType.GTC, 1);
  await submitBuy(canceled, OrderType.GTC);
  await server.exchange.submit(
    encodeCommand({ type: 'CancelOrders', owner: alice.address, keyId, items: [idOf(canceled)] }),
  );
  const readPast = () => Promise.all([read(killed), read(filled), read(canceled), read(taker, true)]);
  const before = await readPast();
  expect(before).toMatchObject([
    { status: 200, json: { id: idOf(killed), status: 'CANCELED', size_matched: '0' } },
    { status: 200, json: { id: idOf(filled), status: 'MATCHED', size_matched: '10' } },
    { status: 200, json: { id: idOf(canceled), status: 'CANCELED', size_matched: '0' } },
    { status: 200, json: { id: idOf(taker), status: 'MATCHED', size_matched: '10' } },
  ]);
  for (let number = 5; number <= ORDERS; number += 1) await submitKilled(number);
  clock.advance(6_000);
  await submitKilled(ORDERS + 1);
  const { orders } = server.services.views;
  for (const past of [killed, filled, canceled, taker])
    expect(orders.byId(idOf(past)), `order ${past}`).toBeUndefined();
  expect(orders.byId(idOf(ORDERS))).toBeDefined();
  expect(await readPast()).toEqual(before);
  for (const past of [killed, filled, canceled]) expect((await read(past, true)).status, `order ${past}`).toBe(404);
  expect((await read(taker)).status).toBe(404);
  expect((await read(ORDERS + 2)).status).toBe(404);
  // Nor is the first answer to an order told to others, should one of them post it again.
  const { historian } = server.services;
  const firstAnswer = (number: number, { address: owner }: typeof alice) =>
    historian.ask({ query: { kind: 'original', orderId: idOf(number), owner }, dialect: 'polymarket' });
  for (const past of [killed, filled, canceled]) {
    expect(await firstAnswer(past, alice), `order ${past}`).toBeDefined();
    expect(await firstAnswer(past, bob), `order ${past}`).toBeUndefined();
  }
  for (const past of [killed, filled, canceled]) {
    const path = `/order-scoring?order_id=${idOf(past)}`;
    const scored = await sendSigned(server.url, alice.address, key, 'GET', path);
    expect(scored.json, `order ${past}`).toEqual({ scoring: false });
  }
  await server.close();
});
