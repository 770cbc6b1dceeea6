// A server with a data directory makes snapshots while it runs and when it stops, and answers after a start from one as it
// did before. A running snapshot maker is ended with the server, and leaves nothing that a start would take for a snapshot.
import childProcess, { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { encodeCommand, type Log, type RunningExchange } from '../../engine/index.ts';
import { SnapshotMaker } from '../../server/snapshots/snapshotMaker.ts';
import { withReplaced } from '../journal/support.ts';
import { PATIENCE } from '../support/patience.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { tempDir } from '../support/tempDir.ts';

const EVERY = 1_000;

const PATHS = [
  '/markets?limit=100&order=id',
  '/events?limit=50&order=id',
  '/tags?limit=100',
  '/public-search?q=the',
  '/sampling-markets',
  '/series?limit=50',
  '/prices',
];

async function answers({ url }: TestServer): Promise<readonly string[]> {
  return Promise.all(PATHS.map(async (path) => (await fetch(url + path)).text()));
}

const tick = encodeCommand({ type: 'Tick' });
const ticks = (exchange: RunningExchange, count: number) =>
  Promise.all(Array.from({ length: count }, () => exchange.submit(tick)));

function filesIn(dataDir: string): readonly string[] {
  const folder = join(dataDir, 'snapshots');
  return existsSync(folder) ? readdirSync(folder) : [];
}

test('a running server makes a snapshot, and a restart from it gives the same responses', async () => {
  const dataDir = tempDir();
  const first = await startTestServer({ config: { dataDir, snapshotEvery: EVERY }, hasSeed: true });
  await ticks(first.exchange, EVERY);
  await ticks(first.exchange, 1);
  await vi.waitUntil(() => filesIn(dataDir).some((name) => name.endsWith('.snapshot')), PATIENCE);
  const before = await answers(first);
  const wallets = first.wallets.map(({ address }) => first.services.views.accounts.walletsOf(address));
  await first.close();
  const second = await startTestServer({ config: { dataDir, snapshotEvery: EVERY }, hasSeed: true });
  expect(second.exchange.snapshotSequence).toBeGreaterThan(0);
  expect(await answers(second)).toEqual(before);
  expect(second.wallets.map(({ address }) => second.services.views.accounts.walletsOf(address))).toEqual(wallets);
  await second.close();
});

test('a new snapshot is made after every 1,000 records', async () => {
  const dataDir = tempDir();
  const { exchange, close } = await startTestServer({ config: { dataDir, snapshotEvery: 0 } });
  const logged: string[] = [];
  const maker = new SnapshotMaker({ dataDir, every: EVERY, log: (_, text) => logged.push(text) });
  maker.opened(0);
  for (const count of [1, 2]) {
    await ticks(exchange, EVERY);
    const sequence = exchange.durableSequence;
    await vi.waitUntil(() => {
      maker.durable(sequence);
      return maker.madeCount === count;
    }, PATIENCE);
    expect(maker.newestSequence).toBeGreaterThanOrEqual(sequence);
    expect(logged).toEqual(Array(count).fill('A snapshot was made.'));
  }
  // One that has nothing new to hold leaves the newest as it is.
  const { newestSequence } = maker;
  await vi.waitUntil(() => {
    maker.durable(newestSequence + EVERY);
    return maker.madeCount === 3;
  }, PATIENCE);
  expect(maker.newestSequence).toBe(newestSequence);
  await maker.close();
  await close();
});

test('a stop writes a snapshot if many records are new, and none if few are or snapshots are off', async () => {
  const dataDir = tempDir();
  for (const [snapshotEvery, count, expected] of [
    [0, EVERY, 0],
    [EVERY * 100, 1, 0],
    [EVERY * 100, 10_000, 1],
  ] as const) {
    const server = await startTestServer({ config: { dataDir, snapshotEvery } });
    await ticks(server.exchange, count);
    await server.close();
    expect(filesIn(dataDir).length).toBe(expected);
  }
  const last = await startTestServer({ config: { dataDir } });
  expect(last.exchange.durableSequence - last.exchange.snapshotSequence).toBe(1);
  await last.close();
});

test('after a stop during a snapshot and a restart, no partial snapshot is left', async () => {
  const dataDir = tempDir();
  const server = await startTestServer({ config: { dataDir, snapshotEvery: EVERY } });
  await ticks(server.exchange, EVERY);
  await ticks(server.exchange, 1);
  await server.close();
  const again = await startTestServer({ config: { dataDir } });
  expect(filesIn(dataDir).filter((name) => !name.endsWith('.snapshot'))).toEqual([]);
  await again.close();
});

/** The snapshot makers that are started during `run`. */
async function makersOf(run: () => Promise<void>): Promise<readonly ChildProcess[]> {
  const { fork: begin } = childProcess;
  const began: ChildProcess[] = [];
  const noting = (...given: Parameters<typeof begin>): ChildProcess => {
    const child = begin(...given);
    began.push(child);
    return child;
  };
  await withReplaced(childProcess, { fork: noting as typeof begin }, run); // fork is overloaded
  return began;
}

test('one snapshot is under way at a time, none begins after a stop, and one that a stop ends is none that has failed', async () => {
  const logged: string[] = [];
  const maker = new SnapshotMaker({ dataDir: tempDir(), every: 10, log: (_, text) => logged.push(text) });
  maker.opened(0);
  const makers = await makersOf(async () => {
    for (const sequence of [10, 20, 30]) maker.durable(sequence);
    await maker.close();
    maker.durable(40);
  });
  expect([makers.length, maker.failedCount, logged]).toEqual([1, 0, []]);
});

test('a snapshot that fails, or whose process is killed, causes a warning with the reason', async () => {
  const logged: string[] = [];
  const dataDir = tempDir(); // there is no journal
  const log: Log = (level, text, figures) => logged.push(`${level} ${text} ${figures?.reason}`);
  const maker = new SnapshotMaker({ dataDir, every: 10, log });
  maker.opened(0);
  maker.durable(10);
  await vi.waitUntil(() => logged.length > 0, PATIENCE);
  expect(logged[0]).toMatch(/^warn No snapshot could be made\. (?!undefined)(?!the process)./);
  await vi.waitUntil(async () => {
    const [child] = await makersOf(async () => maker.durable(20)); // none while the first one is ending
    return child?.kill('SIGKILL');
  }, PATIENCE);
  await vi.waitUntil(() => logged.length > 1, PATIENCE);
  const killed = 'warn No snapshot could be made. the process that makes it was ended by SIGKILL';
  expect([logged.slice(1), maker.failedCount, maker.madeCount]).toEqual([[killed], 2, 0]);
  await maker.close();
});

test('a snapshot maker whose exchange is gone exits with status 0 and makes none', async () => {
  const dataDir = tempDir();
  await (await startTestServer({ config: { dataDir, snapshotEvery: 0 } })).close(); // it could make one of this
  const file = join(import.meta.dirname, '../../server/snapshots/makerChild.ts');
  const child = fork(file, [dataDir], { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  child.disconnect();
  const [status] = await once(child, 'exit');
  expect([status, filesIn(dataDir)]).toEqual([0, []]);
});

test.each([
  // An argument that no system accepts, and a program that does not exist: one throws, the other comes as an event.
  ['E2BIG', '/x'.repeat(1_000_000), process.execPath],
  ['ENOENT', '/x', '/nothing/of/this/name'],
])(
  'a snapshot maker that fails to start (%s) causes a warning and is retried 10 records later',
  async (code, dataDir, path) => {
    const logged: string[] = [];
    const maker = new SnapshotMaker({
      dataDir,
      every: 10,
      log: (level, _, figures) => logged.push(`${level} ${figures?.reason}`),
    });
    maker.opened(100);
    const { execPath } = process;
    process.execPath = path;
    try {
      for (const [sequence, count] of [
        [109, 0],
        [110, 1],
        [119, 1],
        [120, 2],
        [135, 3], // a batch of many records, as of an import
        [144, 3],
        [145, 4],
      ]) {
        maker.durable(sequence);
        await vi.waitUntil(() => logged.length >= count, PATIENCE);
        expect(logged.length).toBe(count);
      }
    } finally {
      process.execPath = execPath;
    }
    for (const text of logged) expect(text).toMatch(new RegExp(`^warn .*${code}`));
    await maker.close();
  },
);
