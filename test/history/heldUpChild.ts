// A process that indexes a journal while few records may wait for a commit and none can be committed. Started with a limit on
// the size of files by the full-disk test. Arguments: data directory, last sequence, and how many records may wait. It takes more
// turns than the whole log needs, lifts the limit and indexes the rest; it prints the index's sequence before and after.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { LogFollower } from '../../server/history/follower.ts';
import { JournalSource } from '../../server/history/source.ts';
import { Tables } from '../../server/history/tables.ts';

const [dataDir, last, waitingMax] = process.argv.slice(2);
// In an exchange as many wait as fill hundreds of megabytes.
Object.defineProperty(Tables.prototype, 'isCommitDue', {
  get(this: Tables): boolean {
    return this.sequence - this.committedSequence > Number(waitingMax);
  },
});
const settings = { indexPath: join(dataDir, 'history'), dataDir, isFresh: false, recordsPerCommit: 1_000_000 };
const follower = new LogFollower(settings, new JournalSource(dataDir), () => {});

/** Indexes like the thread, which waits for a commit that has begun before it takes another turn. */
async function takeTurn(): Promise<void> {
  follower.index();
  if (follower.isCommitting) await follower.commit();
}

for (let turns = 0; turns < Number(last); turns += 1) await takeTurn();
const heldAt = follower.sequence;
spawnSync('prlimit', ['--pid', String(process.pid), '--fsize=unlimited:']);
await follower.commit();
while (follower.sequence < Number(last)) await takeTurn();
await follower.close();
process.stdout.write(JSON.stringify({ heldAt, after: follower.sequence, hasUncommitted: follower.hasUncommitted }));
