// A journal that was not closed in order is read by another process before the exchange maps it: one that crashes its
// reader is refused in a sentence, and an intact one starts as usual.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DataDirectory, openExchange, wasLeftBehind } from '../../engine/index.ts';
import { requireReadable } from '../../server/dataDirectory/firstLook.ts';
import { commandsOf, foundingCommands, settings } from '../pipeline/workload.ts';
import { follow, runToEnd, spawnServer } from '../support/process.ts';
import { tempDir } from '../support/tempDir.ts';

const PAGE_BYTES = 4096;
const PAGE_HEADER_BYTES = 24;
/** The offset of the transaction number in LMDB's two first pages. */
const TRANSACTION_AT = 152;
const LEAF = 0x02;
/** Enough batches for several leaves. */
const ROUNDS = 60;

/**
 * A data directory with a journal as a killed process leaves it, without snapshots, or with one near its beginning and one at
 * its end.
 */
async function makeKilled(folder: string, hasSnapshot: boolean): Promise<string> {
  const dataDir = join(folder, hasSnapshot ? 'snapshot' : 'data');
  mkdirSync(dataDir);
  const options = { dataDir, settings, followers: [], ...(hasSnapshot && { snapshotFrom: 1 }) };
  const founded = await openExchange(options);
  await Promise.all(foundingCommands().map((command) => founded.submit(command)));
  await founded.close();
  const exchange = await openExchange(options);
  expect(exchange.snapshotSequence > 0).toBe(hasSnapshot);
  const commands = commandsOf(7, () => exchange.now());
  for (let round = 0; round < ROUNDS; round += 1) await exchange.submit(commands.next().value);
  await exchange.close();
  writeFileSync(join(dataDir, 'lock'), JSON.stringify({ pid: 2 ** 22 + 1, startedAt: 'boot/1' }));
  return dataDir;
}

/**
 * Makes every entry in LMDB's leaves claim a value of gigabytes, so that reading one runs past the map. The entries of the
 * last transaction are spared, since they are checked before LMDB reads any.
 */
function damage(dataDir: string): void {
  const file = join(dataDir, 'journal', 'data.mdb');
  const bytes = readFileSync(file);
  const [first, second] = [bytes.readBigUInt64LE(TRANSACTION_AT), bytes.readBigUInt64LE(PAGE_BYTES + TRANSACTION_AT)];
  const last = first > second ? first : second;
  for (let page = 2 * PAGE_BYTES; page < bytes.length; page += PAGE_BYTES) {
    const pointersBytes = bytes.readUInt16LE(page + 20);
    if (bytes.readUInt16LE(page + 18) !== LEAF || pointersBytes > PAGE_BYTES / 4) continue;
    if (bytes.readBigUInt64LE(page + 8) === last) continue;
    for (let at = 0; at < pointersBytes; at += 2) {
      const node = page + PAGE_HEADER_BYTES + bytes.readUInt16LE(page + PAGE_HEADER_BYTES + at);
      if (node + 4 < bytes.length) bytes.writeUInt16LE(0x3fff, node + 2);
    }
  }
  writeFileSync(file, bytes);
}

test.each([false, true])(
  'a journal that crashes its reader is rejected as damaged, with exit status 5 (with snapshots: %s)',
  async (hasSnapshot) => {
    const folder = tempDir();
    const dataDir = await makeKilled(folder, hasSnapshot);
    await requireReadable(dataDir);
    damage(dataDir);
    const refusal = /is damaged: reading it killed a process with SIG(BUS|SEGV)\. Restore it from a backup/;
    await expect(requireReadable(dataDir)).rejects.toThrow(refusal);
    const end = await runToEnd(['start', '--port', '0', '--data-dir', dataDir]);
    expect([end.status, end.output]).toEqual([5, expect.stringMatching(refusal)]);
    // A journal that was closed in order is opened at once.
    rmSync(join(dataDir, 'lock'));
    await requireReadable(dataDir);
  },
);

test('a first look that a signal from outside ends does not report the journal as damaged', async () => {
  const folder = tempDir();
  const { execArgv } = process;
  try {
    const dataDir = await makeKilled(folder, false);
    // Ctrl+C reaches every process of a terminal; the kernel kills one when memory runs out.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL']) {
      const script = encodeURIComponent(`process.kill(process.pid, '${signal}');`);
      process.execArgv = ['--import', `data:text/javascript,${script}`];
      const refusal = `could not be checked: the process that read it was ended by ${signal}. Start again;`;
      await expect(requireReadable(dataDir)).rejects.toThrow(refusal);
    }
  } finally {
    process.execArgv = execArgv;
  }
});

