// Every n-th call to the file system fails, once and for ever: no answer after a failed flush claims success, nothing that
// was refused is found after a restart, and no process dies without a message. On real LMDB under the shim where there is a
// compiler (IO_FAULTS_STEP=1 tries every n up to 200), and everywhere on an in-memory store that fails the same way.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MemoryStore, openExchange, StorageUnavailable } from '../../engine/index.ts';
import { HeldStore, turn } from '../journal/support.ts';
import { commandsOf, foundingCommands, settings } from '../pipeline/workload.ts';
import { environmentNumber } from '../support/wholeNumber.ts';
import { shimEnvironment, shimLibrary } from './shim.ts';

const N_MAX = 200;
const STEP = environmentNumber('IO_FAULTS_STEP', 37);
/** A failing disk mostly means waiting, so several children run at once. */
const CHILDREN = 6;
const EIO = 5;
const LONG = { timeout: 600_000 } as const;

interface Line {
  readonly n: number;
  readonly count: number;
  readonly done: number;
  readonly refused: number;
  readonly undecided: number;
  readonly fatal?: string;
  readonly wrong: readonly string[];
}

/** Runs a child through its share of the faults; returns its lines, and how it ended. */
async function runChild(library: string, first: number, step: number): Promise<{ lines: Line[]; end: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'outcry-io-'));
  try {
    const args = [join(import.meta.dirname, './ioChild.ts'), folder, first, N_MAX, step, EIO].map(String);
    const env = { ...process.env, ...shimEnvironment(library, folder) };
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [output, errors] = ['', ''];
    child.stdout.on('data', (text: Buffer) => {
      output += text.toString();
    });
    child.stderr.on('data', (text: Buffer) => {
      errors = (errors + text.toString()).slice(-2_000);
    });
    const end = await new Promise<string>((resolve) => {
      child.once('close', (status, signal) => resolve(`${status ?? signal}${status === 0 ? '' : `: ${errors}`}`));
    });
    const lines = output.split('\n').filter((line) => line.startsWith('{'));
    return { lines: lines.map((line) => JSON.parse(line)), end };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('whichever file system call fails, nothing is lost or invented and no process dies silently', {
  timeout: 3_600_000,
}, async () => {
  const library = shimLibrary();
  if (library === undefined) {
    console.info('There is no C compiler here: failing calls are only rehearsed on the store in memory.');
    return;
  }
  const children = Array.from({ length: CHILDREN }, (_, index) => runChild(library, 1 + index * STEP, STEP * CHILDREN));
  const results = await Promise.all(children);
  const lines = results.flatMap((result) => result.lines);
  expect(results.map(({ end }) => end)).toEqual(results.map(() => '0'));
  expect(lines.filter(({ wrong }) => wrong.length > 0)).toEqual([]);
  expect(lines.length).toBe(2 * Math.ceil(N_MAX / STEP));
  const forEver = lines.filter(({ count }) => count === 0);
  for (const { fatal } of forEver) expect(fatal).toMatch(/^The journal could not be written after 3 tries: /);
  const sum = (pick: (line: Line) => number) => lines.reduce((total, line) => total + pick(line), 0);
  console.info(
    `${lines.length} failing disks: ${sum(({ done }) => done)} acknowledged, ${sum(({ refused }) => refused)} refused, ` +
      `${sum(({ undecided }) => undecided)} told that their outcome is not known; lost 0, ghosts 0, silent deaths 0.`,
  );
});

test('opening new stores on a read-only disk throws EROFS and does not crash the process', LONG, () => {
  const library = shimLibrary();
  if (library === undefined) {
    console.info('There is no C compiler here: a disk that takes no new file cannot be rehearsed.');
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'outcry-open-'));
  try {
    const env = { ...process.env, ...shimEnvironment(library, folder) };
    const script = join(import.meta.dirname, './openChild.ts');
    const { status, signal, stdout } = spawnSync(process.execPath, [script, folder], { env, encoding: 'utf8' });
    expect([status, signal]).toEqual([0, null]);
    expect(JSON.parse(stdout)).toEqual([['EROFS: read-only file system, write', 200]]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** A store whose n-th write fails, and without `isOnce` every later one too. */
class FailingStore extends MemoryStore {
  private left: number;
  private readonly isOnce: boolean;

  constructor(n: number, isOnce: boolean) {
    super(true);
    this.left = n;
    this.isOnce = isOnce;
  }

  override async write(firstSequence: number, bytes: Uint8Array): Promise<void> {
    await turn();
    this.left -= 1;
    if (this.left === 0 || (this.left < 0 && !this.isOnce)) throw new Error('Input/output error');
    await super.write(firstSequence, bytes);
  }
}

const quick = { firstDelayMs: 1, largestDelayMs: 1, triesMax: 3 } as const;

/** The answers to the commands of a run, counted. */
async function answersOf(
  store: MemoryStore,
): Promise<{ done: number; refused: number; kept: number; fatal: string[] }> {
  const fatal: string[] = [];
  const onFatal = (error: Error): void => void fatal.push(error.message);
  const counts = { done: 0, refused: 0 };
  const exchange = await openExchange(
    { dataDir: undefined, settings, followers: [], onFatal },
    { store, retry: quick },
  );
  const commands = commandsOf(3, () => exchange.now());
  const all = [...foundingCommands(), ...Array.from({ length: 230 }, () => Buffer.from(commands.next().value))];
  for (const command of all) {
    await exchange.submit(command).then(
      () => {
        counts.done += 1;
      },
      (error: unknown) => {
        expect(error).toBeInstanceOf(StorageUnavailable);
        counts.refused += 1;
      },
    );
  }
  await exchange.close();
  return { ...counts, kept: exchange.durableSequence, fatal };
}

test('a store whose n-th write fails keeps everything that it acknowledged', async () => {
  for (let n = 2; n <= N_MAX; n += 9) {
    const once = await answersOf(new FailingStore(n, true));
    expect(once, `write ${n}`).toMatchObject({ refused: 0, fatal: [] });
    expect(once.kept).toBeGreaterThan(once.done);
    const forEver = await answersOf(new FailingStore(n, false));
    expect(forEver.fatal).toEqual(['The journal could not be written after 3 tries: Input/output error.']);
    expect(forEver.kept).toBeGreaterThan(forEver.done); // Started, and ticks
    expect(forEver.done + forEver.refused).toBe(once.done);
    expect(forEver.refused).toBeGreaterThan(0);
  }
});

test('a hanging flush rejects pending and new commands, and commands are accepted again once it ends', async () => {
  const store = new HeldStore();
  const log: string[] = [];
  const retry = { ...quick, flushMs: 25, flushMsMax: 600_000 };
  const options = {
    dataDir: undefined,
    settings,
    followers: [],
    log: (_: string, text: string) => void log.push(text),
  };
  const opening = openExchange(options, { store, retry, answerMsMax: 25 });
  await store.endNext();
  const exchange = await opening;
  const [first, second] = foundingCommands();
  const waiting = exchange.submit(first);
  await expect(waiting).rejects.toMatchObject({ isUndecided: true, reason: expect.stringContaining('has not ended') });
  await expect(exchange.submit(second)).rejects.toMatchObject({ isUndecided: false });
  expect(exchange.unavailableReason).toBe("the journal's flush has not ended for 25 ms");
  await store.endNext();
  while (exchange.unavailableReason !== undefined) await turn();
  expect(log).toEqual(['The journal cannot be written; trying again.', 'The journal can be written again.']);
  const done = exchange.submit(second);
  await store.endNext();
  expect((await done).sequence).toBe(3);
  await exchange.close();
});

test('a flush that never ends stops the exchange, and close() does not wait for it', async () => {
  const store = new HeldStore();
  const fatal: string[] = [];
  const onFatal = (error: Error): void => void fatal.push(error.message);
  const retry = { ...quick, flushMs: 10, flushMsMax: 20 };
  const opening = openExchange({ dataDir: undefined, settings, followers: [], onFatal }, { store, retry });
  await store.endNext();
  const exchange = await opening;
  await expect(exchange.submit(foundingCommands()[0])).rejects.toMatchObject({ isUndecided: true });
  expect(fatal).toEqual(["The journal's flush has not ended for 20 ms."]);
  await expect(exchange.submit(foundingCommands()[1])).rejects.toMatchObject({ isUndecided: false });
  await exchange.close();
});

test('while nothing becomes durable, new commands are rejected once the backlog exceeds its limit', async () => {
  const store = new HeldStore();
  const options = { dataDir: undefined, settings, followers: [] };
  const opening = openExchange(options, { store, pendingBytesMax: 50_000 });
  await store.endNext();
  const exchange = await opening;
  const commands = commandsOf(5, () => exchange.now());
  let taken = exchange.durableSequence;
  const refused: string[] = [];
  while (exchange.unavailableReason === undefined) {
    taken += 1;
    exchange.submit(commands.next().value).catch((error: Error) => refused.push(error.message));
  }
  expect(exchange.unavailableReason).toMatch(/^the journal is 5\d{4} bytes behind, and at most 50000 may wait$/);
  await expect(exchange.submit(commands.next().value)).rejects.toMatchObject({ isUndecided: false });
  while (exchange.durableSequence < taken) {
    await store.endNext();
    await turn();
  }
  expect(exchange.unavailableReason).toBeUndefined();
  expect(refused).toEqual([]);
  await exchange.close();
});
