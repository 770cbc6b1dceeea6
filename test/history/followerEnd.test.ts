// How the historian closes its index at the end: a thread that ends with an LMDB environment open can crash the process,
// whatever happened to the last commit.
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { LogFollower } from '../../server/history/follower.ts';
import { JournalSource } from '../../server/history/source.ts';
import { inTempDir } from '../journal/support.ts';
import { openVenue } from './harness.ts';
import { Player } from './world.ts';

const FDS = '/proc/self/fd';

/** Files of a folder that this process has open. */
function openFiles(folder: string): string[] {
  const targets = readdirSync(FDS).map((fd) => {
    try {
      return readlinkSync(join(FDS, fd));
    } catch {
      return ''; // the one that reads the list
    }
  });
  return targets.filter((target) => target.startsWith(folder));
}

test.runIf(process.platform === 'linux')('an index whose last commit fails still closes all its files', async () => {
  await inTempDir(async (dataDir) => {
    const venue = await openVenue({ dataDir });
    await new Player(1, venue).play(60);
    await venue.close();
    const indexPath = join(dataDir, 'history');
    const settings = { indexPath, dataDir, isFresh: true, recordsPerCommit: 1_000_000 };
    const follower = new LogFollower(settings, new JournalSource(dataDir), () => {});
    while (follower.index());
    expect(openFiles(dataDir)).not.toEqual([]);
    vi.spyOn(follower.tables, 'commit').mockRejectedValue(new Error('the disk failed'));
    await expect(follower.close()).rejects.toThrow('the disk failed');
    expect(openFiles(dataDir)).toEqual([]);
  });
});
