// What the market channel shows of an order that ends by time, with the record of another command. The clock moves only when
// the test says so, in the same turn in which that command is submitted: no Tick comes in between.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeCommand, OrderType } from '../../engine/index.ts';
import { requireKeyId } from '../../server/auth/keyIds.ts';
import { alice, newMarket, openTradingWorldOn, server } from '../http/tradingWorld.ts';
import { buyCommand } from '../support/commands.ts';
import { orderIdOf } from '../support/hex.ts';
import type { StreamEvent } from './reader.ts';
import { TestSocket } from './socket.ts';

let nowMs = Date.now();
beforeAll(() => openTradingWorldOn({ now: () => nowMs }));
afterAll(() => server.close());

test('a record that leaves every size as it was still sends its levels, with the new hash of the books', async () => {
  const { conditionId, tokens } = await newMarket();
  const market = server.services.views.markets.byCondition(conditionId);
  const buyer = { owner: alice.wallet.address.toLowerCase(), keyId: requireKeyId(alice.key.apiKey) };
  const buy = (number: number) => {
    const head = { orderId: orderIdOf(number), marketIndex: market?.index ?? -1, outcome: 0 };
    return buyCommand(buyer, { ...head, pips: 4_000, lots: 1_000, timestampMs: nowMs });
  };
  const expirationS = Math.ceil(nowMs / 1_000) + 600;
  await server.exchange.submit(encodeCommand({ ...buy(1), orderType: OrderType.GTD, expirationS }));
  const socket = await TestSocket.open(server.url, '/ws/market');
  socket.send({ type: 'market', assets_ids: tokens });
  await socket.until(({ reader }) => reader.counts.get('book') === 2);
  nowMs += 600_000;
  await server.exchange.submit(encodeCommand(buy(2)));
  await socket.until(({ reader }) => reader.counts.get('price_change') === 1);
  const [change] = socket.events('price_change');
  const brief = change.price_changes.map(({ price, size, side }: StreamEvent) => `${side} ${size} @ ${price}`);
  expect(brief).toEqual(['BUY 10 @ 0.4', 'SELL 10 @ 0.6']);
  expect(socket.reader.faults).toEqual([]);
  await socket.close();
});