// With a file that names its mode, and without one: then the start first reads whether the journal has more than starts.
test.each([true, false])(
  'a stop ends a first look at once, with exit status 0 (with a known mode: %s)',
  async (hasMode) => {
    const folder = tempDir();
    const dataDir = await makeKilled(folder, false);
    if (hasMode) writeFileSync(join(dataDir, 'mode'), 'development\n');
    const looking = join(folder, 'looking');
    // In place of a journal that takes long to read.
    const script = `import { writeFileSync } from 'node:fs';
    if (process.argv[1].endsWith('firstLookChild.ts')) {
      process.once('disconnect', () => process.exit());
      writeFileSync(${JSON.stringify(looking)}, '');
      for (;;) await new Promise((resolve) => setTimeout(resolve, 1_000));
    }`;
    const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(script)}`;
    const server = spawnServer(['start', '--port', '0', '--data-dir', dataDir], { env: { NODE_OPTIONS } });
    const { state, ended, kill } = follow(server);
    let hasEnded = false;
    void ended.then(() => {
      hasEnded = true;
    });
    while (!existsSync(looking) && !hasEnded) await sleep(20);
    expect(await kill('SIGTERM'), state.output).toEqual({ status: 0, signal: null });
    expect(state.output).toContain('SIGTERM: stopped while reading the journal.');
    expect(wasLeftBehind(dataDir)).toBe(true);
  },
);

test('a first look for which no process can be started is refused with the reason', async () => {
  const folder = tempDir();
  const { execPath } = process;
  try {
    const dataDir = await makeKilled(folder, false);
    process.execPath = '/nothing/of/this/name';
    await expect(requireReadable(dataDir)).rejects.toMatchObject({
      name: 'FatalError',
      message: expect.stringMatching(/could not be checked: .*ENOENT/),
    });
  } finally {
    process.execPath = execPath;
  }
});

/** Runs the process that reads a journal; resolves once it has ended. */
async function look(dataDir: string, execArgv: readonly string[], act: (child: ChildProcess) => void): Promise<void> {
  const module = join(import.meta.dirname, '../../server/dataDirectory/firstLookChild.ts');
  const child = fork(module, [dataDir], { stdio: 'ignore', execArgv: [...process.execArgv, ...execArgv] });
  act(child);
  await once(child, 'exit');
}

test('a first look reads with the directory locked, which it leaves as one that was not closed in order', async () => {
  const folder = tempDir();
  const dataDir = await makeKilled(folder, false);
  const seen = join(folder, 'seen');
  // The lock as it is when the process prepares to open the journal.
  const script = `import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { accessSync } = fs;
    fs.accessSync = (path, mode) => {
      fs.copyFileSync(${JSON.stringify(join(dataDir, 'lock'))}, ${JSON.stringify(seen)});
      accessSync(path, mode);
    };
    syncBuiltinESMExports();`;
  let pid: number | undefined;
  await look(dataDir, ['--import', `data:text/javascript,${encodeURIComponent(script)}`], (child) => {
    pid = child.pid;
  });
  expect(JSON.parse(readFileSync(seen, 'utf8')).pid).toBe(pid);
  expect(wasLeftBehind(dataDir)).toBe(true);
});

test('a first look opens no journal that another process has locked by then, or whose own start has ended', async () => {
  const dataDir = await makeKilled(tempDir(), false);
  const readers = join(dataDir, 'journal', 'lock.mdb'); // made by whoever opens the journal by LMDB
  rmSync(readers);
  const holder = new DataDirectory(dataDir);
  const text = readFileSync(join(dataDir, 'lock'), 'utf8');
  try {
    await look(dataDir, [], () => {});
    expect([existsSync(readers), readFileSync(join(dataDir, 'lock'), 'utf8')]).toEqual([false, text]);
  } finally {
    holder.release();
  }
  await look(dataDir, [], (child) => child.disconnect());
  expect(existsSync(readers)).toBe(false);
  await look(dataDir, [], () => {});
  expect(existsSync(readers)).toBe(true);
});
