// An owner's messages that are owed from the log: no owner and no client that leaves keeps the log from others, and streams
// that wait for it cost nothing meanwhile. An exchange without a log has a gap in their place.
import { expect, test, vi } from 'vitest';
import type { Publisher } from '../../server/streams/publisher.ts';
import { UserSubscriber } from '../../server/streams/userChannel.ts';
import { UserStream } from '../../server/streams/userFeed.ts';
import { PATIENCE } from '../support/patience.ts';
import { tempDir } from '../support/tempDir.ts';
import { buy, expectSound, hold, listen, ping, resumeOf, server, start, untilPings } from './owedWorld.ts';
import { TestSocket } from './socket.ts';
import { authOf } from './workload.ts';

test('an owner that stops reading during its replay from the log does not block the log for others', async () => {
  const dataDir = tempDir();
  await start(1, { userEntriesMax: 4, answerMsMax: 100 }, dataDir);
  for (let number = 0; number < 40; number += 1) await buy(0, number % 2, 0, 4_000, 200);
  const [stopped, other] = await Promise.all([listen(0), listen(1)]);
  const asked = ping.mock.calls.length;
  stopped.ws.pause();
  await untilPings(asked + 1);
  stopped.send(resumeOf(stopped));
  await vi.waitFor(() => expect(hold).toHaveBeenCalled(), PATIENCE);
  other.send(resumeOf(other));
  await vi.waitFor(() => expect(other.reader.eventCount).toBe(20), PATIENCE);
  stopped.ws.resume();
  await vi.waitFor(() => expect(stopped.reader.eventCount).toBe(20), PATIENCE);
  for (const socket of [stopped, other]) {
    expect(socket.closed).toBeUndefined();
    await socket.close();
  }
});

test('without a log on disk an owner gets a gap for what is no longer kept, and then what follows', async () => {
  await start(1, { userEntriesMax: 4, heartbeatMs: 3_600_000 });
  const first = await listen(0);
  const [[stream_id, before]] = first.reader.sequences;
  await first.close();
  for (let number = 0; number < 12; number += 1) await buy(0, 0, 0, 4_000, 200);
  const again = await TestSocket.open(server.url, '/ws/user');
  const resume = { stream_id, sequence: before + 3 };
  again.send({ type: 'user', auth: authOf(server.services.secret, 0), resume });
  await vi.waitFor(() => expect(again.reader.gapCount).toBe(1), PATIENCE);
  const reason = 'the missing messages are no longer kept, and this exchange has no log on disk';
  expect(again.events('gap')).toMatchObject([{ stream_id, sequence: before + 12, missed_from: before + 4, reason }]);
  await buy(0, 0, 0, 4_000, 200);
  await vi.waitFor(() => expect(again.reader.eventCount).toBe(1), PATIENCE);
  expectSound(again);
  await again.close();
});

test('a client that requests its past 100 times and leaves does not block the log for others', async () => {
  const dataDir = tempDir();
  await start(1, { userEntriesMax: 4 }, dataDir);
  for (let number = 0; number < 40; number += 1) await buy(0, number % 2, 0, 4_000, 200);
  const [one, other] = await Promise.all([listen(0), listen(1)]);
  let threads = 0;
  const count = (): void => {
    threads += 1;
  };
  process.on('worker', count);
  for (let time = 0; time < 100; time += 1) one.send(resumeOf(one));
  one.send('PING');
  await one.until(({ frames }) => frames.includes('PONG'));
  await one.close();
  other.send(resumeOf(other));
  await vi.waitFor(() => expect(other.reader.eventCount).toBe(20), PATIENCE);
  process.off('worker', count);
  expect(threads).toBeGreaterThan(0);
  expect(threads).toBeLessThan(10);
  await other.close();
});

test('a socket that ends takes its question out of the line for the log', async () => {
  await start(1, { userEntriesMax: 4 }, tempDir());
  for (let number = 0; number < 20; number += 1) await buy(0, 0, 0, 4_000, 200);
  const request = vi.spyOn(UserSubscriber.prototype, 'request');
  const socket = await listen(0);
  const [{ host }] = request.mock.contexts as unknown as { readonly host: Publisher }[];
  request.mockRestore();
  const read = vi.spyOn(host.userLog ?? expect.unreachable('there is a log'), 'read');
  read.mockReturnValue(new Promise(() => {}));
  socket.send(resumeOf(socket));
  await vi.waitFor(() => expect(read).toHaveBeenCalledTimes(1), PATIENCE);
  const [[, , leaving]] = read.mock.calls;
  expect(leaving.aborted).toBe(false);
  await socket.close();
  await vi.waitFor(() => expect(leaving.aborted).toBe(true), PATIENCE);
});

test('streams that wait for the log are not searched in memory at each of their events', async () => {
  const dataDir = tempDir();
  await start(3, { userEntriesMax: 8 }, dataDir);
  const socket = await listen(0);
  for (const market of [0, 1, 2]) for (let count = 0; count < 10; count += 1) await buy(market, 0, 0, 4_000, 100);
  await socket.until(({ reader }) => reader.eventCount === 30);
  const [all] = socket.reader.sequences.keys();
  await socket.close();
  const since = vi.spyOn(UserStream.prototype, 'since');
  const resumed = await TestSocket.open(server.url, '/ws/user');
  const resume = [0, 1].map((market) => ({ stream_id: all.replace('-all-', `-0000000${market}-`), sequence: 0 }));
  resumed.send({ type: 'user', auth: authOf(server.services.secret, 0), resume });
  // Both must be read from the log, one after the other: the second now waits for the first.
  await vi.waitFor(() => expect(since).toHaveBeenCalledTimes(2), PATIENCE);
  for (let count = 0; count < 4; count += 1) await buy(1, 0, 0, 4_000, 100);
  await resumed.until(({ reader }) => reader.eventCount === 24);
  expect(since.mock.results.filter(({ value }) => value === undefined)).toHaveLength(3);
  since.mockRestore();
  expectSound(resumed);
  await resumed.close();
});
