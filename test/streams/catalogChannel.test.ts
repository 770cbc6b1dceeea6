// The subscriptions to new markets by themselves, without sockets: what joining and leaving does to the time of silence that
// all of them share.
import { expect, test } from 'vitest';
import { type CatalogHost, CatalogSubscription } from '../../server/streams/catalogChannel.ts';
import { Connection, type Socket } from '../../server/streams/connection.ts';
import type { StreamFeed } from '../../server/streams/feed.ts';
import { PayTurns } from '../../server/streams/payTurns.ts';

test('the first subscriber with heartbeats starts their time of silence if it is told the number, and others leave it', () => {
  const feed = { log: '000000000', announcedCount: 0 } as StreamFeed;
  const counts = { catalogCount: 0, catalogHeartbeatCount: 0, catalogMs: 0 };
  const host: CatalogHost = { feed, now: () => 0, ...counts, turns: new PayTurns() };
  const sent: string[] = [];
  const socket = {
    subscribe: () => true,
    unsubscribe: () => true,
    getBufferedAmount: () => 0,
    send: (frame: string) => sent.push(JSON.parse(frame).event_type),
  } as unknown as Socket;
  const join = (wantsHeartbeats = true): CatalogSubscription => {
    const connection = new Connection(socket, 'market', 0);
    connection.wantsHeartbeats = wantsHeartbeats;
    const subscription = new CatalogSubscription(connection, host);
    subscription.begin();
    subscription.pay();
    return subscription;
  };
  const silent = join(false);
  expect([sent, host.catalogCount, host.catalogHeartbeatCount, host.catalogMs]).toEqual([[], 1, 0, 0]);
  const first = join();
  expect(sent).toEqual(['heartbeat']);
  expect(host.catalogMs).toBeGreaterThan(0);
  host.catalogMs = 1;
  const second = join();
  expect([host.catalogCount, host.catalogHeartbeatCount, host.catalogMs]).toEqual([3, 2, 1]);
  for (const subscription of [silent, first, second]) subscription.end();
  expect([host.catalogCount, host.catalogHeartbeatCount]).toEqual([0, 0]);
  const only = join();
  expect(host.catalogMs).toBeGreaterThan(1);
  host.catalogMs = 1;
  only.hold();
  only.pay();
  expect([host.catalogCount, host.catalogMs, sent.length]).toEqual([1, 1, 3]);
});
