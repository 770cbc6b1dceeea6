// A burst in a market with a deep book, each of whose trades comes with two whole books: only as much of it is rendered as a
// socket takes at once, since beyond that all of its followers are owed it, and they get it without a gap.
import { expect, test, vi } from 'vitest';
import { streamLimits } from '../../server/streams/limits.ts';
import { MarketFeed } from '../../server/streams/marketFeed.ts';
import { PATIENCE } from '../support/patience.ts';
import { buy, deepen, expectSound, follow, numberOf, server, start } from './owedWorld.ts';
import { TestSocket } from './socket.ts';
import { tokenOf } from './workload.ts';

const TRADES = 300;
/** More than the messages of one trade take. */
const TRADE_BYTES_MAX = 65_536;

test('of a burst in a deep market no more is rendered than a socket takes at once, and all of it arrives', async () => {
  await start(2);
  await deepen(0, 4_000);
  await buy(1, 0, 0, 4_000, 100_000);
  const [both, one] = await Promise.all([follow(2), TestSocket.open(server.url, '/ws/market')]);
  one.send({ type: 'market', assets_ids: [tokenOf(0, 1)], custom_feature_enabled: true, heartbeat: true });
  await one.until(({ reader }) => reader.counts.get('book') === 1);
  const [before] = both.reader.sequences.values();
  const rendered: number[] = [];
  const { published } = MarketFeed.prototype;
  const watched = vi.spyOn(MarketFeed.prototype, 'published').mockImplementation(function (this: MarketFeed) {
    rendered.push(this.messages.byteLength);
    published.call(this);
  });
  await Promise.all(Array.from({ length: TRADES }, () => [buy(0, 1, 1, 6_000, 200), buy(1, 1, 1, 6_000, 200)]).flat());
  await vi.waitFor(() => expect([both.closed, numberOf(both)]).toEqual([undefined, before + 4 * TRADES]), PATIENCE);
  watched.mockRestore();
  expect(Math.max(...rendered)).toBeGreaterThan(streamLimits.burstBytesMax);
  expect(Math.max(...rendered)).toBeLessThan(2 * (streamLimits.burstBytesMax + TRADE_BYTES_MAX));
  // What follows is sent live again, from books that are whole.
  await buy(0, 1, 1, 6_000, 200);
  await vi.waitFor(() => expect(numberOf(both)).toBe(before + 4 * (TRADES + 1)), PATIENCE);
  await one.until(({ reader }) => reader.counts.get('last_trade_price') === TRADES + 1);
  for (const socket of [both, one]) {
    expectSound(socket);
    expect(socket.reader.gapCount).toBe(0);
    await socket.close();
  }
});
