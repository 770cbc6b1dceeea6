// One market's subscriptions by themselves, without sockets: what joining and leaving does to the stream that all of its
// followers share.
import { expect, test } from 'vitest';
import { Connection, type Socket } from '../../server/streams/connection.ts';
import { MarketStream } from '../../server/streams/marketStream.ts';
import { type HeartbeatCounts, MarketSubscription } from '../../server/streams/marketSubscription.ts';
import type { Market } from '../../server/views/index.ts';

const socket = { subscribe: () => true, unsubscribe: () => true } as unknown as Socket;

test('the first follower with heartbeats starts its time of silence if it is told the number, and others leave it', () => {
  const stream = new MarketStream(0, '000000000');
  const counts: HeartbeatCounts = new Map();
  const join = (wantsHeartbeats = true): MarketSubscription => {
    const connection = new Connection(socket, 'market', 0);
    connection.wantsHeartbeats = wantsHeartbeats;
    const subscription = new MarketSubscription({ index: 0 } as Market, stream, connection, counts);
    subscription.move(1, false);
    subscription.goLive(true);
    return subscription;
  };
  const silent = join(false);
  const { form } = silent;
  expect([stream.subscribers[form], counts.size, stream.publishedMs[form]]).toEqual([1, 0, 0]);
  const first = join();
  expect(stream.publishedMs[form]).toBeGreaterThan(0);
  stream.publishedMs[form] = 1;
  const second = join();
  expect([stream.subscribers[form], counts.get(stream)?.[form], stream.publishedMs[form]]).toEqual([3, 2, 1]);
  for (const subscription of [silent, first, second]) subscription.leave();
  expect([stream.subscribers[form], counts.size]).toEqual([0, 0]);
  const only = join();
  expect(stream.publishedMs[form]).toBeGreaterThan(1);
  stream.publishedMs[form] = 1;
  only.oweFrom(0);
  only.goLive(false);
  expect([stream.subscribers[form], stream.publishedMs[form]]).toEqual([1, 1]);
});

test('what a socket is owed follows it to the stream of other tokens or features', () => {
  const stream = new MarketStream(0, '000000000');
  const followBoth = (): MarketSubscription => {
    const made = new MarketSubscription({ index: 0 } as Market, stream, new Connection(socket, 'market', 0), new Map());
    made.move(3, false);
    made.dump = 3;
    return made;
  };
  const dumped = followBoth();
  dumped.move(1, false);
  expect([dumped.dump, dumped.gap]).toEqual([1, undefined]);

  const gapped = followBoth();
  gapped.oweGap(7, 'lost');
  gapped.move(1, false);
  expect([gapped.dump, gapped.gap]).toEqual([1, { after: 0, reason: 'lost' }]);

  const resumed = followBoth();
  resumed.resumeAt({ form: resumed.form, sequence: 4, isOfThisLog: true });
  expect([resumed.dump, resumed.from]).toEqual([0, 4]);
  resumed.move(3, true);
  const reason = 'the socket changed its tokens or features during the replay';
  expect([resumed.dump, resumed.from, resumed.gap]).toEqual([3, undefined, { after: 0, reason }]);
});
