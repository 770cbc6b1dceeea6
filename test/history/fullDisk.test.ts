// An index whose disk is full: nothing of it can be committed, yet what is indexed is answered from memory, as long as that
// does not take too much. The full disk is a limit on the size of files, set with prlimit for a child process.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inTempDir } from '../journal/support.ts';
import { canRehearse } from '../support/rehearsal.ts';
import { openVenue } from './harness.ts';
import { Player } from './world.ts';

const LONG = { timeout: 600_000 } as const;
/** LMDB can create its file, and nothing more. */
const FILE_BYTES_MAX = 64 * 1024;
/** Records that may wait for a commit, and the most that are indexed at once. */
const WAITING_MAX = 50;
const PORTION_MAX = 64;

/** Has a child index a journal on a full disk; returns the last sequence, and what the child printed. */
async function indexOnFullDisk(child: string, ...args: readonly number[]): Promise<{ last: number; printed: unknown }> {
  let last = 0;
  let printed: unknown;
  await inTempDir(async (dataDir) => {
    const venue = await openVenue({ dataDir });
    await new Player(1, venue).play(300);
    last = venue.exchange.durableSequence;
    await venue.close();
    rmSync(join(dataDir, 'history'), { recursive: true, force: true });
    const limited = [`--fsize=${FILE_BYTES_MAX}:`, process.execPath, join(import.meta.dirname, child), dataDir];
    const { stdout, stderr } = spawnSync('prlimit', [...limited, ...[last, ...args].map(String)], { encoding: 'utf8' });
    printed = JSON.parse(stdout || stderr);
  });
  return { last, printed };
}

test('an index on a full disk is not reopened and keeps its uncommitted records', LONG, async () => {
  if (!canRehearse('the full disk')) return;
  const { last, printed } = await indexOnFullDisk('./fullDiskChild.ts');
  expect(printed).toEqual({ before: last, after: last, hasUncommitted: true });
});

test('an index on a full disk stops before it fills the memory, and goes on once there is space', LONG, async () => {
  if (!canRehearse('the full disk')) return;
  const { last, printed } = await indexOnFullDisk('./heldUpChild.ts', WAITING_MAX);
  expect(last).toBeGreaterThan(2 * (WAITING_MAX + PORTION_MAX));
  expect(printed).toEqual({ heldAt: expect.any(Number), after: last, hasUncommitted: false });
  const { heldAt } = printed as { heldAt: number }; // looked at above
  expect(heldAt).toBeGreaterThan(WAITING_MAX);
  expect(heldAt).toBeLessThanOrEqual(WAITING_MAX + PORTION_MAX);
});
