// The exchange of the streams bench: engine, journal on disk, views and streams on a bare app, without the HTTP door, so
// the path from a durable record to the sockets is measured. It writes the frames that it published to a file for the
// yardsticks. It is also one of them: it then takes the same orders without streams, and publishes one frame of that file for
// each. Started by streams.ts.

import { App, type TemplatedApp } from 'uWebSockets.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { type Command, encodeCommand, type Follower, openExchange, type RunningExchange } from '../../engine/index.ts';
import { resolveConfig, type ServerConfig } from '../../server/config/config.ts';
import { StreamFeed } from '../../server/streams/feed.ts';
import { afterNextFlushBegins, StreamHub } from '../../server/streams/hub.ts';
import { Views } from '../../server/views/index.ts';
import { answerQuestions } from '../lib/talk.ts';
import { BARE_TOPIC, bareApp, listen, readFrames, wireBytes, writeFrames } from './bareSockets.ts';
import { costNow, type Published, type ServerQuestion, sharedMs } from './question.ts';

const hexWord = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`;
/** The engine's tables also tell ids apart by their first bytes, so the value is repeated there. */
const idOf = (value: number): string => `0x${value.toString(16).padStart(8, '0').repeat(8)}`;
const OWNERS = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`];
const keyIdOf = (owner: string): string => owner.slice(0, 34);

