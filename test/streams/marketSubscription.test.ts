// One market's subscriptions by themselves, without sockets: what joining and leaving does to the stream that all of its
// followers share.
import { expect, test } from 'vitest';
import { Connection, type Socket } from '../../server/streams/connection.ts';
import { MarketStream } from '../../server/streams/marketStream.ts';
import { MarketSubscription } from '../../server/streams/marketSubscription.ts';
import type { Market } from '../../server/views/index.ts';

test('the first follower of a stream starts its time of silence if it is told the number, and others leave it', () => {
  const stream = new MarketStream(0, '000000000');
  const socket = { subscribe: () => true, unsubscribe: () => true } as unknown as Socket;
  const join = (): MarketSubscription => {
    const connection = new Connection(socket, 'market', 0);
    const subscription = new MarketSubscription({ index: 0 } as Market, stream, connection, new Set());
    subscription.move(1, false);
    subscription.goLive(true);
    return subscription;
  };
  const first = join();
  const { form } = first;
  expect(stream.publishedMs[form]).toBeGreaterThan(0);
  stream.publishedMs[form] = 1;
  const second = join();
  expect([stream.subscribers[form], stream.publishedMs[form]]).toEqual([2, 1]);
  for (const subscription of [first, second]) subscription.leave();
  const only = join();
  expect(stream.publishedMs[form]).toBeGreaterThan(1);
  stream.publishedMs[form] = 1;
  only.oweFrom(0);
  only.goLive(false);
  expect([stream.subscribers[form], stream.publishedMs[form]]).toEqual([1, 1]);
});
