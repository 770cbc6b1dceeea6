// A whole server while its disk is full, hangs or has become read-only, and while the server itself is halted: orders are
// answered 503 with the reason and Retry-After, reads go on, and it accepts orders again by itself when the disk recovers.
// Nothing acknowledged is lost, and meanwhile it can be stopped within 5 s.
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { generatedRows, linesOf } from '../../bench/catalog/lines.ts';
import { SeededRandom } from '../../bench/lib/seededRandom.ts';
import { send } from '../support/client.ts';
import { PATIENCE } from '../support/patience.ts';
import { freePort } from '../support/ports.ts';
import { runToEnd } from '../support/process.ts';
import { environmentNumber } from '../support/wholeNumber.ts';
import { type Child, type ChildOptions, startChild } from './child.ts';
import { Clients } from './clients.ts';
import { ClientLedger, differencesOf, JournalLedger } from './ledger.ts';
import { shimEnvironment, shimLibrary } from './shim.ts';

const STOP_MS = environmentNumber('FAULT_STOP_MS', 10_000);
const LONG = { timeout: 600_000 } as const;

interface World {
  readonly child: Child;
  readonly clients: Clients;
  readonly ledger: ClientLedger;
  readonly journal: JournalLedger;
  readonly load: Promise<void>;
}

const children: Child[] = [];
// A test that fails leaves its server running.
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Starts a server on a free port. */
async function start(options: Omit<ChildOptions, 'port'>): Promise<Child> {
  const child = startChild({ ...options, port: await freePort() });
  children.push(child);
  return child;
}

/** A server under load from two clients. */
async function startWorld(
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
  hasStopLimit = false,
): Promise<World> {
  const child = await start({ dataDir, env, hasStopLimit });
  if (!(await child.ready())) throw new Error(child.output);
  const random = new SeededRandom(4);
  const ledger = new ClientLedger();
  const clients = new Clients(ledger, () => random.below(1_000_000) / 1_000_000);
  await clients.prepare(child.url, 2, 4);
  return { child, clients, ledger, journal: new JournalLedger(dataDir), load: clients.run(2) };
}

const countOf = ({ clients }: World, status: number): number => clients.replies.get(status) ?? 0;

/** Waits for `more` further replies with a status. */
async function moreReplies(world: World, status: number, more = 5): Promise<void> {
  const before = countOf(world, status);
  while (countOf(world, status) < before + more) {
    if (!world.child.isRunning) {
      const { status, signal } = await world.child.ended;
      throw new Error(`the server has ended with ${status ?? signal}:\n${world.child.output}`);
    }
    await sleep(20);
  }
}

async function expectRefusal({ child, clients }: World, reason: RegExp): Promise<void> {
  expect(clients.lastUnusual).toMatch(reason);
  for (const path of ['/time', '/markets', '/version']) expect((await send(child.url, 'GET', path)).status).toBe(200);
  const ready = await send(child.url, 'GET', '/readyz');
  expect([ready.status, ready.json.error]).toEqual([503, expect.stringMatching(/at present/)]);
  expect(Number(ready.headers.get('retry-after'))).toBeGreaterThan(0);
}

/** Writes a file until its disk is full; the server writes at the same time. */
function fill(filler: string): void {
  const piece = Buffer.alloc(64 * 1024);
  try {
    for (;;) appendFileSync(filler, piece);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}

/** Compares the journal of a server that has ended with the replies that its clients got. */
async function expectNothingLost({ ledger, journal }: World): Promise<void> {
  await journal.readTo();
  expect(differencesOf(ledger, journal)).toEqual({ lost: [], doubled: [], ghosts: [] });
  journal.checkInvariants();
}

/** Stops load and server, and expects nothing to be lost. */
async function finish(world: World): Promise<void> {
  const { child, clients, load } = world;
  clients.stop();
  await load;
  child.kill('SIGTERM');
  expect((await child.ended).status, child.output).toBe(0);
  await expectNothingLost(world);
}

test('on a full disk orders get 503 and reads go on; orders are accepted again once there is space', LONG, async () => {
  const mounted = mkdtempSync(join(tmpdir(), 'outcry-full-'));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', mounted]).status !== 0) {
    console.info('No file system can be mounted here: a full disk is only rehearsed by a limit on the size of files.');
    rmSync(mounted, { recursive: true });
    return;
  }
  try {
    const world = await startWorld(join(mounted, 'data'));
    await moreReplies(world, 200);
    const filler = join(mounted, 'filler');
    fill(filler);
    await moreReplies(world, 503);
    await expectRefusal(world, /^503 .*the journal cannot be written: ENOSPC: no space left on device/);
    rmSync(filler);
    await moreReplies(world, 200);
    await finish(world);
  } finally {
    spawnSync('umount', ['-l', mounted]);
    rmSync(mounted, { recursive: true, force: true });
  }
});

