// Chaos: hundreds of subscribers behind a wire that is cut, stalled and slowed at random points, while an exchange that is
// killed now and then goes on trading. At every checkpoint each rebuilt book hashes to the exchange's, every trade was
// received exactly once, and no number was missed or repeated. Sizes come from the environment (STREAMS_CHAOS_*).
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { nodeOptions } from '../../.ci/nodeOptions.mjs';
import { loadServerSecret } from '../../server/auth/serverSecret.ts';
import { randomOf } from '../pipeline/workload.ts';
import { PATIENCE } from '../support/patience.ts';
import { environmentNumber } from '../support/wholeNumber.ts';
import type { ChaosReply, ChaosRequest } from './chaosExchange.ts';
import { ChaosSubscriber } from './chaosSubscriber.ts';
import { ChaosProxy } from './proxy.ts';
import { hashOf } from './reader.ts';
import { TestSocket } from './socket.ts';
import { authOf, tokenOf } from './workload.ts';

const sizeOf = (name: string, usual: number, min = 1): number => environmentNumber(`STREAMS_CHAOS_${name}`, usual, min);
const COMMANDS = sizeOf('COMMANDS', 50_000);
const MARKETS = sizeOf('MARKETS', 100);
const SUBSCRIBERS = sizeOf('SUBSCRIBERS', 200);
const CUTS = sizeOf('CUTS', 200, 0);
const KILLS = sizeOf('KILLS', 3, 0);
const CHECKPOINTS = sizeOf('CHECKPOINTS', 5);
const SEED = sizeOf('SEED', 1, 0);
const USERS = 8;
/** How long the test may take, ms: enough for commands at a slow pace. */
const PATIENCE_MS = Math.max(300_000, COMMANDS * 10);

const folder = mkdtempSync(join(tmpdir(), 'outcry-chaos-'));
const secretText = 'ab'.repeat(32);
const random = randomOf(SEED);
let starts = 0;

interface Exchange {
  readonly child: ChildProcess;
  readonly port: number;
  ask(request: ChaosRequest): Promise<ChaosReply>;
}

async function startExchange(): Promise<Exchange> {
  starts += 1;
  const file = join(import.meta.dirname, 'chaosExchange.ts');
  const child = fork(file, [folder, String(MARKETS), String(SEED * 1_000 + starts)], {
    env: { ...process.env, OUTCRY_SECRET: secretText, NODE_OPTIONS: '' },
    execArgv: [...nodeOptions],
  });
  const [first] = (await once(child, 'message')) as [{ port: number }]; // the first message is the port
  const ask = async (request: ChaosRequest): Promise<ChaosReply> => {
    child.send(request);
    const [reply] = (await once(child, 'message')) as [ChaosReply]; // one reply per request
    return reply;
  };
  return { child, port: first.port, ask };
}

const FORMS = [
  { outcomes: [0], custom: false },
  { outcomes: [1], custom: false },
  { outcomes: [0, 1], custom: false },
  { outcomes: [0], custom: true },
  { outcomes: [1], custom: true },
  { outcomes: [0, 1], custom: true },
] as const;
type ChaosForm = (typeof FORMS)[number];

interface MarketFollower {
  readonly subscriber: ChaosSubscriber;
  readonly markets: readonly number[];
  readonly form: ChaosForm;
}

const messageOf = (markets: readonly number[], { outcomes, custom }: ChaosForm) => ({
  type: 'market',
  assets_ids: markets.flatMap((market) => outcomes.map((outcome) => tokenOf(market, outcome))),
  custom_feature_enabled: custom,
});

/** Books and numbers of every stream of a form, as the exchange sends them to an undisturbed socket. */
async function referenceOf(port: number, form: ChaosForm) {
  const socket = await TestSocket.open(`http://127.0.0.1:${port}`, '/ws/market');
  const markets = Array.from({ length: MARKETS }, (_, index) => index);
  socket.send(messageOf(markets, form));
  await socket.until(({ reader }) => reader.books.size === MARKETS * form.outcomes.length);
  const numbers = new Map([...socket.reader.sequences].filter(([id]) => id.startsWith('m')));
  const hashes = new Map(socket.events('book').map(({ asset_id: asset, hash }) => [asset as string, hash as string]));
  expect(socket.reader.faults).toEqual([]);
  await socket.close();
  return { numbers, hashes };
}

async function checkMarkets(port: number, followers: readonly MarketFollower[], trades: readonly number[]) {
  for (const form of FORMS) {
    const { numbers, hashes } = await referenceOf(port, form);
    for (const { subscriber, markets, form: own } of followers) {
      if (own !== form) continue;
      const { reader } = subscriber;
      const ids = [...reader.sequences.keys()].filter((id) => id.startsWith('m'));
      expect(ids, JSON.stringify(ids)).toHaveLength(markets.length);
      await subscriber.until(({ sequences }) => ids.every((id) => (sequences.get(id) ?? 0) >= (numbers.get(id) ?? 0)));
      for (const id of ids) expect(reader.sequences.get(id), id).toBe(numbers.get(id));
      for (const market of markets) {
        for (const outcome of form.outcomes) {
          const asset = tokenOf(market, outcome);
          const book = reader.books.get(asset);
          expect(book === undefined ? 'no book' : hashOf(book), asset).toBe(hashes.get(asset));
          if (book === undefined) continue;
          expect(reader.trades.get(book.market)?.size ?? 0, `trades of market ${market}`).toBe(trades[market]);
        }
      }
      expect(reader.faults).toEqual([]);
      expect(reader.gapCount).toBe(0);
    }
  }
}

