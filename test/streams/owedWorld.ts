// An exchange whose sockets are owed much, its orders and books, and sockets that stop reading or read slowly: what the tests of
// owed messages share. Every test file that imports this has an exchange of its own, which is closed after each test.
import { afterEach, expect, vi } from 'vitest';
import { type Command, encodeCommand, MarketField } from '../../engine/index.ts';
import { type StreamSettings, streamSettings } from '../../server/config/streamSettings.ts';
import { Connection } from '../../server/streams/connection.ts';
import { buyCommand } from '../support/commands.ts';
import { orderIdOf } from '../support/hex.ts';
import { PATIENCE } from '../support/patience.ts';
import { PLAIN_TERMS } from '../support/plainTerms.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { TestSocket } from './socket.ts';
import { authOf, foundingCommands, keyIdOf, ownerOf, tokenOf } from './workload.ts';

export const hold = vi.spyOn(Connection.prototype, 'hold');
export const ping = vi.spyOn(Connection.prototype, 'ping');
export let server: TestServer;
let orderCount = 0;
afterEach(() => server.close());

/** Orders at a time, while many levels are made. */
const AT_ONCE = 500;

export async function start(markets: number, streams: Partial<StreamSettings> = {}, dataDir?: string): Promise<void> {
  server = await startTestServer({ config: { dataDir, streams: { ...streamSettings, ...streams } } });
  await Promise.all(foundingCommands(markets).map((command) => server.exchange.submit(command)));
  hold.mockClear();
  ping.mockClear();
}

export const submit = (command: Command) => server.exchange.submit(encodeCommand(command));

/** Places a BUY that rests or takes; returns its id. */
export async function buy(
  marketIndex: number,
  trader: number,
  outcome: number,
  pips: number,
  lots: number,
): Promise<string> {
  orderCount += 1;
  const orderId = orderIdOf(orderCount);
  const order = { orderId, marketIndex, outcome, pips, lots, timestampMs: Date.now() };
  await submit(buyCommand({ owner: ownerOf(trader), keyId: keyIdOf(trader) }, order));
  return orderId;
}

/** Makes many levels, with many lots at the best one, so that each trade comes with large books. */
export async function deepen(marketIndex: number, topPips: number, tickPips = 10, lots = 1_000): Promise<void> {
  await submit({ type: 'UpdateMarket', marketIndex, mask: MarketField.TICK, ...PLAIN_TERMS, tickPips });
  await buy(marketIndex, 0, 0, topPips, 1_000_000);
  for (let from = 100; from < topPips; from += AT_ONCE * tickPips) {
    const count = Math.min(AT_ONCE, Math.ceil((topPips - from) / tickPips));
    const prices = Array.from({ length: count }, (_, at) => from + at * tickPips);
    await Promise.all(prices.map((pips) => buy(marketIndex, 0, 0, pips, lots)));
  }
}

export const assetsOf = (markets: number) =>
  Array.from({ length: markets }, (_, market) => [tokenOf(market, 0), tokenOf(market, 1)]).flat();

export async function follow(markets: number): Promise<TestSocket> {
  const socket = await TestSocket.open(server.url, '/ws/market');
  socket.send({ type: 'market', assets_ids: assetsOf(markets), heartbeat: true });
  await socket.until(({ reader }) => reader.counts.get('book') === 2 * markets);
  return socket;
}

/** A socket on the user channel of an owner, once its stream is known. */
export async function listen(owner: number): Promise<TestSocket> {
  const socket = await TestSocket.open(server.url, '/ws/user');
  socket.send({ type: 'user', auth: authOf(server.services.secret, owner), heartbeat: true });
  await socket.until(({ reader }) => reader.sequences.size === 1);
  return socket;
}

/** Stops reading, and waits until the exchange has noticed. */
export async function stop(socket: TestSocket): Promise<void> {
  socket.ws.pause();
  await vi.waitFor(() => expect(hold).toHaveBeenCalled(), PATIENCE);
}

/** Reads up to the ping, answers, and then pauses for less than what is allowed. */
export function readWithBreak(socket: TestSocket): void {
  socket.ws.once('ping', () => {
    socket.ws.pause();
    setTimeout(() => socket.ws.resume(), 700);
  });
  socket.ws.resume();
}

/** Waits until there have been this many pings. */
export const untilPings = (count: number) =>
  vi.waitFor(() => expect(ping.mock.calls.length).toBeGreaterThanOrEqual(count), PATIENCE);

/** A subscription that resumes an owner's stream from its beginning. */
export const resumeOf = ({ reader }: TestSocket) => ({
  type: 'user',
  resume: { stream_id: [...reader.sequences.keys()][0], sequence: 0 },
});

export const numberOf = ({ reader }: TestSocket): number => [...reader.sequences.values()][0];

/** Expects a socket that is open and missed nothing. */
export function expectSound(socket: TestSocket): void {
  expect(socket.closed).toBeUndefined();
  expect(socket.reader.faults).toEqual([]);
}
