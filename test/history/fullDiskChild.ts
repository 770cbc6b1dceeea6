// A process that indexes a journal and has the index reopened at its end, as after a long way through the log. Started with
// a limit on the size of files by the full-disk test. Arguments: data directory and last sequence. It prints the index's
// sequence before and after.
import { join } from 'node:path';
import { LogFollower } from '../../server/history/follower.ts';
import { JournalSource } from '../../server/history/source.ts';

const [dataDir, last] = process.argv.slice(2);
const settings = { indexPath: join(dataDir, 'history'), dataDir, isFresh: false, recordsPerCommit: 1_000_000 };
const follower = new LogFollower(settings, new JournalSource(dataDir), () => {});
while (follower.sequence < Number(last)) if (!follower.index()) await follower.commit();
const before = follower.sequence;
await follower.reopen();
process.stdout.write(JSON.stringify({ before, after: follower.sequence, hasUncommitted: follower.hasUncommitted }));
