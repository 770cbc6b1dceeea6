// A random walk of one socket while markets move: held and released at any moment, it subscribes, unsubscribes, changes its
// features and resumes. In every order all streams are gap-free and every book matches its hash, and in the end nothing is
// owed. Repeatable by seed.
import { expect, test, vi } from 'vitest';
import { streamSettings } from '../../server/config/streamSettings.ts';
import { Connection } from '../../server/streams/connection.ts';
import { type ChannelHost, MarketSubscriber } from '../../server/streams/marketChannel.ts';
import { randomOf } from '../pipeline/workload.ts';
import { PATIENCE } from '../support/patience.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { TestSocket } from './socket.ts';
import { foundingCommands, StreamWorkload, tokenOf } from './workload.ts';

const MARKETS = 6;
const STEPS = 300;
/** A walk that receives fewer events proves little. */
const EVENTS_MIN = 100;
const AT_ONCE = { ...PATIENCE, interval: 2 };
const SEEDS = [5, 6, 7, 8, 9, 10].map((at) => 1_000_003 * at);
const ping = vi.spyOn(Connection.prototype, 'ping');
const request = vi.spyOn(MarketSubscriber.prototype, 'request');

/** The walk and its knowledge of its socket. */
class Walk {
  readonly socket: TestSocket;
  readonly connection: Connection;
  private readonly server: TestServer;
  private readonly random: (below: number) => number;
  private readonly workload: StreamWorkload;
  /** Bits of the followed tokens, by market. */
  private readonly followed = new Map<number, number>();
  private isCustom = false;
  private requests = 0;

  constructor(server: TestServer, socket: TestSocket, seed: number) {
    this.server = server;
    this.socket = socket;
    this.connection = ping.mock.contexts[0] as Connection; // pinged as it opened
    this.random = randomOf(seed);
    this.workload = new StreamWorkload(seed, MARKETS);
  }

  async drive(count: number): Promise<void> {
    for (let done = 0; done < count; done += 1) {
      await this.server.exchange.submit(this.workload.next(Date.now()));
    }
  }

  /**
   * Waits until the exchange has taken every request and the socket
   * has received everything durable, however many turns that takes.
   */
  async settle(): Promise<void> {
    const { frames } = this.socket;
    await vi.waitFor(() => expect(request).toHaveBeenCalledTimes(this.requests), AT_ONCE);
    // Durable records are published a turn later: before that a PING
    // could be answered, and a resume would ask from an old state.
    this.subscriber()?.host.flush();
    if (this.connection.isHeld) return;
    await vi.waitFor(() => expect(this.subscriber()?.queue ?? []).toEqual([]), AT_ONCE);
    frames.length = 0;
    this.socket.send('PING');
    await this.socket.until(() => frames.includes('PONG'));
  }

  async step(): Promise<void> {
    const { connection, random } = this;
    const choice = random(10);
    if (choice < 3) await this.drive(1 + random(30));
    else if (choice === 3) {
      await this.settle();
      connection.hold();
    } else if (choice === 4) connection.release();
    else if (choice < 7) await this.subscribe(random(MARKETS), 1 + random(3));
    else if (choice === 7) await this.leave(random(MARKETS), 1 << random(2));
    else if (choice === 8) await this.changeFeatures();
    else await this.resume();
  }

  /** Releases the socket, and checks that it follows everything that it asked for. */
  async end(): Promise<void> {
    const { reader } = this.socket;
    this.connection.release();
    await this.drive(50);
    await this.settle();
    for (const [market, tokens] of this.followed) {
      for (const outcome of [0, 1]) {
        const asset = tokenOf(market, outcome);
        expect(reader.books.has(asset), asset).toBe(((tokens >> outcome) & 1) === 1);
      }
      const numbers = [...reader.sequences].filter(([id]) => id.startsWith(nameOf(market))).map(([, number]) => number);
      if (tokens !== 0) expect(this.standing(market)).toContain(numbers[0]);
    }
  }

