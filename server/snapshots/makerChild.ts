// The process that makes a snapshot: a second exchange without an HTTP interface, which follows the journal with the same
// reducers and followers as the writing one. Started by snapshotMaker.ts with the data directory as its argument; it
// reports its outcome in messages, and ends at once when the exchange does.
import { constants, setPriority } from 'node:os';
import { type Log, makeSnapshot, reasonOf } from '../../engine/index.ts';
import { Catalog } from '../catalog/index.ts';
import { endWithParent, leaveParent, tellParent } from '../process/childProcess.ts';
import { StreamFeed } from '../streams/feed.ts';
import { Views } from '../views/index.ts';
import type { MakerNews } from './snapshotMaker.ts';

const tell = (news: MakerNews): void => tellParent(news);

endWithParent();
try {
  setPriority(constants.priority.PRIORITY_LOW);
  const dataDir = process.argv[2];
  const startedMs = performance.now();
  const views = new Views();
  new Catalog(views); // it observes the views and contributes to their snapshots
  const followers = [...views.followers(), ...new StreamFeed(views).followers()];
  const log: Log = (_, text, figures = {}) => tell({ kind: 'log', text, figures });
  const sequence = await makeSnapshot(dataDir, followers, { log });
  tell({ kind: 'made', sequence, ms: Math.round(performance.now() - startedMs) });
} catch (error) {
  tell({ kind: 'failed', reason: reasonOf(error) });
}
leaveParent();