const folder = mkdtempSync(join(tmpdir(), 'outcry-fan-out-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
process.once('disconnect', () => process.exit(0));
process.once('SIGTERM', () => process.exit(0));
let exchange: RunningExchange;
let publisher: Publisher;
let markets = 0;
let framesFile = '';
let orderCount = 0;
const prepared: Uint8Array[] = [];
let frames: Buffer[] = [];
let frameBytes: number[] = [];
let isRecording = false;
let publishedMs: number[] = [];
const fillsMs: number[] = [];
const sentMs: number[] = [];

function order(marketIndex: number, owner: string, outcome: number, pips: number, lots: number): Uint8Array {
  orderCount += 1;
  const command: Command = {
    ...{
      type: 'PlaceOrder',
      orderId: idOf(orderCount),
      keyId: keyIdOf(owner),
      maker: owner,
      owner,
      marketIndex,
      outcome,
    },
    ...{ side: 0, orderType: 0, flags: 0, makerAmountMicro: lots * pips, takerAmountMicro: lots * 10_000 },
    ...{ timestampMs: Date.now(), expirationS: 0 },
  };
  return encodeCommand(command);
}

/** Wraps an app to record when and how much is published, and on demand what. */
function recorded(app: TemplatedApp): TemplatedApp {
  const publish: TemplatedApp['publish'] = (topic, message, isBinary, compress) => {
    if (Buffer.isBuffer(message)) {
      if (isRecording) frames.push(Buffer.from(message));
      frameBytes.push(wireBytes(message.length));
      publishedMs.push(sharedMs());
    }
    return app.publish(topic, message, isBinary, compress);
  };
  return new Proxy(app, {
    get: (target, name) => (name === 'publish' ? publish : Reflect.get(target, name).bind(target)),
  });
}

/** The publishing side: the followers that it needs, whether frames are waiting to be published, and its app. */
interface Publisher {
  readonly followers: readonly Follower[];
  isWaiting(): boolean;
  open(): TemplatedApp;
}

/** Publishes through the exchange's streams. */
function streamsPublisher(config: ServerConfig, views: Views): Publisher {
  const feed = new StreamFeed(views, config.streams);
  const fail = (error: unknown): never => {
    throw error;
  };
  const open = (): TemplatedApp => {
    const app = App();
    new StreamHub(feed, { exchange, config, secret: Buffer.alloc(32, 1), log: { warn: fail } }, fail).attach(
      recorded(app),
    );
    return app;
  };
  return { followers: feed.followers(), isWaiting: () => feed.isWaiting, open };
}

/** Publishes the next recorded frames, without streams: one for each order, those of a flush together. */
function framesPublisher(): Publisher {
  const app = bareApp();
  const recordedFrames = readFrames(framesFile);
  let next = 0;
  let waiting = 0;
  const publishNext = (): void => {
    for (; waiting > 0; waiting -= 1) {
      const frame = recordedFrames[next % recordedFrames.length];
      next += 1;
      frameBytes.push(wireBytes(frame.length));
      publishedMs.push(sharedMs());
      app.publish(BARE_TOPIC, frame, false, false);
    }
  };
  const apply: Follower['apply'] = ({ events }) => {
    if (!events.some(({ type }) => type === 'OrderRested')) return;
    if (waiting === 0) afterNextFlushBegins(publishNext);
    waiting += 1;
  };
  return { followers: [{ name: 'frames', apply }], isWaiting: () => waiting > 0, open: () => app };
}

async function start(count: number, file: string, isBare: boolean): Promise<number> {
  markets = count;
  framesFile = file;
  const base = resolveConfig(
    'development',
    { port: '0', house: false, logLevel: 'silent', dataDir: folder },
    {},
    folder,
  );
  const streams = { ...base.streams, heartbeatMs: 3_600_000, connectionsPerIpMax: 1_000_000 };
  const config = { ...base, streams };
  const views = new Views();
  const stamp: Follower = {
    name: 'stamp',
    apply: ({ events }) => {
      for (const event of events) if (event.type === 'Trade' && event.marketIndex === 0) fillsMs.push(sharedMs());
    },
  };
  publisher = isBare ? framesPublisher() : streamsPublisher(config, views);
  const followers = [...views.followers(), stamp, ...publisher.followers];
  exchange = await openExchange({ dataDir: folder, settings: config.engine, followers });
  const terms = { autoTick: 0, feeExponent: 1, tickPips: 100, feeRate: 0, minOrderLots: 1, delaySeconds: 0 };
  for (let index = 0; index < markets; index += 1) {
    const ids = { conditionId: hexWord(0xc0de0000 + index), firstToken: hexWord(2 * index + 1_000) };
    const tokens = { ...ids, secondToken: hexWord(2 * index + 1_001) };
    const tail = Buffer.from(JSON.stringify({ slug: `market-${index}` }));
    const market = { type: 'CreateMarket', eventNumber: 0, status: 1, negRisk: 0, minMarketableBuyMicro: 0 } as const;
    await exchange.submit(encodeCommand({ ...market, ...tokens, ...terms, tail }));
  }
  for (const owner of OWNERS) {
    const key = { type: 'CreateApiKey', owner, keyId: keyIdOf(owner), nonce: 0, generation: 0, kind: 0 } as const;
    await exchange.submit(encodeCommand(key));
    await exchange.submit(encodeCommand({ type: 'Deposit', wallet: owner, owner, amountMicro: 4e15, isFaucet: 0 }));
  }
  return listen(publisher.open());
}

/** The next order of the rounds, which rests. */
const nextOrder = (): Uint8Array => order(0, OWNERS[0], 0, 100 * (1 + ((orderCount * 7) % 40)), 500);

/** Prepares orders of rounds to come, since making them is the senders' work. */
function prepare(orders: number): void {
  for (let at = 0; at < orders; at += 1) prepared.push(nextOrder());
}

/** Places each round's orders in one turn of the loop, so that one flush holds them all. */
async function publish(rounds: number, batch: number, pauseMs: number, isRecorded: boolean): Promise<Published> {
  isRecording = isRecorded;
  frames = [];
  frameBytes = [];
  publishedMs = [];
  let latest: Promise<unknown> = Promise.resolve();
  for (let round = 0; round < rounds; round += 1) {
    const placed: Promise<unknown>[] = [];
    for (let at = 0; at < batch; at += 1) {
      placed.push(exchange.submit(prepared.pop() ?? nextOrder()));
    }
    // One round is flushed while the next is taken, as when orders arrive by themselves.
    await latest;
    latest = Promise.all(placed);
    await (pauseMs > 0 ? sleep(pauseMs) : nextTurn());
  }
  await latest;
  while (publisher.isWaiting()) await nextTurn();
  if (frameBytes.length === 0) throw new Error('nothing was published');
  if (isRecorded) writeFrames(framesFile, frames);
  return { frameBytes, publishedMs };
}

/** Open loop: submits what is due by now, whatever happened to earlier orders. */
async function steady(ordersPerSecond: number, seconds: number): Promise<unknown> {
  fillsMs.length = 0;
  sentMs.length = 0;
  const startMs = performance.now();
  const waiting: Promise<unknown>[] = [];
  const total = ordersPerSecond * seconds;
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.ceil(((performance.now() - startMs) / 1_000) * ordersPerSecond));
    for (; sent < due; sent += 1) {
      if (sent % 20 === 19) {
        waiting.push(exchange.submit(order(0, OWNERS[0], 0, 5_000, 100)));
        sentMs.push(sharedMs());
        waiting.push(exchange.submit(order(0, OWNERS[1], 1, 5_000, 100)));
      } else {
        const market = markets === 1 ? 0 : 1 + (sent % (markets - 1));
        waiting.push(exchange.submit(order(market, OWNERS[0], sent & 1, 100 * (1 + (sent % 40)), 500)));
      }
    }
    await nextTurn();
  }
  await Promise.all(waiting);
  return { fillsMs: [...fillsMs], sentMs: [...sentMs] };
}

answerQuestions(async (asked) => {
  const question = asked as ServerQuestion; // only streams.ts asks
  if (question.kind === 'start') return start(question.markets, question.framesFile, question.isBare);
  if (question.kind === 'publish') {
    return publish(question.rounds, question.batch, question.pauseMs, question.isRecorded);
  }
  if (question.kind === 'prepare') return prepare(question.orders);
  if (question.kind === 'steady') return steady(question.ordersPerSecond, question.seconds);
  return costNow();
});