  /** The current numbers of a market's streams, in the exchange. */
  private standing(market: number): readonly number[] {
    return this.subscriber()?.host.feed.markets.stream(market).numbers ?? [];
  }

  /** The exchange's side of the socket, with what it still owes; undefined before the first request. */
  private subscriber() {
    const [subscriber] = request.mock.contexts as unknown as (
      | { readonly host: ChannelHost; readonly queue: readonly unknown[] }
      | undefined
    )[];
    return subscriber;
  }

  private async send(message: object): Promise<void> {
    this.requests += 1;
    this.socket.send({ ...message, heartbeat: true });
    await this.settle();
  }

  private async subscribe(market: number, tokens: number): Promise<void> {
    const before = this.followed.get(market) ?? 0;
    await this.settle();
    if ((before | tokens) !== before) this.forget(market);
    this.followed.set(market, before | tokens);
    await this.send({ operation: 'subscribe', assets_ids: assetsOf(market, tokens) });
  }

  private async leave(market: number, tokens: number): Promise<void> {
    const before = this.followed.get(market) ?? 0;
    await this.send({ operation: 'unsubscribe', assets_ids: assetsOf(market, tokens) });
    if ((before & tokens) === 0) return;
    this.followed.set(market, before & ~tokens);
    this.forget(market);
    for (const asset of assetsOf(market, tokens)) this.socket.reader.books.delete(asset);
  }

  private async changeFeatures(): Promise<void> {
    await this.settle();
    for (let market = 0; market < MARKETS; market += 1) this.forget(market);
    this.isCustom = !this.isCustom;
    await this.send({ operation: 'subscribe', assets_ids: [], custom_feature_enabled: this.isCustom });
  }

  private async resume(): Promise<void> {
    await this.settle();
    const points = [...this.socket.reader.sequences].filter(([id]) => this.isFollowed(id));
    if (points.length === 0) return;
    const [stream_id, sequence] = points[this.random(points.length)];
    await this.send({ type: 'market', resume: { stream_id, sequence } });
  }

  /** Whether a stream is the one that the socket follows in its market. */
  private isFollowed(id: string): boolean {
    const tokens = id.startsWith('m') ? (this.followed.get(Number.parseInt(id.slice(1, 9), 16)) ?? 0) : 0;
    return id.slice(10, 12) === `${['', 'f', 's', 'b'][tokens]}${this.isCustom ? 'c' : 'p'}`;
  }

  /** Forgets the numbers of a market's stream, which another one replaces. */
  private forget(market: number): void {
    const { sequences } = this.socket.reader;
    for (const id of [...sequences.keys()]) if (id.startsWith(nameOf(market))) sequences.delete(id);
  }
}

const nameOf = (market: number): string => `m${market.toString(16).padStart(8, '0')}-`;

const assetsOf = (market: number, tokens: number): string[] =>
  [0, 1].filter((outcome) => ((tokens >> outcome) & 1) === 1).map((outcome) => tokenOf(market, outcome));

test.each(SEEDS)('a socket held and released at random moments misses nothing (seed %i)', async (seed) => {
  const streams = { ...streamSettings, answerMsMin: 600_000, answerMsMax: 600_000, changesPerMarketMax: 80 };
  const server = await startTestServer({ config: { streams } });
  await Promise.all(foundingCommands(MARKETS).map((command) => server.exchange.submit(command)));
  ping.mockClear();
  request.mockClear();
  const socket = await TestSocket.open(server.url, '/ws/market');
  const walk = new Walk(server, socket, seed);
  await walk.drive(500);
  for (let step = 0; step < STEPS; step += 1) {
    await walk.step();
    expect(socket.reader.faults, `step ${step}`).toEqual([]);
  }
  await walk.end();
  expect(socket.reader.faults).toEqual([]);
  expect(socket.reader.eventCount).toBeGreaterThan(EVENTS_MIN);
  await socket.close();
  await server.close();
});
