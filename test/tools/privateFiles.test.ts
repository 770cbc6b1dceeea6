// What the exchange and its tools make on disk is for their user alone: the journal, its snapshots and its copies hold the ids
// of read-only keys, which need no signature. A folder that existed before keeps its mode.
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { archiveJournal, DataDirectory, openExchange, VirtualClock } from '../../engine/index.ts';
import { inTempDir } from '../journal/support.ts';
import { counter, START_MS, settings, submitFounding, submitRounds } from '../pipeline/workload.ts';
import { runToEnd, startServerProcess } from '../support/process.ts';

/** Whether a path's mode lets users other than its owner in; those of a socket do not, since connecting is writing. */
function isOpen(path: string): boolean {
  const status = statSync(path);
  return (status.mode & (status.isSocket() ? 0o022 : 0o077)) !== 0;
}

/** The folder, and everything in it. */
const within = (folder: string): string[] => [
  folder,
  ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
];

test.skipIf(process.platform === 'win32')('a data directory and its backup are closed to other users', async () => {
  await inTempDir(async (parent) => {
    const [dataDir, backup] = [join(parent, 'new', 'data'), join(parent, 'backups', 'first')];
    const server = await startServerProcess({ dataDir, args: ['--no-house'] });
    expect(within(dataDir)).toContain(join(dataDir, 'lock'));
    expect(within(dataDir).filter(isOpen)).toEqual([]);
    await server.stop();
    expect(within(dataDir).filter(isOpen)).toEqual([]);
    chmodSync(join(dataDir, 'format.json'), 0o644); // as in directories of older programs
    expect((await runToEnd(['backup', backup, '--data-dir', dataDir])).status).toBe(0);
    for (const folder of [dataDir, backup]) expect(within(folder).length).toBeGreaterThan(5);
    expect(within(backup).filter(isOpen)).toEqual([]);
  });
});

test.skipIf(process.platform === 'win32')('so are snapshots, dumped commands and archived records', async () => {
  await inTempDir(async (parent) => {
    const [dataDir, archive] = [join(parent, 'data'), join(parent, 'archive')];
    mkdirSync(archive);
    chmodSync(archive, 0o755);
    const clock = new VirtualClock(START_MS);
    for (const seed of [1, 2, 3, 4]) {
      const exchange = await openExchange({
        dataDir,
        clock,
        settings,
        followers: [counter().follower],
        snapshotFrom: 1,
      });
      if (exchange.isFresh) await submitFounding(exchange);
      await submitRounds(exchange, clock, seed, { rounds: 5, commandsEach: 25 });
      await exchange.close();
    }
    const directory = new DataDirectory(dataDir);
    directory.dumpCrash('1.json', '{}');
    directory.release();
    expect(await archiveJournal(dataDir, archive)).toBeDefined();
    expect(within(dataDir).filter(isOpen)).toEqual([]);
    expect(within(archive).filter(isOpen)).toEqual([archive]);
  });
});

test.skipIf(process.platform === 'win32')('a data directory that exists keeps its mode', async () => {
  await inTempDir(async (parent) => {
    const dataDir = join(parent, 'data');
    mkdirSync(dataDir);
    chmodSync(dataDir, 0o750);
    new DataDirectory(dataDir).release();
    expect(statSync(dataDir).mode & 0o777).toBe(0o750);
  });
});
