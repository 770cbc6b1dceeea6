// Live messages of owners' streams that are too much for one turn of the event loop, such as a trade with hundreds of makers
// for many sockets of one owner: they are rendered once, sent over several turns, and each socket gets all of them in order.
import { expect, test, vi } from 'vitest';
import { Connection } from '../../server/streams/connection.ts';
import { streamLimits } from '../../server/streams/limits.ts';
import { UserSubscriber } from '../../server/streams/userChannel.ts';
import { buy, expectSound, listen, server, start } from './owedWorld.ts';
import { TestSocket } from './socket.ts';
import { authOf, conditionOf } from './workload.ts';

const SOCKETS = 100;
const MAKERS = 300;
const TAKER = 1;

test('a long message for many sockets of an owner is rendered once, and sent over several turns of the event loop', async () => {
  await start(1);
  // With a heartbeat, a socket would be paid what a flush has left to a later turn.
  const beat = vi.spyOn(UserSubscriber.prototype, 'beat').mockImplementation(() => {});
  for (let count = 0; count < MAKERS; count += 1) await buy(0, 2 + (count % 6), 0, 5_000, 100);
  const sockets = await Promise.all(Array.from({ length: SOCKETS }, () => listen(TAKER)));
  let sentInTurn = 0;
  const charactersInTurns: number[] = [];
  const frames: (string | Buffer)[] = [];
  const send = vi.spyOn(Connection.prototype, 'send').mockImplementation(function (this: Connection, frame) {
    if (sentInTurn === 0) {
      setImmediate(() => {
        charactersInTurns.push(sentInTurn);
        sentInTurn = 0;
      });
    }
    sentInTurn += frame.length;
    frames.push(frame);
    this.socket.send(frame, false, false);
  });
  await buy(0, TAKER, 1, 5_000, MAKERS * 100);
  await Promise.all(sockets.map((socket) => socket.until(({ reader }) => reader.counts.get('trade') === 3)));
  for (const spy of [beat, send]) spy.mockRestore();
  const [first] = sockets;
  const [{ maker_orders: makerOrders }] = first.events('trade');
  expect(makerOrders).toHaveLength(MAKERS);
  const message = JSON.stringify(first.events('trade')[0]).length;
  expect(SOCKETS * message).toBeGreaterThan(5 * streamLimits.liveCharactersMax);
  // One socket may be sent all that it has room for after the last that fits.
  expect(charactersInTurns.find((characters) => characters >= message)).toBeLessThan(
    streamLimits.liveCharactersMax + 2 * message,
  );
  const long = frames.filter(({ length }) => length > message / 2);
  expect(long).toHaveLength(3 * SOCKETS);
  const renderedOften = long.filter((frame) => typeof frame === 'string').length;
  expect(renderedOften + new Set(long).size).toBeLessThan(SOCKETS);
  const expected = first.frames.filter((frame) => frame.includes('"event_type":"trade"'));
  for (const socket of sockets) {
    expectSound(socket);
    expect(socket.frames.filter((frame) => frame.includes('"event_type":"trade"'))).toEqual(expected);
  }
});

test('a long message has the name of its stream in each of them', async () => {
  await start(1);
  for (let count = 0; count < MAKERS; count += 1) await buy(0, 2 + (count % 6), 0, 5_000, 100);
  const everything = await listen(TAKER);
  const ofMarket = await TestSocket.open(server.url, '/ws/user');
  const auth = authOf(server.services.secret, TAKER);
  ofMarket.send({ type: 'user', auth, markets: [conditionOf(0)], heartbeat: true });
  await ofMarket.until(({ reader }) => reader.sequences.size === 1);
  const sockets = [everything, ofMarket];
  const ids = sockets.map(({ reader }) => [...reader.sequences.keys()][0]);
  expect(new Set(ids).size).toBe(2);
  await buy(0, TAKER, 1, 5_000, MAKERS * 100);
  for (const [index, socket] of sockets.entries()) {
    await socket.until(({ reader }) => reader.counts.get('trade') === 3);
    expect([...socket.reader.sequences.keys()]).toEqual([ids[index]]);
    expectSound(socket);
    await socket.close();
  }
});
