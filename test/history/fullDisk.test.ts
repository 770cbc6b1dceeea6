// An index whose disk is full: nothing of it can be committed, yet what is indexed is answered from memory. The full disk
// is a limit on the size of files, set with prlimit for a child process.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inTempDir } from '../journal/support.ts';
import { canRehearse } from '../support/rehearsal.ts';
import { openVenue } from './harness.ts';
import { Player } from './world.ts';

/** LMDB can create its file, and nothing more. */
const FILE_BYTES_MAX = 64 * 1024;

test('an index on a full disk is not reopened and keeps its uncommitted records', { timeout: 600_000 }, async () => {
  if (!canRehearse('the full disk')) return;
  await inTempDir(async (dataDir) => {
    const venue = await openVenue({ dataDir });
    await new Player(1, venue).play(100);
    const lastSequence = venue.exchange.durableSequence;
    await venue.close();
    rmSync(join(dataDir, 'history'), { recursive: true, force: true });
    const child = join(import.meta.dirname, './fullDiskChild.ts');
    const args = [`--fsize=${FILE_BYTES_MAX}:`, process.execPath, child, dataDir, String(lastSequence)];
    const { stdout, stderr } = spawnSync('prlimit', args, { encoding: 'utf8' });
    expect(JSON.parse(stdout || stderr)).toEqual({ before: lastSequence, after: lastSequence, hasUncommitted: true });
  });
});
