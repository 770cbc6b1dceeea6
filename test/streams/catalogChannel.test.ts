// The subscriptions to new markets by themselves, without sockets: what joining and leaving does to the time of silence that
// all of them share.
import { expect, test } from 'vitest';
import { type CatalogHost, CatalogSubscription } from '../../server/streams/catalogChannel.ts';
import { Connection, type Socket } from '../../server/streams/connection.ts';
import type { StreamFeed } from '../../server/streams/feed.ts';
import { PayTurns } from '../../server/streams/payTurns.ts';

test('the first subscriber to new markets starts their time of silence if it is told the number, and others leave it', () => {
  const feed = { log: '000000000', announcedCount: 0 } as StreamFeed;
  const host: CatalogHost = { feed, now: () => 0, catalogCount: 0, catalogMs: 0, turns: new PayTurns() };
  const sent: string[] = [];
  const socket = {
    subscribe: () => true,
    unsubscribe: () => true,
    getBufferedAmount: () => 0,
    send: (frame: string) => sent.push(JSON.parse(frame).event_type),
  } as unknown as Socket;
  const join = (): CatalogSubscription => {
    const subscription = new CatalogSubscription(new Connection(socket, 'market', 0), host);
    subscription.begin();
    subscription.pay();
    return subscription;
  };
  const first = join();
  expect(sent).toEqual(['heartbeat']);
  expect(host.catalogMs).toBeGreaterThan(0);
  host.catalogMs = 1;
  const second = join();
  expect([host.catalogCount, host.catalogMs]).toEqual([2, 1]);
  for (const subscription of [first, second]) subscription.end();
  const only = join();
  expect(host.catalogMs).toBeGreaterThan(1);
  host.catalogMs = 1;
  only.hold();
  only.pay();
  expect([host.catalogCount, host.catalogMs, sent.length]).toEqual([1, 1, 3]);
});
