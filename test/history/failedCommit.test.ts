// Commits of the index that fail. If the disk refused one, the index is kept: the historian is started again and goes on from
// the commit before. If LMDB met a damaged page, the failure is another one, after which the index is rebuilt.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dataFileIn } from '../../engine/index.ts';
import { keepsIndex } from '../../server/history/errors.ts';
import { IndexStore } from '../../server/history/store.ts';
import { shimEnvironment, shimLibrary } from '../faults/shim.ts';
import { inTempDir } from '../journal/support.ts';
import { openVenue } from './harness.ts';
import { Player } from './world.ts';

/** LMDB's pages: their size, where the flags of one are, and the flag of those that hold entries. */
const PAGE_BYTES = 4_096;
const PAGE_FLAGS_AT = 18;
const IS_LEAF = 0x02;

interface Line {
  readonly logged: readonly string[];
  readonly answer: string;
}

test('an index whose commit the disk refuses is continued from the commit before', { timeout: 600_000 }, async () => {
  const library = shimLibrary();
  if (library === undefined) {
    console.info('There is no C compiler here: a disk that refuses commits of the index is not rehearsed.');
    return;
  }
  await inTempDir(async (dataDir) => {
    const venue = await openVenue({ dataDir });
    await new Player(1, venue).play(60);
    const middle = venue.exchange.durableSequence;
    await new Player(2, venue).play(100);
    const last = venue.exchange.durableSequence;
    await venue.close();
    const args = [join(import.meta.dirname, './failedCommitChild.ts'), dataDir, middle, last].map(String);
    const env = { ...process.env, ...shimEnvironment(library, dataDir) };
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    const lines: Line[] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const logged = lines.flatMap((line) => line.logged);
    expect(logged.length, 'no commit has failed').toBeGreaterThan(0);
    for (const text of logged) expect(text).toMatch(/^The historian is started again: .*Input\/output error/);
    expect(new Set(lines.map(({ answer }) => answer)).size).toBe(1);
  });
});

test('a commit that meets a damaged page does not count as refused by the system', async () => {
  await inTempDir(async (folder) => {
    const keys = Array.from({ length: 2_000 }, (_, index) => {
      const key = Buffer.alloc(9, 1);
      key.writeUInt32BE(index, 5);
      return key;
    });
    const commitTo = (store: IndexStore): Promise<void> =>
      store.commit((put) => {
        for (const key of keys) put(key, Buffer.alloc(500));
      });
    const store = new IndexStore(folder, false);
    await commitTo(store);
    await store.close(false);

    const file = dataFileIn(folder);
    const bytes = readFileSync(file);
    for (let at = 0; at < bytes.length; at += PAGE_BYTES) {
      if (bytes.readUInt16LE(at + PAGE_FLAGS_AT) === IS_LEAF) bytes.fill(0, at, at + PAGE_BYTES);
    }
    writeFileSync(file, bytes);
    const damaged = new IndexStore(folder, false);
    const error = await commitTo(damaged).catch((reason: unknown) => reason);
    await damaged.close(false);
    expect(String(error)).toMatch(/^Error: MDB_/);
    expect(keepsIndex(error)).toBe(false);
  });
});