test('a start with a read-only journal disk exits with status 7 and a one-line error', LONG, async () => {
  const library = shimLibrary();
  if (library === undefined) {
    console.info('There is no C compiler here: a disk that takes nothing cannot be rehearsed.');
    return;
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'outcry-started-'));
  const journal = join(dataDir, 'journal');
  try {
    const env = shimEnvironment(library, journal);
    const first = await start({ dataDir, env });
    expect(await first.ready()).toBe(true);
    first.kill('SIGTERM');
    expect((await first.ended).status).toBe(0);
    writeFileSync(join(journal, 'shim-readonly'), '');
    const second = await start({ dataDir, env });
    expect(await second.ended).toEqual({ status: 7, signal: null });
    expect(second.output).toMatch(/^The exchange cannot start: the journal cannot be written: [^\n]*\.$/m);
    expect(second.output).not.toContain('    at ');
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

/** Runs with a data directory whose journal was closed in order, and a way to let its disk hang; without a compiler not at all. */
async function withHangingJournal(
  run: (dataDir: string, library: string, hang: () => void) => Promise<void>,
): Promise<void> {
  const library = shimLibrary();
  if (library === undefined) {
    console.info('There is no C compiler here: a disk that hangs cannot be rehearsed.');
    return;
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'outcry-hung-'));
  const hung = join(dataDir, 'journal', 'shim-hang');
  try {
    const first = await start({ dataDir });
    expect(await first.ready()).toBe(true);
    first.kill('SIGTERM');
    expect((await first.ended).status).toBe(0);
    await run(dataDir, library, () => writeFileSync(hung, ''));
  } finally {
    rmSync(hung, { force: true });
    for (const child of children) child.kill('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** How a process ended, or that it did not in the time that a test may take. */
const endOf = ({ ended }: Child) => Promise.race([ended, sleep(PATIENCE.timeout, 'late')]);

test('a start whose disk hangs prints the reason, keeps the lock and kills itself', LONG, async () => {
  await withHangingJournal(async (dataDir, library, hang) => {
    hang();
    const env = shimEnvironment(library, join(dataDir, 'journal'));
    const child = await start({ dataDir, env, isImpatient: true });
    expect(await endOf(child), child.output).toEqual({ status: null, signal: 'SIGKILL' });
    expect(child.output).toMatch(
      /^The exchange cannot start: [^\n]*flush has not ended for \d+ ms\.[^\n]*\n[^\n]*SIGKILL\.$/m,
    );
    expect(child.output).not.toContain('    at ');
    expect(existsSync(join(dataDir, 'lock'))).toBe(true);
  });
});

test('a start whose disk hangs ends on SIGTERM', LONG, async () => {
  await withHangingJournal(async (dataDir, library, hang) => {
    hang();
    const writes = join(dataDir, 'writes');
    const env = shimEnvironment(library, join(dataDir, 'journal'), writes);
    const child = await start({ dataDir, env, hasStopLimit: true });
    // Everything has been replayed once the start's own record is being written.
    while (child.isRunning && !existsSync(writes)) await sleep(20);
    child.kill('SIGTERM');
    expect(await endOf(child), child.output).toEqual({ status: null, signal: 'SIGKILL' });
    expect(child.output).toMatch(/^The exchange did not stop within 5 s; it now kills itself with SIGKILL\.$/m);
  });
});

test('a server whose disk hangs for too long prints the reason and kills itself', LONG, async () => {
  await withHangingJournal(async (dataDir, library, hang) => {
    const env = shimEnvironment(library, join(dataDir, 'journal'));
    const child = await start({ dataDir, env, isImpatient: true });
    expect(await child.ready()).toBe(true);
    hang();
    const address = `0x${'1'.repeat(40)}`;
    const faucet = send(child.url, 'POST', '/dev/faucet', { address, collateral: '1' }).catch(() => undefined);
    expect(await endOf(child), child.output).toEqual({ status: null, signal: 'SIGKILL' });
    await faucet;
    expect(child.output).toMatch(/^The journal's flush has not ended for \d+ ms\.\n[^\n]*SIGKILL\.$/m);
  });
});

/** Imports enough for a snapshot at the next stop, and passes on the data directory and what lets its snapshots hang. */
async function withHangingSnapshots(run: (dataDir: string, library: string, hang: () => void) => Promise<void>) {
  const library = shimLibrary();
  if (library === undefined) {
    console.info('There is no C compiler here: a disk that hangs cannot be rehearsed.');
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'outcry-due-'));
  const [dataDir, catalog] = [join(folder, 'data'), join(folder, 'catalog.jsonl')];
  try {
    writeFileSync(catalog, linesOf(generatedRows(1_000)).join('\n'));
    expect((await runToEnd(['import', catalog, '--data-dir', dataDir, '--no-house'])).status).toBe(0);
    await run(dataDir, library, () => {
      mkdirSync(join(dataDir, 'snapshots'), { recursive: true });
      writeFileSync(join(dataDir, 'snapshots', 'shim-hang'), '');
    });
  } finally {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A server that makes a snapshot whenever 1,000 records follow the last one. */
async function startSnapshotting(dataDir: string, shim: Readonly<Record<string, string>> = {}): Promise<Child> {
  const child = await start({ dataDir, env: { ...shim, OUTCRY_SNAPSHOT_EVERY: '1000' }, hasStopLimit: true });
  expect(await child.ready(), child.output).toBe(true);
  return child;
}

async function expectKilledAtStop(child: Child): Promise<void> {
  child.kill('SIGTERM');
  expect(await endOf(child), child.output).toEqual({ status: null, signal: 'SIGKILL' });
  expect(child.output).toMatch(/^The exchange did not stop within 5 s; it now kills itself with SIGKILL\.$/m);
}

test('a server whose disk hangs while nothing is written and a snapshot is due stops on SIGTERM', LONG, async () => {
  await withHangingSnapshots(async (dataDir, library, hang) => {
    hang();
    await expectKilledAtStop(await startSnapshotting(dataDir, shimEnvironment(library, join(dataDir, 'snapshots'))));
  });
});

test('a server whose disk hangs for reads too, and has a snapshot already, stops on SIGTERM', LONG, async () => {
  await withHangingSnapshots(async (dataDir, library, hang) => {
    const first = await startSnapshotting(dataDir);
    first.kill('SIGTERM');
    expect(await endOf(first), first.output).toEqual({ status: 0, signal: null });
    const child = await startSnapshotting(dataDir, shimEnvironment(library, join(dataDir, 'snapshots')));
    hang();
    await expectKilledAtStop(child);
  });
});

// One disk under journal and histories, as is usual.
test('a server recovers from a hanging disk, a read-only disk and a SIGSTOP of the whole process', LONG, async () => {
  const library = shimLibrary();
  const folder = mkdtempSync(join(tmpdir(), 'outcry-hang-'));
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { recursive: true });
  if (library === undefined)
    console.info('There is no C compiler here: the server is halted, but its disk does not hang.');
  try {
    const world = await startWorld(dataDir, library === undefined ? {} : shimEnvironment(library, dataDir));
    await moreReplies(world, 200);
    for (const [fault, reason] of [
      ['shim-hang', /^503 .*flush has not ended for 15000 ms/],
      ['shim-readonly', /^503 .*the journal cannot be written/],
    ] as const) {
      if (library === undefined) continue;
      writeFileSync(join(dataDir, fault), '');
      await moreReplies(world, 503);
      await expectRefusal(world, reason);
      rmSync(join(dataDir, fault));
      await moreReplies(world, 200);
    }
    const refused = countOf(world, 503);
    world.child.kill('SIGSTOP');
    await sleep(STOP_MS);
    world.child.kill('SIGCONT');
    await moreReplies(world, 200, 20);
    expect(countOf(world, 503)).toBe(refused);
    await finish(world);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test(
  'one or several signals under load stop a server with status 0, and nothing acknowledged is lost',
  LONG,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'outcry-signals-'));
    try {
      for (const signals of [['SIGTERM'], ['SIGHUP'], ['SIGINT', 'SIGINT'], ['SIGINT', 'SIGTERM', 'SIGHUP']] as const) {
        const world = await startWorld(join(folder, signals.join('-')));
        await moreReplies(world, 200, 50);
        for (const signal of signals) world.child.kill(signal);
        expect(await world.child.ended, world.child.output).toEqual({ status: 0, signal: null });
        expect(world.child.output).toBe('');
        world.clients.stop();
        await world.load;
        await expectNothingLost(world);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

/** Folders whose disk may hang, the status of the replies meanwhile, and how many of them to wait for. */
const hanging = [
  ['journal', 503, 5],
  ['history', 200, 50],
] as const;

test.each(hanging)(
  'a server whose %s disk hangs stops on SIGTERM, and nothing acknowledged is lost',
  LONG,
  async (name, reply, count) => {
    const library = shimLibrary();
    if (library === undefined) {
      console.info('There is no C compiler here: a disk that hangs cannot be rehearsed.');
      return;
    }
    const folder = mkdtempSync(join(tmpdir(), 'outcry-stop-'));
    const dataDir = join(folder, 'data');
    const hung = join(dataDir, name);
    mkdirSync(hung, { recursive: true });
    try {
      const world = await startWorld(dataDir, shimEnvironment(library, hung), true);
      await moreReplies(world, 200);
      writeFileSync(join(hung, 'shim-hang'), '');
      await moreReplies(world, reply, count);
      world.child.kill('SIGTERM');
      // The server's part ends within 5 s; a busy machine may take longer, and a server that waits for the disk never ends.
      // The system itself may wait for the hanging call: what counts is whether the process has ended its part.
      const outcome = await Promise.race([world.child.ended.then(() => 'ended'), sleep(PATIENCE.timeout, 'late')]);
      rmSync(join(hung, 'shim-hang'));
      world.clients.stop();
      await world.load;
      if (outcome === 'late') world.child.kill('SIGKILL');
      await world.child.ended;
      expect(outcome, world.child.output).toBe('ended');
      await expectNothingLost(world);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