/** Every number once, and as many confirmed trades as the owner took part in. */
function checkUser({ reader, userEvents }: ChaosSubscriber): Set<string> {
  expect(reader.faults).toEqual([]);
  expect(reader.gapCount).toBe(0);
  expect(userEvents.map(({ sequence }) => sequence)).toEqual(userEvents.map((_, index) => index + 1));
  const byStatus = (status: string) =>
    userEvents.filter((event) => event.event_type === 'trade' && event.status === status).map(({ id }) => id as string);
  const confirmed = byStatus('CONFIRMED');
  expect(new Set(confirmed).size).toBe(confirmed.length);
  expect(byStatus('MATCHED').sort()).toEqual([...confirmed].sort());
  return new Set(confirmed);
}

/** Waits until each subscriber has what its owner's stream sends to a new socket. */
async function usersCaughtUp(port: number, users: readonly ChaosSubscriber[], messages: readonly object[]) {
  for (const [index, user] of users.entries()) {
    const socket = await TestSocket.open(`http://127.0.0.1:${port}`, '/ws/user');
    socket.send(messages[index]);
    await socket.until(({ reader }) => reader.sequences.size === 1);
    const [[id, number]] = socket.reader.sequences;
    await user.until(({ sequences }) => (sequences.get(id) ?? 0) >= number);
    await socket.close();
  }
}

test(
  `${SUBSCRIBERS} subscribers miss nothing in ${COMMANDS} commands, ${MARKETS} markets, ${CUTS} cuts, ${KILLS} kills`,
  async () => {
    let exchange = await startExchange();
    const proxy = await ChaosProxy.open();
    proxy.target = exchange.port;
    const url = `ws://127.0.0.1:${proxy.port}`;
    const followers: MarketFollower[] = Array.from({ length: SUBSCRIBERS }, (_, index) => {
      const form = FORMS[index % FORMS.length];
      const markets = [...new Set([index % MARKETS, ...Array.from({ length: random(3) }, () => random(MARKETS))])];
      return { subscriber: new ChaosSubscriber(`${url}/ws/market`, messageOf(markets, form)), markets, form };
    });
    const secret = loadServerSecret(folder, { OUTCRY_SECRET: secretText });
    const userMessages = Array.from({ length: USERS }, (_, index) => ({
      type: 'user',
      auth: authOf(secret, index),
      heartbeat: true, // tells where the stream is
    }));
    const users = userMessages.map((message) => new ChaosSubscriber(`${url}/ws/user`, message));
    for (const { subscriber, markets, form } of followers) {
      await subscriber.until(({ books }) => books.size === markets.length * form.outcomes.length);
    }
    for (const user of users) await user.until(({ sequences }) => sequences.size === 1);

    const rounds = Math.max(CUTS, CHECKPOINTS * 2);
    // Commands of a round that ends in a kill are not counted.
    const perRound = Math.ceil(COMMANDS / (rounds - KILLS));
    const killAt = new Set(Array.from({ length: KILLS }, (_, index) => Math.floor(((index + 0.5) * rounds) / KILLS)));
    const checkAt = new Set(
      Array.from({ length: CHECKPOINTS }, (_, index) => Math.floor(((index + 1) * rounds) / CHECKPOINTS)),
    );
    let commandCount = 0;
    for (let round = 1; round <= rounds; round += 1) {
      const running = exchange.ask({ run: perRound });
      // After a kill, nobody may have connected again yet.
      await vi.waitUntil(() => proxy.cut(random), PATIENCE);
      // Every sixth stall is so long that the exchange asks meanwhile whether the client reads, and holds its streams.
      if (random(2) === 0) proxy.stall(random, random(6) === 0 ? 1_500 : 20 + random(400));
      if (random(4) === 0) proxy.delay(random, 1 + random(30));
      if (killAt.has(round)) {
        await new Promise((resolve) => setTimeout(resolve, random(30)));
        proxy.target = 0; // another process may get the port
        exchange.child.kill('SIGKILL');
        await once(exchange.child, 'exit');
        running.catch(() => {});
        exchange = await startExchange();
        proxy.target = exchange.port;
      } else {
        await running;
        commandCount += perRound;
      }
      if (!checkAt.has(round)) continue;
      const report = await exchange.ask({ report: true });
      const trades = 'trades' in report ? report.trades : [];
      await checkMarkets(exchange.port, followers, trades);
      await usersCaughtUp(exchange.port, users, userMessages);
      const executed = new Set(users.flatMap((user) => [...checkUser(user)]));
      expect(executed.size).toBe(trades.reduce((sum, count) => sum + count, 0));
    }
    const messageCount = followers.reduce((sum, { subscriber }) => sum + subscriber.reader.eventCount, 0);
    console.info(
      `${commandCount} commands, ${proxy.cutCount} cuts, ${proxy.stallCount} stalls, ${proxy.delayCount} delays, ` +
        `${starts - 1} kills; ${messageCount} messages on ${followers.length} sockets of markets, ` +
        `${users.reduce((sum, { userEvents }) => sum + userEvents.length, 0)} on ${users.length} of owners`,
    );
    expect(commandCount).toBeGreaterThanOrEqual(COMMANDS);
    expect(proxy.cutCount).toBeGreaterThanOrEqual(CUTS);
    expect(starts - 1).toBe(KILLS);
    for (const { subscriber } of followers) subscriber.close();
    for (const user of users) user.close();
    proxy.close();
    exchange.child.kill('SIGKILL');
    await once(exchange.child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  },
  PATIENCE_MS,
);
