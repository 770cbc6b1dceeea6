// Sockets that are held at an awkward moment: between a record and its flush, and while their client asks for more. Here the
// test decides when a client is held; readerCheck.test.ts has those that really stop reading.
import { expect, test, vi } from 'vitest';
import type { Connection } from '../../server/streams/connection.ts';
import { MarketSubscriber } from '../../server/streams/marketChannel.ts';
import { PATIENCE } from '../support/patience.ts';
import { buy, expectSound, follow, numberOf, ping, server, start } from './owedWorld.ts';
import { TestSocket } from './socket.ts';
import { tokenOf } from './workload.ts';

/** Nobody is held but by the test. */
const PATIENT = { answerMsMin: 600_000, answerMsMax: 600_000 };

/** The only socket's connection, once no answer to a ping is due any more, which would release it. */
async function onlyConnection(): Promise<Connection> {
  const connection = ping.mock.contexts[0] as Connection;
  await vi.waitFor(() => expect(connection.hasAnswered).toBe(true), PATIENCE);
  return connection;
}

test('what waits for its flush when a client is held is sent nonetheless, once', async () => {
  await start(1, PATIENT);
  const socket = await follow(1);
  const connection = await onlyConnection();
  const before = numberOf(socket);
  // The flush follows in a later turn than the record.
  await buy(0, 0, 0, 4_000, 200);
  connection.hold();
  connection.release();
  await buy(0, 0, 0, 4_100, 200);
  await socket.until(() => numberOf(socket) === before + 2);
  expect(socket.events('price_change')).toHaveLength(2);
  expectSound(socket);
  await socket.close();
});

test('a held client that asks for one token of a market and then for the other gets both books', async () => {
  await start(1, PATIENT);
  const socket = await TestSocket.open(server.url, '/ws/market');
  const connection = await onlyConnection();
  connection.hold();
  const request = vi.spyOn(MarketSubscriber.prototype, 'request');
  for (const outcome of [0, 1]) socket.send({ type: 'market', assets_ids: [tokenOf(0, outcome)] });
  await vi.waitFor(() => expect(request).toHaveBeenCalledTimes(2), PATIENCE);
  request.mockRestore();
  await buy(0, 0, 0, 4_000, 200);
  connection.release();
  await socket.until(({ frames }) => frames.length > 0);
  expect(socket.events('book').map(({ asset_id: asset }) => asset)).toEqual([tokenOf(0, 0), tokenOf(0, 1)]);
  expectSound(socket);
  await socket.close();
});
